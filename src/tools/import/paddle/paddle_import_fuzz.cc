// Any bytes as a Paddle model: a program in either format, the marker line
// "--parameters--", parameters.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "import/import.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr std::string_view kMarker = "--parameters--\n";
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const size_t at = all.find(kMarker);
  const std::span<const uint8_t> bytes(data, size);
  std::span<const uint8_t> program = bytes, parameters;
  if (at != std::string_view::npos) {
    program = bytes.first(at);
    parameters = bytes.subspan(at + kMarker.size());
  }
  const auto model = munja::importer::ImportPaddle(program, parameters, {});
  // Whatever is accepted must be a sound graph.
  if (model.ok() && !munja::graph::Verify(model->graph).ok()) std::abort();
  return 0;
}
