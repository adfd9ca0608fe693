#include "synth/make_language.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/file.h"
#include "synth/alphabet.h"
#include "synth/random.h"
#include "synth/recipe.h"
#include "synth/text_source.h"
#include "synth/word_list.h"
#include "text/language_builder.h"
#include "text/language_model.h"
#include "text/normalize.h"
#include "text/utf8.h"

namespace munja::train {
namespace {

constexpr size_t kMostTextBytes = size_t{64} << 20;
constexpr uint64_t kRuleSeed = 1;

using Words = std::vector<std::u32string>;

// As it counts when words are compared.
std::u32string Bare(const std::u32string& word) {
  const auto words = text::Words(text::EncodeUtf8(word));
  return words.empty() ? std::u32string() : words.front();
}

class LanguageMaker {
 public:
  LanguageMaker(const LanguageJob& job, LanguageReport* report)
      : job_(job), report_(report) {}

  Status Make();

 private:
  struct Source {
    float share = 1;
    Words words;
  };

  Status ReadWithout();
  Result<std::u32string> ReadLetters(const Section& section) const;
  Status ReadSource(const Json& recipe, const Json& json, size_t index);
  Result<Words> WordsByRule(const Json& recipe, const std::string& rule,
                            int count) const;

  const LanguageJob& job_;
  LanguageReport* report_;
  std::optional<Alphabet> alphabet_;
  std::unordered_set<std::u32string> without_;
  std::vector<Source> sources_;
};

Status LanguageMaker::ReadWithout() {
  if (job_.without.empty()) return Status();
  MUNJA_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes,
                         ReadFile(job_.without, kMostTextBytes));
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()),
                             bytes.size());
  for (std::u32string& word : text::Words(all))
    without_.insert(std::move(word));
  return Status();
}

Result<std::u32string> LanguageMaker::ReadLetters(
    const Section& section) const {
  std::vector<std::string> items;
  MUNJA_RETURN_IF_ERROR(section.Read("letters", items));
  std::u32string letters;
  for (const std::string& item : items) {
    const std::u32string text = text::DecodeUtf8(item);
    const bool is_range = text.size() == 3 && text[1] == U'-';
    if (!is_range && text.size() != 1)
      return section.Wrong("letters", "letters and ranges as \"a-z\"");
    for (const char32_t c : alphabet_->characters())
      if (c >= text.front() && c <= text.back()) letters.push_back(c);
  }
  if (letters.empty())
    return section.Wrong("letters", "letters of the alphabet");
  return letters;
}

Result<Words> LanguageMaker::WordsByRule(const Json& recipe,
                                         const std::string& rule,
                                         int count) const {
  MUNJA_ASSIGN_OR_RETURN(
      const TextSource text,
      TextSource::Open(FindSection(recipe, "text"), job_.recipe, *alphabet_));
  Words words;
  for (int i = 0; i < count; ++i) {
    Random random(kRuleSeed, static_cast<uint64_t>(i));
    const std::u32string line = text.MakeByRule(rule, random);
    for (size_t begin = 0; begin < line.size();) {
      const size_t end = std::min(line.find(U' ', begin), line.size());
      words.push_back(line.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return words;
}

Status LanguageMaker::ReadSource(const Json& recipe, const Json& json,
                                 size_t index) {
  MUNJA_ASSIGN_OR_RETURN(
      const Section section,
      Section::Of(&json, "language.sources[" + std::to_string(index) + "]",
                  {"share", "words", "prose", "rule", "count"}));
  Source source;
  MUNJA_RETURN_IF_ERROR(section.Read("share", 0.0f, 1e6f, source.share));
  int count = section.Has("rule") ? 100000 : 1 << 30;
  MUNJA_RETURN_IF_ERROR(section.Read("count", 1, 1 << 30, count));
  const int kinds = int{section.Has("words")} + int{section.Has("prose")} +
                    int{section.Has("rule")};
  if (kinds != 1)
    return Malformed("'" + section.name() +
                     "' wants one of words, prose, rule");
  if (section.Has("rule")) {
    std::string rule;
    MUNJA_RETURN_IF_ERROR(section.Read("rule", rule));
    MUNJA_ASSIGN_OR_RETURN(source.words, WordsByRule(recipe, rule, count));
    if (source.words.empty())
      return section.Wrong("rule", "a rule of the section 'text'");
  } else {
    const char* key = section.Has("words") ? "words" : "prose";
    std::vector<std::string> patterns;
    MUNJA_RETURN_IF_ERROR(section.Read(key, patterns));
    const auto paths = ExpandPaths(job_.recipe, patterns);
    Words all = section.Has("words")
                    ? ReadWords(paths, *alphabet_, report_->missing)
                    : ReadProse(paths, *alphabet_, report_->missing);
    std::erase_if(all, [](const std::u32string& word) { return word.empty(); });
    const size_t most = std::min(all.size(), static_cast<size_t>(count));
    for (size_t i = 0; i < most; ++i)
      source.words.push_back(std::move(all[i * all.size() / most]));
  }
  sources_.push_back(std::move(source));
  return Status();
}

Status LanguageMaker::Make() {
  MUNJA_ASSIGN_OR_RETURN(const Json recipe, ReadRecipe(job_.recipe));
  MUNJA_ASSIGN_OR_RETURN(
      const Section section,
      Section::Of(FindSection(recipe, "language"), "language",
                  {"order", "bytes", "letters", "sources"}));
  int order = 5, most_bytes = 500000;
  MUNJA_RETURN_IF_ERROR(
      section.Read("order", 2, text::LanguageModel::kMaxOrder, order));
  MUNJA_RETURN_IF_ERROR(section.Read("bytes", 100, 1 << 30, most_bytes));
  MUNJA_ASSIGN_OR_RETURN(alphabet_, Alphabet::OfRecipe(recipe, job_.recipe));
  MUNJA_ASSIGN_OR_RETURN(const std::u32string letters, ReadLetters(section));
  const Json* sources = section.Find("sources");
  if (sources == nullptr || !sources->is_array() || sources->empty())
    return section.Wrong("sources", "a list with at least one source of words");
  MUNJA_RETURN_IF_ERROR(ReadWithout());
  for (size_t i = 0; i < sources->size(); ++i)
    MUNJA_RETURN_IF_ERROR(ReadSource(recipe, (*sources)[i], i));

  MUNJA_ASSIGN_OR_RETURN(auto builder,
                         text::LanguageBuilder::Create(letters, order));
  double shares = 0, words = 0;
  for (Source& source : sources_) {
    const size_t before = source.words.size();
    if (!without_.empty()) {
      std::erase_if(source.words, [&](const std::u32string& word) {
        return without_.contains(Bare(word));
      });
    }
    report_->left_out += before - source.words.size();
    if (source.words.empty()) continue;
    shares += static_cast<double>(source.share);
    words += static_cast<double>(source.words.size());
  }
  for (const Source& source : sources_) {
    if (source.words.empty() || source.share <= 0) continue;
    const double times = words * static_cast<double>(source.share) / shares /
                         static_cast<double>(source.words.size());
    for (const std::u32string& word : source.words)
      if (builder.Add(word, times)) ++report_->words;
  }
  MUNJA_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes,
                         builder.Build(static_cast<size_t>(most_bytes)));
  // Parsing proves that the written bytes can be read.
  MUNJA_ASSIGN_OR_RETURN(const auto model,
                         text::LanguageModel::Parse(bytes, nullptr));
  report_->n_grams = model->size();
  report_->bytes = bytes.size();
  return WriteFile(job_.out, bytes);
}

}  // namespace

Status MakeLanguage(const LanguageJob& job, LanguageReport* report) {
  *report = {};
  Status status = LanguageMaker(job, report).Make();
  // Errors in the contents of the recipe do not name its path yet.
  if (status.code() == Code::kMalformed &&
      status.message().find(job.recipe) == std::string_view::npos)
    return std::move(status).With(job.recipe);
  return status;
}

}  // namespace munja::train
