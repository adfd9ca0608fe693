#include "import/paddle/translate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "import/paddle/testing.h"

namespace munja::importer::paddle {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

std::string Refusal(const ProgramFile& file) {
  const auto model = file.Import();
  EXPECT_FALSE(model.ok());
  return model.ok() ? "" : std::string(model.status().message());
}

TEST(PaddleProgram, Convolution_UnevenPaddings) {
  ProgramFile file({-1, 1, -1, -1});
  file.Parameter("w", {1, 1, 1, 2}, {1, 10});
  file.Op("conv2d", {{"Input", "x"}, {"Filter", "w"}}, {{"Output", "y"}},
          {IntsAttr("strides", {1, 1}), IntsAttr("paddings", {0, 0, 1, 0}),
           IntAttr("groups", 1)});
  file.Fetch("y");
  EXPECT_THAT(file.Run({1, 1, 2, 1}, {3, 4}), ElementsAre(30, 43));
}

TEST(PaddleProgram, TransposedConvolution_ByHand) {
  ProgramFile file({-1, 1, -1, -1});
  file.Parameter("w", {1, 1, 2, 2}, {1, 2, 3, 4});
  file.Op("conv2d_transpose", {{"Input", "x"}, {"Filter", "w"}},
          {{"Output", "y"}},
          {IntsAttr("strides", {2, 2}), IntsAttr("paddings", {0, 0})});
  file.Fetch("y");
  EXPECT_THAT(file.Run({1, 1, 1, 1}, {5}), ElementsAre(5, 10, 15, 20));
}

TEST(PaddleProgram, BatchNormalization_ByHand) {
  ProgramFile file({-1, 2, -1, -1});
  file.Parameter("scale", {2}, {1, 2});
  file.Parameter("bias", {2}, {0, 1});
  file.Parameter("mean", {2}, {1, 2});
  file.Parameter("variance", {2}, {1, 4});
  file.Op("batch_norm",
          {{"X", "x"},
           {"Scale", "scale"},
           {"Bias", "bias"},
           {"Mean", "mean"},
           {"Variance", "variance"}},
          {{"Y", "y"}, {"MeanOut", "mean"}},
          {BoolAttr("is_test", true), FloatAttr("epsilon", 0)});
  file.Fetch("y");
  EXPECT_THAT(file.Run({1, 1, 1, 2}, {4, 6}), ElementsAre(3, 5));
}

// Its first bytes are then those of JSON, a line break and a brace.
TEST(PaddleProgram, BlockOf123Bytes_IsNotJson) {
  for (size_t length = 1; length < 60; ++length) {
    ProgramFile file({-1, 2});
    file.Op("relu", {{"X", "x"}}, {{"Out", std::string(length, 'y')}});
    file.Fetch(std::string(length, 'y'));
    EXPECT_TRUE(file.Import().ok())
        << static_cast<int>(file.Bytes()[1]) << " bytes";
  }
}

TEST(PaddleProgram, TrainingProgram_IsRefused) {
  ProgramFile file({-1, 2});
  file.Op("dropout", {{"X", "x"}}, {{"Out", "y"}},
          {BoolAttr("is_test", false)});
  file.Fetch("y");
  EXPECT_THAT(Refusal(file), HasSubstr("a program for training"));
}

TEST(PaddleProgram, OldDropout_Scales) {
  ProgramFile file({-1, 2});
  file.Op("dropout", {{"X", "x"}}, {{"Out", "y"}},
          {BoolAttr("is_test", true), FloatAttr("dropout_prob", 0.25f),
           TextAttr("dropout_implementation", "downgrade_in_infer")});
  file.Fetch("y");
  EXPECT_THAT(file.Run({1, 2}, {4, 8}), ElementsAre(3, 6));
}

TEST(PaddleProgram, SecondOperand_IsAlignedByAxis) {
  // y of shape [2] belongs to the channels.
  ProgramFile file({-1, 2, 1, 2});
  file.Parameter("b", {2}, {10, 20});
  file.Op("elementwise_add", {{"X", "x"}, {"Y", "b"}}, {{"Out", "y"}},
          {IntAttr("axis", 1)});
  file.Fetch("y");
  // NHWC in and out: (1, 2) and (3, 4) are the channels of two pixels.
  EXPECT_THAT(file.Run({1, 1, 2, 2}, {1, 2, 3, 4}),
              ElementsAre(11, 22, 13, 24));
}

TEST(PaddleProgram, Activations_ByHand) {
  struct Case {
    const char* type;
    std::vector<Attr> attrs;
    std::vector<float> expected;  // For -4, -1, 0.5, 8.
  };
  const std::vector<Case> cases = {
      {"relu", {}, {0, 0, 0.5f, 8}},
      {"relu6", {FloatAttr("threshold", 6)}, {0, 0, 0.5f, 6}},
      {"leaky_relu", {FloatAttr("alpha", 0.25f)}, {-1, -0.25f, 0.5f, 8}},
      {"hard_sigmoid",
       {FloatAttr("slope", 0.2f), FloatAttr("offset", 0.5f)},
       {0, 0.3f, 0.6f, 1}},
      {"hard_swish",
       {FloatAttr("threshold", 6), FloatAttr("scale", 6),
        FloatAttr("offset", 3)},
       {0, -1 / 3.0f, 0.5f * 3.5f / 6, 8}},
      {"swish",
       {FloatAttr("beta", 1)},
       {-0.0719448f, -0.2689414f, 0.3112297f, 7.9973173f}},
      {"clip", {FloatAttr("min", -2), FloatAttr("max", 3)}, {-2, -1, 0.5f, 3}},
      {"pow", {FloatAttr("factor", 2)}, {16, 1, 0.25f, 64}},
      {"pow", {FloatAttr("factor", 3)}, {-64, -1, 0.125f, 512}},
      {"scale",
       {FloatAttr("scale", 2), FloatAttr("bias", 1),
        BoolAttr("bias_after_scale", true)},
       {-7, -1, 2, 17}},
      {"scale",
       {FloatAttr("scale", 2), FloatAttr("bias", 1),
        BoolAttr("bias_after_scale", false)},
       {-6, 0, 3, 18}},
      {"square", {}, {16, 1, 0.25f, 64}},
      {"abs", {}, {4, 1, 0.5f, 8}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.type);
    ProgramFile file({-1, 4});
    file.Op(c.type, {{"X", "x"}}, {{"Out", "y"}}, c.attrs);
    file.Fetch("y");
    EXPECT_THAT(file.Run({1, 4}, {-4, -1, 0.5f, 8}),
                Pointwise(FloatNear(1e-5f), c.expected));
  }
}

TEST(PaddleProgram, Pooling_ByHand) {
  struct Case {
    std::vector<Attr> attrs;
    std::vector<float> expected;
  };
  const std::vector<Case> cases = {
      {{TextAttr("pooling_type", "max"), IntsAttr("ksize", {2, 2}),
        IntsAttr("strides", {2, 2}), IntsAttr("paddings", {0, 0})},
       {5}},
      {{TextAttr("pooling_type", "max"), IntsAttr("ksize", {2, 2}),
        IntsAttr("strides", {2, 2}), IntsAttr("paddings", {0, 0}),
        BoolAttr("ceil_mode", true)},
       {5, 6}},
      {{TextAttr("pooling_type", "avg"), IntsAttr("ksize", {1, 1}),
        BoolAttr("adaptive", true)},
       {3.5f}},
      {{TextAttr("pooling_type", "avg"), IntsAttr("ksize", {2, 1}),
        BoolAttr("adaptive", true)},
       {2, 5}},
      {{TextAttr("pooling_type", "max"), BoolAttr("global_pooling", true)},
       {6}},
      // The mean leaves out padding unless exclusive is false.
      {{TextAttr("pooling_type", "avg"), IntsAttr("ksize", {3, 3}),
        IntsAttr("strides", {3, 3}), IntsAttr("paddings", {1, 1}),
        BoolAttr("exclusive", true)},
       {3}},
      {{TextAttr("pooling_type", "avg"), IntsAttr("ksize", {3, 3}),
        IntsAttr("strides", {3, 3}), IntsAttr("paddings", {1, 1}),
        BoolAttr("exclusive", false)},
       {12 / 9.0f}},
  };
  for (size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(i);
    ProgramFile file({-1, 1, 2, 3});
    file.Op("pool2d", {{"X", "x"}}, {{"Out", "y"}}, cases[i].attrs);
    file.Fetch("y");
    const auto model = file.Import();
    // Forms that .tflite cannot express exactly are refused.
    if (!model.ok()) {
      EXPECT_EQ(model.status().code(), Code::kUnsupported)
          << model.status().message();
      EXPECT_GE(i, 5u);
      continue;
    }
    EXPECT_THAT(file.Run({1, 2, 3, 1}, {1, 2, 3, 4, 5, 6}),
                Pointwise(FloatNear(1e-6f), cases[i].expected));
  }
}

TEST(PaddleProgram, Interpolation_ByHand) {
  struct Case {
    const char* type;
    std::vector<Attr> attrs;
    std::vector<float> expected;  // 0, 6 resized to twice the width.
  };
  const Attr size_h = IntAttr("out_h", 1), size_w = IntAttr("out_w", 4);
  const std::vector<Case> cases = {
      {"nearest_interp_v2",
       {size_h, size_w, BoolAttr("align_corners", false)},
       {0, 0, 6, 6}},
      {"bilinear_interp_v2",
       {size_h, size_w, BoolAttr("align_corners", true)},
       {0, 2, 4, 6}},
      {"bilinear_interp_v2",
       {size_h, size_w, BoolAttr("align_corners", false),
        IntAttr("align_mode", 1)},
       {0, 3, 6, 6}},
      {"bilinear_interp",
       {size_h, size_w, BoolAttr("align_corners", false),
        IntAttr("align_mode", 0)},
       {0, 1.5f, 4.5f, 6}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.type);
    ProgramFile file({-1, 1, 1, 2});
    file.Op(c.type, {{"X", "x"}}, {{"Out", "y"}}, c.attrs);
    file.Fetch("y");
    EXPECT_THAT(file.Run({1, 1, 2, 1}, {0, 6}),
                Pointwise(FloatNear(1e-6f), c.expected));
  }
}

TEST(PaddleProgram, MatMul_ByHand) {
  for (const char* type : {"mul", "matmul_v2", "fc"}) {
    SCOPED_TRACE(type);
    ProgramFile file({-1, 2, 2});
    file.Parameter("w", {2, 3}, {1, 2, 3, 4, 5, 6});
    const bool fc = type == std::string("fc");
    file.Op(type, {{fc ? "Input" : "X", "x"}, {fc ? "W" : "Y", "w"}},
            {{"Out", "y"}},
            {IntAttr(fc ? "in_num_col_dims" : "x_num_col_dims", 2),
             IntAttr("y_num_col_dims", 1)});
    file.Fetch("y");
    EXPECT_THAT(file.Run({1, 2, 2}, {1, 0, 0, 10}),
                ElementsAre(1, 2, 3, 40, 50, 60));
  }
}

TEST(PaddleProgram, MatMul_TransposedAndScaled) {
  ProgramFile file({-1, 2});
  file.Parameter("w", {3, 2}, {1, 2, 3, 4, 5, 6});
  file.Op("matmul", {{"X", "x"}, {"Y", "w"}}, {{"Out", "y"}},
          {BoolAttr("transpose_Y", true), FloatAttr("alpha", 2)});
  file.Fetch("y");
  EXPECT_THAT(file.Run({1, 2}, {1, 10}), ElementsAre(42, 86, 130));
}

TEST(PaddleProgram, LayerNorm_WithoutParameters) {
  ProgramFile file({-1, 1, 2});
  file.Op("layer_norm", {{"X", "x"}}, {{"Y", "y"}},
          {IntAttr("begin_norm_axis", 2), FloatAttr("epsilon", 0)});
  file.Fetch("y");
  EXPECT_THAT(file.Run({1, 1, 2}, {1, 5}), ElementsAre(-1, 1));
}

TEST(PaddleProgram, Variable_WrittenTwice) {
  ProgramFile file({-1, 2});
  file.Op("relu", {{"X", "x"}}, {{"Out", "v"}});
  file.Op("scale", {{"X", "v"}}, {{"Out", "v"}}, {FloatAttr("scale", 3)});
  file.Op("square", {{"X", "v"}}, {{"Out", "y"}});
  file.Fetch("y");
  EXPECT_THAT(file.Run({1, 2}, {-1, 2}), ElementsAre(0, 36));
}

TEST(PaddleProgram, MissingOperators_AreAllNamed) {
  ProgramFile file({-1, 2});
  file.Op("warpctc", {{"X", "x"}}, {{"Out", "a"}});
  file.Op("attention_lstm", {{"X", "a"}}, {{"Out", "b"}});
  file.Op("warpctc", {{"X", "b"}}, {{"Out", "y"}});
  file.Fetch("y");
  EXPECT_THAT(Refusal(file), HasSubstr("attention_lstm (1) warpctc (2)"));
}

TEST(PaddleProgram, BrokenFiles_AreRefused) {
  const std::vector<std::function<void(ProgramFile&)>> breakers = {
      [](ProgramFile& f) {
        f.block().mutable_ops(1)->mutable_inputs(0)->set_arguments(
            0, "no_variable");
      },
      [](ProgramFile& f) { f.block().mutable_ops(1)->clear_inputs(); },
      [](ProgramFile& f) { f.block().mutable_ops(1)->clear_outputs(); },
      [](ProgramFile& f) { f.block().mutable_ops()->RemoveLast(); },
      [](ProgramFile& f) { f.desc().clear_blocks(); },
      [](ProgramFile& f) {  // Also in a block that is not run.
        f.desc().add_blocks()->add_ops()->set_type("warpctc");
      },
      [](ProgramFile& f) { *f.block().add_vars() = f.block().vars(1); },
      [](ProgramFile& f) { f.Parameter("extra", {2}, {1}); },
      [](ProgramFile& f) {
        f.Op("scale", {{"X", "y"}}, {{"Out", "x"}});
      },
  };
  for (size_t i = 0; i < breakers.size(); ++i) {
    SCOPED_TRACE(i);
    ProgramFile file({-1, 2});
    file.Parameter("c", {2}, {1, 2});
    file.Op("elementwise_add", {{"X", "x"}, {"Y", "c"}}, {{"Out", "y"}});
    file.Fetch("y");
    ASSERT_TRUE(file.Import().ok());
    breakers[i](file);
    // The last one writes to the input's variable, which is allowed.
    EXPECT_EQ(file.Import().ok(), i + 1 == breakers.size());
  }
  EXPECT_FALSE(ImportPaddle({}, {}, {}).ok());
  const uint8_t noise[] = {0xff, 0xff, 0xff, 0x01, 0x02};
  EXPECT_FALSE(ImportPaddle(noise, {}, {}).ok());
}

TEST(PaddleProgram, Input_BoundToConstant) {
  ProgramFile file({1, 3});
  munja::paddle::VarDesc more = *file.block().vars().rbegin();
  more.set_name("size");
  more.mutable_type()->mutable_lod_tensor()->mutable_tensor()->set_data_type(3);
  *file.block().add_vars() = more;
  file.Op("feed", {{"X", "feed"}}, {{"Out", "size"}}, {IntAttr("col", 1)});
  file.Op("cast", {{"X", "size"}}, {{"Out", "s"}}, {IntAttr("out_dtype", 5)});
  file.Op("elementwise_mul", {{"X", "x"}, {"Y", "s"}}, {{"Out", "y"}});
  file.Fetch("y");
  ImportOptions options;
  options.input_values = {{"size", 4}};
  EXPECT_THAT(RunImported(file.Import(options), {1, 3}, {1, 2, 3}),
              ElementsAre(4, 8, 12));
  options.input_values = {{"size", 4}, {"s", 4}};
  EXPECT_EQ(file.Import(options).status().code(), Code::kNotFound);
}

TEST(PaddleProgram, MatMul_WithVectors) {
  ProgramFile right({2, 3});
  right.Parameter("v", {3}, {1, 10, 100});
  right.Op("matmul_v2", {{"X", "x"}, {"Y", "v"}}, {{"Out", "y"}},
           {BoolAttr("trans_y", true)});
  right.Fetch("y");
  Dims shape;
  EXPECT_THAT(right.Run({2, 3}, {1, 2, 3, 4, 5, 6}, &shape),
              ElementsAre(321, 654));
  EXPECT_EQ(shape, (Dims{2}));
  ProgramFile left({2, 3});
  left.Parameter("v", {2}, {1, 10});
  left.Op("matmul_v2", {{"X", "v"}, {"Y", "x"}}, {{"Out", "y"}});
  left.Fetch("y");
  EXPECT_THAT(left.Run({2, 3}, {1, 2, 3, 4, 5, 6}, &shape),
              ElementsAre(41, 52, 63));
  EXPECT_EQ(shape, (Dims{3}));
}

}  // namespace
}  // namespace munja::importer::paddle
