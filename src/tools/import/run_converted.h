// For tests: what a converted model computes, by the runtime.
#ifndef MUNJA_IMPORT_RUN_CONVERTED_H_
#define MUNJA_IMPORT_RUN_CONVERTED_H_

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "import/import.h"
#include "runtime/session.h"

namespace munja::importer {

// Its first output for one float input.
inline std::vector<float> RunConverted(Result<ImportedModel> model,
                                       const Shape& shape, std::vector<float> x,
                                       Shape* result = nullptr) {
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

}  // namespace munja::importer

#endif  // MUNJA_IMPORT_RUN_CONVERTED_H_
