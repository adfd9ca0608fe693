#include "import/paddle/pir_reader.h"

namespace munja::foreign::paddle {
namespace {

constexpr std::string_view kX = "X", kXY = "X Y", kOut = "Out";

constexpr PirOperator kOperators[] = {
    // Element by element.
    {"relu", "relu", kX, kOut},
    {"relu6", "relu6", kX, kOut},
    {"leaky_relu", "leaky_relu", kX, kOut},
    {"prelu", "prelu", "X Alpha", kOut},
    {"elu", "elu", kX, kOut},
    {"sigmoid", "sigmoid", kX, kOut},
    {"hardsigmoid", "hard_sigmoid", kX, kOut},
    {"hardswish", "hard_swish", kX, kOut},
    {"swish", "swish", kX, kOut},
    {"silu", "silu", kX, kOut},
    {"mish", "mish", kX, kOut},
    {"softplus", "softplus", kX, kOut},
    {"gelu", "gelu", kX, kOut},
    {"tanh", "tanh", kX, kOut},
    {"exp", "exp", kX, kOut},
    {"log", "log", kX, kOut},
    {"sqrt", "sqrt", kX, kOut},
    {"rsqrt", "rsqrt", kX, kOut},
    {"square", "square", kX, kOut},
    {"reciprocal", "reciprocal", kX, kOut},
    {"abs", "abs", kX, kOut},
    {"floor", "floor", kX, kOut},
    {"ceil", "ceil", kX, kOut},
    {"sin", "sin", kX, kOut},
    {"cos", "cos", kX, kOut},
    {"erf", "erf", kX, kOut},
    {"pow", "pow", kX, kOut},
    {"clip", "clip", "X Min Max", kOut},
    {"scale", "scale", "X ScaleTensor", kOut},
    {"cast", "cast", kX, kOut},
    {"assign", "assign", kX, kOut},
    {"dropout", "dropout", kX, kOut},
    {"add", "elementwise_add", kXY, kOut},
    {"subtract", "elementwise_sub", kXY, kOut},
    {"multiply", "elementwise_mul", kXY, kOut},
    {"divide", "elementwise_div", kXY, kOut},
    {"maximum", "elementwise_max", kXY, kOut},
    {"minimum", "elementwise_min", kXY, kOut},
    {"elementwise_pow", "elementwise_pow", kXY, kOut},
    {"equal", "equal", kXY, kOut},
    {"not_equal", "not_equal", kXY, kOut},
    {"less_than", "less_than", kXY, kOut},
    {"less_equal", "less_equal", kXY, kOut},
    {"greater_than", "greater_than", kXY, kOut},
    {"greater_equal", "greater_equal", kXY, kOut},
    {"logical_and", "logical_and", kXY, kOut},
    {"logical_or", "logical_or", kXY, kOut},
    {"logical_xor", "logical_xor", kXY, kOut},
    {"logical_not", "logical_not", kX, kOut},
    {"where", "where", "Condition X Y", kOut},
    // By their values.
    {"topk", "top_k_v2", "X K", "Out Indices"},
    {"gather_nd", "gather_nd", "X Index", kOut},
    {"multiclass_nms3", "multiclass_nms3", "BBoxes Scores RoisNum",
     "Out Index NmsRoisNum"},
    {"deformable_conv", "deformable_conv", "Input Offset Filter Mask",
     "Output"},
    {"index_select", "index_select", "X Index", kOut},
    {"grid_sample", "grid_sampler", "X Grid", "Output"},
    {"one_hot", "one_hot_v2", "X depth_tensor", kOut},
    {"cumsum", "cumsum", "X Axis", kOut},
    {"p_norm", "p_norm", kX, kOut},
    {"remainder", "elementwise_mod", kXY, kOut},
    {"sign", "sign", kX, kOut},
    {"flip", "flip", kX, kOut},
    {"unbind", "unbind", kX, kOut},
    {"unstack", "unstack", kX, "Y"},
    {"expand_as", "expand_as_v2", kXY, kOut},
    {"meshgrid", "meshgrid", kX, kOut},
    // Constants.
    {"arange", "range", "Start End Step", kOut},
    {"full_like", "fill_any_like", "X ValueTensor", kOut},
    {"full", "fill_constant", "", kOut},
    {"full_int_array", "assign_value", "", kOut},
    {"assign_value", "assign_value", "", kOut},
    {"assign_value_", "assign_value", "", kOut},
    // Sums.
    {"conv2d", "conv2d", "Input Filter", "Output"},
    {"depthwise_conv2d", "depthwise_conv2d", "Input Filter", "Output"},
    {"conv2d_transpose", "conv2d_transpose", "Input Filter OutputSize",
     "Output"},
    {"batch_norm", "batch_norm", "X Mean Variance Scale Bias", "Y"},
    {"layer_norm", "layer_norm", "X Scale Bias", "Y"},
    {"instance_norm", "instance_norm", "X Scale Bias", "Y"},
    {"group_norm", "group_norm", "X Scale Bias", "Y"},
    {"pool2d", "pool2d", "X KernelSize", kOut},
    {"matmul", "matmul_v2", kXY, kOut},
    {"mean", "reduce_mean", kX, kOut},
    {"sum", "reduce_sum", "X AxisTensor", kOut},
    {"max", "reduce_max", "X AxisTensor", kOut},
    {"min", "reduce_min", "X AxisTensor", kOut},
    {"bmm", "bmm", kXY, kOut},
    {"add_n", "sum", kX, kOut},
    {"softmax", "softmax", kX, kOut},
    {"log_softmax", "log_softmax", kX, kOut},
    {"argmax", "arg_max", "X AxisTensor", kOut},
    {"nearest_interp", "nearest_interp_v2", "X OutSize SizeTensor Scale", kOut},
    {"bilinear_interp", "bilinear_interp_v2", "X OutSize SizeTensor Scale",
     kOut},
    {"rnn", "rnn", "Input PreState WeightList SequenceLength",
     "Out DropoutState State"},
    // Movement.
    {"concat", "concat", "X AxisTensor", kOut},
    {"stack", "stack", kX, "Y"},
    {"split", "split", "X SectionsTensorList AxisTensor", kOut},
    {"split_with_num", "split", "X AxisTensor", kOut},
    {"slice", "slice", "Input StartsTensor EndsTensor", kOut},
    {"strided_slice", "strided_slice",
     "Input StartsTensor EndsTensor StridesTensor", kOut},
    {"squeeze", "squeeze2", "X AxesTensor", kOut},
    {"unsqueeze", "unsqueeze2", "X AxesTensor", kOut},
    {"reshape", "reshape2", "X Shape", kOut},
    {"flatten", "flatten_contiguous_range", kX, kOut},
    {"transpose", "transpose2", kX, kOut},
    {"pad", "pad", kX, kOut},
    {"gather", "gather", "X Index Axis", kOut},
    {"pixel_shuffle", "pixel_shuffle", kX, kOut},
    {"channel_shuffle", "channel_shuffle", kX, kOut},
    {"tile", "tile", "X RepeatTimes", kOut},
    {"expand", "expand_v2", "X Shape", kOut},
    {"shape", "shape", "Input", kOut},
    {"shape64", "shape", "Input", kOut},
};

}  // namespace

const PirOperator* FindPirOperator(std::string_view name) {
  // A trailing underscore means "in place": the same numbers.
  for (const PirOperator& row : kOperators)
    if (row.name == name) return &row;
  if (name.ends_with('_')) {
    name.remove_suffix(1);
    for (const PirOperator& row : kOperators)
      if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace munja::foreign::paddle
