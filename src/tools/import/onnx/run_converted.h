// For tests: what converted models compute, by the runtime.
#ifndef MUNJA_IMPORT_ONNX_RUN_CONVERTED_H_
#define MUNJA_IMPORT_ONNX_RUN_CONVERTED_H_

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "import/onnx/testing.h"
#include "import/run_converted.h"

namespace munja::importer::onnx {

// The first output of the .tflite model; tensors of rank 4 are NHWC
// unless options say otherwise.
inline std::vector<float> RunTflite(const File& file, const Shape& shape,
                                    std::vector<float> x,
                                    Shape* result = nullptr,
                                    const ImportOptions& options = {}) {
  return RunConverted(file.Import(options), shape, std::move(x), result);
}

inline std::string Refusal(const File& file) {
  const auto model = file.Import();
  EXPECT_FALSE(model.ok());
  if (model.ok()) return "";
  EXPECT_EQ(model.status().code(), Code::kUnsupported);
  return std::string(model.status().message());
}

}  // namespace munja::importer::onnx

#endif  // MUNJA_IMPORT_ONNX_RUN_CONVERTED_H_
