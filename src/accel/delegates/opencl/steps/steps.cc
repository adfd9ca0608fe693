#include "delegates/opencl/steps/steps.h"

namespace munja::delegates::opencl {
namespace {

constexpr StepRow kSteps[] = {
    {"ABS", RecordUnary},
    {"ADD", RecordBinary},
    {"AVERAGE_POOL_2D", RecordPool},
    {"BATCH_MATMUL", RecordBatchMatMul},
    {"BATCH_TO_SPACE_ND", RecordMove},
    {"BROADCAST_TO", RecordMove},
    {"CEIL", RecordUnary},
    {"CONCATENATION", RecordMove},
    {"CONV_2D", RecordConv},
    {"COS", RecordUnary},
    {"DEPTHWISE_CONV_2D", RecordDepthwise},
    {"DEPTH_TO_SPACE", RecordMove},
    {"DEQUANTIZE", RecordDequantize},
    {"DIV", RecordBinary},
    {"ELU", RecordActivation},
    {"EXP", RecordUnary},
    {"EXPAND_DIMS", RecordReshape},
    {"FLOOR", RecordUnary},
    {"FULLY_CONNECTED", RecordFullyConnected},
    {"GELU", RecordActivation},
    {"HARD_SIGMOID", RecordActivation},
    {"HARD_SWISH", RecordActivation},
    {"L2_NORMALIZATION", RecordL2Normalization},
    {"LEAKY_RELU", RecordActivation},
    {"LOG", RecordUnary},
    {"LOGISTIC", RecordActivation},
    {"LOG_SOFTMAX", RecordSoftmax},
    {"MAXIMUM", RecordBinary},
    {"MAX_POOL_2D", RecordPool},
    {"MEAN", RecordReduce},
    {"MINIMUM", RecordBinary},
    {"MIRROR_PAD", RecordMove},
    {"MUL", RecordBinary},
    {"NEG", RecordUnary},
    {"PACK", RecordMove},
    {"PAD", RecordMove},
    {"PADV2", RecordMove},
    {"PRELU", RecordBinary},
    {"REDUCE_MAX", RecordReduce},
    {"REDUCE_MIN", RecordReduce},
    {"REDUCE_PROD", RecordReduce},
    {"RELU", RecordActivation},
    {"RELU6", RecordActivation},
    {"RELU_0_TO_1", RecordActivation},
    {"RELU_N1_TO_1", RecordActivation},
    {"RESHAPE", RecordReshape},
    {"RESIZE_BILINEAR", RecordResize},
    {"RESIZE_NEAREST_NEIGHBOR", RecordResize},
    {"REVERSE_V2", RecordMove},
    {"ROUND", RecordUnary},
    {"RSQRT", RecordUnary},
    {"SIGN", RecordUnary},
    {"SIN", RecordUnary},
    {"SLICE", RecordMove},
    {"SOFTMAX", RecordSoftmax},
    {"SPACE_TO_BATCH_ND", RecordMove},
    {"SPACE_TO_DEPTH", RecordMove},
    {"SPLIT", RecordMove},
    {"SPLIT_V", RecordMove},
    {"SQRT", RecordUnary},
    {"SQUARE", RecordUnary},
    {"SQUARED_DIFFERENCE", RecordBinary},
    {"SQUEEZE", RecordReshape},
    {"STRIDED_SLICE", RecordMove},
    {"SUB", RecordBinary},
    {"SUM", RecordReduce},
    {"TANH", RecordActivation},
    {"TILE", RecordMove},
    {"TRANSPOSE", RecordMove},
    {"TRANSPOSE_CONV", RecordTransposeConv},
    {"UNPACK", RecordMove},
};

}  // namespace

const StepRow* FindStep(std::string_view op) {
  for (const StepRow& row : kSteps)
    if (row.op == op) return &row;
  return nullptr;
}

}  // namespace munja::delegates::opencl
