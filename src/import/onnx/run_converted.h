// For tests: what converted models compute, by the runtime.
#ifndef MUNJA_IMPORT_ONNX_RUN_CONVERTED_H_
#define MUNJA_IMPORT_ONNX_RUN_CONVERTED_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "import/onnx/testing.h"
#include "runtime/session.h"

namespace munja::foreign::onnx {

// The first output of the .tflite model; tensors of rank 4 are NHWC
// unless options say otherwise.
inline std::vector<float> RunTflite(const File& file, const Shape& shape,
                                    std::vector<float> x,
                                    Shape* result = nullptr,
                                    const ImportOptions& options = {}) {
  auto model = file.Import(options);
  EXPECT_TRUE(model.ok()) << model.status().message();
  if (!model.ok()) return {};
  auto session = runtime::CreateSession(
      std::make_shared<graph::Graph>(std::move(model->graph)), {});
  EXPECT_TRUE(session.ok()) << session.status().message();
  if (!session.ok()) return {};
  TensorView view;
  view.type = ElementType::kFloat32;
  view.shape = shape;
  view.data = x.data();
  view.bytes = x.size() * sizeof(float);
  const auto y = (*session)->Run({&view, 1});
  EXPECT_TRUE(y.ok()) << y.status().message();
  if (!y.ok()) return {};
  if (result != nullptr) *result = (*y)[0].shape;
  const float* numbers = (*y)[0].as<float>();
  return {numbers, numbers + (*y)[0].bytes / sizeof(float)};
}

inline std::string Refusal(const File& file) {
  const auto model = file.Import();
  EXPECT_FALSE(model.ok());
  if (model.ok()) return "";
  EXPECT_EQ(model.status().code(), Code::kUnsupported);
  return std::string(model.status().message());
}

}  // namespace munja::foreign::onnx

#endif  // MUNJA_IMPORT_ONNX_RUN_CONVERTED_H_
