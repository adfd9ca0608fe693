// What stands for an attribute that an operator leaves out: the defaults below
// are those of Paddle's operator definitions, and each is compared with an
// operator that gives it.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "import/paddle/testing.h"
#include "import/testing.h"

namespace munja::foreign::paddle {
namespace {

struct Attribute {
  const char* name;
  std::optional<Attr> standard;  // Of the definition; none: it must be given.
  std::optional<Attr> other;     // None: nothing else is read.
};

struct Parameter {
  const char* input;
  std::vector<int64_t> dims;
  std::vector<float> values;
};

struct Case {
  const char* op;
  std::vector<int64_t> x;
  std::vector<Attr> given;  // What an operator must have.
  std::vector<Attribute> attributes;
  std::vector<Parameter> parameters = {};
  const char* input = "X";
  const char* output = "Out";
};

Attribute Int(const char* name, std::optional<int32_t> standard,
              int32_t other) {
  Attribute a = {name, {}, IntAttr(name, other)};
  if (standard) a.standard = IntAttr(name, *standard);
  return a;
}
Attribute Float(const char* name, std::optional<float> standard, float other) {
  Attribute a = {name, {}, FloatAttr(name, other)};
  if (standard) a.standard = FloatAttr(name, *standard);
  return a;
}
Attribute Bool(const char* name, bool standard) {
  return {name, BoolAttr(name, standard), BoolAttr(name, !standard)};
}
Attribute Text(const char* name, const char* standard, const char* other) {
  Attribute a = {name, {}, TextAttr(name, other)};
  if (standard != nullptr) a.standard = TextAttr(name, standard);
  return a;
}
using List = std::vector<int32_t>;
Attribute Ints(const char* name, std::optional<List> standard, List other) {
  Attribute a = {name, {}, IntsAttr(name, std::move(other))};
  if (standard) a.standard = IntsAttr(name, std::move(*standard));
  return a;
}

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

std::vector<float> Numbers(size_t count) {
  std::vector<float> numbers;
  for (size_t i = 0; i < count; ++i)
    numbers.push_back(static_cast<float>((i * 7) % 11) / 4 - 1);
  return numbers;
}

// What all windows have.
std::vector<Attribute> Window(std::vector<Attribute> more) {
  more.insert(more.end(), {Ints("strides", List{1, 1}, {2, 2}),
                           Ints("paddings", List{0, 0}, {1, 1}),
                           Ints("paddings", List{0, 0, 0, 0}, {1, 0, 0, 1}),
                           Text("padding_algorithm", "EXPLICIT", "SAME"),
                           Text("data_format", "NCHW", "NHWC")});
  return more;
}

std::vector<Case> Cases() {
  std::vector<Case> cases = {
      {"dropout",
       {2, 4},
       {BoolAttr("is_test", true)},
       {Bool("is_test", false), Float("dropout_prob", 0.5f, 0.25f),
        Text("dropout_implementation", "downgrade_in_infer",
             "upscale_in_train"),
        Text("mode", "downgrade_in_infer", "upscale_in_train")}},
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
      {"multiclass_nms3",
       {1, 3, 4},
       {},
       {Float("nms_eta", 1, 0.5f), Float("nms_threshold", 0.3f, -1),
        Float("score_threshold", 0, 0.5f), Int("nms_top_k", -1, 1),
        Int("keep_top_k", -1, 1), Int("background_label", 0, -1),
        Bool("normalized", true)},
       {{"Scores", {1, 2, 3}, {0.9f, 0.8f, 0.7f, 0.3f, 0.6f, 0.4f}}},
       "BBoxes"},
      {"deformable_conv_v1",
       {1, 2, 4, 4},
       {},
       {Ints("paddings", List{0, 0}, {1, 1}),
        Ints("strides", List{1, 1}, {2, 2}),
        Ints("dilations", List{1, 1}, {2, 2}), Int("groups", 1, 2),
        Int("deformable_groups", 1, 2)},
       {{"Filter", {2, 2, 2, 2}, Numbers(16)},
        {"Offset", {1, 8, 3, 3}, Numbers(72)}},
       "Input",
       "Output"},
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
      {"grid_sampler",
       {1, 1, 4, 4},
       {},
       {Text("mode", "bilinear", "nearest"),
        Text("padding_mode", "zeros", "border"), Bool("align_corners", true)},
       {{"Grid",
         {1, 2, 2, 2},
         {-1.5f, 0.3f, 0.2f, 1.4f, 0, 0.1f, 0.6f, -0.7f}}},
       "X",
       "Output"},
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
      {"lrn",
       {1, 3, 1, 2},
       {},
       {Int("n", 5, 1), Float("k", 2, 1), Float("alpha", 0.0001f, 1),
        Float("beta", 0.75f, 2)}},
      {"increment", {1}, {}, {Float("step", 1, 2)}},
      {"tril_triu", {2, 3}, {}, {Int("diagonal", 0, 1), Bool("lower", false)}},
      {"tril", {2, 3}, {}, {Int("diagonal", 0, 1)}},
      {"triu", {2, 3}, {}, {Int("diagonal", 0, 1)}},
      {"quantize_linear",
       {2, 4},
       {},
       {Int("quant_axis", 0, 1), Int("bit_length", 8, 4), Bool("is_test", true),
        Bool("only_observer", false)},
       {{"Scale", {2}, {3, 5}}, {"ZeroPoint", {2}, {0, 0}}},
       "X",
       "Y"},
      {"dequantize_linear",
       {2, 4},
       {},
       {Int("quant_axis", 0, 1), Int("bit_length", 8, 4),
        Bool("only_observer", false)},
       {{"Scale", {2}, {3, 5}}, {"ZeroPoint", {2}, {0, 0}}},
       "X",
       "Y"},
      {"box_coder",
       {2, 4},
       {},
       {Text("code_type", "encode_center_size", "decode_center_size"),
        Bool("box_normalized", true), Int("axis", 0, 2)},
       {{"PriorBox", {1, 4}, {1, 1, 5, 3}}},
       "TargetBox",
       "OutputBox"},
      {"iou_similarity",
       {2, 4},
       {},
       {Bool("box_normalized", true)},
       {{"Y", {1, 4}, {0, 0, 2, 2}}}},
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
      {"yolo_box",
       {1, 8, 1, 2},
       {IntsAttr("anchors", {10, 14}), IntAttr("class_num", 2),
        IntAttr("downsample_ratio", 32), FloatAttr("conf_thresh", 0)},
       {Ints("anchors", {}, {11, 14}), Int("class_num", {}, 3),
        Int("downsample_ratio", {}, 16), Float("conf_thresh", {}, 2),
        Bool("iou_aware", false)},
       {{"ImgSize", {1, 2}, {40, 80}}},
       "X",
       "Boxes"},
      {"yolo_box",
       {1, 7, 1, 2},
       {IntsAttr("anchors", {10, 90}), IntAttr("class_num", 2),
        IntAttr("downsample_ratio", 32), FloatAttr("conf_thresh", 0)},
       {Bool("clip_bbox", true), Float("scale_x_y", 1, 1.5f)},
       {{"ImgSize", {1, 2}, {40, 80}}},
       "X",
       "Boxes"},
      {"yolo_box",
       {1, 8, 1, 2},
       {IntsAttr("anchors", {10, 14}), IntAttr("class_num", 2),
        IntAttr("downsample_ratio", 32), FloatAttr("conf_thresh", 0),
        BoolAttr("iou_aware", true)},
       {Float("iou_aware_factor", 0.5f, 0.2f)},
       {{"ImgSize", {1, 2}, {40, 80}}},
       "X",
       "Scores"},
      {"roi_align",
       {1, 1, 4, 4},
       {},
       {Int("pooled_height", 1, 2), Int("pooled_width", 1, 2),
        Int("sampling_ratio", -1, 1), Float("spatial_scale", 1, 0.5f),
        Bool("aligned", false)},
       {{"ROIs", {1, 4}, {0.3f, 0.2f, 2.6f, 3.1f}}}},
      {"pixel_shuffle",
       {1, 4, 2, 2},
       {},
       {Int("upscale_factor", 1, 2), Text("data_format", "NCHW", "NHWC")}},
      {"channel_shuffle",
       {1, 4, 1, 2},
       {},
       {Int("groups", 1, 2), Text("data_format", "NCHW", "NHWC")}},
      {"prelu",
       {2, 1, 2, 2},
       {},
       {Text("mode", "all", "element"), Text("data_format", "NCHW", "NHWC")},
       {{"Alpha", {1}, {0.25f}}}},
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
      {"conv2d",
       {1, 2, 5, 6},
       {},
       Window({Int("groups", 1, 2), Ints("dilations", List{1, 1}, {2, 2}),
               Bool("fuse_relu", false), Bool("fuse_brelu", false),
               Bool("fuse_residual_connection", false),
               Bool("fuse_relu_before_depthwise_conv", false),
               Bool("with_quant", false), Text("fuse_activation", "", "relu")}),
       {{"Filter", {2, 2, 3, 2}, Numbers(24)}},
       "Input",
       "Output"},
      {"depthwise_conv2d",
       {1, 2, 5, 6},
       {IntAttr("groups", 2)},
       Window({Int("groups", {}, 1), Ints("dilations", List{1, 1}, {2, 2})}),
       {{"Filter", {2, 1, 3, 2}, Numbers(12)}},
       "Input",
       "Output"},
      {"conv2d_transpose",
       {1, 2, 5, 6},
       {},
       Window({Int("groups", 1, 2), Ints("dilations", List{1, 1}, {2, 2}),
               Ints("output_padding", List{}, {1, 1}),
               Ints("output_size", List{}, {9, 9})}),
       {{"Filter", {2, 2, 3, 2}, Numbers(24)}},
       "Input",
       "Output"},
      {"depthwise_conv2d_transpose",
       {1, 1, 5, 6},
       {},
       Window({Int("groups", 1, 2), Ints("dilations", List{1, 1}, {2, 2}),
               Ints("output_padding", List{}, {1, 1}),
               Ints("output_size", List{}, {9, 9})}),
       {{"Filter", {1, 1, 3, 2}, Numbers(6)}},
       "Input",
       "Output"},
      {"pool2d",
       {1, 2, 6, 7},
       {TextAttr("pooling_type", "max"), IntsAttr("ksize", {3, 2})},
       Window({Text("pooling_type", nullptr, "avg"),
               Ints("ksize", {}, {2, 2}),
               Bool("global_pooling", false),
               Bool("adaptive", false),
               {"dilations", {}, {}}})},
      {"pool2d",
       {1, 2, 6, 7},
       {TextAttr("pooling_type", "max"), IntsAttr("ksize", {3, 2}),
        IntsAttr("strides", {2, 2})},
       {Bool("ceil_mode", false)}},
      {"pool2d",
       {1, 2, 6, 6},
       {TextAttr("pooling_type", "avg"), IntsAttr("ksize", {3, 3}),
        IntsAttr("paddings", {1, 1})},
       {Bool("exclusive", true)}},
      {"batch_norm",
       {1, 3, 2, 2},
       {BoolAttr("is_test", true)},
       {Bool("is_test", false), Float("epsilon", 1e-5f, 0.5f),
        Bool("trainable_statistics", false), Bool("fuse_with_relu", false),
        Text("data_layout", "NCHW", "NHWC")},
       {{"Scale", {3}, {1, 2, 3}},
        {"Bias", {3}, {0, 1, 2}},
        {"Mean", {3}, {1, 2, 3}},
        {"Variance", {3}, {1e-4f, 1e-3f, 1}}},
       "X",
       "Y"},
      {"batch_norm",
       {1, 3, 2, 2},
       {},
       {Bool("use_global_stats", false)},
       {{"Scale", {3}, {1, 2, 3}},
        {"Bias", {3}, {0, 1, 2}},
        {"Mean", {3}, {1, 2, 3}},
        {"Variance", {3}, {1, 2, 3}}},
       "X",
       "Y"},
      {"layer_norm",
       {2, 3},
       {},
       {Float("epsilon", 1e-5f, 0.5f), Int("begin_norm_axis", 1, 0)},
       {{"Scale", {3}, {1, 2, 3}}, {"Bias", {3}, {0, 1, 2}}},
       "X",
       "Y"},
      {"group_norm",
       {1, 4, 2, 2},
       {},
       {Float("epsilon", 1e-5f, 0.5f), Int("groups", 1, 2),
        Text("data_layout", "NCHW", "NHWC")},
       {{"Scale", {4}, {1, 2, 3, 4}}, {"Bias", {4}, {0, 1, 2, 3}}},
       "X",
       "Y"},
      {"instance_norm",
       {1, 2, 2, 2},
       {},
       {Float("epsilon", 1e-5f, 0.5f)},
       {{"Scale", {2}, {1, 2}}, {"Bias", {2}, {0, 1}}},
       "X",
       "Y"},
      {"matmul",
       {3, 3},
       {},
       {Bool("transpose_X", false), Bool("transpose_Y", false),
        Bool("transpose_x", false), Bool("transpose_y", false),
        Float("alpha", 1, 2)},
       {{"Y", {3, 3}, Numbers(9)}}},
      {"matmul_v2",
       {3, 3},
       {},
       {Bool("trans_x", false), Bool("trans_y", false),
        Bool("transpose_x", false), Bool("transpose_y", false)},
       {{"Y", {3, 3}, Numbers(9)}}},
      {"mul",
       {2, 2, 3},
       {},
       {Int("x_num_col_dims", 1, 2), Int("y_num_col_dims", 1, 2)},
       {{"Y", {6, 2}, Numbers(12)}}},
      {"fc",
       {2, 2, 3},
       {},
       {Int("in_num_col_dims", 1, 2), Text("activation_type", "", "relu"),
        Bool("padding_weights", false)},
       {{"W", {6, 2}, Numbers(12)}},
       "Input"},
      {"arg_max",
       {2, 3, 4},
       {IntAttr("axis", 1)},
       {Int("axis", {}, 2), Bool("keepdims", false), Bool("flatten", false)}},
      {"softmax", {2, 3, 4}, {}, {Int("axis", -1, 1)}},
      {"rnn",
       {3, 1, 1},
       {TextAttr("mode", "LSTM"), IntAttr("hidden_size", 1)},
       {Text("mode", nullptr, "GRU"), Int("hidden_size", {}, 2),
        Bool("is_bidirec", false), Int("num_layers", 1, 2),
        Bool("is_test", true), Float("dropout_prob", 0, 0.5f)},
       {},
       "Input"},
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
  for (const char* op : {"nearest_interp", "nearest_interp_v2",
                         "bilinear_interp", "bilinear_interp_v2"}) {
    const bool is_linear = op[0] == 'b';
    Case c = {op,
              {1, 1, 3, 3},
              {IntAttr("out_h", 9), IntAttr("out_w", 9)},
              {Bool("align_corners", true), Int("out_h", {}, 6),
               Int("out_w", {}, 6), Text("data_layout", "NCHW", "NHWC")}};
    if (std::string(op).ends_with("_v2")) {
      Attr scales = IntsAttr("scale", {});
      scales.set_type(4);  // A list of floats.
      Attribute scale = {"scale", scales, scales};
      scale.other->add_floats(2);
      c.attributes.push_back(scale);
    } else {
      c.attributes.push_back(Float("scale", 0, 2));
    }
    if (is_linear) {
      Case uneven = c;
      uneven.given.push_back(BoolAttr("align_corners", false));
      uneven.attributes = {Int("align_mode", 1, 0)};
      cases.push_back(uneven);
    }
    cases.push_back(c);
  }
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

TEST(PaddleDefaults, WhatIsLeftOutIsAsTheDefinitionSays) {
  for (const Case& c : Cases()) {
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

TEST(PaddleDefaults, EveryAttributeThatIsReadHasARow) {
  std::map<std::string, std::set<std::string>> listed;
  for (const Case& c : Cases())
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
}  // namespace munja::foreign::paddle
