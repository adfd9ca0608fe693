// Any bytes as an ONNX file.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "import/import.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  munja::importer::ImportOptions options;
  options.dynamic_batch = size % 2 == 1;
  const auto model = munja::importer::ImportOnnx(
      std::span<const uint8_t>(data, size), options);
  // Whatever is accepted must be a sound graph.
  if (model.ok() && !munja::graph::Verify(model->graph).ok()) std::abort();
  return 0;
}
