// SKIP_GRAM: the n-grams of a sentence's words, in which up to max_skip_size
// words may be left out between two neighbors.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ops/op.h"
#include "ops/support/operands.h"
#include "tensor/strings.h"

namespace munja::ops::skip_gram {
namespace {

// Their number grows exponentially with the options: a limit for what a
// hostile model may ask for.
constexpr size_t kMaxGrams = size_t{1} << 20;
constexpr size_t kMaxSteps = size_t{1} << 24;

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::vector<std::string_view> Words(std::string_view text) {
  std::vector<std::string_view> words;
  for (size_t i = 0; i < text.size();) {
    if (IsSpace(text[i])) {
      ++i;
      continue;
    }
    const size_t begin = i;
    while (i < text.size() && !IsSpace(text[i])) ++i;
    words.push_back(text.substr(begin, i - begin));
  }
  return words;
}

class SkipGramKernel final : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    MUNJA_RETURN_IF_ERROR(
        CheckType(context.input(0), "the input", {ElementType::kString}));
    MUNJA_RETURN_IF_ERROR(
        CheckType(context.output(0), "the output", {ElementType::kString}));
    if (context.input(0).shape.elements() != 1) {
      return Malformed("the input has shape " +
                       context.input(0).shape.ToString() + ", want one string");
    }
    context.DeferOutputShape(0);
    return Status();
  }

  Status Eval(EvalContext& context) const override {
    const auto words = Words(StringAt(context.input(0), 0));
    std::vector<std::string> grams;
    MUNJA_RETURN_IF_ERROR(Collect(words, &grams));
    const std::vector<std::string_view> views(grams.begin(), grams.end());
    MUNJA_RETURN_IF_ERROR(context.ResizeOutput(
        0, Shape{static_cast<int32_t>(views.size())}, StringBytes(views)));
    WriteStrings(views, context.output(0).data);
    return Status();
  }

  int64_t size_ = 0, max_skip_ = 0;
  bool includes_shorter_ = false;

 private:
  // Depth first: what a gram can be continued to comes before itself.
  Status Collect(const std::vector<std::string_view>& words,
                 std::vector<std::string>* grams) const {
    const auto count = static_cast<int64_t>(words.size());
    std::vector<int64_t> gram;  // Numbers of its words.
    int64_t next = 0;           // The word to go on with.
    for (size_t steps = 0;; ++steps) {
      if (steps > kMaxSteps || grams->size() > kMaxGrams)
        return OutOfMemory("there are too many n-grams");
      const int64_t last =
          gram.empty() ? count - 1
                       : std::min(count - 1, gram.back() + 1 + max_skip_);
      if (static_cast<int64_t>(gram.size()) < size_ && next <= last) {
        gram.push_back(next);
        ++next;
        continue;
      }
      if (gram.empty()) return Status();
      if (includes_shorter_ || static_cast<int64_t>(gram.size()) == size_) {
        std::string& text = grams->emplace_back();
        for (const int64_t w : gram) {
          if (!text.empty()) text += ' ';
          text += words[static_cast<size_t>(w)];
        }
      }
      next = gram.back() + 1;
      gram.pop_back();
    }
  }
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(1, 1, 1));
  auto kernel = std::make_unique<SkipGramKernel>();
  MUNJA_ASSIGN_OR_RETURN(kernel->size_, info.attributes().Int("ngram_size", 0));
  MUNJA_ASSIGN_OR_RETURN(kernel->max_skip_,
                         info.attributes().Int("max_skip_size", 0));
  MUNJA_ASSIGN_OR_RETURN(kernel->includes_shorter_,
                         info.attributes().Bool("include_all_ngrams", false));
  if (kernel->size_ < 1 || kernel->max_skip_ < 0 ||
      kernel->max_skip_ > INT32_MAX) {
    return Malformed("ngram_size is " + std::to_string(kernel->size_) +
                     ", max_skip_size " + std::to_string(kernel->max_skip_));
  }
  return std::unique_ptr<Kernel>(std::move(kernel));
}

}  // namespace munja::ops::skip_gram
