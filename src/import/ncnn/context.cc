#include "import/ncnn/context.h"

namespace munja::foreign::ncnn {

const HandlerRow* FindHandler(const std::string& type) {
  static constexpr HandlerRow kRows[] = {
      {"Convolution", 1, 1, Convolution},
      {"ConvolutionDepthWise", 1, 1, Convolution},
      {"Deconvolution", 1, 1, Deconvolution},
      {"DeconvolutionDepthWise", 1, 1, Deconvolution},
      {"InnerProduct", 1, 1, InnerProduct},
      {"Gemm", 1, 1, Gemm},
      {"MatMul", 2, 1, MatMul},
      {"Pooling", 1, 1, Pooling},
      {"BatchNorm", 1, 1, BatchNorm},
      {"Scale", 1, 1, Scale},
      {"LayerNorm", 1, 1, LayerNorm},
      {"Reduction", 1, 1, Reduction},
      {"Softmax", 1, 1, Softmax},
      {"Interp", 1, 1, Interp},
      {"LSTM", 1, 1, Lstm},
      {"ReLU", 1, 1, Activation},
      {"Sigmoid", 1, 1, Activation},
      {"TanH", 1, 1, Activation},
      {"GELU", 1, 1, Activation},
      {"HardSigmoid", 1, 1, Activation},
      {"HardSwish", 1, 1, Activation},
      {"Swish", 1, 1, Activation},
      {"Clip", 1, 1, Activation},
      {"ELU", 1, 1, Activation},
      {"SELU", 1, 1, Selu},
      {"AbsVal", 1, 1, Activation},
      {"PReLU", 1, 1, PRelu},
      {"Mish", 1, 1, Mish},
      {"Softplus", 1, 1, Softplus},
      {"Power", 1, 1, Power},
      {"Bias", 1, 1, Bias},
      {"BinaryOp", -1, 1, BinaryOp},
      {"UnaryOp", 1, 1, UnaryOp},
      {"Eltwise", -1, 1, Eltwise},
      {"MemoryData", 0, 1, MemoryData},
      {"Split", 1, -1, Split},
      {"Noop", 1, -1, Split},
      {"Dropout", 1, 1, Dropout},
      {"Concat", -1, 1, Concat},
      {"Slice", 1, -1, Slice},
      {"Crop", 1, 1, Crop},
      {"Padding", 1, 1, Padding},
      {"Permute", 1, 1, Permute},
      {"Reshape", 1, 1, Reshape},
      {"Flatten", 1, 1, Flatten},
      {"Squeeze", 1, 1, Squeeze},
      {"ExpandDims", 1, 1, ExpandDims},
      {"ShuffleChannel", 1, 1, ShuffleChannel},
      {"PixelShuffle", 1, 1, PixelShuffle},
  };
  for (const HandlerRow& row : kRows)
    if (type == row.type) return &row;
  return nullptr;
}

Result<int64_t> Positive(const Layer& layer, int64_t value, const char* what) {
  if (value >= 1) return value;
  return Malformed(Describe(layer) + ": " + what + " is " +
                   std::to_string(value));
}

Status Context::Set(const Layer& layer, size_t i, Blob blob) {
  if (!blobs.emplace(layer.outputs[i], blob).second)
    return Malformed(Describe(layer) + ": blob '" + layer.outputs[i] +
                     "' is written twice");
  return {};
}

Status Context::Emit(const Layer& layer, std::string op,
                     std::vector<ValueId> inputs, graph::Attributes attributes,
                     int rank) {
  MUNJA_ASSIGN_OR_RETURN(const ValueId value,
                         builder
                             .Add(std::move(op), std::move(inputs),
                                  std::move(attributes), layer.outputs[0])
                             .With(Describe(layer)));
  return Set(layer, 0, {value, rank});
}

Result<ValueId> Context::Step(const Layer& layer, const char* what,
                              std::string op, std::vector<ValueId> inputs,
                              graph::Attributes attributes) {
  return builder
      .Add(std::move(op), std::move(inputs), std::move(attributes),
           layer.outputs[0] + "/" + what)
      .With(Describe(layer));
}

Status Context::Finish(const Layer& layer, ValueId value, int rank) {
  MUNJA_ASSIGN_OR_RETURN(const int type, layer.Int(9, 0));
  MUNJA_ASSIGN_OR_RETURN(const std::vector<double> p, layer.Floats(10));
  const auto parameter = [&](size_t i, double fallback) {
    return i < p.size() ? p[i] : fallback;
  };
  graph::Attributes a;
  const char* op = nullptr;
  switch (type) {
    case 0:
      builder.Rename(value, layer.outputs[0]);
      return Set(layer, 0, {value, rank});
    case 1:
      op = "Relu";
      break;
    case 2:
      op = "LeakyRelu";
      a.Set("alpha", parameter(0, 0));
      break;
    case 3:
      op = "Clip";
      a.Set("min", parameter(0, 0));
      a.Set("max", parameter(1, 0));
      break;
    case 4:
      op = "Sigmoid";
      break;
    case 6:
      op = "HardSwish";
      a.Set("alpha", parameter(0, 0.2));
      a.Set("beta", parameter(1, 0.5));
      break;
    default:
      return Unsupported(Describe(layer) + ": fused activation " +
                         std::to_string(type));
  }
  return Emit(layer, op, {value}, std::move(a), rank);
}

}  // namespace munja::foreign::ncnn
