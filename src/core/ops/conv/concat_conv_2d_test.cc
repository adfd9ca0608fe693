#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "ops/expect.h"
#include "ops/support/linear/linear_testing.h"

namespace munja::ops {
namespace {

using enum ElementType;

// A map and the height and width to which it is resized; 0: as it is.
struct Map {
  Shape shape;
  int32_t height = 0, width = 0;
};

TestNode NodeOf(const std::vector<Map>& maps, int32_t out_c,
                int32_t kernel = 3) {
  TestNode node;
  node.op = "CONCAT_CONV_2D";
  node.attributes = Options({{"padding", std::string("SAME")}});
  std::vector<int64_t> channels;
  int32_t all = 0;
  for (const Map& map : maps) {
    channels.push_back(map.shape[3]);
    all += map.shape[3];
  }
  node.attributes.Set("channels", channels);
  const Shape weights{out_c, kernel, kernel, all};
  const auto count = static_cast<size_t>(weights.elements());
  node.inputs = {Floats(weights, RandomFloats(count, 1)).Constant(),
                 Floats({out_c}, RandomFloats(out_c, 2)).Constant()};
  for (const Map& map : maps) {
    const auto seed = static_cast<uint32_t>(node.inputs.size());
    node.inputs.push_back(
        Floats(map.shape,
               RandomFloats(static_cast<size_t>(map.shape.elements()), seed)));
    node.inputs.push_back(map.height == 0
                              ? Absent()
                              : Ints({2}, {map.height, map.width}).Constant());
  }
  return node;
}

// The output of RESIZE_NEAREST_NEIGHBOR, CONCATENATION and CONV_2D.
TestTensor Unfused(const TestNode& node) {
  TestNode join, conv;
  join.op = "CONCATENATION";
  join.attributes.Set("axis", int64_t{3});
  for (size_t i = 2; i < node.inputs.size(); i += 2) {
    if (node.inputs[i + 1].is_absent) {
      join.inputs.push_back(node.inputs[i]);
      continue;
    }
    TestNode resize;
    resize.op = "RESIZE_NEAREST_NEIGHBOR";
    resize.attributes = node.attributes;
    resize.inputs = {node.inputs[i], node.inputs[i + 1]};
    auto out = RunNode(resize);
    EXPECT_TRUE(out.ok()) << out.status().message();
    join.inputs.push_back(out->front());
  }
  auto joined = RunNode(join);
  EXPECT_TRUE(joined.ok()) << joined.status().message();
  conv.op = "CONV_2D";
  conv.attributes = node.attributes;
  conv.inputs = {joined->front(), node.inputs[0], node.inputs[1]};
  auto out = RunNode(conv);
  EXPECT_TRUE(out.ok()) << out.status().message();
  return out->front();
}

void Check(TestNode node, const char* activation = "NONE") {
  node.attributes.Set("fused_activation_function", std::string(activation));
  const TestTensor want = Unfused(node);
  // Fewer than 600 terms of size at most 1, in another order.
  ExpectOutput<float>(node, want.shape, want.values<float>(), 2e-5);
}

// By hand: pixels 1 2 become 1 1 2 2 in both of two rows; a kernel of ones
// counts what lies around, 1 1 1 1 of the second map with weights 10.
TEST(ConcatConv2dTest, SmallCase_MatchesHandComputation) {
  TestNode node = NodeOf({{{1, 1, 2, 1}, 2, 4}, {{1, 2, 4, 1}}}, 1);
  std::vector<float> weights;
  for (int i = 0; i < 9; ++i) weights.insert(weights.end(), {1, 10});
  node.inputs[0] = Floats({1, 3, 3, 2}, weights).Constant();
  node.inputs[1] = Floats({1}, {0.5f}).Constant();
  node.inputs[2] = Floats({1, 1, 2, 1}, {1, 2});
  node.inputs[4] = Floats({1, 2, 4, 1}, std::vector<float>(8, 1));
  ExpectOutput<float>(node, {1, 2, 4, 1},
                      {44.5f, 68.5f, 70.5f, 48.5f, 44.5f, 68.5f, 70.5f, 48.5f});
}

TEST(ConcatConv2dTest, EnlargedAndPlainMaps_MatchUnfused) {
  Check(NodeOf({{{1, 3, 4, 5}, 12, 16},
                {{1, 6, 8, 3}, 12, 16},
                {{1, 12, 16, 4}},
                {{1, 12, 16, 2}}},
               7),
        "RELU");
  // None as it is; every one as it is; one map.
  Check(NodeOf({{{2, 2, 3, 5}, 8, 12}, {{2, 4, 6, 3}, 8, 12}}, 16), "GELU");
  Check(NodeOf({{{2, 5, 6, 5}}, {{2, 5, 6, 3}}}, 6), "RELU6");
  Check(NodeOf({{{1, 2, 2, 3}, 6, 4}}, 4), "HARD_SWISH");
}

TEST(ConcatConv2dTest, FractionalSizes_MatchUnfused) {
  // To 5 rows of 3, to 1.5 times, to smaller, in one direction only.
  Check(NodeOf({{{1, 3, 4, 2}, 5, 8}, {{1, 5, 8, 3}}}, 3));
  Check(NodeOf({{{1, 4, 4, 2}, 6, 6}, {{1, 3, 3, 3}, 6, 6}}, 3), "RELU");
  Check(NodeOf({{{2, 9, 8, 2}, 3, 4}, {{2, 3, 4, 3}}}, 3));
  Check(NodeOf({{{1, 3, 8, 2}, 6, 8}, {{1, 6, 2, 3}, 6, 8}}, 3));
}

TEST(ConcatConv2dTest, EveryResizeRule_MatchesUnfused) {
  for (const char* rule : {"align_corners", "half_pixel_centers"}) {
    for (const int32_t factor : {2, 3, 4}) {
      TestNode node = NodeOf({{{1, 3, 4, 2}, 3 * factor, 4 * factor},
                              {{1, 1, 1, 3}, 3 * factor, 4 * factor}},
                             5);
      node.attributes.Set(rule, true);
      Check(node);
    }
  }
}

TEST(ConcatConv2dTest, OtherWindows_MatchUnfused) {
  const std::vector<Map> maps = {{{1, 4, 5, 3}, 8, 10}, {{1, 8, 10, 2}}};
  for (const char* stride : {"stride_h", "stride_w"}) {
    TestNode node = NodeOf(maps, 4);
    node.attributes.Set(stride, int64_t{2});
    Check(node, "RELU");
  }
  TestNode node = NodeOf(maps, 4);
  node.attributes.Set("dilation_w_factor", int64_t{2});
  Check(node);
  for (const int32_t kernel : {1, 2, 5}) Check(NodeOf(maps, 4, kernel));
  node = NodeOf(maps, 4);
  node.attributes.Set("padding", std::string("VALID"));
  Check(node);
  // One pixel all around is what SAME gives; more below is not.
  node.attributes.Set("padding", std::string("EXPLICIT"));
  for (const char* side : {"pad_top", "pad_left", "pad_right", "pad_bottom"})
    node.attributes.Set(side, int64_t{1});
  Check(node);
  node.attributes.Set("pad_bottom", int64_t{2});
  Check(node);
  node.inputs[1] = Absent();
  Check(node);
}

TEST(ConcatConv2dTest, AnyNumberOfThreads_MatchesReference) {
  TestNode node = NodeOf({{{1, 10, 15, 16}, 80, 120},
                          {{1, 20, 30, 16}, 80, 120},
                          {{1, 40, 60, 16}, 80, 120},
                          {{1, 80, 120, 16}}},
                         16);
  node.attributes.Set("fused_activation_function", std::string("RELU"));
  ExpectTwinsAgree(node, 2e-5);
}

TEST(ConcatConv2dTest, InvalidNodes_AreRefused) {
  const Refusal rows[] = {
      {"0 maps", Code::kUnsupported,
       [](TestNode& n) { n.attributes.Remove("channels"); }},
      {"17 maps", Code::kUnsupported,
       [](TestNode& n) {
         n.attributes.Set("channels", std::vector<int64_t>(17, 1));
       }},
      {"inputs for 1 maps", Code::kMalformed,
       [](TestNode& n) {
         n.attributes.Set("channels", std::vector<int64_t>{5});
       }},
      {"the weights' 5 channels", Code::kMalformed,
       [](TestNode& n) {
         n.attributes.Set("channels", std::vector<int64_t>{-1, 6});
       }},
      {"the weights' 5 channels", Code::kMalformed,
       [](TestNode& n) {
         n.attributes.Set("channels", std::vector<int64_t>{2, 2});
       }},
      {"wants 3 channels", Code::kMalformed,
       [](TestNode& n) {
         n.attributes.Set("channels", std::vector<int64_t>{3, 2});
       }},
      {"not constant", Code::kUnsupported,
       [](TestNode& n) { n.inputs[0].is_constant = false; }},
      {"four dimensions", Code::kMalformed,
       [](TestNode& n) {
         n.inputs[0].shape = {36, 5};
       }},
      {"bias", Code::kMalformed,
       [](TestNode& n) {
         n.inputs[1] = Floats({2}, {1, 2}).Constant();
       }},
      {"has no map", Code::kMalformed,
       [](TestNode& n) { n.inputs[4] = Absent(); }},
      {"not NHWC", Code::kMalformed,
       [](TestNode& n) {
         n.inputs[4].shape = {8, 8, 3};
       }},
      {"does not continue", Code::kMalformed,
       [](TestNode& n) {
         n.inputs[3] = Ints({2}, {4, 8}).Constant();
       }},
      {"empty image", Code::kMalformed,
       [](TestNode& n) {
         n.inputs[3] = Ints({2}, {0, 8}).Constant();
       }},
      {"not known before the run", Code::kNeedsValues,
       [](TestNode& n) { n.inputs[3].is_constant = false; }},
      {"int32", Code::kUnsupported,
       [](TestNode& n) { n.outputs[0].type = ElementType::kInt32; }},
  };
  for (const Refusal& row : rows) {
    SCOPED_TRACE(row.what);
    TestNode node = NodeOf({{{1, 4, 4, 2}, 8, 8}, {{1, 8, 8, 3}}}, 4);
    row.change(node);
    ExpectRefused(node, row.code, row.what);
  }
}

// CONCAT_CONV_2D of maps, of which the first is resized to `size`, and the
// CONV_2D of what RESIZE_NEAREST_NEIGHBOR and CONCATENATION make of them.
struct MapsAndJoined {
  MapsAndJoined(const IntTypes& types, int32_t stride, bool is_constant) {
    constexpr int32_t kChannels[] = {16, 3, 32};
    const Shape shapes[] = {{2, 3, 13, 16}, {2, 6, 26, 3}, {2, 6, 26, 32}};
    joined = MakeIntNode("CONV_2D", types, {2, 6, 26, 51}, {19, 3, 3, 51}, 0,
                         is_constant);
    joined.attributes = Options({{"padding", std::string("SAME")},
                                 {"stride_h", int64_t{stride}},
                                 {"stride_w", int64_t{stride}}});
    maps = joined;
    maps.op = "CONCAT_CONV_2D";
    maps.attributes.Set("channels", std::vector<int64_t>{16, 3, 32});
    maps.inputs = {joined.inputs[1], joined.inputs[2]};
    std::vector<int64_t> all(2 * 6 * 26 * 51);
    for (size_t m = 0, before = 0; m < 3; before += kChannels[m++]) {
      TestTensor map = RandomStored(
          types.input, shapes[m], types.input == kUInt8 ? 0 : -128,
          types.input == kUInt8 ? 255 : 127, static_cast<uint32_t>(m + 7));
      for (size_t i = 0; i < size_t{2 * 6 * 26}; ++i) {
        const size_t y = i / 26, x = i % 26;
        const size_t from = m == 0 ? y / 2 * 13 + x / 2 : i;
        for (int32_t c = 0; c < kChannels[m]; ++c)
          all[i * 51 + before + c] = StoredValue(map, from * kChannels[m] + c);
      }
      map.quantization = joined.inputs[0].quantization;
      maps.inputs.push_back(map);
      maps.inputs.push_back(m == 0 ? Ints({2}, {6, 26}).Constant() : Absent());
    }
    joined.inputs[0] = StoreValues(types.input, {2, 6, 26, 51}, all)
                           .With(joined.inputs[0].quantization);
  }
  TestNode maps, joined;
};

TEST(ConcatConv2dTest, IntMaps_MatchTheirConcatenation) {
  for (const size_t types : {0, 3}) {
    for (const int32_t stride : {1, 2}) {
      for (const bool is_constant : {true, false}) {
        const MapsAndJoined nodes(kIntTypes[types], stride, is_constant);
        const auto want = RunNode(nodes.joined);
        ASSERT_TRUE(want.ok()) << want.status().message();
        for (const TestOptions& way : AllWaysToRun()) {
          SCOPED_TRACE(Describe(nodes.maps, way));
          const auto got = RunNode(nodes.maps, way);
          ASSERT_TRUE(got.ok()) << got.status().message();
          EXPECT_EQ(got->front().shape.ToString(),
                    want->front().shape.ToString());
          EXPECT_EQ(got->front().bytes, want->front().bytes);
        }
      }
    }
  }
}

TEST(ConcatConv2dTest, MismatchedIntMaps_AreRefused) {
  const auto make = [] { return MapsAndJoined(kIntTypes[0], 1, true).maps; };
  TestNode node = make();
  node.inputs[4].quantization = Scale(0.5f);
  ExpectRefused(node, Code::kUnsupported, "quantized differently");
  node = make();
  node.inputs[3] = Absent();
  ExpectRefused(node, Code::kMalformed, "does not continue");
  node = make();
  node.attributes.Set("channels", std::vector<int64_t>{16, 4, 32});
  ExpectRefused(node, Code::kMalformed, "map 1 has 3 channels");
  node = make();
  node.attributes.Set("channels", std::vector<int64_t>{16, 3});
  ExpectRefused(node, Code::kMalformed, "inputs for 2 maps");
  node = make();
  node.attributes.Set("channels", std::vector<int64_t>{16, 3, 32, 1});
  ExpectRefused(node, Code::kMalformed, "no map 3");
  node = make();
  node.attributes.Set("channels", std::vector<int64_t>{});
  ExpectRefused(node, Code::kUnsupported, "0 maps");
  node = make();
  node.inputs[4] = RandomStored(kInt16, {2, 6, 26, 3}, -9, 9, 1);
  ExpectRefused(node, Code::kUnsupported, "not of 8 bits");
  node = make();
  node.inputs.resize(4);
  node.attributes.Set("channels", std::vector<int64_t>{16});
  ExpectRefused(node, Code::kMalformed, "the weights' 51 channels");
  node =
      MakeIntNode("CONV_2D", kIntTypes[0], {1, 2, 2, 4}, {3, 1, 1, 4}, 0, true);
  node.op = "CONCAT_CONV_2D";
  node.inputs = {node.inputs[1], node.inputs[2], node.inputs[0]};
  node.attributes.Set("channels", std::vector<int64_t>{4});
  ExpectRefused(node, Code::kUnsupported, "one pixel");
}

}  // namespace
}  // namespace munja::ops
