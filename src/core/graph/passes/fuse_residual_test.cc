#include <gtest/gtest.h>

#include "graph/passes/testing.h"

namespace munja::graph {
namespace {

using testing::After;
using testing::GraphBuilder;
using testing::Listing;

const testing::Options kReluAfter = {
    {"fused_activation_function", std::string("RELU")}};

TEST(FuseResidualTest, InputOfTheBlock_IsAdded) {
  GraphBuilder b;
  // Any size: SAME and stride 1 keep it.
  const ValueId x = b.Input("x", {kDynamic, kDynamic, kDynamic, 4});
  const ValueId y = b.Conv("y", b.Conv("t", x, 4, 8), 8, 4);
  b.Output(b.Add("z", "ADD", {y, x}, kReluAfter));
  EXPECT_EQ(After(b, "fuse_residual"),
            "t = CONV_2D(x, t_w, t_b) padding=\"SAME\"\n"
            "z = CONV_2D(t, y_w, y_b, x) fused_activation_function=\"RELU\" "
            "has_residual=true padding=\"SAME\"\n");
}

// int8 weights with float activations.
TEST(FuseResidualTest, HybridLayers_SupportResiduals) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, 8, 8, 4});
  const ValueId y = b.Conv("y", b.Conv("t", x, 4, 8), 8, 4);
  b.Output(b.Add("z", "ADD", {y, x}, kReluAfter));
  for (Value& value : b.sub().values) {
    if (value.name != "y_w") continue;
    value.type = ElementType::kInt8;
    value.constant = MakeConstant(
        std::vector<uint8_t>(static_cast<size_t>(value.shape.elements()), 4));
  }
  EXPECT_EQ(After(b, "fuse_residual"),
            "t = CONV_2D(x, t_w, t_b) padding=\"SAME\"\n"
            "z = CONV_2D(t, y_w, y_b, x) fused_activation_function=\"RELU\" "
            "has_residual=true padding=\"SAME\"\n");
}

TEST(FuseResidualTest, TwoConvolutions_TheLaterOneAdds) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, kDynamic, kDynamic, 4});
  const testing::Options stride = {{"stride_h", int64_t{2}},
                                   {"stride_w", int64_t{2}}};
  const ValueId p = b.Conv("p", x, 4, 8, stride);
  const ValueId w = b.Floats("w", {1, 1, 1, 4}, std::vector<float>(4, 1.0f));
  const ValueId d =
      b.Add("d", "DEPTHWISE_CONV_2D", {b.Add("r", "RELU", {x}), w});
  b.Output(b.Add("z", "ADD", {b.Add("e", "EXP", {d}), d}));
  const ValueId q = b.Conv("q", x, 4, 8, stride);
  b.Output(b.Add("v", "ADD", {q, p}));
  EXPECT_EQ(After(b, "fuse_residual"),
            "p = CONV_2D(x, p_w, p_b) padding=\"SAME\" stride_h=2 stride_w=2\n"
            "r = RELU(x)\n"
            "d = DEPTHWISE_CONV_2D(r, w)\n"
            "e = EXP(d)\n"
            "z = ADD(e, d)\n"
            "v = CONV_2D(x, q_w, q_b, p) has_residual=true padding=\"SAME\" "
            "stride_h=2 stride_w=2\n");
}

TEST(FuseResidualTest, AbsentBias_KeepsItsPlace) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, kDynamic, 8, 1});
  const ValueId w = b.Floats("w", {1, 3, 3, 1}, std::vector<float>(9, 1.0f));
  const ValueId y = b.Add("y", "DEPTHWISE_CONV_2D", {x, w},
                          {{"padding", std::string("EXPLICIT")},
                           {"pad_top", int64_t{1}},
                           {"pad_bottom", int64_t{1}},
                           {"pad_left", int64_t{0}},
                           {"pad_right", int64_t{2}}});
  b.Output(b.Add("z", "ADD", {x, y}));
  EXPECT_EQ(After(b, "fuse_residual"),
            "z = DEPTHWISE_CONV_2D(x, w, -, x) has_residual=true "
            "pad_bottom=1 pad_left=0 pad_right=2 pad_top=1 "
            "padding=\"EXPLICIT\"\n");
}

// The second half of a transformer's layer: x + FC(GELU(FC(norm(x)))).
TEST(FuseResidualTest, FullyConnectedLayers_SupportResiduals) {
  GraphBuilder b;
  const testing::Options keep = {{"keep_num_dims", true}};
  const ValueId x = b.Input("x", {1, kDynamic, 4});
  const ValueId mean = b.Add("mean", "MEAN", {x, b.Ints("axes", {1}, {-1})},
                             {{"keep_dims", true}});
  const ValueId norm = b.Add("norm", "SUB", {x, mean});
  const ValueId w = b.Floats("w", {8, 4}, std::vector<float>(32));
  const ValueId v = b.Floats("v", {4, 8}, std::vector<float>(32));
  const ValueId wide = b.Add("wide", "FULLY_CONNECTED", {norm, w}, keep);
  const ValueId y = b.Add("y", "FULLY_CONNECTED", {wide, v}, keep);
  b.Output(b.Add("z", "ADD", {x, y}));
  // Rows of 4 cut out of an unknown shape need not be the rows of x.
  const ValueId flat = b.Add("flat", "FULLY_CONNECTED", {wide, v});
  b.Output(b.Add("q", "ADD", {x, flat}));
  EXPECT_EQ(After(b, "fuse_residual"),
            "mean = MEAN(x, axes) keep_dims=true\n"
            "norm = SUB(x, mean)\n"
            "wide = FULLY_CONNECTED(norm, w) keep_num_dims=true\n"
            "z = FULLY_CONNECTED(wide, v, -, x) has_residual=true "
            "keep_num_dims=true\n"
            "flat = FULLY_CONNECTED(wide, v)\n"
            "q = ADD(x, flat)\n");
}

TEST(FuseResidualTest, BroadcastingAdd_IsLeftUnchanged) {
  const auto unchanged = [](GraphBuilder& b) {
    const std::string before = Listing(b.sub());
    EXPECT_EQ(After(b, "fuse_residual"), before);
  };
  {  // Two inputs whose sizes are independent.
    GraphBuilder b;
    const ValueId x = b.Input("x", {1, kDynamic, 8, 4});
    const ValueId other = b.Input("other", {1, kDynamic, 8, 4});
    b.Output(b.Add("z", "ADD", {b.Conv("y", x, 4, 4), other}));
    unchanged(b);
  }
  {  // Per-channel pooling result.
    GraphBuilder b;
    const ValueId x = b.Input("x", {1, 8, 8, 4});
    const ValueId mean = b.Add("mean", "MEAN", {x, b.Ints("axes", {2}, {1, 2})},
                               {{"keep_dims", true}});
    b.Output(b.Add("z", "ADD", {b.Conv("y", x, 4, 4), mean}));
    unchanged(b);
  }
  {  // The output of an unknown operator, whatever shape the file claims.
    GraphBuilder b;
    const ValueId x = b.Input("x", {1, 8, 8, 4});
    const ValueId u = b.Add("u", "RESIZE_BILINEAR", {x, x});
    b.value(u).shape = Shape{1, 8, 8, 4};
    b.Output(b.Add("z", "ADD", {b.Conv("y", x, 4, 4), u}));
    unchanged(b);
  }
  {  // Stride 2 against an upscaled half is equal for even sizes only.
    GraphBuilder b;
    const ValueId x = b.Input("x", {1, kDynamic, 8, 4});
    const ValueId y = b.Conv("y", x, 4, 4, {{"stride_h", int64_t{2}}});
    b.Output(b.Add("z", "ADD", {y, x}));
    unchanged(b);
  }
}

TEST(FuseResidualTest, ActivatedAndSharedResults_AreLeftUnchanged) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, 8, 8, 4});
  b.Output(b.Add("z", "ADD", {b.Conv("y", x, 4, 4, kReluAfter), x}));
  const ValueId twice = b.Conv("twice", x, 4, 4);
  b.Output(b.Add("v", "ADD", {twice, twice}));
  const std::string before = Listing(b.sub());
  EXPECT_EQ(After(b, "fuse_residual"), before);
}

}  // namespace
}  // namespace munja::graph
