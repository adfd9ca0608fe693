#include "tesseract/languages.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "munja/munja.hpp"

namespace munja::tesseract {
namespace {

// Without a code: the letters are those of others, and no language model of a
// bundle is for it.
constexpr struct {
  const char *name, *code;
} kLanguages[] = {
    {"bel", "be"}, {"bul", "bg"}, {"cat", "ca"}, {"ces", "cs"}, {"dan", "da"},
    {"deu", "de"}, {"ell", "el"}, {"eng", "en"}, {"est", "et"}, {"fin", ""},
    {"fra", "fr"}, {"hrv", "hr"}, {"hun", "hu"}, {"isl", "is"}, {"ita", "it"},
    {"kor", "ko"}, {"lav", "lv"}, {"lit", "lt"}, {"nld", "nl"}, {"nor", "no"},
    {"osd", ""},   {"pol", "pl"}, {"por", "pt"}, {"ron", "ro"}, {"rus", "ru"},
    {"slk", "sk"}, {"slv", "sl"}, {"spa", "es"}, {"srp", "sr"}, {"swe", "sv"},
    {"tur", "tr"}, {"ukr", "uk"}, {"vie", "vi"},
};

// Codes of languages: those of all installed models, and those of the one used
// by default.
struct Codes {
  std::set<std::string> installed, usual;
};
Codes InstalledCodes() {
  Codes codes;
  const munja::Result<std::string> list = munja::Model::List();
  if (!list.ok()) return codes;
  const auto models = nlohmann::json::parse(*list, nullptr, false);
  for (const auto& model : models) {
    if (!model.contains("languages")) continue;
    for (const std::string code : model["languages"]) {
      codes.installed.insert(code);
      if (model.value("name", "") == "default") codes.usual.insert(code);
    }
  }
  return codes;
}

// "tessdata/eng" and "eng" name the same, and scripts a language of theirs.
std::string_view PlainName(std::string_view name) {
  name.remove_prefix(name.rfind('/') + 1);
  if (name == "Latin") return "eng";
  if (name == "Hangul") return "kor";
  if (name == "Cyrillic") return "rus";
  if (name == "Greek") return "ell";
  if (name == "Vietnamese") return "vie";
  return name;
}

// The code of a name; nothing if no such language is installed.
std::optional<std::string> CodeOf(std::string_view name,
                                  const std::set<std::string>& installed) {
  const auto* const language =
      std::find_if(std::begin(kLanguages), std::end(kLanguages),
                   [&](const auto& l) { return l.name == name; });
  if (language == std::end(kLanguages)) return std::nullopt;
  std::string code = language->code;
  if (!code.empty() && installed.count(code) == 0) return std::nullopt;
  return code;
}

}  // namespace

std::vector<std::string> InstalledLanguages() {
  const std::set<std::string> installed = InstalledCodes().installed;
  std::vector<std::string> names;
  for (const auto& language : kLanguages)
    if (CodeOf(language.name, installed)) names.push_back(language.name);
  return names;
}

std::optional<std::string> LanguageCodes(
    const std::vector<std::string>& names) {
  if (names.empty()) return "";
  const auto [installed, usual] = InstalledCodes();
  std::string codes;
  bool all_known = true, are_usual = true, is_any = false;
  for (const std::string& name : names) {
    const auto code = CodeOf(PlainName(name), installed);
    if (!code) {
      std::fprintf(stderr, "Failed loading language '%s'\n", name.c_str());
      all_known = false;
      continue;
    }
    is_any = true;
    if (code->empty()) continue;
    are_usual = are_usual && usual.count(*code) > 0;
    codes += (codes.empty() ? "" : ",") + *code;
  }
  if (!is_any)
    std::fputs(
        "Couldn't load any languages!\nCould not initialize tesseract.\n",
        stderr);
  if (!all_known || !is_any) return std::nullopt;
  return are_usual ? "" : codes;
}

}  // namespace munja::tesseract
