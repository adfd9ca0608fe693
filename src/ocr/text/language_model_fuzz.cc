#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "text/language_model.h"

// Any accepted language model gives a number after any context.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using munja::text::LanguageModel;
  const auto parsed = LanguageModel::Parse({data, size}, nullptr);
  if (!parsed.ok()) return 0;
  const LanguageModel& model = **parsed;
  // Contexts and letters out of the file's own bytes.
  std::vector<LanguageModel::Symbol> context;
  for (size_t i = 0; i < size && i < 4096; ++i) {
    const auto symbol = static_cast<LanguageModel::Symbol>(
        (data[i] * size_t{257} + i) % (model.letters() + 1));
    const float log = model.LogProbability(context, symbol);
    if (!(log <= 0) || !std::isfinite(log)) std::abort();
    context.push_back(symbol);
    if (context.size() > 8) context.clear();
  }
  for (const char32_t c : {U'a', U'Z', U'\uAC00', U'\U0010FFFF'})
    if (model.SymbolOf(c) > model.letters()) std::abort();
  return 0;
}
