#include "runtime/float_io.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "runtime/testing.h"

namespace munja::runtime {
namespace {

// y = x for int8 with one scale for the input and another for the output, so
// that what comes out tells which parameters were read.
class Copy final : public Session {
 public:
  Copy(ElementType type, Quantization in, Quantization out)
      : input_{"x", type, Shape{1, kDynamic}, std::move(in)},
        output_{"y", type, Shape{1, kDynamic}, std::move(out)} {}
  std::span<const TensorInfo> inputs() const override { return {&input_, 1}; }
  std::span<const TensorInfo> outputs() const override { return {&output_, 1}; }
  Result<std::span<const TensorView>> Run(
      std::span<const TensorView> inputs) override {
    view_ = inputs[0];
    view_.quantization = &output_.quantization;
    return std::span<const TensorView>(&view_, 1);
  }
  Result<std::vector<Shape>> Plan(std::span<const Shape> inputs) override {
    return std::vector<Shape>(inputs.begin(), inputs.end());
  }
  Result<std::unique_ptr<Session>> Fork(
      std::shared_ptr<ThreadPool>) const override {
    return std::unique_ptr<Session>(
        new Copy(input_.type, input_.quantization, output_.quantization));
  }
  std::vector<NodeProfile> Profile() const override { return {}; }
  void ResetProfile() override {}
  MemoryUse memory() const override { return {}; }

 private:
  TensorInfo input_, output_;
  TensorView view_;
};

std::vector<float> RunInFloats(Session& session, const std::vector<float>& x) {
  const TensorView view =
      testing::View(x, Shape{1, static_cast<int32_t>(x.size())});
  const auto out = session.Run({&view, 1});
  EXPECT_TRUE(out.ok());
  return out.ok() ? testing::Floats((*out)[0]) : std::vector<float>();
}

TEST(FloatIoTest, ScaleAndZeroPoint_AreTheModels) {
  auto session = WithFloatIo(
      std::make_unique<Copy>(ElementType::kInt8, Quantization{{0.5f}, {-28}, 0},
                             Quantization{{1.0f / 256}, {-128}, 0}));
  EXPECT_EQ(session->inputs()[0].type, ElementType::kFloat32);
  EXPECT_EQ(session->inputs()[0].quantization.scales[0], 0.5f);
  // Stored: 0 / 0.5 - 28, 10 / 0.5 - 28, and both ends.
  EXPECT_EQ(
      RunInFloats(*session, {0.0f, 10.0f, -1000.0f, 1000.0f}),
      (std::vector<float>{100.0f / 256, 120.0f / 256, 0.0f, 255.0f / 256}));
  const auto fork = session->Fork(nullptr);
  ASSERT_TRUE(fork.ok());
  EXPECT_EQ(RunInFloats(**fork, {10.0f}), (std::vector<float>{120.0f / 256}));
}

TEST(FloatIoTest, OutputsAlone_AreConverted) {
  auto session = WithFloatOutputs(
      std::make_unique<Copy>(ElementType::kInt8, Quantization{{0.5f}, {-28}, 0},
                             Quantization{{1.0f / 256}, {-128}, 0}));
  const auto fork = session->Fork(nullptr);
  ASSERT_TRUE(fork.ok());
  for (Session* each : {session.get(), fork->get()}) {
    EXPECT_EQ(each->inputs()[0].type, ElementType::kInt8);
    EXPECT_EQ(each->outputs()[0].type, ElementType::kFloat32);
    std::vector<int8_t> stored = {-28, -128};
    TensorView view;
    view.type = ElementType::kInt8;
    view.shape = Shape{1, 2};
    view.data = stored.data();
    view.bytes = stored.size();
    const auto out = each->Run({&view, 1});
    ASSERT_TRUE(out.ok()) << out.status().message();
    EXPECT_EQ(testing::Floats((*out)[0]),
              (std::vector<float>{100.0f / 256, 0.0f}));
  }
}

TEST(FloatIoTest, OtherTypes_AreConverted) {
  auto bytes = WithFloatIo(
      std::make_unique<Copy>(ElementType::kUInt8, Quantization{{1.0f}, {}, 0},
                             Quantization{{2.0f}, {10}, 0}));
  EXPECT_EQ(RunInFloats(*bytes, {0.0f, 255.0f, 300.0f}),
            (std::vector<float>{-20.0f, 490.0f, 490.0f}));
  auto words = WithFloatIo(
      std::make_unique<Copy>(ElementType::kInt16, Quantization{{0.25f}, {0}, 0},
                             Quantization{{0.25f}, {0}, 0}));
  EXPECT_EQ(RunInFloats(*words, {-100.0f, 0.3f}),
            (std::vector<float>{-100.0f, 0.25f}));
  EXPECT_EQ(
      RunInFloats(*words, {std::numeric_limits<float>::quiet_NaN()}).size(),
      1u);
}

TEST(FloatIoTest, FloatsAndPlainIntegers_AreLeftUnchanged) {
  auto plain = std::make_unique<Copy>(ElementType::kInt8, Quantization{},
                                      Quantization{});
  const Session* before = plain.get();
  EXPECT_EQ(WithFloatIo(std::move(plain)).get(), before);
}

TEST(FloatIoTest, IntegersForFloatInputs_AreRefused) {
  auto session = WithFloatIo(
      std::make_unique<Copy>(ElementType::kInt8, Quantization{{0.5f}, {0}, 0},
                             Quantization{{0.5f}, {0}, 0}));
  int8_t raw[4] = {};
  TensorView view;
  view.type = ElementType::kInt8;
  view.shape = Shape{1, 4};
  view.data = raw;
  view.bytes = 4;
  const auto out = session->Run({&view, 1});
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace munja::runtime
