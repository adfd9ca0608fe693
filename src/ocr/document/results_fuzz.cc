#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "document/results.h"
#include "document/score.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto results = munja::document::ParseResults(
      std::string_view(reinterpret_cast<const char*>(data), size));
  if (!results.ok()) return 0;
  munja::document::LabeledImage label;
  label.lines.push_back({"text", {{0, 0}, {10, 0}, {10, 5}, {0, 5}}, false});
  munja::document::Score score;
  for (const auto& document : *results) {
    score.AddPicture(label, document);
    if (munja::document::FindResult(*results, document.source) == nullptr)
      std::abort();
  }
  if (score.figures().images != static_cast<int64_t>(results->size()))
    std::abort();
  return 0;
}
