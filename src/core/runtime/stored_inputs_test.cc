// SessionOptions::stored_inputs.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ops/op.h"
#include "runtime/session.h"
#include "runtime/testing.h"

namespace munja::runtime {
namespace {

using testing::Floats;
using testing::GraphBuilder;
using testing::View;

const Shape kShape{1, kDynamic};

SessionOptions Stored() {
  SessionOptions options;
  options.stored_inputs = true;
  return options;
}

// x, of any length, and the quantized value that it becomes.
struct Start {
  explicit Start(ElementType type = ElementType::kInt8) {
    x = network.Input(kShape);
    network.sub().values[x].name = "pictures";
    q = Quantize(type, 0.5f, -3);
  }
  graph::ValueId Quantize(ElementType type, float scale, int64_t zero) {
    const graph::ValueId stored = network.Add("QUANTIZE", {x}, type);
    network.sub().values[stored].quantization = {{scale}, {zero}, 0};
    return stored;
  }
  GraphBuilder network;
  graph::ValueId x, q;
};

bool HasOps() {
  return ops::FindOp("QUANTIZE") != nullptr &&
         ops::FindOp("DEQUANTIZE") != nullptr;
}

TEST(StoredInputsTest, QuantizedInputs_MatchQuantize) {
  if (!HasOps()) GTEST_SKIP() << "there is no QUANTIZE";
  Start start;
  start.network.Output(start.network.Add("DEQUANTIZE", {start.q}));
  const auto graph = start.network.Take();
  auto plain = CreateSession(graph, {});
  ASSERT_TRUE(plain.ok()) << plain.status().message();
  EXPECT_EQ((*plain)->inputs()[0].type, ElementType::kFloat32);
  auto made = CreateSession(graph, Stored());
  ASSERT_TRUE(made.ok()) << made.status().message();
  auto fork = (*made)->Fork(nullptr);
  ASSERT_TRUE(fork.ok());
  for (Session* session : {made->get(), fork->get()}) {
    const TensorInfo& input = session->inputs()[0];
    EXPECT_EQ(input.name, "pictures");
    EXPECT_EQ(input.type, ElementType::kInt8);
    EXPECT_EQ(input.shape, kShape);
    EXPECT_EQ(input.quantization.scales, std::vector<float>{0.5f});
    EXPECT_EQ(input.quantization.zero_points, std::vector<int64_t>{-3});
    // 0.5 * (stored + 3), as the float session rounds these to.
    std::vector<int8_t> stored = {-3, -2, 127, -128};
    TensorView view;
    view.type = ElementType::kInt8;
    view.shape = Shape{1, 4};
    view.data = stored.data();
    view.bytes = stored.size();
    view.quantization = &input.quantization;
    auto got = session->Run({&view, 1});
    ASSERT_TRUE(got.ok()) << got.status().message();
    EXPECT_EQ(Floats((*got)[0]), (std::vector<float>{0, 0.5f, 65, -62.5f}));
    const std::vector<float> real = {0.1f, 0.25f, 1e9f, -1e9f};
    const TensorView floats = View(real, Shape{1, 4});
    auto want = (*plain)->Run({&floats, 1});
    ASSERT_TRUE(want.ok()) << want.status().message();
    EXPECT_EQ(Floats((*got)[0]), Floats((*want)[0]));
    // Floats are no longer taken.
    EXPECT_FALSE(session->Run({&floats, 1}).ok());
  }
}

TEST(StoredInputsTest, SharedInputs_StayFloats) {
  if (!HasOps()) GTEST_SKIP() << "there is no QUANTIZE";
  const auto type_of = [](Start& start) {
    auto session = CreateSession(start.network.Take(), Stored());
    EXPECT_TRUE(session.ok()) << session.status().message();
    return session.ok() ? (*session)->inputs()[0].type : ElementType::kBool;
  };
  Start twice;
  twice.network.Output(twice.q);
  twice.network.Output(twice.Quantize(ElementType::kUInt8, 0.25f, 0));
  EXPECT_EQ(type_of(twice), ElementType::kFloat32);
  Start output;
  output.network.Output(output.q);
  output.network.Output(output.x);
  EXPECT_EQ(type_of(output), ElementType::kFloat32);
  Start narrow(ElementType::kInt4);
  narrow.network.Output(narrow.q);
  EXPECT_EQ(type_of(narrow), ElementType::kFloat32);
  for (const ElementType type :
       {ElementType::kInt8, ElementType::kUInt8, ElementType::kInt16}) {
    Start taken(type);
    taken.network.Output(taken.network.Add("DEQUANTIZE", {taken.q}));
    EXPECT_EQ(type_of(taken), type);
  }
}

}  // namespace
}  // namespace munja::runtime
