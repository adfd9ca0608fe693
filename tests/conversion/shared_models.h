// The networks next to the checkout, for tests of conversions.
#ifndef MUNJA_TESTS_CONVERSION_SHARED_MODELS_H_
#define MUNJA_TESTS_CONVERSION_SHARED_MODELS_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "converted.h"

namespace munja::conversion {

// The folder of the models, with a slash at its end.
std::string Models();

// Dark strokes of varied width on light paper, slightly uneven: enough to make
// a detector answer, and never the same for two columns. [1, height, width, 3].
importer::Tensor Picture(int64_t height, int64_t width);

// Skips its tests where the models are missing. Failures to load or to run fail
// the test and return an empty result.
class SharedModels : public testing::Test {
 protected:
  void SetUp() override;
  static importer::ImportedModel Load(
      const std::string& file, const importer::ImportOptions& options = {});
  static std::vector<importer::Tensor> Reference(
      const importer::ImportedModel& model, const importer::Tensor& x);
  static std::vector<importer::Tensor> Run(const graph::Graph& graph,
                                           const importer::Tensor& x);
};

}  // namespace munja::conversion

#endif  // MUNJA_TESTS_CONVERSION_SHARED_MODELS_H_
