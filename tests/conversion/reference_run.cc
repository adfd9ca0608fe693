// munja_reference_run MODEL HEIGHT WIDTH IN OUT: runs the importer's reference
// path on raw float32 values (NHWC, 3 channels), for the comparison with ONNX
// Runtime.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/file.h"
#include "import/import.h"

int main(int argc, char** argv) {
  using munja::importer::Tensor;
  if (argc != 6) return 2;
  const auto fail = [](const munja::Status& status) {
    std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
    return 1;
  };
  const auto model = munja::importer::Import(argv[1], {});
  if (!model.ok()) return fail(model.status());
  const int64_t height = std::atoi(argv[2]), width = std::atoi(argv[3]);
  const auto bytes = munja::ReadFile(argv[4]);
  if (!bytes.ok()) return fail(bytes.status());
  std::vector<float> values(bytes->size() / sizeof(float));
  std::memcpy(values.data(), bytes->data(), values.size() * sizeof(float));
  const Tensor x = Tensor::Floats({1, height, width, 3}, std::move(values));
  const auto y =
      munja::importer::RunReference(*model, std::span<const Tensor>(&x, 1));
  if (!y.ok()) return fail(y.status());
  const std::vector<float>& out = (*y)[0].floats;
  const munja::Status written = munja::WriteFile(
      argv[5],
      std::span<const uint8_t>(reinterpret_cast<const uint8_t*>(out.data()),
                               out.size() * sizeof(float)));
  return written.ok() ? 0 : fail(written);
}
