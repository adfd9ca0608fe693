#include "synth/text_source.h"

#include <algorithm>
#include <utility>

#include "base/file.h"
#include "synth/word_list.h"
#include "text/unreadable.h"
#include "text/utf8.h"

namespace munja::train {
namespace {

// Leaves out what the alphabet lacks and squeezes white space.
std::u32string Tidy(std::u32string_view text, const Alphabet& alphabet) {
  std::u32string tidy;
  for (const char32_t c : text) {
    if (c == U' ') {
      if (!tidy.empty() && tidy.back() != U' ') tidy.push_back(c);
    } else if (alphabet.Has(c)) {
      tidy.push_back(c);
    }
  }
  while (!tidy.empty() && tidy.back() == U' ') tidy.pop_back();
  return tidy;
}

// At a space where there is one in the second half.
std::u32string Shorten(std::u32string text, size_t longest) {
  if (text.size() <= longest) return text;
  size_t end = text.rfind(U' ', longest);
  if (end == std::u32string::npos || end < longest / 2) end = longest;
  text.resize(end);
  while (!text.empty() && text.back() == U' ') text.pop_back();
  return text;
}

void Title(std::u32string& text) {
  bool start = true;
  for (char32_t& c : text) {
    if (start) c = ToUpper(c);
    start = c == U' ' || c == U'-';
  }
}

void VaryCase(Random& random, std::u32string& text) {
  const float r = random.Unit();
  if (r < 0.2f) {
    text = ToUpper(text);
  } else if (r < 0.35f) {
    Title(text);
  } else if (r < 0.55f && !text.empty()) {
    text[0] = ToUpper(text[0]);
  }
}

void Punctuate(Random& random, std::u32string& text) {
  static constexpr std::u32string_view kEnds = U".,:;!?...,-)";
  static constexpr std::u32string_view kPairs[] = {
      U"()", U"\"\"", U"''", U"[]", U"“”", U"‘’", U"**", U"--", U"<>", U"«»"};
  if (random.Chance(0.25f)) text.push_back(kEnds[random.Below(kEnds.size())]);
  if (random.Chance(0.08f)) {
    const std::u32string_view pair = kPairs[random.Below(std::size(kPairs))];
    text = pair[0] + text + pair[1];
  }
}

Result<std::u32string> ReadCharacters(const Section& section,
                                      const Alphabet& alphabet) {
  std::vector<std::string> items;
  MUNJA_RETURN_IF_ERROR(section.Read("characters", items));
  std::u32string characters;
  std::u32string all = alphabet.characters();
  std::erase_if(all, [](char32_t c) {
    return text::ScriptOfMark(c) != text::Script::kKnown;
  });
  for (const std::string& item : items) {
    const std::u32string text = text::DecodeUtf8(item);
    if (text == U"*" && items.size() == 1) return all;
    const bool is_range = text.size() == 3 && text[1] == U'-';
    if (!is_range && text.size() != 1)
      return section.Wrong("characters",
                           "characters, ranges as \"a-z\", or \"*\" alone");
    const char32_t low = text.front(), high = text.back();
    // Foreign ones only where all of the range is: signs stay among signs.
    const bool is_foreign =
        alphabet.foreign().find(low) != std::u32string::npos;
    for (const char32_t c : is_foreign ? alphabet.foreign() : all) {
      if (c >= low && c <= high) characters.push_back(c);
    }
  }
  if (characters.empty())
    return section.Wrong("characters", "characters of the alphabet");
  return characters;
}

}  // namespace

Result<TextSource> TextSource::Open(const Json* section_json,
                                    const std::string& recipe_path,
                                    const Alphabet& alphabet) {
  MUNJA_ASSIGN_OR_RETURN(
      const Section section,
      Section::Of(section_json, "text",
                  {"longest", "words", "grammars", "sources"}));
  TextSource text;
  text.alphabet_ = &alphabet;
  MUNJA_RETURN_IF_ERROR(section.Read("longest", 1, 200, text.longest_));
  MUNJA_RETURN_IF_ERROR(text.ReadLists(section, recipe_path));
  const Json* sources = section.Find("sources");
  if (sources == nullptr || !sources->is_array() || sources->empty())
    return section.Wrong("sources", "a list with at least one source of text");
  for (size_t i = 0; i < sources->size(); ++i)
    MUNJA_RETURN_IF_ERROR(text.ReadSource((*sources)[i], i, recipe_path));
  if (!std::any_of(text.weights_.begin(), text.weights_.end(),
                   [](float w) { return w > 0; }))
    return NotFound("'text.sources': the files of every source are missing");
  return text;
}

Status TextSource::ReadLists(const Section& section,
                             const std::string& recipe_path) {
  if (const Json* lists = section.Find("words"); lists != nullptr) {
    if (!lists->is_object())
      return section.Wrong("words", "an object of lists of files");
    for (const auto& [name, files] : lists->items()) {
      std::vector<std::string> patterns;
      for (const Json& file : files) {
        if (!file.is_string())
          return section.Wrong("words." + name, "a list of files");
        patterns.push_back(file.get<std::string>());
      }
      std::vector<std::u32string> words =
          ReadWords(ExpandPaths(recipe_path, patterns), *alphabet_, missing_);
      if (words.empty())
        words.push_back(U"");  // Grammars that use it go on without.
      MUNJA_RETURN_IF_ERROR(
          grammar_.AddWords(name, std::move(words)).With("'text.words'"));
    }
  }
  std::vector<std::string> files;
  MUNJA_RETURN_IF_ERROR(section.Read("grammars", files));
  for (const std::string& file : files) {
    const std::string path = BesideRecipe(recipe_path, file);
    MUNJA_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes,
                           ReadFile(path, size_t{16} << 20));
    MUNJA_RETURN_IF_ERROR(grammar_.Add(
        {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path));
  }
  return grammar_.Check();
}

Status TextSource::ReadSource(const Json& json, size_t index,
                              const std::string& recipe_path) {
  const std::string name = "text.sources[" + std::to_string(index) + "]";
  MUNJA_ASSIGN_OR_RETURN(const Section section,
                         Section::Of(&json, name,
                                     {"weight", "rule", "words", "prose",
                                      "lines", "characters", "count"}));
  Source source;
  float weight = 1;
  MUNJA_RETURN_IF_ERROR(section.Read("weight", 0.0f, 1e6f, weight));
  MUNJA_RETURN_IF_ERROR(
      section.ReadRange("count", 1, 200, source.least, source.most));
  int kinds = 0;
  for (const char* kind : {"rule", "words", "prose", "lines", "characters"})
    kinds += section.Has(kind) ? 1 : 0;
  if (kinds != 1)
    return Malformed("'" + name +
                     "' wants one of rule, words, prose, lines, characters");
  std::vector<std::string> files;
  if (section.Has("rule") || section.Has("words")) {
    const bool is_rule = section.Has("rule");
    source.kind = is_rule ? Source::Kind::kRule : Source::Kind::kWords;
    MUNJA_RETURN_IF_ERROR(
        section.Read(is_rule ? "rule" : "words", source.rule));
    if (!grammar_.Has(source.rule))
      return section.Wrong(is_rule ? "rule" : "words",
                           "the name of a rule or word list");
  } else if (section.Has("prose")) {
    source.kind = Source::Kind::kProse;
    MUNJA_RETURN_IF_ERROR(section.Read("prose", files));
    source.texts =
        ReadProse(ExpandPaths(recipe_path, files), *alphabet_, missing_);
    if (source.texts.empty()) weight = 0;
  } else if (section.Has("lines")) {
    source.kind = Source::Kind::kLines;
    MUNJA_RETURN_IF_ERROR(section.Read("lines", files));
    MUNJA_ASSIGN_OR_RETURN(
        source.texts, ReadLines(ExpandPaths(recipe_path, files), *alphabet_));
    if (source.texts.empty()) return section.Wrong("lines", "files with lines");
  } else {
    source.kind = Source::Kind::kCharacters;
    MUNJA_ASSIGN_OR_RETURN(source.characters,
                           ReadCharacters(section, *alphabet_));
  }
  sources_.push_back(std::move(source));
  weights_.push_back(weight);
  return Status();
}

std::u32string TextSource::Draw(const Source& source, Random& random) const {
  // Short ones more often than long ones.
  const float t = random.Unit();
  const int count =
      static_cast<int>(source.least + (source.most - source.least + 0.99f) * t *
                                          (0.4f + 0.6f * t));
  std::u32string text;
  switch (source.kind) {
    case Source::Kind::kRule:
      return grammar_.Make(source.rule, random);
    case Source::Kind::kLines:
      return source.texts[random.Below(source.texts.size())];
    case Source::Kind::kWords:
      for (int i = 0; i < count; ++i) {
        std::u32string word = grammar_.Make(source.rule, random);
        Punctuate(random, word);
        if (!text.empty()) text.push_back(U' ');
        text += word;
      }
      VaryCase(random, text);
      return text;
    case Source::Kind::kProse: {
      size_t at = random.Below(source.texts.size());
      for (int i = 0; i < count && at < source.texts.size(); ++i, ++at) {
        if (source.texts[at].empty()) {
          if (text.empty()) continue;
          break;
        }
        if (!text.empty()) text.push_back(U' ');
        text += source.texts[at];
      }
      if (random.Chance(0.12f)) text = ToUpper(text);
      return text;
    }
    case Source::Kind::kCharacters:
      for (int i = 0; i < count; ++i) {
        text.push_back(
            source.characters[random.Below(source.characters.size())]);
        if (random.Chance(0.08f)) text.push_back(U' ');
      }
      return text;
  }
  return text;
}

std::u32string TextSource::Make(Random& random) const {
  for (int attempt = 0; attempt < 20; ++attempt) {
    const Source& source = sources_[random.Weighted(weights_)];
    std::u32string text =
        Shorten(Tidy(Draw(source, random), *alphabet_), longest());
    if (!text.empty()) return text;
  }
  return {
      alphabet_->characters()[random.Below(alphabet_->characters().size())]};
}

std::u32string TextSource::MakeByRule(const std::string& rule,
                                      Random& random) const {
  if (!grammar_.Has(rule)) return {};
  return Shorten(Tidy(grammar_.Make(rule, random), *alphabet_), longest());
}

}  // namespace munja::train
