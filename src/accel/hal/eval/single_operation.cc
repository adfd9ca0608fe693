#include "hal/eval/single_operation.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "hal/cases.h"
#include "hal/eval/real_operations.h"
#include "hal/lower/lowering.h"
#include "hal/operations.h"
#include "hal/types.h"
#include "runtime/session.h"
#include "tensor/half.h"

namespace munja::hal {
namespace {

bool IsQuantized(int32_t type) {
  switch (type) {
    case MUNJA_NN_TENSOR_QUANT8_ASYMM:
    case MUNJA_NN_TENSOR_QUANT8_ASYMM_SIGNED:
    case MUNJA_NN_TENSOR_QUANT8_SYMM:
    case MUNJA_NN_TENSOR_QUANT8_SYMM_PER_CHANNEL:
    case MUNJA_NN_TENSOR_QUANT16_ASYMM:
    case MUNJA_NN_TENSOR_QUANT16_SYMM:
      return true;
    default:
      return false;
  }
}

bool HasIntegerBias(int32_t operation) {
  switch (operation) {
    case MUNJA_NN_CONV_2D:
    case MUNJA_NN_DEPTHWISE_CONV_2D:
    case MUNJA_NN_FULLY_CONNECTED:
    case MUNJA_NN_GROUPED_CONV_2D:
    case MUNJA_NN_TRANSPOSE_CONV_2D:
      return true;
    default:
      return false;
  }
}

// Stored values count, not what they stand for.
bool TakesRawValues(int32_t operation) {
  switch (operation) {
    case MUNJA_NN_CAST:
    case MUNJA_NN_EMBEDDING_LOOKUP:
    case MUNJA_NN_HASHTABLE_LOOKUP:
    case MUNJA_NN_LSH_PROJECTION:
    case MUNJA_NN_PAD_V2:
    case MUNJA_NN_QUANTIZED_16BIT_LSTM:
    case MUNJA_NN_QUANTIZED_LSTM:
      return true;
    default:
      return false;
  }
}

Tensor Owned(Dimensions dimensions, std::vector<uint8_t> bytes) {
  auto owner = std::make_shared<const std::vector<uint8_t>>(std::move(bytes));
  return {false, std::move(dimensions), *owner, owner};
}

size_t Elements(const Operand& operand, const Tensor& tensor) {
  return tensor.bytes.size() / FindType(operand.type)->bytes;
}

// The channel of an element, for operands with scales per channel.
size_t ChannelOf(const Dimensions& dimensions, size_t axis, size_t element) {
  size_t behind = 1;
  for (size_t i = axis + 1; i < dimensions.size(); ++i) behind *= dimensions[i];
  return element / behind % dimensions[axis];
}

std::vector<double> RealValues(const Operand& operand, const Tensor& tensor) {
  std::vector<double> values(Elements(operand, tensor));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = ElementAt(operand.type, tensor.bytes.data(), i);
    if (operand.channels) {
      const size_t axis = operand.channels->dimension;
      values[i] *=
          operand.channels->scales[ChannelOf(tensor.dimensions, axis, i)];
    } else if (IsQuantized(operand.type)) {
      values[i] = (values[i] - operand.zero_point) * operand.scale;
    }
  }
  return values;
}

// As above, but the sums of a layer's bias have the scale of their products.
std::vector<double> RealInput(const Subgraph& subgraph,
                              const Operation& operation,
                              const std::vector<Tensor>& inputs, size_t i) {
  const auto operand = [&](size_t k) -> const Operand& {
    return subgraph.operands[operation.inputs[k]];
  };
  std::vector<double> values = RealValues(operand(i), inputs[i]);
  if (i != 2 || !HasIntegerBias(operation.type) ||
      operand(2).type != MUNJA_NN_TENSOR_INT32)
    return values;
  const auto& channels = operand(1).channels;
  for (size_t k = 0; k < values.size(); ++k)
    values[k] *= double{operand(0).scale} *
                 (channels ? channels->scales[k % channels->scales.size()]
                           : operand(1).scale);
  return values;
}

template <class T>
void Put(std::vector<uint8_t>& bytes, size_t i, T value) {
  std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
}

template <class T>
T Clamped(double v) {
  constexpr double kLow = std::numeric_limits<T>::min();
  constexpr double kHigh = std::numeric_limits<T>::max();
  return std::isnan(v) ? T{0} : static_cast<T>(std::clamp(v, kLow, kHigh));
}

// Real numbers as the operand stores them.
std::vector<uint8_t> Stored(const Operand& operand,
                            const std::vector<double>& values) {
  std::vector<uint8_t> bytes(values.size() * FindType(operand.type)->bytes);
  for (size_t i = 0; i < values.size(); ++i) {
    double v = values[i];
    if (IsQuantized(operand.type))
      v = std::round(v / operand.scale) + operand.zero_point;
    switch (operand.type) {
      case MUNJA_NN_TENSOR_FLOAT32:
        Put(bytes, i, static_cast<float>(v));
        break;
      case MUNJA_NN_TENSOR_FLOAT16:
        Put(bytes, i, FloatToHalf(static_cast<float>(v)));
        break;
      case MUNJA_NN_INT32:
      case MUNJA_NN_TENSOR_INT32:
        Put(bytes, i, Clamped<int32_t>(v));
        break;
      case MUNJA_NN_TENSOR_QUANT16_ASYMM:
        Put(bytes, i, Clamped<uint16_t>(v));
        break;
      case MUNJA_NN_TENSOR_QUANT16_SYMM:
        Put(bytes, i, Clamped<int16_t>(v));
        break;
      case MUNJA_NN_TENSOR_QUANT8_ASYMM:
      case MUNJA_NN_TENSOR_BOOL8:
        Put(bytes, i, Clamped<uint8_t>(v));
        break;
      default:
        Put(bytes, i, Clamped<int8_t>(v));
    }
  }
  return bytes;
}

// The operation alone in a subgraph, its inputs first, and their values.
struct Alone {
  Subgraph subgraph;
  std::vector<Tensor> inputs;
};

Alone Separate(const Subgraph& subgraph, const Operation& operation,
               const std::vector<Tensor>& inputs) {
  Alone alone;
  alone.inputs = inputs;
  Operation& only = alone.subgraph.operations.emplace_back();
  only.type = operation.type;
  const bool keeps_states = FindSequenceLowering(operation.type) != nullptr;
  for (size_t i = 0; i < operation.inputs.size(); ++i) {
    Operand operand = subgraph.operands[operation.inputs[i]];
    const auto index = static_cast<uint32_t>(i);
    // Weights stay constants, which kernels make more of.
    const bool is_constant =
        !inputs[i].is_absent &&
        (!IsTensor(operand.type) ||
         (i > 0 && operand.is_constant() && !keeps_states));
    operand.lifetime =
        is_constant ? MUNJA_NN_CONSTANT_COPY : MUNJA_NN_SUBGRAPH_INPUT;
    operand.dimensions = inputs[i].dimensions;
    alone.subgraph.operands.push_back(std::move(operand));
    if (!is_constant) alone.subgraph.inputs.push_back(index);
    only.inputs.push_back(index);
  }
  for (const uint32_t o : operation.outputs) {
    const auto index = static_cast<uint32_t>(alone.subgraph.operands.size());
    Operand operand = subgraph.operands[o];
    operand.lifetime = MUNJA_NN_SUBGRAPH_OUTPUT;
    alone.subgraph.operands.push_back(std::move(operand));
    alone.subgraph.outputs.push_back(index);
    only.outputs.push_back(index);
  }
  return alone;
}

// By the runtime's kernels.
Result<std::vector<Tensor>> RunLowered(const Alone& alone,
                                       bool reference_kernels) {
  const Subgraph& from = alone.subgraph;
  std::vector<Known> known(from.operands.size());
  for (size_t i = 0; i < known.size(); ++i) {
    const bool is_input = i < alone.inputs.size();
    known[i].has_value = is_input && !alone.inputs[i].is_absent;
    known[i].is_absent = is_input && alone.inputs[i].is_absent;
    if (is_input) known[i].bytes = alone.inputs[i].bytes;
    known[i].dimensions =
        is_input ? alone.inputs[i].dimensions : from.operands[i].dimensions;
  }
  graph::Graph graph;
  graph.subgraphs.resize(1);
  MUNJA_RETURN_IF_ERROR(Lowering(from, known, graph.subgraphs[0]).Run());
  MUNJA_RETURN_IF_ERROR(graph::Verify(graph));
  const std::vector<graph::ValueId> fed = graph.main().inputs;
  runtime::SessionOptions options;
  options.reference_kernels = reference_kernels;
  // Nothing of a single operation is worth the time.
  options.run_passes = false;
  MUNJA_ASSIGN_OR_RETURN(
      const auto session,
      runtime::CreateSession(
          std::make_shared<const graph::Graph>(std::move(graph)), options));
  std::vector<std::vector<uint8_t>> bytes;
  bytes.reserve(fed.size());
  std::vector<TensorView> views;
  for (size_t i = 0; i < fed.size(); ++i) {
    const Tensor& tensor = alone.inputs[static_cast<size_t>(fed[i])];
    bytes.push_back(SchemaBytes(from.operands[fed[i]].type, tensor.bytes));
    TensorView view;
    view.type = session->inputs()[i].type;
    for (const uint32_t d : tensor.dimensions)
      view.shape.Append(static_cast<int32_t>(d));
    view.data = bytes.back().data();
    view.bytes = bytes.back().size();
    views.push_back(view);
  }
  MUNJA_ASSIGN_OR_RETURN(const auto results, session->Run(views));
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < results.size(); ++i)
    outputs.push_back(
        FromSchema(from.operands[from.outputs[i]].type, results[i]));
  return outputs;
}

// Unsigned bytes as signed ones with the same values: the
// runtime has weights by channel with those only.
std::optional<Alone> AsSigned(Alone alone) {
  bool is_other = false;
  const size_t inputs = alone.inputs.size();
  for (size_t i = 0; i < alone.subgraph.operands.size(); ++i) {
    Operand& operand = alone.subgraph.operands[i];
    if (operand.type != MUNJA_NN_TENSOR_QUANT8_ASYMM) continue;
    is_other = true;
    operand.type = MUNJA_NN_TENSOR_QUANT8_ASYMM_SIGNED;
    operand.zero_point -= 128;
    if (i >= inputs || alone.inputs[i].is_absent) continue;
    Tensor& tensor = alone.inputs[i];
    std::vector<uint8_t> flipped(tensor.bytes.begin(), tensor.bytes.end());
    for (uint8_t& b : flipped) b ^= 0x80;
    tensor = Owned(tensor.dimensions, std::move(flipped));
  }
  if (!is_other) return std::nullopt;
  return alone;
}

Result<std::vector<Tensor>> RunSigned(const Alone& alone,
                                      const Alone& as_signed,
                                      bool reference_kernels) {
  MUNJA_ASSIGN_OR_RETURN(std::vector<Tensor> outputs,
                         RunLowered(as_signed, reference_kernels));
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Operand& operand = alone.subgraph.operands[alone.subgraph.outputs[i]];
    if (operand.type != MUNJA_NN_TENSOR_QUANT8_ASYMM) continue;
    std::vector<uint8_t> flipped(outputs[i].bytes.begin(),
                                 outputs[i].bytes.end());
    for (uint8_t& b : flipped) b ^= 0x80;
    outputs[i] = Owned(outputs[i].dimensions, std::move(flipped));
  }
  return outputs;
}

// Real numbers in float32 through the runtime, stored again after.
Result<std::vector<Tensor>> RunFloat(const Alone& alone,
                                     bool reference_kernels) {
  Alone real = alone;
  const Subgraph& from = alone.subgraph;
  const Operation& operation = from.operations[0];
  for (size_t i = 0; i < real.subgraph.operands.size(); ++i) {
    Operand& operand = real.subgraph.operands[i];
    const bool is_input = i < alone.inputs.size();
    const bool is_bias = is_input && i == 2 && HasIntegerBias(operation.type) &&
                         operand.type == MUNJA_NN_TENSOR_INT32;
    if (!IsQuantized(operand.type) && !is_bias) continue;
    operand.type = MUNJA_NN_TENSOR_FLOAT32;
    operand.scale = 0.0f;
    operand.zero_point = 0;
    operand.channels.reset();
    if (!is_input || alone.inputs[i].is_absent) continue;
    real.inputs[i] =
        Owned(alone.inputs[i].dimensions,
              Stored(operand, RealInput(from, operation, alone.inputs, i)));
  }
  MUNJA_ASSIGN_OR_RETURN(std::vector<Tensor> outputs,
                         RunLowered(real, reference_kernels));
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Operand& operand = from.operands[from.outputs[i]];
    if (!IsQuantized(operand.type)) continue;
    Operand floats = operand;
    floats.type = MUNJA_NN_TENSOR_FLOAT32;
    outputs[i] = Owned(outputs[i].dimensions,
                       Stored(operand, RealValues(floats, outputs[i])));
  }
  return outputs;
}

Result<std::vector<Tensor>> RunReal(RealFunction function, const Alone& alone) {
  const Subgraph& from = alone.subgraph;
  const Operation& operation = from.operations[0];
  RealCall call;
  call.type = operation.type;
  for (size_t i = 0; i < alone.inputs.size(); ++i) {
    const Operand& operand = from.operands[operation.inputs[i]];
    Real& real = call.in.emplace_back();
    real.is_absent = alone.inputs[i].is_absent;
    real.type = operand.type;
    if (real.is_absent) continue;
    real.dimensions = alone.inputs[i].dimensions;
    real.values = RealInput(from, operation, alone.inputs, i);
  }
  for (const uint32_t o : operation.outputs)
    call.out.emplace_back().type = from.operands[o].type;
  MUNJA_RETURN_IF_ERROR(function(call));
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < call.out.size(); ++i)
    outputs.push_back(
        Owned(call.out[i].dimensions,
              Stored(from.operands[operation.outputs[i]], call.out[i].values)));
  return outputs;
}

// Stored values in another type, which saturate.
Tensor Cast(const Operand& from, Operand to, const Tensor& tensor) {
  std::vector<double> values(Elements(from, tensor));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = std::trunc(ElementAt(from.type, tensor.bytes.data(), i));
  to.scale = 1.0f;
  to.zero_point = 0;
  return Owned(tensor.dimensions, Stored(to, values));
}

// A batch of 0 images, which kernels do not take: the result for one image
// gives the dimensions.
Result<std::vector<Tensor>> EvaluateOfOne(const Subgraph& subgraph,
                                          const Operation& operation,
                                          std::vector<Tensor> inputs,
                                          bool reference_kernels) {
  const Operand& image = subgraph.operands[operation.inputs[0]];
  Dimensions dimensions = inputs[0].dimensions;
  dimensions[0] = 1;
  const auto bytes = SizeOf(image.type, dimensions);
  if (!bytes || *bytes == 0)
    return InvalidArgument("an image of dimensions " + ToText(dimensions));
  inputs[0] = Owned(dimensions, std::vector<uint8_t>(*bytes));
  if (operation.type == MUNJA_NN_TRANSPOSE_CONV_2D &&
      inputs[3].bytes.size() == 16) {
    std::vector<uint8_t> shape(inputs[3].bytes.begin(), inputs[3].bytes.end());
    Put(shape, 0, int32_t{1});
    inputs[3] = Owned(inputs[3].dimensions, std::move(shape));
  }
  MUNJA_ASSIGN_OR_RETURN(
      std::vector<Tensor> outputs,
      EvaluateOperation(subgraph, operation, std::move(inputs),
                        reference_kernels));
  outputs[0].dimensions[0] = 0;
  outputs[0].bytes = {};
  return outputs;
}

bool IsEmptyConvolution(const Operation& operation,
                        const std::vector<Tensor>& inputs) {
  const Dimensions& dimensions = inputs[0].dimensions;
  return HasIntegerBias(operation.type) &&
         operation.type != MUNJA_NN_FULLY_CONNECTED && dimensions.size() == 4 &&
         dimensions[0] == 0;
}

}  // namespace

Tensor FromSchema(int32_t type, const TensorView& view) {
  Dimensions dimensions;
  for (const int32_t d : view.shape.dims())
    dimensions.push_back(static_cast<uint32_t>(d));
  // The HAL has no tensors of rank 0.
  if (dimensions.empty() && IsTensor(type)) dimensions = {1};
  const auto* data = view.as<uint8_t>();
  std::vector<uint8_t> bytes;
  if (type != MUNJA_NN_TENSOR_FLOAT16) {
    if (view.bytes > 0) bytes.assign(data, data + view.bytes);
    return Owned(std::move(dimensions), std::move(bytes));
  }
  bytes.resize(view.bytes / 2);
  for (size_t i = 0; i < view.bytes / 4; ++i)
    Put(bytes, i, FloatToHalf(view.as<float>()[i]));
  return Owned(std::move(dimensions), std::move(bytes));
}

Result<std::vector<Tensor>> EvaluateOperation(const Subgraph& subgraph,
                                              const Operation& operation,
                                              std::vector<Tensor> inputs,
                                              bool reference_kernels) {
  if (IsEmptyConvolution(operation, inputs))
    return EvaluateOfOne(subgraph, operation, std::move(inputs),
                         reference_kernels);
  const Alone alone = Separate(subgraph, operation, inputs);
  auto outputs = RunLowered(alone, reference_kernels);
  const auto refused = [&] {
    return !outputs.ok() && outputs.status().code() == Code::kUnsupported;
  };
  if (!refused()) return outputs;
  if (operation.type == MUNJA_NN_CAST)
    return std::vector<Tensor>{Cast(subgraph.operands[operation.inputs[0]],
                                    subgraph.operands[operation.outputs[0]],
                                    inputs[0])};
  if (!TakesRawValues(operation.type)) {
    if (const auto other = AsSigned(alone))
      outputs = RunSigned(alone, *other, reference_kernels);
    if (!refused()) return outputs;
    const bool is_quantized = std::ranges::any_of(
        alone.subgraph.operands,
        [](const Operand& o) { return IsQuantized(o.type); });
    if (is_quantized) outputs = RunFloat(alone, reference_kernels);
    if (!refused()) return outputs;
  }
  if (const RealFunction function = FindRealOperation(operation.type))
    return RunReal(function, alone);
  return outputs;
}

}  // namespace munja::hal
