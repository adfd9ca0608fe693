#include "reading/correct/line_hypothesis.h"

namespace munja::ocr {

void LineHypothesis::Start(int columns) {
  steps.clear();
  columns_per_step = columns;
  is_empty_column.clear();
  script = {};
  confidence.reset();
  StepsChanged();
}

std::span<const ReadCharacter> LineHypothesis::characters() {
  if (is_current_) return characters_;
  characters_.clear();
  for (size_t i = 0; i < steps.size();) {
    const int cls = steps[i].cls;
    size_t end = i + 1;
    while (end < steps.size() && steps[end].cls == cls) ++end;
    if (cls != kBlank) characters_.push_back({i, end, cls});
    i = end;
  }
  is_current_ = true;
  return characters_;
}

}  // namespace munja::ocr
