#include "tesseract/arguments.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
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

}  // namespace

std::string Parse(const std::vector<std::string>& words, Arguments* a) {
  // Options whose value nothing here depends on.
  static const std::set<std::string> kIgnored = {
      "--tessdata-dir", "--oem", "--user-words", "--user-patterns",
      "--loglevel"};
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
  const auto dpi = a->variables.find("user_defined_dpi");
  if (a->dpi <= 0 && dpi != a->variables.end())
    a->dpi = std::atof(dpi->second.c_str());
  if (!(a->dpi > 0 && a->dpi < 1e5)) a->dpi = 0;
  return {};
}

bool IsSet(const Arguments& arguments, const std::string& variable) {
  const auto found = arguments.variables.find(variable);
  if (found == arguments.variables.end() || found->second.empty()) return false;
  const int first = std::tolower(static_cast<unsigned char>(found->second[0]));
  return first == '1' || first == 't' || first == 'y';
}

std::vector<std::string> Outputs(const Arguments& arguments,
                                 std::vector<std::string>* unknown) {
  std::vector<std::string> outputs;
  for (const Output& output : kOutputs) {
    const bool is_named =
        std::find(arguments.configs.begin(), arguments.configs.end(),
                  output.config) != arguments.configs.end();
    if (is_named || IsSet(arguments, output.variable))
      outputs.emplace_back(output.extension);
  }
  // Configs that change nothing here.
  static const std::set<std::string> kOthers = {
      "quiet", "digits", "batch.nochop", "batch", "nobatch", "logfile"};
  for (const std::string& config : arguments.configs) {
    const bool is_output =
        std::any_of(kOutputs.begin(), kOutputs.end(),
                    [&](const Output& o) { return config == o.config; });
    if (!is_output && kOthers.count(config) == 0) unknown->push_back(config);
  }
  if (outputs.empty()) outputs.emplace_back("txt");
  return outputs;
}

}  // namespace munja::tesseract
