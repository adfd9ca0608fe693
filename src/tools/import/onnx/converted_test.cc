// Results of converted models on the runtime; the expected values are worked
// out by hand from the ONNX specification.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "import/onnx/run_converted.h"

namespace munja::importer::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

// [[1, 2], [3, 4]] * x + c, where x and the sum are matrices.
TEST(ConvertedOnnx, MatMul_ConstantLeftOperandAndBias) {
  const std::vector<float> expected = {1 * 5 + 2 * 7 + 10, 1 * 6 + 2 * 8 + 20,
                                       3 * 5 + 4 * 7 + 10, 3 * 6 + 4 * 8 + 20};
  for (const bool gemm : {true, false}) {
    File file({2, 2});
    file.Floats("a", {2, 2}, {1, 2, 3, 4});
    file.Floats("c", {2}, {10, 20});
    if (gemm) {
      file.Node("Gemm", {"a", "x", "c"}, {"y"});
    } else {
      file.Node("MatMul", {"a", "x"}, {"product"});
      file.Node("Add", {"product", "c"}, {"y"});
    }
    EXPECT_EQ(RunTflite(file, {2, 2}, {5, 6, 7, 8}), expected) << gemm;
  }
}

// Two numbers, windows of one with a stride of two: rounded up there would be
// a second window, which would begin behind the input.
TEST(ConvertedOnnx, CeilModeWindows_BeginInsideTheInput) {
  for (const char* op : {"MaxPool", "AveragePool"}) {
    File file({1, 1, 2, 2});
    munja::onnx::NodeProto& node = file.Node(op, {"x"}, {"y"});
    SetInts(node, "kernel_shape", {1, 1});
    SetInts(node, "strides", {2, 2});
    SetInt(node, "ceil_mode", 1);
    Shape shape;
    EXPECT_THAT(RunTflite(file, {1, 2, 2, 1}, {-1, -2, -3, -4}, &shape),
                ElementsAre(-1))
        << op;
    EXPECT_EQ(shape, (Shape{1, 1, 1, 1})) << op;
  }
  // One that reaches beyond the input stays.
  File file({1, 1, 1, 5});
  munja::onnx::NodeProto& node = file.Node("MaxPool", {"x"}, {"y"});
  SetInts(node, "kernel_shape", {1, 2});
  SetInts(node, "strides", {1, 2});
  SetInt(node, "ceil_mode", 1);
  EXPECT_THAT(RunTflite(file, {1, 1, 5, 1}, {-5, -4, -3, -2, -1}),
              ElementsAre(-4, -2, -1));
}

// PP-OCRv5 makes the factors of its activations scalars so.
TEST(ConvertedOnnx, EmptyTargetShape_MakesAScalar) {
  File factor({1, 2});
  factor.Integers("none", {});
  factor.Floats("one", {1}, {3});
  factor.Node("Reshape", {"one", "none"}, {"factor"});
  factor.Node("Mul", {"x", "factor"}, {"y"});
  EXPECT_THAT(RunTflite(factor, {1, 2}, {1, 2}), ElementsAre(3, 6));
  File computed({1, 1});
  computed.Integers("none", {});
  computed.Node("Reshape", {"x", "none"}, {"scalar"});
  computed.Node("Neg", {"scalar"}, {"y"});
  Shape shape = {9};
  EXPECT_THAT(RunTflite(computed, {1, 1}, {5}, &shape), ElementsAre(-5));
  EXPECT_EQ(shape, Shape{});
  File many({1, 2});
  many.Integers("none", {});
  many.Node("Reshape", {"x", "none"}, {"y"});
  EXPECT_EQ(many.Import().status().code(), Code::kMalformed);
}

// Zeros beside -1 and -2, then windows of two: the zeros win at both ends. The
// lowest float never does.
TEST(ConvertedOnnx, PadsBeforeMaxPool_KeepTheirValue) {
  for (const float value : {0.0f, std::numeric_limits<float>::lowest()}) {
    File file({1, 1, 1, 2});
    file.Integers("pads", {0, 0, 0, 1, 0, 0, 0, 1});
    file.Floats("value", {}, {value});
    file.Node("Pad", {"x", "pads", "value"}, {"padded"});
    SetInts(file.Node("MaxPool", {"padded"}, {"y"}), "kernel_shape", {1, 2});
    EXPECT_THAT(RunTflite(file, {1, 1, 2, 1}, {-1, -2}),
                value == 0 ? ElementsAre(0, -1, 0) : ElementsAre(-1, -1, -2));
  }
}

TEST(ConvertedOnnx, TrainingDropout_IsRefused) {
  for (const bool training : {true, false}) {
    File file({1, 2});
    file.Floats("ratio", {}, {0.5f});
    munja::onnx::TensorProto& mode = file.Floats("training", {}, {});
    mode.set_data_type(9);
    mode.add_int32_data(training);
    file.Node("Dropout", {"x", "ratio", "training"}, {"kept"});
    file.Node("Neg", {"kept"}, {"y"});
    if (training)
      EXPECT_THAT(Refusal(file), HasSubstr("training_mode"));
    else
      EXPECT_THAT(RunTflite(file, {1, 2}, {1, 2}), ElementsAre(-1, -2));
  }
}

TEST(ConvertedOnnx, UnknownOperatorSets_AreRefused) {
  File newer({1, 2}, 22);
  newer.Node("Relu", {"x"}, {"y"});
  EXPECT_THAT(Refusal(newer), HasSubstr("22"));
  for (const int64_t opset : {1, 21}) {
    File file({1, 2}, opset);
    file.Node("Relu", {"x"}, {"y"});
    EXPECT_TRUE(file.Import().ok());
  }
}

// One hidden unit whose gates all see x, none what was before.
double LastOf(const std::vector<float>& x) {
  double cell = 0;
  for (const float v : x) cell = Sigmoid(v) * (cell + std::tanh(v));
  return Sigmoid(x.back()) * std::tanh(cell);
}

File Lstm(int64_t steps, int64_t batch, const char* direction) {
  File file({steps, batch, 1});
  const int64_t d = direction == std::string("bidirectional") ? 2 : 1;
  file.Floats("w", {d, 4, 1}, std::vector<float>(4 * d, 1));
  file.Floats("r", {d, 4, 1}, std::vector<float>(4 * d, 0));
  munja::onnx::NodeProto& node = file.Node("LSTM", {"x", "w", "r"}, {"", "y"});
  SetText(node, "direction", direction);
  SetInt(node, "hidden_size", 1);
  munja::onnx::AttributeProto* a = node.add_attribute();
  a->set_name("activations");
  a->set_type(8);
  for (int64_t i = 0; i < d; ++i)
    for (const char* name : {"Sigmoid", "Tanh", "Tanh"}) a->add_strings(name);
  return file;
}

// Y_h alone is wanted, and the activations are spelled out.
TEST(ConvertedOnnx, Lstm_LastState) {
  const std::vector<float> x = {0.5f, -1.5f, 2};
  const float forward = static_cast<float>(LastOf(x));
  const float backward = static_cast<float>(LastOf({2, -1.5f, 0.5f}));
  const auto near = [](std::vector<float> v) {
    return Pointwise(FloatNear(1e-5f), v);
  };
  EXPECT_THAT(RunTflite(Lstm(3, 1, "forward"), {3, 1, 1}, x), near({forward}));
  EXPECT_THAT(RunTflite(Lstm(3, 1, "reverse"), {3, 1, 1}, x), near({backward}));
  EXPECT_THAT(RunTflite(Lstm(3, 1, "bidirectional"), {3, 1, 1}, x),
              near({forward, backward}));
  // Any number of steps; the batch that is left open becomes 1.
  const File open = Lstm(-1, -1, "forward");
  const auto model = open.Import();
  ASSERT_TRUE(model.ok()) << model.status().message();
  const graph::Subgraph& main = model->graph.main();
  EXPECT_EQ(main.values[main.inputs[0]].shape, (Shape{kDynamic, 1, 1}));
  EXPECT_THAT(RunTflite(open, {3, 1, 1}, x), near({forward}));
  EXPECT_THAT(RunTflite(open, {1, 1, 1}, {0.25f}),
              near({static_cast<float>(LastOf({0.25f}))}));
}

// ---- One operator each ----

using Constants = std::function<void(File&)>;

// x as a line, or as the shape given; the operator reads it and the constants.
std::vector<float> One(const char* op, std::vector<float> x, Shape shape,
                       const Constants& constants,
                       const std::function<void(munja::onnx::NodeProto&)>& set,
                       std::vector<std::string> more = {}, int element = 0,
                       Shape* result = nullptr) {
  std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
  if (dims.size() == 4) dims = {dims[0], dims[3], dims[1], dims[2]};
  File file(dims, 18);
  if (constants) constants(file);
  std::vector<std::string> inputs = {"x"};
  if (element != 0) {  // Computed with in this type.
    SetInt(file.Node("Cast", {"x"}, {"typed"}), "to", element);
    inputs = {"typed"};
  }
  inputs.insert(inputs.end(), more.begin(), more.end());
  munja::onnx::NodeProto& node = file.Node(op, inputs, {"result"});
  if (set) set(node);
  SetInt(file.Node("Cast", {"result"}, {"y"}), "to", 1);
  return RunTflite(file, shape, std::move(x), result);
}

munja::onnx::TensorProto& Typed(File& file, const char* name, int element,
                                std::vector<int32_t> values) {
  munja::onnx::TensorProto& t =
      file.Floats(name, {static_cast<int64_t>(values.size())}, {});
  t.set_data_type(element);
  for (const int32_t v : values) t.add_int32_data(v);
  return t;
}

TEST(ConvertedOnnx, EightBitIntegers_Wrap) {
  const auto ten = [](File& f) { Typed(f, "c", 2, {10, 10}); };
  EXPECT_THAT(One("Add", {3, 250}, {2}, ten, nullptr, {"c"}, 2),
              ElementsAre(13, 4));
  EXPECT_THAT(One("Mul", {3, 250}, {2}, ten, nullptr, {"c"}, 2),
              ElementsAre(30, 2500 % 256));
  EXPECT_THAT(One("Max", {3, 250}, {2}, ten, nullptr, {"c"}, 2),
              ElementsAre(10, 250));
}

TEST(ConvertedOnnx, Mod_BothKinds) {
  const auto three = [](File& f) { f.Integers("c", {3, 3}); };
  EXPECT_THAT(One("Mod", {-7, 8}, {2}, three, nullptr, {"c"}, 7),
              ElementsAre(2, 2));
  EXPECT_THAT(One(
                  "Mod", {-7, 8}, {2}, three,
                  [](auto& n) { SetInt(n, "fmod", 1); }, {"c"}, 7),
              ElementsAre(-1, 2));
}

TEST(ConvertedOnnx, BitwiseAndShift_ByHand) {
  const auto c = [](File& f) { Typed(f, "c", 6, {10, 1}); };
  EXPECT_THAT(One("BitwiseAnd", {12, -3}, {2}, c, nullptr, {"c"}, 6),
              ElementsAre(8, 1));
  EXPECT_THAT(One("BitwiseOr", {12, -4}, {2}, c, nullptr, {"c"}, 6),
              ElementsAre(14, -3));
  EXPECT_THAT(One("BitwiseNot", {12, -3}, {2}, nullptr, nullptr, {}, 6),
              ElementsAre(-13, 2));
  const auto two = [](File& f) { Typed(f, "c", 2, {2, 1}); };
  EXPECT_THAT(One(
                  "BitShift", {12, 200}, {2}, two,
                  [](auto& n) { SetText(n, "direction", "LEFT"); }, {"c"}, 2),
              ElementsAre(48, 400 % 256));
}

TEST(ConvertedOnnx, GatherAndScatter_ByHand) {
  const auto axis1 = [](auto& n) { SetInt(n, "axis", 1); };
  // [[1, 2, 3], [4, 5, 6]]
  const std::vector<float> x = {1, 2, 3, 4, 5, 6};
  const auto at = [](File& f) {
    munja::onnx::TensorProto& t = f.Floats("i", {2, 1}, {});
    t.set_data_type(7);
    t.add_int64_data(-1);
    t.add_int64_data(0);
    f.Floats("u", {2, 1}, {10, 20});
  };
  EXPECT_THAT(One("GatherElements", x, {2, 3}, at, axis1, {"i"}),
              ElementsAre(3, 4));
  EXPECT_THAT(One("ScatterElements", x, {2, 3}, at, axis1, {"i", "u"}),
              ElementsAre(1, 2, 10, 20, 5, 6));
  EXPECT_THAT(One("ScatterElements", x, {2, 3}, at,
                  [](auto& n) {
                    SetInt(n, "axis", 1);
                    SetText(n, "reduction", "add");
                  },
                  {"i", "u"}),
              ElementsAre(1, 2, 13, 24, 5, 6));
  // Rows 1 and 0.
  EXPECT_THAT(One("GatherND", x, {2, 3}, at, nullptr, {"i"}),
              ElementsAre(4, 5, 6, 1, 2, 3));
  EXPECT_THAT(One(
                  "TopK", x, {2, 3}, [](File& f) { f.Integers("k", {2}); },
                  [](auto& n) { SetInt(n, "largest", 0); }, {"k"}),
              ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(
      One("Trilu", x, {2, 3}, nullptr, [](auto& n) { SetInt(n, "upper", 0); }),
      ElementsAre(1, 0, 0, 4, 5, 0));
  EXPECT_THAT(One("CumSum", x, {2, 3},
                  [](File& f) {
                    f.Integers("a", {1});
                    f.graph().mutable_initializer(0)->clear_dims();
                  },
                  nullptr, {"a"}),
              ElementsAre(1, 3, 6, 4, 9, 15));
  EXPECT_THAT(One("NonZero", {0, 5, 0, 6}, {2, 2}, nullptr, nullptr),
              ElementsAre(0, 1, 1, 1));
}

TEST(ConvertedOnnx, Reductions_OfEveryKind) {
  const auto none = [](auto& n) { SetInt(n, "keepdims", 0); };
  const std::vector<float> x = {1, 2, 3, 4};
  EXPECT_THAT(One("ReduceProd", x, {4}, nullptr, none), ElementsAre(24));
  EXPECT_THAT(One("ReduceL1", {1, -2, 3, -4}, {4}, nullptr, none),
              ElementsAre(10));
  EXPECT_THAT(One("ReduceLogSumExp", {1000, 1000}, {2}, nullptr, none),
              Pointwise(FloatNear(1e-3f), {1000.693147f}));
  EXPECT_THAT(One("ReduceMax", x, {4}, nullptr, none, {}, 6), ElementsAre(4));
  EXPECT_THAT(One("ArgMin", {3, 1, 1, 2}, {4}, nullptr,
                  [](auto& n) {
                    SetInt(n, "keepdims", 0);
                    SetInt(n, "select_last_index", 1);
                  }),
              ElementsAre(2));
}

TEST(ConvertedOnnx, Windows_BeyondTflite) {
  // The mean of what lies inside: (1 + 2) / 2, (2 + 3 + 4) / 3 ...
  EXPECT_THAT(One("AveragePool", {1, 2, 3, 4, 5}, {1, 1, 5}, nullptr,
                  [](auto& n) {
                    SetInts(n, "kernel_shape", {3});
                    SetInts(n, "strides", {2});
                    SetInts(n, "pads", {1, 1});
                  }),
              ElementsAre(1.5f, 3, 4.5f));
  // Every second of five, dilated: 1 and 3, 2 and 4, 3 and 5.
  EXPECT_THAT(One("MaxPool", {1, 9, 3, 4, 5}, {1, 1, 5}, nullptr,
                  [](auto& n) {
                    SetInts(n, "kernel_shape", {2});
                    SetInts(n, "dilations", {2});
                  }),
              ElementsAre(3, 9, 5));
  // 1 and 2 at positions 0 and 2, a window of three ones over each, the first
  // and the last of the five cropped.
  EXPECT_THAT(One(
                  "ConvTranspose", {1, 2}, {1, 1, 2},
                  [](File& f) {
                    f.Floats("w", {1, 1, 3}, {1, 1, 1});
                  },
                  [](auto& n) {
                    SetInts(n, "strides", {2});
                    SetInts(n, "pads", {1, 1});
                  },
                  {"w"}),
              ElementsAre(1, 3, 2));
}

// Sizes and positions that no element count fits.
TEST(ConvertedOnnx, ResizeToZero_IsRefused) {
  for (const float scale : {7.5e22f, 0.0f, -1.0f, NAN, INFINITY}) {
    File file({1, 2});
    file.Floats("scales", {2}, {1, scale});
    file.Node("Resize", {"x", "", "scales"}, {"y"});
    EXPECT_EQ(file.Import().status().code(), Code::kMalformed) << scale;
  }
  for (const float end : {1e30f, NAN, -INFINITY}) {
    File file({1, 2});
    file.Floats("region", {4}, {0, 0, 1, end});
    file.Floats("scales", {2}, {1, 1});
    SetText(file.Node("Resize", {"x", "region", "scales"}, {"y"}),
            "coordinate_transformation_mode", "tf_crop_and_resize");
    EXPECT_EQ(file.Import().status().code(), Code::kMalformed) << end;
  }
}

// Before operator set 11 samples lie at i / scale.
TEST(ConvertedOnnx, UpsampleOfADynamicSize_IsAsymmetric) {
  File file({1, 1, 1, -1}, 9);
  file.Floats("scales", {4}, {1, 1, 1, 2});
  SetText(file.Node("Upsample", {"x", "scales"}, {"y"}), "mode", "linear");
  EXPECT_THAT(RunTflite(file, {1, 1, 2, 1}, {0, 2}), ElementsAre(0, 1, 2, 2));
}

TEST(ConvertedOnnx, Resize_ByWeights) {
  Shape shape;
  const auto sizes = [](std::vector<int64_t> v) {
    return [v](File& f) { f.Integers("s", v); };
  };
  EXPECT_THAT(One("Resize", {1, 2, 4, 8}, {1, 1, 4, 1}, sizes({1, 1, 1, 1}),
                  [](auto& n) {
                    SetText(n, "mode", "linear");
                    SetText(n, "coordinate_transformation_mode",
                            "pytorch_half_pixel");
                  },
                  {"", "", "s"}),
              ElementsAre(1));
  // Not larger than 4 x 2: as it is.
  EXPECT_THAT(One(
                  "Resize", {1, 2, 3, 4}, {1, 2, 2, 1}, sizes({1, 1, 4, 2}),
                  [](auto& n) {
                    SetText(n, "keep_aspect_ratio_policy", "not_larger");
                    SetInts(n, "axes", {0, 1, 2, 3});
                  },
                  {"", "", "s"}, 0, &shape),
              ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(shape, (Shape{1, 2, 2, 1}));
  // Positions 0, 2/3, 4/3, 2 rounded up.
  EXPECT_THAT(One("Resize", {1, 2, 4}, {1, 1, 3, 1}, sizes({1, 1, 1, 4}),
                  [](auto& n) {
                    SetText(n, "nearest_mode", "ceil");
                    SetText(n, "coordinate_transformation_mode",
                            "align_corners");
                  },
                  {"", "", "s"}),
              ElementsAre(1, 2, 4, 4));
}

TEST(ConvertedOnnx, Einsum_ByHand) {
  const auto equation = [](const char* text) {
    return [text](munja::onnx::NodeProto& n) { SetText(n, "equation", text); };
  };
  const std::vector<float> x = {1, 2, 3, 4};
  const auto c = [](File& f) { f.Floats("c", {2, 2}, {1, 10, 100, 1000}); };
  EXPECT_THAT(One("Einsum", x, {2, 2}, c, equation("ij,jk->ik"), {"c"}),
              ElementsAre(201, 2010, 403, 4030));
  EXPECT_THAT(One("Einsum", x, {2, 2}, c, equation("ij,ij->"), {"c"}),
              ElementsAre(4321));
  EXPECT_THAT(One("Einsum", x, {2, 2}, nullptr, equation("ii->i")),
              ElementsAre(1, 4));
  EXPECT_THAT(One("Einsum", x, {2, 2}, nullptr, equation("...ij->...ji")),
              ElementsAre(1, 3, 2, 4));
}

TEST(ConvertedOnnx, QuantizedOperators_ByHand) {
  const auto parameters = [](File& f) {
    f.Floats("s", {}, {0.5f});
    munja::onnx::TensorProto& zero = Typed(f, "z", 2, {128});
    zero.clear_dims();
  };
  EXPECT_THAT(One("QuantizeLinear", {0, 0.75f, 1.25f, -1, 1000}, {5},
                  parameters, nullptr, {"s", "z"}),
              ElementsAre(128, 130, 130, 126, 255));
  EXPECT_THAT(One("DequantizeLinear", {128, 130}, {2}, parameters, nullptr,
                  {"s", "z"}, 2),
              ElementsAre(0, 1));
}

TEST(ConvertedOnnx, Functions_BeyondTflite) {
  const auto near = [](std::vector<float> v) {
    return Pointwise(FloatNear(2e-6f), v);
  };
  EXPECT_THAT(One("Erf", {0.5f, -2, 1e-5f, 0}, {4}, nullptr, nullptr),
              near({0.5204999f, -0.9953223f, 1.1283792e-5f, 0}));
  EXPECT_THAT(One("Atan", {1, -0.5f}, {2}, nullptr, nullptr),
              near({0.7853982f, -0.4636476f}));
  EXPECT_THAT(One("Acos", {0.5f, -1}, {2}, nullptr, nullptr),
              near({1.0471976f, 3.1415927f}));
  EXPECT_THAT(One("Asinh", {0.5f, -2}, {2}, nullptr, nullptr),
              near({0.4812118f, -1.4436355f}));
  EXPECT_THAT(One("Elu", {1, -1}, {2}, nullptr, nullptr),
              near({1, -0.6321206f}));
  EXPECT_THAT(One("Selu", {1, -1}, {2}, nullptr, nullptr),
              near({1.0507010f, -1.1113307f}));
  EXPECT_THAT(One("IsNaN", {NAN, 1}, {2}, nullptr, nullptr), ElementsAre(1, 0));
}

}  // namespace
}  // namespace munja::importer::onnx
