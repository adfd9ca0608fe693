#include "shared_models.h"

#include <cmath>
#include <span>
#include <utility>

#include "base/file.h"

namespace munja::conversion {

using importer::ImportedModel;
using importer::Tensor;

std::string Models() { return MUNJA_SOURCE_DIR "/../shared/models/"; }

Tensor Picture(int64_t height, int64_t width) {
  std::vector<float> v(height * width * 3);
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      const bool line = y % 40 >= 12 && y % 40 < 30;
      const bool stroke = line && ((x * 7 + x * x / 13) % 17 < 6 ||
                                   (y % 9 < 2 && (x / 11) % 3 != 0));
      for (int64_t c = 0; c < 3; ++c)
        v[(y * width + x) * 3 + c] = static_cast<float>(
            (stroke ? -1.2 : 1.1) + 0.1 * std::sin(0.03 * (x + 2 * y) + c));
    }
  }
  return Tensor::Floats({1, height, width, 3}, std::move(v));
}

void SharedModels::SetUp() {
  if (!IsDirectory(Models())) GTEST_SKIP() << "no models beside the checkout";
}

ImportedModel SharedModels::Load(const std::string& file,
                                 const importer::ImportOptions& options) {
  Result<ImportedModel> model = importer::Import(Models() + file, options);
  EXPECT_TRUE(model.ok()) << model.status().message();
  return model.ok() ? std::move(*model) : ImportedModel{};
}

std::vector<Tensor> SharedModels::Reference(const ImportedModel& model,
                                            const Tensor& x) {
  auto y = importer::RunReference(model, std::span<const Tensor>(&x, 1));
  EXPECT_TRUE(y.ok()) << y.status().message();
  return y.ok() ? std::move(*y) : std::vector<Tensor>();
}

std::vector<Tensor> SharedModels::Run(const graph::Graph& graph,
                                      const Tensor& x) {
  auto y = RunGraph(graph, std::span<const Tensor>(&x, 1));
  EXPECT_TRUE(y.ok()) << y.status().message();
  return y.ok() ? std::move(*y) : std::vector<Tensor>();
}

}  // namespace munja::conversion
