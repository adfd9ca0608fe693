#include "reading/testing.h"

#include <gtest/gtest.h>

#include <new>
#include <utility>

namespace munja::ocr {

FakeSession::FakeSession(Function function) : function_(std::move(function)) {
  input_.name = "x";
  input_.shape = Shape{1, kDynamic, kDynamic, 3};
  output_.name = "y";
}

Result<std::span<const TensorView>> FakeSession::Run(
    std::span<const TensorView> inputs) {
  Shape shape;
  try {
    shape = function_(inputs[0], values_);
  } catch (const std::bad_alloc&) {
    return OutOfMemory("no room");
  }
  view_ = TensorView{ElementType::kFloat32, shape, values_.data(),
                     values_.size() * sizeof(float), nullptr};
  return std::span<const TensorView>(&view_, 1);
}

Result<std::vector<Shape>> FakeSession::Plan(std::span<const Shape> inputs) {
  std::vector<float> zeros(static_cast<size_t>(inputs[0].elements()), 0.0f);
  const TensorView input{ElementType::kFloat32, inputs[0], zeros.data(),
                         zeros.size() * sizeof(float), nullptr};
  std::vector<float> ignored;
  return std::vector<Shape>{function_(input, ignored)};
}

Result<std::unique_ptr<runtime::Session>> FakeSession::Fork(
    std::shared_ptr<ThreadPool>) const {
  return std::unique_ptr<runtime::Session>(new FakeSession(function_));
}

int ClassOf(const text::Dictionary& dictionary, std::string_view symbol) {
  const int cls = dictionary.ClassOf(symbol);
  EXPECT_NE(cls, 0) << symbol;
  return cls;
}

}  // namespace munja::ocr
