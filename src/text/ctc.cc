#include "text/ctc.h"

namespace munja::text {

CtcText DecodeCtc(std::span<const CtcStep> steps,
                  const Dictionary& dictionary) {
  constexpr int kBlank = 0;
  CtcText result;
  double sum = 0;
  int previous = kBlank;
  for (size_t i = 0; i < steps.size(); ++i) {
    const CtcStep& step = steps[i];
    if (step.cls != previous && step.cls != kBlank) {
      const std::string_view symbol = dictionary.symbol(step.cls);
      result.text += symbol;
      result.characters.push_back({std::string(symbol), i, step.probability});
      sum += step.probability;
    }
    previous = step.cls;
  }
  if (!result.characters.empty()) {
    result.confidence =
        static_cast<float>(sum / static_cast<double>(result.characters.size()));
  }
  return result;
}

}  // namespace munja::text
