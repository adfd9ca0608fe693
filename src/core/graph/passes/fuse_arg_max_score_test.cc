#include <gtest/gtest.h>

#include "graph/passes/testing.h"

namespace munja::graph {
namespace {

using testing::After;
using testing::GraphBuilder;
using testing::Listing;
using testing::Options;

const Options kKeep = {{"keep_num_dims", true}};
const Options kClasses = {{"classes", int64_t{8}}};
const Options kShare = {{"classes", int64_t{8}}, {"softmax", true}};

ValueId Matrix(GraphBuilder& b) {
  return b.Floats("w", {8, 4}, std::vector<float>(32));
}

TEST(FuseArgMaxScoreTest, Softmax_IsFused) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, kDynamic, 8});
  const ValueId s = b.Add("s", "SOFTMAX", {x}, {{"beta", 1.0}});
  b.Output(b.Add("y", "ARG_MAX_WITH_SCORE", {s}, kClasses));
  EXPECT_EQ(After(b, "fuse_arg_max_score"),
            "y = ARG_MAX_WITH_SCORE(x) classes=8 softmax=true\n");
}

TEST(FuseArgMaxScoreTest, Layer_IsFused) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, kDynamic, 4});
  const ValueId f = b.Add("f", "FULLY_CONNECTED", {x, Matrix(b)}, kKeep);
  b.Output(b.Add("y", "ARG_MAX_WITH_SCORE", {f}, kShare));
  EXPECT_EQ(After(b, "fuse_arg_max_score"),
            "y = ARG_MAX_WITH_SCORE(x, w, -) classes=8 softmax=true\n");
}

// The head of the recognizers that are trained here.
TEST(FuseArgMaxScoreTest, Squeeze_IsPassedThrough) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1, 1, kDynamic, 4});
  const ValueId w = b.Floats("w", {8, 1, 1, 4}, std::vector<float>(32));
  const ValueId bias = b.Floats("b", {8}, std::vector<float>(8));
  const ValueId c = b.Add("c", "CONV_2D", {x, w, bias},
                          {{"padding", std::string("VALID")},
                           {"stride_h", int64_t{1}},
                           {"stride_w", int64_t{1}}});
  const ValueId s =
      b.Add("s", "SQUEEZE", {c}, {{"squeeze_dims", std::vector<int64_t>{1}}});
  b.Output(b.Add("y", "ARG_MAX_WITH_SCORE", {s}, kShare));
  EXPECT_EQ(After(b, "fuse_arg_max_score"),
            "s = ARG_MAX_WITH_SCORE(x, w, b) classes=8 softmax=true\n"
            "y = SQUEEZE(s) squeeze_dims=[1]\n");
}

TEST(FuseArgMaxScoreTest, SharedResultsAndOtherProducts_AreLeftUnchanged) {
  const auto unchanged = [](GraphBuilder& b) {
    const std::string before = Listing(b.sub());
    EXPECT_EQ(After(b, "fuse_arg_max_score"), before);
  };
  {  // Another temperature.
    GraphBuilder b;
    const ValueId x = b.Input("x", {1, 8});
    const ValueId s = b.Add("s", "SOFTMAX", {x}, {{"beta", 2.0}});
    b.Output(b.Add("y", "ARG_MAX_WITH_SCORE", {s}, kClasses));
    unchanged(b);
  }
  {  // The probabilities are an output, too.
    GraphBuilder b;
    const ValueId x = b.Input("x", {1, 8});
    const ValueId s = b.Add("s", "SOFTMAX", {x}, {{"beta", 1.0}});
    b.Output(b.Add("y", "ARG_MAX_WITH_SCORE", {s}, kClasses));
    b.Output(s);
    unchanged(b);
  }
  {  // Rows of a layer without softmax: the value is the score.
    GraphBuilder b;
    const ValueId x = b.Input("x", {1, 4});
    const ValueId f = b.Add("f", "FULLY_CONNECTED", {x, Matrix(b)}, kKeep);
    b.Output(b.Add("y", "ARG_MAX_WITH_SCORE", {f}, kClasses));
    unchanged(b);
  }
  {  // Rows may change their number.
    GraphBuilder b;
    const ValueId x = b.Input("x", {1, 2, 4});
    const ValueId f = b.Add("f", "FULLY_CONNECTED", {x, Matrix(b)});
    b.Output(b.Add("y", "ARG_MAX_WITH_SCORE", {f}, kShare));
    unchanged(b);
  }
  {  // An activation.
    GraphBuilder b;
    const ValueId x = b.Input("x", {1, 2, 4});
    Options options = kKeep;
    options.emplace_back("fused_activation_function", std::string("RELU"));
    const ValueId f = b.Add("f", "FULLY_CONNECTED", {x, Matrix(b)}, options);
    b.Output(b.Add("y", "ARG_MAX_WITH_SCORE", {f}, kShare));
    unchanged(b);
  }
  for (const bool strided : {true, false}) {  // Or a window, or in groups.
    GraphBuilder b;
    const ValueId x = b.Input("x", {1, 1, kDynamic, strided ? 4 : 8});
    const ValueId w = b.Floats("w", {8, 1, 1, 4}, std::vector<float>(32));
    const ValueId c = b.Add(
        "c", "CONV_2D", {x, w},
        {{"stride_h", int64_t{1}}, {"stride_w", int64_t{strided ? 2 : 1}}});
    b.Output(b.Add("y", "ARG_MAX_WITH_SCORE", {c}, kShare));
    unchanged(b);
  }
  {  // All dimensions of size 1, perhaps the classes, too.
    GraphBuilder b;
    const ValueId x = b.Input("x", {1, 1, kDynamic, 4});
    const ValueId w = b.Floats("w", {8, 1, 1, 4}, std::vector<float>(32));
    const ValueId c = b.Add("c", "CONV_2D", {x, w});
    const ValueId s = b.Add("s", "SQUEEZE", {c});
    b.Output(b.Add("y", "ARG_MAX_WITH_SCORE", {s}, kShare));
    unchanged(b);
  }
}

}  // namespace
}  // namespace munja::graph
