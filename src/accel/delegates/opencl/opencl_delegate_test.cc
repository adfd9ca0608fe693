#include "delegates/opencl/opencl_delegate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "delegates/opencl/testing.h"

namespace munja::delegates::opencl {
namespace {

using graph::ValueId;
using runtime::DelegateOption;
using runtime::SessionOptions;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST_F(OpenCl, ConvolutionsAndPools_MatchTheCpu) { ExpectSame(Convolutions()); }

// How the weights of 8 bits of a network's layers are there.
enum class Weights { kFloats, kWidenedInTheModel, kBytes };

// The same with weights that 8 bits hold, each channel in steps of its own.
Net ByteConvolutions(Weights are) {
  Net net = Convolutions();
  net.Output(net.Add("FULLY_CONNECTED", {net.x(), net.Floats({9, 378})}));
  graph::Subgraph& sub = net.sub();
  std::vector<graph::Node> nodes;
  for (graph::Node node : std::vector(sub.nodes)) {
    const bool is_depthwise = node.op == "DEPTHWISE_CONV_2D";
    if (is_depthwise || node.op == "CONV_2D" || node.op == "TRANSPOSE_CONV" ||
        node.op == "FULLY_CONNECTED") {
      const Shape shape = sub.values[node.inputs[1]].shape;
      const int axis = is_depthwise ? 3 : 0;
      const auto channels = static_cast<size_t>(shape[axis]);
      const auto count = static_cast<size_t>(shape.elements());
      std::vector<int8_t> bytes(count);
      std::vector<float> floats(count), scales(channels);
      for (size_t c = 0; c < channels; ++c)
        scales[c] = 0.003f / (1.3f + static_cast<float>(c));
      for (size_t i = 0; i < count; ++i) {
        const size_t c = is_depthwise ? i % channels : i / (count / channels);
        bytes[i] = static_cast<int8_t>(i * 37 % 255) == -128
                       ? int8_t{0}
                       : static_cast<int8_t>(i * 37 % 255);
        floats[i] = static_cast<float>(bytes[i]) * scales[c];
      }
      const ValueId wide = net.Value(shape);
      const ValueId narrow = net.Value(shape, ElementType::kInt8);
      sub.values[narrow].constant = runtime::testing::BytesOf(bytes);
      sub.values[narrow].quantization = {scales, {}, axis};
      node.inputs[1] = are == Weights::kBytes ? narrow : wide;
      if (are == Weights::kFloats)
        sub.values[wide].constant = runtime::testing::BytesOf(floats);
      if (are == Weights::kWidenedInTheModel) {
        graph::Node widen;
        widen.op = "DEQUANTIZE";
        widen.inputs = {narrow};
        widen.outputs = {wide};
        nodes.push_back(std::move(widen));
      }
    }
    nodes.push_back(std::move(node));
  }
  sub.nodes = std::move(nodes);
  return net;
}

// Bytes in the model stay bytes on the device, and mean what the floats do.
// The CPU's own rounding is not compared.
TEST_F(OpenCl, Int8Weights_StayInt8) {
  const auto want = OnCpu(ByteConvolutions(Weights::kFloats));
  const std::string file = ::testing::TempDir() + "/opencl_weights.json";
  const auto bytes_with = [&](Weights are,
                              std::vector<DelegateOption> options) {
    const bool is_half = !options.empty() && options[0].value == "fp16";
    options.push_back({"trace", file});
    options.push_back({"timeout_ms", "600000"});
    {
      auto session = MakeSession(ByteConvolutions(are), options);
      ExpectNear(Outputs(*session), want, is_half ? 1e-2f : 1e-5f);
      for (const runtime::NodeOwner& owner : session->Owners()) {
        EXPECT_EQ(owner.owner, owner.op == "DEQUANTIZE" ? "none" : "opencl")
            << owner.op << ": " << owner.reason;
      }
    }
    EXPECT_EQ(log_, "");
    std::ifstream in(file);
    const auto all = nlohmann::json::parse(in);
    int bytes = 0;
    for (const auto& event : all["traceEvents"])
      if (event["ph"] == "X" && event["cat"] == "compilation")
        bytes +=
            std::stoi(event["args"]["bytes_of_constants"].get<std::string>());
    return bytes;
  };
  const int as_floats = bytes_with(Weights::kBytes, {{"weights", "float"}});
  const int as_bytes = bytes_with(Weights::kBytes, {});
  EXPECT_LT(as_bytes, as_floats / 3);
  EXPECT_EQ(bytes_with(Weights::kWidenedInTheModel, {}), as_bytes);
  EXPECT_EQ(bytes_with(Weights::kFloats, {}), as_bytes);
  EXPECT_EQ(bytes_with(Weights::kFloats, {{"weights", "float"}}), as_floats);
  EXPECT_LT(bytes_with(Weights::kBytes, {{"precision", "fp16"}}),
            as_floats / 3);
}

// Weights that bytes do not hold are floats unless they are to be rounded; the
// self-check then compares with the rounded ones.
TEST_F(OpenCl, RoundedWeights_OnlyOnRequest) {
  const Net net = Convolutions();
  const auto want = OnCpu(net);
  const auto error_with = [&](const char* weights) {
    auto session = MakeSession(net, {{"weights", weights}});
    const auto got = Outputs(*session);
    EXPECT_EQ(log_, "") << weights;
    float worst = 0;
    for (size_t o = 0; o < want.size(); ++o)
      for (size_t i = 0; i < want[o].size(); ++i)
        worst = std::max(worst, std::abs(got[o][i] - want[o][i]));
    ExpectNear(got, want, 5e-2f);
    return worst;
  };
  const float exact = error_with("auto"), rounded = error_with("int8");
  EXPECT_LT(exact * 10, rounded);
}

TEST_F(OpenCl, Integers_StayOnTheCpuWithAReason) {
  Net net({1, 4, 4, 4});
  const ValueId stored =
      net.Quantized({1, 4, 4, 4}, ElementType::kInt8, 0.01f, 3);
  net.runtime::testing::Network::Add("QUANTIZE", {net.x()}, stored, {});
  const ValueId padded =
      net.Quantized({1, 6, 4, 4}, ElementType::kInt8, 0.01f, 3);
  net.runtime::testing::Network::Add(
      "PAD", {stored, net.Ints({0, 0, 1, 1, 0, 0, 0, 0}, {4, 2})}, padded, {});
  net.Output(net.Add("DEQUANTIZE", {padded}));
  auto session = MakeSession(net);
  ExpectNear(Outputs(*session), OnCpu(net), 0);
  for (const runtime::NodeOwner& owner : session->Owners()) {
    EXPECT_EQ(owner.owner, "cpu");
    EXPECT_THAT(owner.reason, HasSubstr("it computes with integers (int8)"));
  }
}

TEST_F(OpenCl, ElementwiseOperators_MatchTheCpu) {
  Net net({2, 3, 5, 4});
  const ValueId positive =
      net.Add("ADD", {net.Add("SQUARE", {net.x()}), net.Floats({1})});
  for (const char* const op :
       {"RELU", "RELU6", "RELU_N1_TO_1", "RELU_0_TO_1", "TANH", "LOGISTIC",
        "HARD_SWISH", "GELU", "LEAKY_RELU", "ELU", "ABS", "NEG", "EXP", "SIN",
        "COS", "FLOOR", "CEIL", "ROUND", "SIGN"})
    net.Output(net.Add(op, {net.x()}));
  for (const char* const op : {"SQRT", "RSQRT", "LOG"})
    net.Output(net.Add(op, {positive}));
  for (const char* const op : {"ADD", "SUB", "MUL", "DIV", "MINIMUM", "MAXIMUM",
                               "SQUARED_DIFFERENCE", "PRELU"}) {
    net.Output(net.Add(op, {net.x(), net.Floats({4})}));
    if (std::string_view(op) == "PRELU") continue;
    net.Output(net.Add(op, {net.Floats({2, 1, 5, 1}), positive}));
    net.Output(net.Add(op, {net.x(), net.Floats({1})},
                       {{"fused_activation_function", "RELU"_s}}));
  }
  ExpectSame(net);
}

TEST_F(OpenCl, MovingOperators_MatchTheCpu) {
  Net net({2, 4, 6, 3});
  const ValueId x = net.x();
  const int64_t two = 2;
  net.Output(net.Add("PAD", {x, net.Ints({0, 0, 1, 2, 0, 1, 0, 0})}));
  net.Output(net.Add("MIRROR_PAD", {x, net.Ints({0, 0, 1, 1, 2, 0, 0, 0})},
                     {{"mode", "REFLECT"_s}}));
  net.Output(net.Add("CONCATENATION", {x, net.Floats({2, 4, 6, 2}), x},
                     {{"axis", int64_t{3}}}));
  net.Output(
      net.Add("SLICE", {x, net.Ints({0, 1, 2, 0}), net.Ints({2, 2, 3, 2})}));
  net.Output(net.Add("STRIDED_SLICE",
                     {x, net.Ints({1, 3, 0, 0}), net.Ints({2, 0, 6, 3}),
                      net.Ints({1, -1, 2, 1})},
                     {{"shrink_axis_mask", int64_t{1}}}));
  net.Output(net.Add("TRANSPOSE", {x, net.Ints({3, 0, 2, 1})}));
  net.Output(net.Add("RESHAPE", {x, net.Ints({8, 18})}));
  net.Output(net.Add("SPACE_TO_DEPTH", {x}, {{"block_size", two}}));
  net.Output(net.Add("TILE", {x, net.Ints({1, 2, 1, 2})}));
  const ValueId split =
      net.Add("SPLIT", {net.Ints({2}), x}, {{"num_splits", two}}, 2);
  net.Output(split);
  net.Output(split + 1);
  for (const char* const op : {"RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"})
    for (const char* const rule :
         {"none", "half_pixel_centers", "align_corners"})
      net.Output(net.Add(op, {x, net.Ints({7, 5})}, {{rule, true}}));
  ExpectSame(net);
}

// A window of two pixels has padding behind the map, and none before it.
TEST_F(OpenCl, WindowsWithoutPaddingBefore_MatchTheCpu) {
  Net net({2, 5, 7, 6});
  for (const Shape& filter :
       {Shape{8, 2, 2, 6}, Shape{8, 1, 2, 6}, Shape{8, 2, 1, 6}})
    net.Output(net.Add("CONV_2D", {net.x(), net.Floats(filter)},
                       {{"padding", "SAME"_s}}));
  ExpectSame(net);
}

TEST_F(OpenCl, Reductions_MatchTheCpu) {
  Net net({2, 5, 7, 66});
  const ValueId x = net.x();
  for (const char* const op : {"MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN"}) {
    net.Output(net.Add(op, {x, net.Ints({1, 2})}, {{"keep_dims", true}}));
    net.Output(net.Add(op, {x, net.Ints({-1})}));
    net.Output(net.Add(op, {x, net.Ints({0, 2})}));
  }
  net.Output(net.Add("SOFTMAX", {x}, {{"beta", 1.5}}));
  net.Output(net.Add("LOG_SOFTMAX", {x}));
  net.Output(net.Add("L2_NORMALIZATION", {x}));
  net.Output(net.Add(
      "FULLY_CONNECTED", {x, net.Floats({9, 66}), net.Floats({9})},
      {{"keep_num_dims", true}, {"fused_activation_function", "RELU"_s}}));
  const ValueId y = net.Floats({5, 66, 6});
  net.Output(net.Add("BATCH_MATMUL", {x, y}));
  net.Output(
      net.Add("BATCH_MATMUL", {x, net.Floats({5, 6, 66})}, {{"adj_y", true}}));
  net.Output(
      net.Add("BATCH_MATMUL", {x, net.Floats({7, 3})}, {{"adj_x", true}}));
  ExpectSame(net);
}

// The model may give the shape of an output that no kernel makes.
TEST_F(OpenCl, AxisOutsideOfTheShape_IsNamed) {
  for (const int axis : {-3, 2}) {
    Net net({2, 5});
    const ValueId y = net.Add("SUM", {net.x(), net.Ints({axis})});
    net.Output(y);
    net.sub().values[y].shape = {2, 5};
    net.sub().values[y].has_shape = true;
    auto delegate = Make(std::vector<runtime::DelegateOption>{
        {"islands", "1"}, {"cache", "off"}});
    ASSERT_TRUE(delegate.ok());
    const auto graph = net.graph();
    const auto support = (*delegate)->CheckSupport(*graph, graph->main());
    ASSERT_TRUE(support.ok()) << support.status().message();
    EXPECT_FALSE((*support)[0].is_supported);
    EXPECT_THAT((*support)[0].reason,
                HasSubstr("axis " + std::to_string(axis) + " of shape"));
  }
}

// By the device's own clock, each with the work that the CPU's has.
TEST_F(OpenCl, Profile_HasARowForEachNode) {
  const Net net = Convolutions();
  const std::vector<DelegateOption> given = {
      {"islands", "1"}, {"cache", "off"}, {"timeout_ms", "600000"}};
  auto delegate = Make(given);
  ASSERT_TRUE(delegate.ok());
  SessionOptions options;
  options.profile = true;
  auto on_cpu = runtime::CreateSession(net.graph(), options);
  options.delegates = {*delegate};
  auto session = runtime::CreateSession(net.graph(), options);
  ASSERT_TRUE(session.ok() && on_cpu.ok());
  Outputs(**session);
  Outputs(**on_cpu);
  int64_t products = 0, of_cpu = 0;
  const auto rows = (*session)->Profile();
  ASSERT_GT(rows.size(), 3u);
  EXPECT_EQ(rows[0].op, "opencl");
  for (size_t i = 1; i < rows.size(); ++i) {
    EXPECT_TRUE(rows[i].op.starts_with("opencl:")) << rows[i].op;
    EXPECT_FALSE(rows[i].name.empty());
    EXPECT_NE(rows[i].shapes.find(" -> "), std::string::npos);
    EXPECT_GT(rows[i].milliseconds, 0) << rows[i].op;
    EXPECT_GT(rows[i].bytes, 0) << rows[i].op;
    products += rows[i].multiply_accumulates;
  }
  for (const runtime::NodeProfile& row : (*on_cpu)->Profile())
    of_cpu += row.multiply_accumulates;
  EXPECT_EQ(products, of_cpu);
}

// One run: the way in, a kernel for each launch, the ways out, in this order on
// the device's track, inside what the CPU's thread waited for.
TEST_F(OpenCl, Trace_HasTimesOfDeviceAndCpu) {
  const std::string file = ::testing::TempDir() + "/opencl_trace.json";
  const Net net = Convolutions();
  {
    auto session =
        MakeSession(net, {{"trace", file}, {"timeout_ms", "600000"}});
    Outputs(*session);
  }
  std::ifstream in(file);
  const auto all = nlohmann::json::parse(in);
  std::string track;
  std::vector<std::string> names;
  double begin = 0, end = 0, last = 0;
  int64_t device = 0;
  for (const auto& event : all["traceEvents"]) {
    if (event["ph"] == "M") {
      track = event["args"]["name"];
      device = event["tid"];
    } else if (event["cat"] == "execution") {
      EXPECT_NE(event["tid"], device);
      begin = event["ts"];
      end = begin + event["dur"].get<double>();
    }
  }
  EXPECT_TRUE(track.starts_with("OpenCL: ")) << track;
  EXPECT_GT(end, begin);
  for (const auto& event : all["traceEvents"]) {
    if (event["ph"] == "M" || event["tid"] != device) continue;
    names.push_back(event["name"]);
    EXPECT_GE(event["ts"].get<double>(), last);
    last = event["ts"];
    EXPECT_GE(last, begin);
    EXPECT_EQ(event["cat"],
              event["args"].contains("kernel") ? "kernel" : "transfer");
  }
  EXPECT_LE(last, end);
  ASSERT_EQ(names.size(), 15u);
  EXPECT_EQ(names.front(), "upload");
  EXPECT_EQ(std::ranges::count(names, "CONV_2D"), 4);
  EXPECT_EQ(std::ranges::count(names, "download"), 4);
  EXPECT_EQ(names.back(), "download");
}

// The process's trace has what the CPU runs and what the device does, by one
// clock: kernels run while the CPU waits for the delegate.
TEST_F(OpenCl, ProcessTrace_HasOperatorsAndKernels) {
  const std::string file = ::testing::TempDir() + "/process_trace.json";
  Net net({1, 4, 4, 4});
  net.Output(net.Add("TANH", {net.Add("SQUARE", {net.x()})}));
  runtime::SetProcessTrace(std::make_shared<runtime::TraceFile>(file));
  {
    auto session = MakeSession(net, {{"check", "never"}});
    for (int i = 0; i < 2; ++i) Outputs(*session);
    EXPECT_TRUE(session->Profile().empty());
  }
  const auto trace = runtime::ProcessTrace();
  runtime::SetProcessTrace(nullptr);
  ASSERT_TRUE(trace->Finish().ok());
  OnCpu(net);  // Afterwards: no part of it.
  std::ifstream in(file);
  const auto all = nlohmann::json::parse(in);
  std::vector<std::pair<double, double>> waits;
  for (const auto& event : all["traceEvents"])
    if (event["ph"] == "X" && event["cat"] == "operator") {
      EXPECT_EQ(event["name"], "opencl");
      waits.emplace_back(event["ts"], event["dur"]);
    }
  ASSERT_EQ(waits.size(), 2u);
  int kernels = 0;
  for (const auto& event : all["traceEvents"]) {
    if (event["ph"] != "X" || event["cat"] != "kernel") continue;
    const auto& [begin, time] = waits[static_cast<size_t>(kernels++ / 2)];
    EXPECT_GE(event["ts"].get<double>(), begin);
    EXPECT_LE(event["ts"].get<double>(), begin + time);
  }
  EXPECT_EQ(kernels, 4);
}

TEST_F(OpenCl, HalfStorage_OnlyOnRequest) {
  ExpectSame(Convolutions(), {{"precision", "fp16"}}, 1e-2f);
}

// No device here has such arithmetic: where it is asked for products stay
// float, and what it would round is shown by rounding each of them.
TEST_F(OpenCl, HalfMath_OnlyOnRequest) {
  const Net net = Convolutions();
  const auto want = OnCpu(net);
  const auto outputs_with = [&](const char* arithmetic) {
    auto session = MakeSession(net, {{"precision", "fp16"},
                                     {"arithmetic", arithmetic},
                                     {"timeout_ms", "600000"}});
    auto got = Outputs(*session);
    for (const runtime::NodeOwner& owner : session->Owners())
      EXPECT_EQ(owner.owner, "opencl") << owner.op << ": " << owner.reason;
    ExpectNear(got, want, 1e-2f);
    return got;
  };
  const auto floats = outputs_with("fp32");
  EXPECT_NE(outputs_with("emulated_fp16"), floats);
  EXPECT_EQ(log_, "");
  const auto device = GetDevice("");
  const auto halves = outputs_with("fp16");
  if ((*device)->info().has_fp16) {
    EXPECT_EQ(log_, "");
  } else {
    EXPECT_EQ(halves, floats);
    EXPECT_THAT(log_, HasSubstr("no arithmetic of 16 bits"));
  }
}

// Sums that cancel lose more than 1e-2 in 16 bits: the partition goes on with
// products of floats, and no node is blamed.
TEST_F(OpenCl, ImpreciseHalfProducts_StayFloat) {
  Net net({1, 1, 64, 4});
  const ValueId weights = net.Floats({1, 1, 1, 4});
  net.sub().values[weights].constant =
      runtime::testing::BytesOf<float>({1000, -1000, 1000, -999.5f});
  const ValueId one = net.Floats({1});
  net.sub().values[one].constant = runtime::testing::BytesOf<float>({0.001f});
  const ValueId base = net.Floats({1});
  net.sub().values[base].constant = runtime::testing::BytesOf<float>({1});
  net.Output(net.Add(
      "CONV_2D",
      {net.Add("ADD", {net.Add("MUL", {net.x(), one}), base}), weights}));
  auto session = MakeSession(
      net, {{"precision", "fp16"}, {"arithmetic", "emulated_fp16"}});
  Outputs(*session);
  EXPECT_THAT(log_, AllOf(HasSubstr("with products of 16 bits"),
                          HasSubstr("they are float32")));
}

// Each node is right, all together are further off than one may be.
TEST_F(OpenCl, ManyRoundedNodes_AreNotReportedAsWrong) {
  Net net({1, 16, 16, 8});
  const auto number = [&](float x) {
    const ValueId v = net.Floats({1});
    net.sub().values[v].constant = runtime::testing::BytesOf<float>({x});
    return v;
  };
  ValueId v = net.x();
  for (int i = 0; i < 40; ++i)
    v = net.Add("MUL",
                {net.Add("SUB", {net.Add("ADD", {v, number(7)}), number(7)}),
                 number(0.99f)});
  net.Output(v);
  auto session = MakeSession(net, {{"precision", "fp16"}});
  const auto got = Outputs(*session);
  EXPECT_EQ(log_, "");
  ExpectNear(got, OnCpu(net), 1e-1f);
  // It is the case that is meant.
  float worst = 0, largest = 0;
  const auto want = OnCpu(net);
  for (size_t i = 0; i < want[0].size(); ++i) {
    worst = std::max(worst, std::abs(got[0][i] - want[0][i]));
    largest = std::max(largest, std::abs(want[0][i]));
  }
  EXPECT_GT(worst, 1e-2f * largest);
}

TEST_F(OpenCl, ReusedMemory_ChangesNoResult) {
  Net net({1, 16, 16, 8});
  ValueId v = net.x();
  for (int i = 0; i < 6; ++i)
    v = net.Add("TANH", {net.Add("ADD", {net.Add("NEG", {v}), net.x()})});
  net.Output(v);
  ExpectSame(net);
  ExpectSame(net, {{"memory", "apart"}});
}

}  // namespace
}  // namespace munja::delegates::opencl
