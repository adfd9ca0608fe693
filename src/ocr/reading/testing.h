// For tests of the pipeline: sessions that compute in a few lines what the test
// wants to see, and the classes of symbols.
#ifndef MUNJA_READING_TESTING_H_
#define MUNJA_READING_TESTING_H_

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "runtime/session.h"
#include "text/dictionary.h"

namespace munja::ocr {

// A session whose output is a function of its input picture.
class FakeSession : public runtime::Session {
 public:
  // Gives the output's shape and values for a 1 x height x width x 3 input; a
  // std::bad_alloc out of it is kOutOfMemory.
  using Function =
      std::function<Shape(const TensorView& input, std::vector<float>& output)>;
  explicit FakeSession(Function function);

  std::span<const runtime::TensorInfo> inputs() const override {
    return {&input_, 1};
  }
  std::span<const runtime::TensorInfo> outputs() const override {
    return {&output_, 1};
  }
  Result<std::span<const TensorView>> Run(
      std::span<const TensorView> inputs) override;
  Result<std::vector<Shape>> Plan(std::span<const Shape> inputs) override;
  Result<std::unique_ptr<runtime::Session>> Fork(
      std::shared_ptr<ThreadPool> pool) const override;
  std::vector<runtime::NodeProfile> Profile() const override { return {}; }
  void ResetProfile() override {}
  runtime::MemoryUse memory() const override { return {}; }

 private:
  Function function_;
  runtime::TensorInfo input_, output_;
  std::vector<float> values_;
  TensorView view_;
};

// The class of a symbol; 0, and a failure of the test, where there is none.
int ClassOf(const text::Dictionary& dictionary, std::string_view symbol);

}  // namespace munja::ocr

#endif  // MUNJA_READING_TESTING_H_
