#include "tesseract/arguments.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <set>
#include <utility>

namespace munja::tesseract {
namespace {

// Names of page segmentation modes, of version 5.5.
constexpr std::array<std::pair<const char*, int>, 14> kModes = {
    {{"osd-only", 0},
     {"auto-osd", 1},
     {"auto-only", 2},
     {"auto", 3},
     {"column", 4},
     {"block-vert", 5},
     {"block", 6},
     {"line", 7},
     {"word", 8},
     {"circle-word", 9},
     {"char", 10},
     {"sparse", 11},
     {"sparse-osd", 12},
     {"raw-line", 13}}};

bool ParseMode(const std::string& text, int* mode) {
  for (const auto& [name, number] : kModes) {
    if (text == name) {
      *mode = number;
      return true;
    }
  }
  char* end = nullptr;
  const long number = std::strtol(text.c_str(), &end, 10);
  if (end == text.c_str() || *end != 0 || number < 0 || number > 13)
    return false;
  *mode = static_cast<int>(number);
  return true;
}

// "NAME=VALUE"; false where it is none.
bool AddVariable(const std::string& word, Arguments* arguments) {
  const size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0) return false;
  arguments->variables[word.substr(0, equals)] = word.substr(equals + 1);
  return true;
}

void SplitLanguages(const std::string& text,
                    std::vector<std::string>* languages) {
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('+', begin), text.size());
    if (end > begin) languages->push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

struct Output {
  const char* extension;
  const char* config;
  const char* variable;
};
constexpr std::array<Output, 7> kOutputs = {
    {{"txt", "txt", "tessedit_create_txt"},
     {"hocr", "hocr", "tessedit_create_hocr"},
     {"tsv", "tsv", "tessedit_create_tsv"},
     {"pdf", "pdf", "tessedit_create_pdf"},
     {"xml", "alto", "tessedit_create_alto"},
     {"page.xml", "page", "tessedit_create_page_xml"},
     {"box", "makebox", "tessedit_create_boxfile"}}};

struct Variable {
  const char* name;
  const char* value;  // The default.
  const char* help;
};
constexpr std::array<Variable, 20> kVariables = {
    {{"load_freq_dawg", "1", "0: reads without language models"},
     {"load_system_dawg", "1", "0: reads without language models"},
     {"munja_max_pixels", "400000000",
      "A larger image is refused; also $MUNJA_MAX_PIXELS"},
     {"page_separator", "\f", "Ends each page of text"},
     {"preserve_interword_spaces", "0", "As many spaces as have room"},
     {"tessedit_char_blacklist", "", "Characters that are not read"},
     {"tessedit_char_unblacklist", "", "Of these, characters that are"},
     {"tessedit_char_whitelist", "", "The only characters that are read"},
     {"tessedit_create_alto", "0", "Writes ALTO"},
     {"tessedit_create_boxfile", "0", "Writes boxes of characters"},
     {"tessedit_create_hocr", "0", "Writes hOCR"},
     {"tessedit_create_page_xml", "0", "Writes PAGE XML"},
     {"tessedit_create_pdf", "0", "Writes PDF"},
     {"tessedit_create_tsv", "0", "Writes TSV"},
     {"tessedit_create_txt", "0", "Writes text"},
     {"tessedit_page_number", "-1", "The only page that is read, from 0"},
     {"tessedit_pageseg_mode", "", "As --psm"},
     {"textonly_pdf", "0", "PDF of text alone"},
     {"user_defined_dpi", "0", "As --dpi"},
     {"user_words_file", "", "As --user-words"}}};

// Variables of Tesseract's own way to the same text.
constexpr std::array<const char*, 7> kOthersWays = {
    "debug_file",          "thresholding_method",      "invert_threshold",
    "hocr_font_info",      "tessedit_ocr_engine_mode", "tessedit_do_invert",
    "paragraph_text_based"};

// Variables that change the result unless they are empty or off.
constexpr std::array<const char*, 15> kUnsupported = {
    "classify_bln_numeric_mode",     "interactive_display_mode",
    "tessedit_ambigs_training",      "tessedit_create_lstmbox",
    "tessedit_create_wordstrbox",    "tessedit_make_boxes_from_boxes",
    "tessedit_resegment_from_boxes", "tessedit_resegment_from_line_boxes",
    "tessedit_train_from_boxes",     "tessedit_train_line_recognizer",
    "tessedit_write_unlv",           "user_patterns_file",
    "user_patterns_suffix",          "user_words_suffix",
    "language_model_ngram_on"};

// Configs of Tesseract's that set one of those, or train.
constexpr std::array<const char*, 11> kUnsupportedConfigs = {
    "ambigs.train", "bazaar",  "box.train",  "box.train.stderr",
    "inter",        "linebox", "lstm.train", "lstmbox",
    "rebox",        "unlv",    "wordstrbox"};

template <typename List>
bool Contains(const List& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

bool IsOff(const std::string& value) {
  const int first =
      value.empty() ? '0' : std::tolower(static_cast<unsigned char>(value[0]));
  return first == '0' || first == 'f' || first == 'n';
}

// "NAME VALUE" lines; the value is the rest of its line.
bool ReadConfigFile(const std::string& path,
                    std::map<std::string, std::string>* variables) {
  std::ifstream file(path);
  std::string line;
  // A folder opens, but has no lines.
  if (!file.good() || file.peek() == std::ifstream::traits_type::eof())
    return file.eof() && !file.bad();
  while (std::getline(file, line)) {
    while (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty() || line[0] == '#') continue;
    const size_t end = std::min(line.find_first_of(" \t"), line.size());
    const size_t value = line.find_first_not_of(" \t", end);
    (*variables)[line.substr(0, end)] =
        value == std::string::npos ? "" : line.substr(value);
  }
  return true;
}

bool IsNumber(const std::string& text) {
  char* end = nullptr;
  std::strtol(text.c_str(), &end, 10);
  return end != text.c_str() && *end == 0;
}

// Adds what a config says. Empty, or what is wrong.
std::string AddConfig(const Arguments& a, const std::string& config,
                      std::map<std::string, std::string>* variables,
                      std::vector<std::string>* messages) {
  static const std::set<std::string> kNoEffect = {
      "api_config", "batch",   "batch.nochop", "bigram",     "get.images",
      "logfile",    "nobatch", "quiet",        "strokewidth"};
  for (const Output& output : kOutputs) {
    if (config == output.config) {
      (*variables)[output.variable] = "1";
      return {};
    }
  }
  if (Contains(kUnsupportedConfigs, config))
    return "Error, the config '" + config + "' is not supported";
  if (config == "digits") {
    (*variables)["tessedit_char_whitelist"] = "0123456789-.";
    return {};
  }
  if (kNoEffect.count(config) > 0) return {};
  std::vector<std::string> paths = {config};
  if (!a.tessdata.empty())
    for (const char* const folder : {"/configs/", "/tessconfigs/"})
      paths.push_back(a.tessdata + folder + config);
  for (const std::string& path : paths)
    if (ReadConfigFile(path, variables)) return {};
  messages->push_back("read_params_file: Can't open " + config);
  return {};
}

}  // namespace

std::string Configure(Arguments* a, std::vector<std::string>* messages) {
  std::map<std::string, std::string> variables;
  for (const std::string& config : a->configs) {
    const std::string wrong = AddConfig(*a, config, &variables, messages);
    if (!wrong.empty()) return wrong;
  }
  // Settings of -c win.
  a->variables.insert(variables.begin(), variables.end());
  for (const auto& [name, value] : a->variables) {
    const bool is_known = std::any_of(
        kVariables.begin(), kVariables.end(),
        [&name = name](const Variable& v) { return name == v.name; });
    if (Contains(kUnsupported, name)) {
      if (!IsOff(value))
        return "Error, the variable " + name + " is not supported";
    } else if (!is_known && !Contains(kOthersWays, name)) {
      messages->push_back("Warning, the variable " + name + " has no effect");
    }
  }
  for (const char* const name : {"tessedit_page_number", "munja_max_pixels"})
    if (!IsNumber(ValueOf(*a, name)))
      return std::string("Error, ") + name + " is a number, not '" +
             ValueOf(*a, name) + "'";
  const std::string mode = ValueOf(*a, "tessedit_pageseg_mode");
  if (!a->has_psm && !mode.empty() && !ParseMode(mode, &a->psm))
    return "Error, unknown page segmentation mode '" + mode + "'";
  if (a->user_words.empty()) a->user_words = ValueOf(*a, "user_words_file");
  if (!a->user_patterns.empty())
    return "Error, --user-patterns is not supported";
  if (a->dpi <= 0) a->dpi = std::atof(ValueOf(*a, "user_defined_dpi").c_str());
  if (!(a->dpi > 0 && a->dpi < 1e5)) a->dpi = 0;
  return {};
}

std::string ValueOf(const Arguments& arguments, const std::string& variable) {
  const auto found = arguments.variables.find(variable);
  if (found != arguments.variables.end()) return found->second;
  for (const Variable& v : kVariables)
    if (variable == v.name) return v.value;
  return {};
}

std::string Parameters() {
  std::string rows;
  for (const Variable& v : kVariables) {
    const std::string value = v.value;
    rows += std::string(v.name) + "\t" + (value == "\f" ? "\\f" : value) +
            "\t" + v.help + "\n";
  }
  return rows;
}

std::string Parse(const std::vector<std::string>& words, Arguments* a) {
  // Options whose value nothing here depends on.
  static const std::set<std::string> kIgnored = {"--oem", "--loglevel"};
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool has_value = i + 1 < words.size();
    const auto value = [&]() -> const std::string& { return words[++i]; };
    // Behind the first config all are configs.
    const bool is_option =
        a->configs.empty() && word.size() > 1 && word[0] == '-' && word != "-";
    if (!is_option) {
      if (a->image.empty())
        a->image = word;
      else if (a->base.empty())
        a->base = word;
      else if (!AddVariable(word, a))
        a->configs.push_back(word);
    } else if (word == "--version" || word == "-v") {
      a->action = Arguments::kVersion;
    } else if (word == "--list-langs") {
      a->action = Arguments::kLanguages;
    } else if (word == "--print-parameters") {
      a->action = Arguments::kParameters;
    } else if (word == "--help" || word == "-h" || word == "--help-extra" ||
               word == "--help-psm" || word == "--help-oem") {
      a->action = Arguments::kHelp;
    } else if (!has_value) {
      return "Error, unknown command line argument '" + word + "'";
    } else if (word == "-l") {
      SplitLanguages(value(), &a->languages);
    } else if (word == "--psm") {
      if (!ParseMode(value(), &a->psm))
        return "Error, unknown page segmentation mode '" + words[i] + "'";
      a->has_psm = true;
    } else if (word == "--tessdata-dir") {
      a->tessdata = value();
    } else if (word == "--user-words") {
      a->user_words = value();
    } else if (word == "--user-patterns") {
      a->user_patterns = value();
    } else if (word == "--dpi") {
      a->dpi = std::atof(value().c_str());
    } else if (word == "-c") {
      if (!AddVariable(value(), a))
        return "Missing = in configvar assignment for '" + words[i] + "'";
    } else if (kIgnored.count(word) > 0) {
      value();
    } else {
      return "Error, unknown command line argument '" + word + "'";
    }
  }
  const bool reads = a->action == Arguments::kRead;
  if (reads && (a->image.empty() || a->base.empty()))
    a->action = Arguments::kIncomplete;
  return {};
}

bool IsSet(const Arguments& arguments, const std::string& variable) {
  const std::string value = ValueOf(arguments, variable);
  if (value.empty()) return false;
  const int first = std::tolower(static_cast<unsigned char>(value[0]));
  return first == '1' || first == 't' || first == 'y';
}

std::vector<std::string> Outputs(const Arguments& arguments) {
  std::vector<std::string> outputs;
  for (const Output& output : kOutputs)
    if (IsSet(arguments, output.variable))
      outputs.emplace_back(output.extension);
  if (outputs.empty()) outputs.emplace_back("txt");
  return outputs;
}

}  // namespace munja::tesseract
