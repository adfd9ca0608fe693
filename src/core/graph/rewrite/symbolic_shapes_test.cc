#include "graph/rewrite/symbolic_shapes.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "graph/passes/testing.h"

namespace munja::graph {
namespace {

using testing::GraphBuilder;
using testing::Options;
using Sizes = std::vector<int32_t>;

Options Numbers(const std::vector<std::pair<std::string, int>>& numbers) {
  Options options;
  for (const auto& [name, number] : numbers)
    options.emplace_back(name, int64_t{number});
  return options;
}

// The shape of a value: the graph writes one that is wrong. Empty: unknown.
Sizes SizesOf(GraphBuilder& builder, ValueId v) {
  builder.value(v).shape = Shape{77, 77, 77, 77, 77, 77};
  const std::optional<Shape> shape = SymbolicShapes(builder.sub()).Corrected(v);
  if (!shape) return {};
  return Sizes(shape->dims().begin(), shape->dims().end());
}

ValueId Constant(GraphBuilder& builder, const std::string& name, Shape shape) {
  int32_t size = 1;
  for (const int32_t d : shape.dims()) size *= d;
  return builder.Floats(name, shape,
                        std::vector<float>(static_cast<size_t>(size), 1.0f));
}

ValueId IntList(GraphBuilder& builder, const std::string& name,
                const std::vector<int32_t>& list) {
  return builder.Ints(name, {static_cast<int32_t>(list.size())}, list);
}

// By counting where the window fits.
int32_t Positions(int32_t in, int before, int after, int filter, int stride,
                  int dilation) {
  int32_t count = 0;
  for (int at = -before; at + (filter - 1) * dilation < in + after;
       at += stride)
    ++count;
  return count;
}

TEST(SymbolicShapes, Windows_FitAsOftenAsTheyDo) {
  for (const std::string padding : {"SAME", "VALID", "EXPLICIT"}) {
    for (int filter = 1; filter <= 3; ++filter) {
      for (int stride = 1; stride <= 3; ++stride) {
        for (int dilation = 1; dilation <= 2; ++dilation) {
          for (int in = 1; in <= 7; ++in) {
            SCOPED_TRACE(::testing::Message()
                         << padding << ' ' << filter << ' ' << stride << ' '
                         << dilation << ' ' << in);
            // Height and width have numbers of their own.
            const int wide_filter = filter % 3 + 1,
                      wide_stride = stride % 3 + 1;
            GraphBuilder b;
            const ValueId x = b.Input("x", {2, in, 9, 4});
            const ValueId w = Constant(b, "w", {5, filter, wide_filter, 4});
            Options options = Numbers({{"stride_h", stride},
                                       {"stride_w", wide_stride},
                                       {"dilation_h_factor", dilation},
                                       {"dilation_w_factor", 1},
                                       {"pad_top", 1},
                                       {"pad_bottom", 2},
                                       {"pad_left", 3},
                                       {"pad_right", 0}});
            options.emplace_back("padding", padding);
            const ValueId y = b.Add("y", "CONV_2D", {x, w}, options);
            int32_t height = (in + stride - 1) / stride;
            int32_t width = (9 + wide_stride - 1) / wide_stride;
            if (padding != "SAME") {
              const bool is_valid = padding == "VALID";
              height = Positions(in, is_valid ? 0 : 1, is_valid ? 0 : 2, filter,
                                 stride, dilation);
              width = Positions(9, is_valid ? 0 : 3, 0, wide_filter,
                                wide_stride, 1);
            }
            EXPECT_EQ(SizesOf(b, y), (Sizes{2, height, width, 5}));
          }
        }
      }
    }
  }
}

TEST(SymbolicShapes, ChannelsOfWindows_AreThoseOfTheirWeights) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, 8, 6, 4});
  const Options same = {{"padding", std::string("SAME")}};
  const ValueId each = b.Add("each", "DEPTHWISE_CONV_2D",
                             {x, Constant(b, "w", {1, 3, 3, 8})}, same);
  EXPECT_EQ(SizesOf(b, each), (Sizes{1, 8, 6, 8}));
  Options pool = Numbers({{"filter_height", 2},
                          {"filter_width", 3},
                          {"stride_h", 2},
                          {"stride_w", 1}});
  pool.emplace_back("padding", std::string("VALID"));
  for (const char* op : {"MAX_POOL_2D", "AVERAGE_POOL_2D"})
    EXPECT_EQ(SizesOf(b, b.Add(op, op, {x}, pool)), (Sizes{1, 4, 4, 4}));
  // Wrong attributes are not followed.
  pool[2].second = int64_t{0};
  EXPECT_EQ(SizesOf(b, b.Add("a", "MAX_POOL_2D", {x}, pool)), Sizes());
  pool[2].second = int64_t{1};
  pool[0].second = int64_t{0};
  EXPECT_EQ(SizesOf(b, b.Add("b", "MAX_POOL_2D", {x}, pool)), Sizes());
  pool[0].second = int64_t{1};
  pool[4].second = std::string("OTHER");
  EXPECT_EQ(SizesOf(b, b.Add("c", "MAX_POOL_2D", {x}, pool)), Sizes());
  EXPECT_EQ(SizesOf(b, b.Add("d", "DEPTHWISE_CONV_2D",
                             {x, Constant(b, "v", {3, 3, 8})}, same)),
            Sizes());
}

TEST(SymbolicShapes, OtherOperators_FollowTheirRules) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {2, 3, 4, 5});
  const auto sizes = [&](const char* op, const std::vector<ValueId>& inputs,
                         const Options& options = {}) {
    return SizesOf(b, b.Add(op, op, inputs, options));
  };
  EXPECT_EQ(sizes("EXP", {x}), (Sizes{2, 3, 4, 5}));
  EXPECT_EQ(sizes("ADD", {x, Constant(b, "s", {5})}), (Sizes{2, 3, 4, 5}));
  EXPECT_EQ(sizes("ADD", {Constant(b, "t", {4, 1}), x}), (Sizes{2, 3, 4, 5}));
  EXPECT_EQ(
      sizes("MUL", {Constant(b, "u", {6, 1, 3}), Constant(b, "v", {4, 1})}),
      (Sizes{6, 4, 3}));
  const ValueId other = Constant(b, "o", {2, 3, 1, 5});
  for (const int axis : {2, -2})
    EXPECT_EQ(sizes("CONCATENATION", {x, other, x}, Numbers({{"axis", axis}})),
              (Sizes{2, 3, 9, 5}));
  EXPECT_EQ(sizes("CONCATENATION", {x, x}, Numbers({{"axis", 4}})), Sizes());
  EXPECT_EQ(sizes("CONCATENATION", {x, x}, Numbers({{"axis", -5}})), Sizes());
  EXPECT_EQ(sizes("TRANSPOSE", {x, IntList(b, "p", {3, 0, 2, 1})}),
            (Sizes{5, 2, 4, 3}));
  EXPECT_EQ(sizes("TRANSPOSE", {x, IntList(b, "q", {4, 0, 2, 1})}), Sizes());
  EXPECT_EQ(sizes("TRANSPOSE", {x, IntList(b, "r", {-1, 0, 2, 1})}), Sizes());
  EXPECT_EQ(sizes("RESHAPE", {x, IntList(b, "n", {0, 6, 20})}),
            (Sizes{0, 6, 20}));
  EXPECT_EQ(sizes("RESHAPE", {x, IntList(b, "m", {-1, 20})}), Sizes());
  EXPECT_EQ(sizes("PAD", {x, b.Ints("d", {4, 2}, {0, 1, 2, 0, 3, 4, 0, 0})}),
            (Sizes{3, 5, 11, 5}));
  EXPECT_EQ(sizes("PAD", {x, b.Ints("e", {4, 2}, {0, 1, 2, 0, 3, 4, 0, -1})}),
            Sizes());
  const Options keep = {{"keep_dims", true}}, drop = {{"keep_dims", false}};
  EXPECT_EQ(sizes("MEAN", {x, IntList(b, "f", {1, -1})}, keep),
            (Sizes{2, 1, 4, 1}));
  EXPECT_EQ(sizes("MEAN", {x, IntList(b, "g", {1, 2})}, drop), Sizes());
  EXPECT_EQ(sizes("MEAN", {x, IntList(b, "h", {4})}, keep), Sizes());
  const ValueId matrix = Constant(b, "i", {7, 5});
  EXPECT_EQ(sizes("FULLY_CONNECTED", {x, matrix}, {{"keep_num_dims", true}}),
            (Sizes{2, 3, 4, 7}));
  EXPECT_EQ(sizes("FULLY_CONNECTED", {x, matrix}), Sizes());
  EXPECT_EQ(sizes("FULLY_CONNECTED", {Constant(b, "j", {6, 5}), matrix}),
            (Sizes{6, 7}));
  EXPECT_EQ(sizes("FULLY_CONNECTED", {Constant(b, "k", {6, 10}), matrix}),
            Sizes());
  EXPECT_EQ(sizes("RESIZE_BILINEAR", {x, IntList(b, "l", {8, 1})}),
            (Sizes{2, 8, 1, 5}));
  EXPECT_EQ(sizes("RESIZE_BILINEAR", {x, IntList(b, "z", {0, 1})}), Sizes());
  EXPECT_EQ(sizes("RESIZE_BILINEAR", {x, IntList(b, "y", {1, 0})}), Sizes());
}

// Sizes that come with the run: what is computed alike is equal, and nothing
// else is.
TEST(SymbolicShapes, UnknownSizes_AreEqualWhereTheyAreComputedAlike) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, kDynamic, kDynamic, 4});
  const ValueId y = b.Input("y", {1, kDynamic, kDynamic, 4});
  const ValueId w = Constant(b, "w", {4, 3, 3, 4});
  int number = 0;
  const auto conv = [&](ValueId in, int stride, const char* padding,
                        int dilation = 1) {
    Options options = Numbers({{"stride_h", stride},
                               {"stride_w", stride},
                               {"dilation_h_factor", dilation},
                               {"dilation_w_factor", dilation}});
    options.emplace_back("padding", std::string(padding));
    return b.Add("c" + std::to_string(++number), "CONV_2D", {in, w}, options);
  };
  const ValueId same = conv(x, 1, "SAME"), exp = b.Add("exp", "EXP", {x});
  const ValueId half = conv(x, 2, "SAME"), half_too = conv(exp, 2, "SAME");
  const ValueId third = conv(x, 3, "SAME"), half_of_y = conv(y, 2, "SAME");
  const ValueId valid = conv(x, 1, "VALID"), valid_too = conv(x, 1, "VALID");
  const ValueId wide = conv(x, 1, "VALID", 2), sum = b.Add("s", "ADD", {x, y});
  const ValueId with_one =
      b.Add("o", "ADD", {x, Constant(b, "k", {1, 1, 1, 4})});
  const ValueId doubled =
      b.Add("d", "CONCATENATION", {x, exp}, Numbers({{"axis", 3}}));
  const ValueId longer =
      b.Add("l", "CONCATENATION", {x, exp}, Numbers({{"axis", 1}}));
  const SymbolicShapes shapes(b.sub());
  const auto expect = [&](ValueId p, ValueId q, bool is_equal) {
    EXPECT_EQ(shapes.AreEqual(p, q), is_equal)
        << b.value(p).name << ' ' << b.value(q).name;
    EXPECT_EQ(shapes.AreEqual(q, p), is_equal);
  };
  expect(x, x, true);
  expect(x, y, false);
  expect(x, same, true);
  expect(x, exp, true);
  expect(half, half_too, true);
  expect(half, x, false);
  expect(half, third, false);
  expect(half, half_of_y, false);
  expect(valid, valid_too, true);
  expect(valid, x, false);
  expect(valid, wide, false);
  expect(sum, x, false);
  expect(with_one, x, true);
  expect(doubled, x, false);
  EXPECT_TRUE(shapes.HaveEqualSize(doubled, x));
  EXPECT_FALSE(shapes.HaveEqualSize(longer, x));
  EXPECT_FALSE(shapes.HaveEqualSize(half, x));
  EXPECT_EQ(shapes.Channels(doubled), 8);
  EXPECT_EQ(shapes.Channels(longer), 4);
}

TEST(SymbolicShapes, Channels_AreTheLastOfFour) {
  const auto channels = [](Shape shape) {
    GraphBuilder b;
    const ValueId x = b.Input("x", shape);
    return SymbolicShapes(b.sub()).Channels(x);
  };
  EXPECT_EQ(channels({1, 2, 3, 4}), 4);
  EXPECT_EQ(channels({1, 2, 3, 0}), 0);
  EXPECT_EQ(channels({1, 2, 3, kDynamic}), std::nullopt);
  EXPECT_EQ(channels({1, 2, 3}), std::nullopt);
  EXPECT_EQ(channels({1, 2, 3, 4, 5}), std::nullopt);
}

TEST(SymbolicShapes, HeightAndWidth_AreCompared) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {2, 5, 6, 3});
  const SymbolicShapes all(b.sub());
  const auto have_equal = [&](Shape shape) {
    GraphBuilder c;
    const ValueId p = c.Input("p", {2, 5, 6, 3});
    const ValueId q = c.Input("q", shape);
    return SymbolicShapes(c.sub()).HaveEqualSize(p, q);
  };
  EXPECT_TRUE(all.HaveEqualSize(x, x));
  EXPECT_TRUE(have_equal({1, 5, 6, 9}));
  EXPECT_FALSE(have_equal({2, 4, 6, 3}));
  EXPECT_FALSE(have_equal({2, 5, 7, 3}));
  EXPECT_FALSE(have_equal({2, 5, 6}));
}

TEST(SymbolicShapes, NumbersOfChannels_HaveNoHeightAndWidth) {
  const auto is_per_channel = [](Shape shape) {
    GraphBuilder b;
    const ValueId image = b.Input("image", {2, 5, 6, 3});
    const ValueId v = b.Input("v", shape);
    return SymbolicShapes(b.sub()).IsPerChannel(v, image);
  };
  EXPECT_TRUE(is_per_channel({1, 1, 1, 3}));
  EXPECT_TRUE(is_per_channel({2, 1, 1, 3}));
  EXPECT_FALSE(is_per_channel({3, 1, 1, 3}));
  EXPECT_FALSE(is_per_channel({1, 5, 1, 3}));
  EXPECT_FALSE(is_per_channel({1, 1, 6, 3}));
  EXPECT_FALSE(is_per_channel({1, 1, 1, 4}));
  EXPECT_FALSE(is_per_channel({1, 1, 1, 1}));
  EXPECT_FALSE(is_per_channel({1, 1, 3}));
}

// An image that is resized to the height and width of another.
TEST(SymbolicShapes, ImageOfSize_IsThatWhoseShapeIsSliced) {
  const auto image = [](int from, int to, int step, const char* mask,
                        bool is_offset = false) {
    GraphBuilder b;
    const ValueId x = b.Input("x", {1, kDynamic, kDynamic, 4});
    const ValueId small = b.Input("small", {1, 8, 8, 2});
    const ValueId shape = b.Add("shape", "SHAPE", {x});
    Options options = {{"offset", is_offset}};
    if (mask != nullptr) options.emplace_back(mask, int64_t{1});
    const ValueId size =
        b.Add("size", "STRIDED_SLICE",
              {shape, IntList(b, "from", {from}), IntList(b, "to", {to}),
               IntList(b, "step", {step})},
              options);
    const ValueId large = b.Add("large", "RESIZE_BILINEAR", {small, size});
    const SymbolicShapes shapes(b.sub());
    const bool is_image = shapes.ImageOfSize(size) == x;
    EXPECT_EQ(shapes.ImageOfSize(shape), kNoValue);
    EXPECT_EQ(shapes.ImageOfSize(kNoValue), kNoValue);
    EXPECT_EQ(shapes.HaveEqualSize(large, x), is_image);
    EXPECT_EQ(shapes.Channels(large), 2);
    return is_image;
  };
  EXPECT_TRUE(image(1, 3, 1, nullptr));
  EXPECT_FALSE(image(0, 3, 1, nullptr));
  EXPECT_FALSE(image(1, 2, 1, nullptr));
  EXPECT_FALSE(image(1, 3, 2, nullptr));
  EXPECT_FALSE(image(1, 3, 1, nullptr, true));
  for (const char* mask : {"begin_mask", "end_mask", "ellipsis_mask",
                           "new_axis_mask", "shrink_axis_mask"})
    EXPECT_FALSE(image(1, 3, 1, mask)) << mask;
}

TEST(SymbolicShapes, RightAndUnknownShapes_AreNotCorrected) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, kDynamic, 6, 4});
  const ValueId y = b.Add("y", "EXP", {x});
  const auto is_corrected = [&](Shape shape) {
    b.value(y).shape = shape;
    return SymbolicShapes(b.sub()).Corrected(y).has_value();
  };
  EXPECT_FALSE(is_corrected({1, 9, 6, 4}));
  EXPECT_FALSE(is_corrected({kDynamic, kDynamic, kDynamic, kDynamic}));
  EXPECT_TRUE(is_corrected({1, 9, 7, 4}));
  EXPECT_TRUE(is_corrected({1, 9, 6}));
  EXPECT_EQ(SizesOf(b, y), (Sizes{1, kDynamic, 6, 4}));
  SymbolicShapes shapes(b.sub());
  EXPECT_TRUE(shapes.AreEqual(x, y));
  shapes.Forget(y);
  EXPECT_FALSE(shapes.AreEqual(x, y));
  EXPECT_FALSE(shapes.AreEqual(y, y));
  EXPECT_EQ(shapes.Channels(y), std::nullopt);
  shapes.Forget(99);
  shapes.Forget(kNoValue);
}

}  // namespace
}  // namespace munja::graph
