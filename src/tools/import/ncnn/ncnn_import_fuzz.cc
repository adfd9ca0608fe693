// Any bytes as an ncnn model: .param text, the marker line "--bin--", weights.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "import/import.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr std::string_view kMarker = "--bin--\n";
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const size_t at = all.find(kMarker);
  const std::string_view param = all.substr(0, at);
  std::span<const uint8_t> bin;
  if (at != std::string_view::npos)
    bin = std::span<const uint8_t>(data, size).subspan(at + kMarker.size());
  const auto model = munja::importer::ImportNcnn(param, bin, {});
  // Whatever is accepted must be a sound graph.
  if (model.ok() && !munja::graph::Verify(model->graph).ok()) std::abort();
  return 0;
}
