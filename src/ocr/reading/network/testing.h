// For tests of the stages: sessions that compute in a few lines what the test
// wants to see, and the classes of symbols.
#ifndef MUNJA_READING_NETWORK_TESTING_H_
#define MUNJA_READING_NETWORK_TESTING_H_

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/session.h"

namespace munja::ocr {

// A session whose output is a function of its input image.
class FakeSession : public runtime::Session {
 public:
  // Gives the output's shape and values for a 1 x height x width x 3 input; a
  // std::bad_alloc out of it is kOutOfMemory.
  using Function =
      std::function<Shape(const TensorView& input, std::vector<float>& output)>;
  explicit FakeSession(Function function) : function_(std::move(function)) {
    input_.name = "x";
    input_.shape = Shape{1, kDynamic, kDynamic, 3};
    output_.name = "y";
  }

  std::span<const runtime::TensorInfo> inputs() const override {
    return {&input_, 1};
  }
  std::span<const runtime::TensorInfo> outputs() const override {
    return {&output_, 1};
  }
  Result<std::span<const TensorView>> Run(
      std::span<const TensorView> inputs) override {
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
  Result<std::vector<Shape>> Plan(std::span<const Shape> inputs) override {
    std::vector<float> zeros(static_cast<size_t>(inputs[0].elements()), 0.0f);
    const TensorView input{ElementType::kFloat32, inputs[0], zeros.data(),
                           zeros.size() * sizeof(float), nullptr};
    std::vector<float> ignored;
    return std::vector<Shape>{function_(input, ignored)};
  }
  Result<std::unique_ptr<runtime::Session>> Fork(
      std::shared_ptr<ThreadPool>) const override {
    return std::unique_ptr<runtime::Session>(new FakeSession(function_));
  }
  std::vector<runtime::NodeProfile> Profile() const override { return {}; }
  void ResetProfile() override {}
  runtime::MemoryUse memory() const override { return {}; }

 private:
  Function function_;
  runtime::TensorInfo input_, output_;
  std::vector<float> values_;
  TensorView view_;
};

}  // namespace munja::ocr

#endif  // MUNJA_READING_NETWORK_TESTING_H_
