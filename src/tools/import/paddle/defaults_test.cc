// What stands for an attribute that an operator leaves out: the defaults below
// are those of Paddle's operator definitions, and each is compared with an
// operator that gives it. Rows of layers are in layer_defaults_test.cc.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "import/paddle/defaults_testing.h"
#include "import/testing.h"

namespace munja::foreign::paddle::defaults {
namespace {

testing::Answer Try(const Case& c, const std::string& name,
                    const std::optional<Attr>& value) {
  ProgramFile file(c.x);
  ProgramFile::Vars inputs = {{c.input, "x"}};
  for (const Parameter& p : c.parameters) {
    file.Parameter(p.input, p.dims, p.values);
    inputs.push_back({p.input, p.input});
  }
  std::vector<Attr> attributes;
  for (const Attr& a : c.given)
    if (a.name() != name) attributes.push_back(a);
  if (value) attributes.push_back(*value);
  const std::string type = c.op;
  ProgramFile::Vars outputs = {{c.output, "y"}};
  if (type == "split") outputs.push_back({c.output, "z"});
  file.Op(c.op, inputs, outputs, std::move(attributes));
  // A model whose result is a constant is none.
  if (type.starts_with("fill_") || type == "assign_value") {
    file.Op("elementwise_add", {{"X", "x"}, {"Y", "y"}}, {{"Out", "sum"}});
    file.Fetch("sum");
  } else {
    file.Fetch("y");
  }
  return testing::AnswerOf(file.Import());
}

// Rows of functions of elements or along an axis, and of what moves elements or
// makes shapes.
std::vector<Case> FunctionCases() {
  std::vector<Case> cases = {
      {"cast",
       {2, 4},
       {IntAttr("out_dtype", 5)},
       {Int("out_dtype", {}, 2), {"dtype", {}, {}}}},
      {"relu6", {2, 4}, {}, {Float("threshold", 6, 0.5f)}},
      {"leaky_relu",
       {2, 4},
       {},
       {Float("alpha", 0.02f, 0.3f), Float("negative_slope", 0.02f, 0.3f)}},
      {"elu", {2, 4}, {}, {Float("alpha", 1, 0.3f)}},
      {"hard_sigmoid",
       {2, 4},
       {},
       {Float("slope", 0.2f, 0.3f), Float("offset", 0.5f, 0.25f)}},
      {"hard_swish",
       {2, 4},
       {},
       {Float("offset", 3, 2), Float("threshold", 6, 5), Float("scale", 6, 5)}},
      {"gelu", {2, 4}, {}, {Bool("approximate", false)}},
      {"swish", {2, 4}, {}, {Float("beta", 1, 2)}},
      {"softplus",
       {2, 4},
       {},
       {Float("beta", 1, 2), Float("threshold", 20, 1)}},
      {"mish", {2, 4}, {}, {Float("threshold", 20, 1)}},
      {"log_softmax", {3, 3}, {}, {Int("axis", -1, 0)}},
      {"less_than",
       {2, 2},
       {},
       {Int("axis", -1, 0)},
       {{"Y", {2}, {-100, 100}}}},
      {"top_k", {2, 4}, {}, {Int("k", 1, 2)}},
      {"top_k_v2",
       {2, 2},
       {},
       {Int("k", 1, 2), Int("axis", -1, 0), Bool("largest", true)}},
      {"fill_any_like",
       {2, 4},
       {},
       {Float("value", 0, 5), Int("dtype", -1, 2)}},
      {"flip", {2, 4}, {IntsAttr("axis", {1})}, {Ints("axis", {}, {0})}},
      {"cumsum",
       {2, 4},
       {},
       {Int("axis", -1, 0), Bool("flatten", false), Bool("exclusive", false),
        Bool("reverse", false)}},
      {"one_hot_v2", {2, 4}, {IntAttr("depth", 3)}, {Int("depth", {}, 4)}},
      {"unbind", {1, 2, 4}, {}, {Int("axis", 0, 1)}},
      {"expand_as_v2",
       {1, 4},
       {IntsAttr("target_shape", {2, 4})},
       {Ints("target_shape", {}, {3, 4})}},
      {"p_norm",
       {2, 4},
       {},
       {Float("porder", 2, 1), Int("axis", -1, 0), Bool("keepdim", false),
        Bool("asvector", false)}},
      {"elementwise_mod",
       {2, 2},
       {},
       {Int("axis", -1, 0)},
       {{"Y", {2}, {0.3f, 7}}}},
      {"round", {2, 4}, {}, {Int("decimals", 0, 1)}},
      {"brelu", {2, 4}, {}, {Float("t_min", 0, -1), Float("t_max", 24, 0.5f)}},
      {"selu",
       {2, 4},
       {},
       {Float("scale", 1.0507009873554805f, 2),
        Float("alpha", 1.6732632423543773f, 1)}},
      {"norm", {2, 4}, {}, {Int("axis", -1, 0), Float("epsilon", 1e-10f, 1)}},
      {"arg_min",
       {2, 4},
       {IntAttr("axis", 1)},
       {Int("axis", {}, 0), Bool("keepdims", false), Bool("flatten", false)}},
      {"increment", {1}, {}, {Float("step", 1, 2)}},
      {"tril_triu", {2, 3}, {}, {Int("diagonal", 0, 1), Bool("lower", false)}},
      {"tril", {2, 3}, {}, {Int("diagonal", 0, 1)}},
      {"triu", {2, 3}, {}, {Int("diagonal", 0, 1)}},
      {"argsort", {2, 4}, {}, {Int("axis", -1, 0), Bool("descending", false)}},
      {"roll",
       {2, 4},
       {IntsAttr("shifts", {1})},
       {Ints("shifts", {}, {2}), Ints("axis", List{}, {1})}},
      {"pad3d",
       {1, 1, 3, 3, 3},
       {IntsAttr("paddings", {1, 1, 1, 1, 1, 1})},
       {Ints("paddings", {}, {0, 1, 1, 1, 1, 1}),
        Text("mode", "constant", "reflect"), Float("value", 0, 5),
        Float("pad_value", 0, 5), Text("data_format", "NCDHW", "NDHWC")}},
      {"clip",
       {2, 4},
       {FloatAttr("min", -1), FloatAttr("max", 1)},
       {Float("min", {}, 0), Float("max", {}, 0)}},
      {"pow", {2, 4}, {}, {Float("factor", 1, 2), Float("y", 1, 2)}},
      {"scale", {2, 4}, {FloatAttr("bias", 1)}, {Float("scale", 1, 2)}},
      {"scale", {2, 4}, {FloatAttr("scale", 2)}, {Float("bias", 0, 1)}},
      {"scale",
       {2, 4},
       {FloatAttr("scale", 2), FloatAttr("bias", 1)},
       {Bool("bias_after_scale", true)}},
      {"fill_constant",
       {2, 4},
       {IntsAttr("shape", {2, 4})},
       {Float("value", 0, 5), Text("str_value", "", "7"),
        Ints("shape", {}, {1, 2, 4}), Int("dtype", 5, 2)}},
      {"fill_constant_batch_size_like",
       {2, 4},
       {IntsAttr("shape", {9, 4})},
       {Float("value", 0, 5), Text("str_value", "", "7"),
        Int("input_dim_idx", 0, 1), Int("output_dim_idx", 0, 1),
        Ints("shape", {}, {9, 9, 4}), Int("dtype", 5, 2)},
       {},
       "Input"},
      {"arg_max",
       {2, 3, 4},
       {IntAttr("axis", 1)},
       {Int("axis", {}, 2), Bool("keepdims", false), Bool("flatten", false)}},
      {"softmax", {2, 3, 4}, {}, {Int("axis", -1, 1)}},
      {"concat", {2, 3}, {}, {Int("axis", 0, 1)}, {{"X", {2, 3}, Numbers(6)}}},
      {"stack",
       {2, 3},
       {},
       {Int("axis", 0, 1)},
       {{"X", {2, 3}, Numbers(6)}},
       "X",
       "Y"},
      {"split",
       {4, 4},
       {},
       {Int("axis", 0, 1), Ints("sections", List{}, {1, 3})}},
      {"slice",
       {3, 4},
       {IntsAttr("axes", {1}), IntsAttr("starts", {1}), IntsAttr("ends", {2})},
       {Ints("axes", {}, {0}),
        Ints("starts", {}, {0}),
        Ints("ends", {}, {3}),
        Ints("decrease_axis", List{}, {1}),
        {"strides", {}, {}}},
       {},
       "Input"},
      {"strided_slice",
       {3, 4},
       {IntsAttr("axes", {1}), IntsAttr("starts", {0}), IntsAttr("ends", {4}),
        IntsAttr("strides", {2})},
       {Ints("axes", {}, {0}), Ints("starts", {}, {1}), Ints("ends", {}, {2}),
        Ints("strides", {}, {3}), Ints("decrease_axis", List{}, {0})},
       {},
       "Input"},
      {"flatten_contiguous_range",
       {2, 3, 4, 5},
       {IntAttr("stop_axis", 2)},
       {Int("start_axis", 1, 0), {"axis", {}, {}}}},
      {"flatten_contiguous_range", {2, 3, 4, 5}, {}, {Int("stop_axis", 1, 2)}},
      {"pad",
       {2, 3},
       {IntsAttr("paddings", {0, 1, 2, 0})},
       {Ints("paddings", {}, {1, 0, 0, 2}),
        Float("pad_value", 0, 5),
        {"mode", {}, {}}}},
      {"pad2d",
       {1, 1, 3, 3},
       {IntsAttr("paddings", {0, 1, 2, 0})},
       {Ints("paddings", {}, {1, 0, 0, 2}), Float("pad_value", 0, 5),
        Text("mode", "constant", "reflect"),
        Text("data_format", "NCHW", "NHWC")}},
  };
  for (const char* op :
       {"elementwise_add", "elementwise_sub", "elementwise_mul",
        "elementwise_div", "elementwise_max", "elementwise_min"})
    cases.push_back(
        {op, {3, 3}, {}, {Int("axis", -1, 0)}, {{"Y", {3}, {1, 2, 3}}}});
  for (const char* op : {"reduce_mean", "reduce_sum", "reduce_max",
                         "reduce_min", "reduce_prod"}) {
    cases.push_back({op,
                     {2, 3, 4},
                     {},
                     {Ints("dim", List{0}, {1}), Bool("keep_dim", false),
                      Bool("keepdim", false), Bool("reduce_all", false)}});
  }
  for (const char* op : {"squeeze", "squeeze2"})
    cases.push_back({op, {2, 1, 3, 1}, {}, {Ints("axes", List{}, {1})}});
  for (const char* op : {"unsqueeze", "unsqueeze2"})
    cases.push_back(
        {op, {2, 3}, {IntsAttr("axes", {0})}, {Ints("axes", {}, {2})}});
  for (const char* op : {"reshape", "reshape2"})
    cases.push_back(
        {op, {2, 3}, {IntsAttr("shape", {3, 2})}, {Ints("shape", {}, {6, 1})}});
  cases.push_back({"tile",
                   {2, 3},
                   {IntsAttr("repeat_times", {1, 2})},
                   {Ints("repeat_times", {}, {2, 1})}});
  cases.push_back({"expand_v2",
                   {2, 1},
                   {IntsAttr("shape", {2, 3})},
                   {Ints("shape", {}, {2, 4})}});
  for (const char* op : {"flatten", "flatten2"})
    cases.push_back({op, {2, 3, 4}, {}, {Int("axis", 1, 2)}});
  for (const char* op : {"transpose", "transpose2"})
    cases.push_back(
        {op, {2, 3}, {IntsAttr("axis", {1, 0})}, {Ints("axis", {}, {0, 1})}});
  return cases;
}

}  // namespace

void Check(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    if (c.op == std::string("rnn")) continue;  // Its weights need a hand.
    for (const Attribute& attribute : c.attributes) {
      if (!attribute.other) continue;
      testing::Tried tried;
      tried.what = std::string(c.op) + ": " + attribute.name;
      // Where it must be given, as it is given.
      tried.without =
          attribute.standard ? Try(c, attribute.name, {}) : Try(c, "", {});
      if (attribute.standard)
        tried.with_default = Try(c, attribute.name, attribute.standard);
      tried.with_other = Try(c, attribute.name, attribute.other);
      testing::CheckAttribute(tried);
    }
  }
}

namespace {

TEST(PaddleDefaults, WhatAFunctionLeavesOutIsAsTheDefinitionSays) {
  Check(FunctionCases());
}

TEST(PaddleDefaults, EveryAttributeThatIsReadHasARow) {
  std::map<std::string, std::set<std::string>> listed;
  for (const std::vector<Case>& cases : {FunctionCases(), LayerCases()})
    for (const Case& c : cases)
      for (const Attribute& attribute : c.attributes)
        listed[c.op].insert(attribute.name);
  const auto add = [&](std::initializer_list<const char*> operators,
                       std::initializer_list<const char*> names) {
    for (const char* op : operators)
      listed[op].insert(names.begin(), names.end());
  };
  // Operators without attributes.
  add({"relu", "sigmoid", "tanh", "exp", "log", "sqrt", "rsqrt", "square",
       "reciprocal", "abs", "floor", "ceil", "sin", "cos", "erf", "assign",
       "share_data", "shape", "sum"},
      {});
  add({"softsign", "tanh_shrink", "logsigmoid", "index_sample"}, {});
  add({"elementwise_pow", "gather", "elementwise_floordiv", "floor_divide"},
      {"axis"});
  add({"reduce_all", "reduce_any"},
      {"dim", "axis", "keep_dim", "keepdim", "reduce_all"});
  add({"reduce_prod"}, {"axis"});
  add({"lookup_table", "lookup_table_v2"}, {"padding_idx"});  // Of integers.
  add({"sync_batch_norm"},
      {"is_test", "epsilon", "use_global_stats", "trainable_statistics",
       "fuse_with_relu", "data_layout", "data_format"});
  add({"range", "meshgrid", "sign"}, {});
  add({"unstack"}, {"axis"});
  add({"index_select"}, {"dim"});  // Its places are integers.
  add({"logical_and", "logical_or", "logical_xor", "logical_not", "where",
       "gather_nd"},
      {});
  add({"equal", "not_equal", "less_equal", "greater_than", "greater_equal"},
      {"axis"});
  add({"top_k"}, {"axis", "largest"});
  add({"multiclass_nms2"},
      {"nms_eta", "nms_threshold", "score_threshold", "nms_top_k", "keep_top_k",
       "background_label", "normalized"});
  add({"deformable_conv"},
      {"paddings", "strides", "dilations", "groups", "deformable_groups"});
  // By the numbers of control_test.cc.
  add({"while", "conditional_block"}, {"sub_block"});
  add({"select_input", "write_to_array", "read_from_array", "lod_array_length"},
      {});
  add({"tensor_array_to_tensor"}, {"axis", "use_stack"});
  // By the numbers of detection_test.cc.
  add({"matrix_nms"},
      {"background_label", "score_threshold", "post_threshold", "nms_top_k",
       "keep_top_k", "normalized", "use_gaussian", "gaussian_sigma"});
  // By the numbers of proposals_test.cc.
  add({"generate_proposals_v2"},
      {"pre_nms_topN", "pre_nms_top_n", "post_nms_topN", "post_nms_top_n",
       "nms_thresh", "min_size", "eta", "pixel_offset"});
  add({"distribute_fpn_proposals"},
      {"min_level", "max_level", "refer_level", "refer_scale", "pixel_offset"});
  add({"collect_fpn_proposals"}, {"post_nms_topN", "post_nms_topn"});
  // By the numbers of slices_test.cc.
  add({"set_value"},
      {"axes", "decrease_axes", "none_axes", "starts", "ends", "steps", "shape",
       "values", "fp32_values", "fp64_values", "fp16_values", "int32_values",
       "int64_values", "bool_values", "value", "dtype"});
  // By the numbers of operators_test.cc.
  add({"fake_quantize_abs_max", "fake_quantize_range_abs_max",
       "fake_quantize_moving_average_abs_max",
       "fake_channel_wise_quantize_abs_max", "fake_quantize_dequantize_abs_max",
       "fake_quantize_dequantize_moving_average_abs_max",
       "fake_channel_wise_quantize_dequantize_abs_max"},
      {"bit_length", "round_type", "is_test", "quant_axis"});
  add({"fake_dequantize_max_abs"}, {"max_range"});
  add({"fake_channel_wise_dequantize_max_abs"},
      {"quant_bits", "quant_axis", "x_num_col_dims"});
  add({"moving_average_abs_max_scale"}, {});
  add({"masked_select", "kron"}, {});
  add({"take_along_axis", "put_along_axis"},
      {"Axis", "Reduce", "Include_self", "include_self"});
  add({"scatter"}, {"overwrite"});
  add({"scatter_nd_add"}, {});
  add({"linspace"}, {"dtype"});
  add({"tril", "triu"}, {"lower"});
  add({"lrn"}, {"data_format", "data_layout"});
  add({"quantize_linear"}, {"round_type"});
  add({"box_coder"}, {"variance"});
  add({"prior_box", "density_prior_box", "anchor_generator"},
      {"min_sizes", "max_sizes", "aspect_ratios", "variances", "flip", "clip",
       "step_w", "step_h", "offset", "min_max_aspect_ratios_order",
       "fixed_sizes", "fixed_ratios", "densities", "flatten_to_2d",
       "anchor_sizes", "stride"});
  add({"bicubic_interp_v2"}, {"align_corners", "align_mode", "out_h", "out_w",
                              "scale", "data_format", "data_layout"});
  add({"silu"}, {"beta"});
  add({"assign_value"},
      {"dtype", "shape", "fp32_values", "fp64_values", "fp16_values",
       "int32_values", "int64_values", "bool_values", "values", "value"});
  // What is read of others by the functions that translate several operators,
  // and the second of two names.
  add({"relu6", "leaky_relu", "elu", "hard_sigmoid", "hard_swish", "gelu"},
      {"alpha", "negative_slope", "approximate", "offset", "scale", "slope",
       "threshold"});
  add({"conv2d", "depthwise_conv2d", "conv2d_transpose",
       "depthwise_conv2d_transpose", "pool2d", "prelu", "batch_norm", "pad",
       "pad2d", "nearest_interp", "nearest_interp_v2", "bilinear_interp",
       "bilinear_interp_v2", "pixel_shuffle", "channel_shuffle", "group_norm",
       "instance_norm"},
      {"data_format", "data_layout"});
  add({"instance_norm"}, {"groups"});
  add({"tile", "expand_v2"}, {"repeat_times", "shape"});
  add({"depthwise_conv2d", "conv2d_transpose", "depthwise_conv2d_transpose"},
      {"fuse_relu", "fuse_brelu", "fuse_residual_connection",
       "fuse_relu_before_depthwise_conv", "with_quant", "fuse_activation"});
  add({"nearest_interp", "nearest_interp_v2"}, {"align_mode"});
  add({"matmul", "matmul_v2", "bmm"},
      {"transpose_X", "transpose_Y", "transpose_x", "transpose_y", "trans_x",
       "trans_y", "alpha", "fused_reshape_X", "fused_reshape_Y",
       "fused_transpose_X", "fused_transpose_Y", "fused_reshape_Out",
       "fused_transpose_Out"});
  add({"mean", "reduce_mean", "reduce_sum", "reduce_max", "reduce_min"},
      {"dim", "axis", "keep_dim", "keepdim", "reduce_all"});
  add({"flatten", "flatten2"}, {"start_axis", "stop_axis"});
  add({"squeeze", "squeeze2", "unsqueeze", "unsqueeze2"}, {"axis"});
  add({"transpose", "transpose2"}, {"perm"});
  testing::CheckAllAreListed("paddle", listed);
}

}  // namespace
}  // namespace munja::foreign::paddle::defaults
