#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "document/labels.h"
#include "document/score.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto labels = munja::document::ParseLabels(
      std::string_view(reinterpret_cast<const char*>(data), size));
  if (!labels.ok()) return 0;
  munja::document::Score score;
  for (const auto& label : *labels) {
    if (label.is_crop) {
      score.AddCrop(label, label.text);
      continue;
    }
    // Read by a perfect reader, but for outlines of other than four points.
    munja::document::Document read;
    for (const auto& line : label.lines) {
      auto& added = read.lines.emplace_back();
      added.text = line.text;
      for (size_t i = 0; i < line.polygon.size() && i < 4; ++i) {
        added.polygon[i] = {static_cast<float>(line.polygon[i].x),
                            static_cast<float>(line.polygon[i].y)};
      }
    }
    score.AddPicture(label, read);
  }
  const auto figures = score.figures();
  if (figures.images != static_cast<int64_t>(labels->size())) std::abort();
  if (figures.has_pictures && figures.det_precision > 1) std::abort();
  return 0;
}
