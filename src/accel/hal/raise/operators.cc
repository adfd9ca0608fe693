// One row an operator: its HAL operation, and what keeps it from being that.
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "hal/raise/raising.h"

namespace munja::hal {
namespace {

constexpr size_t kMaxRank = 4;  // The limit of most operations.

bool IsFloat(const graph::Value& value) {
  return value.type == ElementType::kFloat32;
}
bool IsByte(const graph::Value& value) {
  return value.type == ElementType::kInt8 || value.type == ElementType::kUInt8;
}

void CheckRank(Raising& r, size_t most = kMaxRank) {
  for (int i = 0; i < r.inputs(); ++i)
    if (r.has(i) && r.Dims(i).size() > most)
      r.Refuse("input " + std::to_string(i) + " has more than " +
               std::to_string(most) + " dimensions");
}

// Moves or chooses stored values.
void CheckSameScale(Raising& r, int i = 0) {
  if (IsByte(r.value(i)) &&
      (r.value(i).quantization.scales != r.output().quantization.scales ||
       r.operand(r.in(i)).zero_point != r.operand(r.out()).zero_point))
    r.Refuse("the output has another scale than the input");
}

// Checks the scale that the HAL prescribes for 8-bit outputs: 1 / steps, and
// this zero point of signed ones.
void CheckScale(Raising& r, float steps, int signed_zero) {
  const graph::Value& y = r.output();
  if (!IsByte(y)) return;
  const Operand& operand = r.operand(r.out());
  const int zero =
      y.type == ElementType::kInt8 ? signed_zero : signed_zero + 128;
  if (operand.scale != 1.0f / steps || operand.zero_point != zero)
    r.Refuse("the HAL prescribes another scale of the output");
}

uint32_t Activation(Raising& r) {
  static constexpr std::array<std::string_view, 4> kNames = {
      "NONE", "RELU", "RELU_N1_TO_1", "RELU6"};
  const std::string name = r.Text("fused_activation_function", "NONE");
  const auto* found = std::ranges::find(kNames, name);
  if (found == kNames.end())
    r.Refuse("the fused activation " + name + " is none of the HAL's");
  return r.Scalar(static_cast<int32_t>(found - kNames.begin()));
}

void CheckNoActivation(Raising& r) {
  if (r.Text("fused_activation_function", "NONE") != "NONE")
    r.Refuse("the HAL's has no fused activation");
}

uint32_t Padding(Raising& r) {
  const std::string name = r.Text("padding", "VALID");
  if (name != "SAME" && name != "VALID")
    r.Refuse("padding " + name + " is none of the HAL's");
  return r.Scalar(
      int32_t{name == "SAME" ? MUNJA_NN_PADDING_SAME : MUNJA_NN_PADDING_VALID});
}

uint32_t IntScalar(Raising& r, std::string_view name, int64_t fallback) {
  return r.Scalar(static_cast<int32_t>(r.Int(name, fallback)));
}

// One integer of a constant input.
int32_t OneInt(Raising& r, int i) {
  const std::vector<int32_t> values = r.Ints(i);
  if (values.size() != 1)
    r.Refuse("input " + std::to_string(i) + " is not one number");
  return values.empty() ? 0 : values[0];
}

// Input i from 0 on, where the HAL may not take one counted from the end.
int32_t AxisOf(Raising& r, int64_t axis, int of_input) {
  const auto rank = static_cast<int64_t>(r.Dims(of_input).size());
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) r.Refuse("its axis is not known");
  return static_cast<int32_t>(axis);
}

// ---- Operations ----

// Same tensors in the same order.
struct Same {
  std::string_view op;
  int32_t type;
  bool keeps_scale;
};
constexpr Same kSame[] = {
    {"ABS", MUNJA_NN_ABS, false},
    {"EQUAL", MUNJA_NN_EQUAL, false},
    {"EXP", MUNJA_NN_EXP, false},
    {"FLOOR", MUNJA_NN_FLOOR, false},
    {"GREATER", MUNJA_NN_GREATER, false},
    {"GREATER_EQUAL", MUNJA_NN_GREATER_EQUAL, false},
    {"HARD_SWISH", MUNJA_NN_HARD_SWISH, false},
    {"LESS", MUNJA_NN_LESS, false},
    {"LESS_EQUAL", MUNJA_NN_LESS_EQUAL, false},
    {"LOG", MUNJA_NN_LOG, false},
    {"LOGICAL_AND", MUNJA_NN_LOGICAL_AND, false},
    {"LOGICAL_NOT", MUNJA_NN_LOGICAL_NOT, false},
    {"LOGICAL_OR", MUNJA_NN_LOGICAL_OR, false},
    {"NEG", MUNJA_NN_NEG, false},
    {"NOT_EQUAL", MUNJA_NN_NOT_EQUAL, false},
    {"POW", MUNJA_NN_POW, false},
    {"PRELU", MUNJA_NN_PRELU, false},
    {"RELU", MUNJA_NN_RELU, true},
    {"RELU6", MUNJA_NN_RELU6, true},
    {"RELU_N1_TO_1", MUNJA_NN_RELU1, true},
    {"RSQRT", MUNJA_NN_RSQRT, false},
    {"SIN", MUNJA_NN_SIN, false},
    {"SQRT", MUNJA_NN_SQRT, false},
    {"TILE", MUNJA_NN_TILE, true},
};

void RaiseSame(Raising& r) {
  const auto* row = std::ranges::find(kSame, r.node().op, &Same::op);
  CheckRank(r);
  std::vector<uint32_t> inputs;
  for (int i = 0; i < r.inputs(); ++i) inputs.push_back(r.in(i));
  if (row->keeps_scale) CheckSameScale(r);
  r.Emit(row->type, std::move(inputs), {r.out()});
}

// Products of integers must not be stored finer than they are.
void Arithmetic(Raising& r) {
  const std::string& op = r.node().op;
  const int32_t type = op == "ADD"   ? MUNJA_NN_ADD
                       : op == "SUB" ? MUNJA_NN_SUB
                       : op == "MUL" ? MUNJA_NN_MUL
                                     : MUNJA_NN_DIV;
  CheckRank(r);
  const uint32_t a = r.in(0), b = r.in(1), y = r.out();
  if (type == MUNJA_NN_DIV && !IsFloat(r.output()))
    r.Refuse("the HAL divides integers in another way");
  if (r.output().type == ElementType::kInt32 &&
      r.Text("fused_activation_function", "NONE") != "NONE")
    r.Refuse("the HAL's has no activation of int32");
  if (type == MUNJA_NN_MUL && IsByte(r.output()) &&
      !(r.operand(y).scale > r.operand(a).scale * r.operand(b).scale))
    r.Refuse("the HAL wants an output scale above that of the product");
  r.Emit(type, {a, b, Activation(r)}, {y});
}

void Square(Raising& r) {
  CheckRank(r);
  const uint32_t x = r.in(0);
  r.Emit(MUNJA_NN_MUL, {x, x, r.Scalar(0)}, {r.out()});
  if (!IsFloat(r.output())) r.Refuse("not of float32");
}

void SquaredDifference(Raising& r) {
  CheckRank(r);
  if (!IsFloat(r.output())) return r.Refuse("not of float32");
  const uint32_t difference = r.Between(r.OutDims());
  const uint32_t none = r.Scalar(0);
  r.Emit(MUNJA_NN_SUB, {r.in(0), r.in(1), none}, {difference});
  r.Emit(MUNJA_NN_MUL, {difference, difference, none}, {r.out()});
}

void LeakyRelu(Raising& r) {
  CheckRank(r);
  if (!IsFloat(r.output())) return r.Refuse("not of float32");
  Operand operand;
  operand.dimensions = {1};
  const auto alpha = static_cast<float>(r.Float("alpha", 0.0));
  const uint32_t slope =
      r.Constant(std::move(operand),
                 {reinterpret_cast<const uint8_t*>(&alpha), sizeof alpha});
  r.Emit(MUNJA_NN_PRELU, {r.in(0), slope}, {r.out()});
}

void Elu(Raising& r) {
  CheckRank(r);
  r.Emit(MUNJA_NN_ELU, {r.in(0), r.Scalar(1.0f)}, {r.out()});
}

void Logistic(Raising& r) {
  CheckRank(r);
  CheckScale(r, 256.0f, -128);
  r.Emit(MUNJA_NN_LOGISTIC, {r.in(0)}, {r.out()});
}

void Tanh(Raising& r) {
  CheckRank(r);
  CheckScale(r, 128.0f, 0);
  r.Emit(MUNJA_NN_TANH, {r.in(0)}, {r.out()});
}

void Softmax(Raising& r) {
  CheckRank(r);
  CheckScale(r, 256.0f, -128);
  r.Emit(MUNJA_NN_SOFTMAX,
         {r.in(0), r.Scalar(static_cast<float>(r.Float("beta", 1.0)))},
         {r.out()});
}

void LogSoftmax(Raising& r) {
  CheckRank(r);
  r.Emit(MUNJA_NN_LOG_SOFTMAX, {r.in(0), r.Scalar(1.0f), r.Scalar(-1)},
         {r.out()});
}

// MAXIMUM, MINIMUM and SELECT: the schema's take stored values, the HAL's
// rescale.
void Choice(Raising& r) {
  const std::string& op = r.node().op;
  const int32_t type = op == "MAXIMUM"   ? MUNJA_NN_MAXIMUM
                       : op == "MINIMUM" ? MUNJA_NN_MINIMUM
                                         : MUNJA_NN_SELECT;
  CheckRank(r);
  std::vector<uint32_t> inputs;
  for (int i = 0; i < r.inputs(); ++i) {
    inputs.push_back(r.in(i));
    CheckSameScale(r, i);
    const Dimensions dims = r.Dims(i);
    const bool is_known = !dims.empty() && std::ranges::count(dims, 0u) == 0;
    if (type == MUNJA_NN_SELECT && (!is_known || dims != r.Dims(0)))
      r.Refuse("the HAL's takes tensors of one shape only");
  }
  r.Emit(type, std::move(inputs), {r.out()});
}

// The bias of a convolution; the HAL always wants one.
uint32_t Bias(Raising& r, int i, int64_t channels) {
  const uint32_t filter = r.in(1);
  const uint32_t x = r.in(r.node().op == "TRANSPOSE_CONV" ? 2 : 0);
  const bool is_float = IsFloat(r.value(1));
  if (!r.has(i)) {
    Operand operand;
    operand.type = is_float ? MUNJA_NN_TENSOR_FLOAT32 : MUNJA_NN_TENSOR_INT32;
    operand.dimensions = {static_cast<uint32_t>(channels)};
    if (!is_float && !r.operand(filter).channels)
      operand.scale = r.operand(x).scale * r.operand(filter).scale;
    const std::vector<uint8_t> zeros(static_cast<size_t>(channels) * 4);
    return r.Constant(std::move(operand), zeros);
  }
  const uint32_t bias = r.in(i);
  if (r.Dims(i).size() != 1) r.Refuse("the bias does not have one dimension");
  if (is_float) return bias;
  const Operand& operand = r.operand(bias);
  const float wanted = r.operand(filter).channels
                           ? 0.0f
                           : r.operand(x).scale * r.operand(filter).scale;
  if (std::abs(operand.scale - wanted) > 1e-6f * wanted)
    r.Refuse("the bias has another scale than the HAL prescribes");
  return bias;
}

void CheckFilter(Raising& r, int i) {
  const Operand& filter = r.operand(r.in(i));
  // One scale for all is one of signed bytes around 0.
  if (r.value(i).type == ElementType::kInt8 && !filter.channels &&
      filter.zero_point != 0)
    r.Refuse("signed weights around another zero");
}

// The layout, and dilations behind it, are told only where they are needed: HAL
// 1.1 has neither.
void AppendDilation(Raising& r, std::vector<uint32_t>& inputs) {
  const int64_t w = r.Int("dilation_w_factor", 1);
  const int64_t h = r.Int("dilation_h_factor", 1);
  if (w == 1 && h == 1) return;
  inputs.push_back(r.Scalar(false));
  inputs.push_back(r.Scalar(static_cast<int32_t>(w)));
  inputs.push_back(r.Scalar(static_cast<int32_t>(h)));
}

void Convolution(Raising& r) {
  const Dimensions filter = r.Dims(1), x = r.Dims(0);
  if (filter.size() != 4 || std::ranges::count(filter, 0u) > 0)
    return r.Refuse("the weights' dimensions are not known");
  const bool is_depthwise = r.node().op == "DEPTHWISE_CONV_2D";
  if (x.size() != 4 || x[3] == 0)
    return r.Refuse("the number of channels is not known");
  if (!is_depthwise && x[3] != filter[3])
    return r.Refuse("it is one of groups");
  CheckFilter(r, 1);
  std::vector<uint32_t> inputs = {
      r.in(0),
      r.in(1),
      Bias(r, 2, is_depthwise ? filter[3] : filter[0]),
      Padding(r),
      IntScalar(r, "stride_w", 1),
      IntScalar(r, "stride_h", 1)};
  if (is_depthwise) {
    // The attribute may be missing; the channels tell.
    if (filter[3] % x[3] != 0) return r.Refuse("channels that do not divide");
    inputs.push_back(r.Scalar(static_cast<int32_t>(filter[3] / x[3])));
  }
  inputs.push_back(Activation(r));
  AppendDilation(r, inputs);
  r.Emit(is_depthwise ? MUNJA_NN_DEPTHWISE_CONV_2D : MUNJA_NN_CONV_2D,
         std::move(inputs), {r.out()});
}

void TransposeConvolution(Raising& r) {
  const Dimensions filter = r.Dims(1);
  if (filter.size() != 4 || std::ranges::count(filter, 0u) > 0)
    return r.Refuse("the weights' dimensions are not known");
  CheckFilter(r, 1);
  const std::vector<int32_t> shape = r.Ints(0);
  if (shape.size() != 4) return r.Refuse("an output shape not of four numbers");
  r.Emit(MUNJA_NN_TRANSPOSE_CONV_2D,
         {r.in(2), r.in(1), Bias(r, 3, filter[0]), r.Vector(shape), Padding(r),
          IntScalar(r, "stride_w", 1), IntScalar(r, "stride_h", 1),
          Activation(r), r.Scalar(false)},
         {r.out()});
}

// The HAL's gives [batch, units] whatever the rank of the input.
void FullyConnected(Raising& r) {
  CheckRank(r);
  const Dimensions x = r.Dims(0), weights = r.Dims(1), y = r.OutDims();
  if (weights.size() != 2 || std::ranges::count(weights, 0u) > 0)
    return r.Refuse("the weights' dimensions are not known");
  if (x.size() < 2) return r.Refuse("the HAL wants two dimensions");
  if (r.Text("weights_format", "DEFAULT") != "DEFAULT")
    r.Refuse("shuffled weights");
  CheckFilter(r, 1);
  const uint32_t out = r.out();
  const std::vector<uint32_t> inputs = {r.in(0), r.in(1),
                                        Bias(r, 2, weights[0]), Activation(r)};
  if (y.size() == 2) return r.Emit(MUNJA_NN_FULLY_CONNECTED, inputs, {out});
  if (y.empty() || std::ranges::count(y, 0u) > 0)
    return r.Refuse("the output's dimensions are not known");
  uint32_t batch = 1;
  for (size_t i = 0; i + 1 < y.size(); ++i) batch *= y[i];
  const uint32_t flat = r.Between({batch, weights[0]});
  r.Emit(MUNJA_NN_FULLY_CONNECTED, inputs, {flat});
  r.Emit(MUNJA_NN_RESHAPE, {flat, r.Vector({y.begin(), y.end()})}, {out});
}

void Pool(Raising& r) {
  const std::string& op = r.node().op;
  const int32_t type = op == "AVERAGE_POOL_2D" ? MUNJA_NN_AVERAGE_POOL_2D
                       : op == "MAX_POOL_2D"   ? MUNJA_NN_MAX_POOL_2D
                                               : MUNJA_NN_L2_POOL_2D;
  CheckSameScale(r);
  r.Emit(type,
         {r.in(0), Padding(r), IntScalar(r, "stride_w", 1),
          IntScalar(r, "stride_h", 1), IntScalar(r, "filter_width", 1),
          IntScalar(r, "filter_height", 1), Activation(r)},
         {r.out()});
}

void Concatenation(Raising& r) {
  CheckRank(r);
  CheckNoActivation(r);
  std::vector<uint32_t> inputs;
  for (int i = 0; i < r.inputs(); ++i) inputs.push_back(r.in(i));
  if (inputs.empty()) return r.Refuse("it has no inputs");
  inputs.push_back(r.Scalar(AxisOf(r, r.Int("axis", 0), 0)));
  r.Emit(MUNJA_NN_CONCATENATION, std::move(inputs), {r.out()});
}

void Reduction(Raising& r) {
  static constexpr std::pair<std::string_view, int32_t> kTypes[] = {
      {"MEAN", MUNJA_NN_MEAN},
      {"SUM", MUNJA_NN_REDUCE_SUM},
      {"REDUCE_ALL", MUNJA_NN_REDUCE_ALL},
      {"REDUCE_ANY", MUNJA_NN_REDUCE_ANY},
      {"REDUCE_MAX", MUNJA_NN_REDUCE_MAX},
      {"REDUCE_MIN", MUNJA_NN_REDUCE_MIN},
      {"REDUCE_PROD", MUNJA_NN_REDUCE_PROD},
  };
  CheckRank(r);
  CheckSameScale(r);
  const bool keeps = r.Bool("keep_dims", false);
  const std::vector<int32_t> axes = r.Ints(1);
  // No axes mean all of them to some, and none to others.
  if (axes.empty()) return r.Refuse("it has no axes");
  const auto* row = std::ranges::find(
      kTypes, r.node().op, &std::pair<std::string_view, int32_t>::first);
  r.Emit(row->second,
         {r.in(0), r.Vector(axes),
          row->second == MUNJA_NN_MEAN ? r.Scalar(int32_t{keeps ? 1 : 0})
                                       : r.Scalar(keeps)},
         {r.out()});
}

void ArgExtreme(Raising& r) {
  CheckRank(r);
  r.Emit(r.node().op == "ARG_MAX" ? MUNJA_NN_ARGMAX : MUNJA_NN_ARGMIN,
         {r.in(0), r.Scalar(AxisOf(r, OneInt(r, 1), 0))}, {r.out()});
}

void Reshape(Raising& r) {
  CheckRank(r);
  CheckSameScale(r);
  if (r.OutDims().size() > kMaxRank) r.Refuse("more than 4 dimensions");
  std::vector<int32_t> shape;
  if (r.has(1)) {
    shape = r.Ints(1);
  } else {
    const auto stated = r.node().attributes.Ints("new_shape");
    if (!stated.ok()) return r.Refuse("a new shape that is no list");
    for (const int64_t d : *stated) shape.push_back(static_cast<int32_t>(d));
  }
  if (shape.empty()) shape = {1};  // A scalar.
  r.Emit(MUNJA_NN_RESHAPE, {r.in(0), r.Vector(shape)}, {r.out()});
}

void Squeeze(Raising& r) {
  CheckRank(r);
  CheckSameScale(r);
  const auto dims = r.node().attributes.Ints("squeeze_dims");
  if (!dims.ok()) return r.Refuse("dimensions that are no list");
  std::vector<uint32_t> inputs = {r.in(0)};
  if (!dims->empty()) {
    std::vector<int32_t> axes;
    for (const int64_t d : *dims) axes.push_back(AxisOf(r, d, 0));
    inputs.push_back(r.Vector(axes));
  }
  r.Emit(MUNJA_NN_SQUEEZE, std::move(inputs), {r.out()});
}

void ExpandDims(Raising& r) {
  CheckRank(r, kMaxRank - 1);
  CheckSameScale(r);
  // A scalar is [1] here already.
  if (r.value(0).has_shape && r.value(0).shape.rank() == 0)
    return r.Refuse("of a scalar");
  r.Emit(MUNJA_NN_EXPAND_DIMS, {r.in(0), r.Scalar(OneInt(r, 1))}, {r.out()});
}

void Transpose(Raising& r) {
  CheckRank(r);
  CheckSameScale(r);
  r.Emit(MUNJA_NN_TRANSPOSE, {r.in(0), r.Vector(r.Ints(1))}, {r.out()});
}

// A row [before, after] for each dimension.
uint32_t Paddings(Raising& r, int i) {
  const std::vector<int32_t> sizes = r.Ints(i);
  return r.Vector(sizes, {static_cast<uint32_t>(sizes.size() / 2), 2});
}

void Pad(Raising& r) {
  CheckRank(r);
  CheckSameScale(r);
  r.Emit(MUNJA_NN_PAD, {r.in(0), Paddings(r, 1)}, {r.out()});
}

void PadV2(Raising& r) {
  CheckRank(r);
  if (!IsFloat(r.value(0))) return r.Refuse("not of float32");
  r.Emit(MUNJA_NN_PAD_V2, {r.in(0), Paddings(r, 1), r.Scalar(r.Real(2))},
         {r.out()});
}

void Slice(Raising& r) {
  CheckRank(r);
  CheckSameScale(r);
  r.Emit(MUNJA_NN_SLICE, {r.in(0), r.Vector(r.Ints(1)), r.Vector(r.Ints(2))},
         {r.out()});
}

// The HAL wants one element along an axis that is shrunk; the schema takes the
// first, whatever the end says.
void StridedSlice(Raising& r) {
  CheckRank(r);
  CheckSameScale(r);
  if (r.Int("ellipsis_mask", 0) != 0 || r.Int("new_axis_mask", 0) != 0 ||
      r.Bool("offset", false))
    return r.Refuse("masks that the HAL lacks");
  const Dimensions dims = r.Dims(0);
  std::vector<int32_t> begin = r.Ints(1), end = r.Ints(2), strides = r.Ints(3);
  if (begin.size() != dims.size() || end.size() != dims.size() ||
      strides.size() != dims.size())
    return r.Refuse("a range for some dimensions only");
  const int64_t begin_mask = r.Int("begin_mask", 0);
  const int64_t shrink = r.Int("shrink_axis_mask", 0);
  int64_t end_mask = r.Int("end_mask", 0);
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t bit = int64_t{1} << i;
    if ((shrink & bit) == 0) continue;
    if ((begin_mask & bit) != 0 || strides[i] < 0 || dims[i] == 0)
      return r.Refuse("an axis that is shrunk backwards or from nowhere");
    if (begin[i] < 0) begin[i] += static_cast<int32_t>(dims[i]);
    end[i] = begin[i] + 1;
    strides[i] = 1;
    end_mask &= ~bit;
  }
  r.Emit(MUNJA_NN_STRIDED_SLICE,
         {r.in(0), r.Vector(begin), r.Vector(end), r.Vector(strides),
          r.Scalar(static_cast<int32_t>(begin_mask)),
          r.Scalar(static_cast<int32_t>(end_mask)),
          r.Scalar(static_cast<int32_t>(shrink))},
         {r.out()});
}

void Gather(Raising& r) {
  CheckRank(r);
  CheckSameScale(r);
  if (r.Int("batch_dims", 0) != 0) r.Refuse("the HAL's has no batches");
  // A number is [1] here, which would be a dimension of the result.
  const graph::Value& indices = r.value(1);
  if (!indices.has_shape || indices.shape.rank() == 0)
    r.Refuse("of one index that is no list");
  r.Emit(MUNJA_NN_GATHER,
         {r.in(0), r.Scalar(AxisOf(r, r.Int("axis", 0), 0)), r.in(1)},
         {r.out()});
}

void Split(Raising& r) {
  CheckRank(r);
  std::vector<uint32_t> outputs;
  for (size_t i = 0; i < r.node().outputs.size(); ++i)
    outputs.push_back(r.out(static_cast<int>(i)));
  CheckSameScale(r, 1);
  const auto count = static_cast<int32_t>(outputs.size());
  r.Emit(MUNJA_NN_SPLIT,
         {r.in(1), r.Scalar(AxisOf(r, OneInt(r, 0), 1)), r.Scalar(count)},
         std::move(outputs));
}

void Cast(Raising& r) {
  if (IsByte(r.output()) || r.output().type == ElementType::kBool)
    return r.Refuse("the HAL saturates where the schema wraps");
  r.Emit(MUNJA_NN_CAST, {r.in(0)}, {r.out()});
}

void Quantize(Raising& r) {
  CheckRank(r);
  r.Emit(MUNJA_NN_QUANTIZE, {r.in(0)}, {r.out()});
}

void Dequantize(Raising& r) {
  CheckRank(r);
  r.Emit(r.value(0).type == ElementType::kFloat16 ? MUNJA_NN_CAST
                                                  : MUNJA_NN_DEQUANTIZE,
         {r.in(0)}, {r.out()});
}

void Resize(Raising& r) {
  const bool is_bilinear = r.node().op == "RESIZE_BILINEAR";
  CheckSameScale(r);
  const std::vector<int32_t> size = r.Ints(1);
  if (size.size() != 2) return r.Refuse("a size not of two numbers");
  const bool align = r.Bool("align_corners", false);
  const bool half = r.Bool("half_pixel_centers", false);
  std::vector<uint32_t> inputs = {r.in(0), r.Scalar(size[1]),
                                  r.Scalar(size[0])};
  if (!is_bilinear || align || half) inputs.push_back(r.Scalar(false));
  if (align || half) {
    inputs.push_back(r.Scalar(align));
    inputs.push_back(r.Scalar(half));
  }
  r.Emit(
      is_bilinear ? MUNJA_NN_RESIZE_BILINEAR : MUNJA_NN_RESIZE_NEAREST_NEIGHBOR,
      std::move(inputs), {r.out()});
}

void Blocks(Raising& r) {
  CheckSameScale(r);
  r.Emit(r.node().op == "DEPTH_TO_SPACE" ? MUNJA_NN_DEPTH_TO_SPACE
                                         : MUNJA_NN_SPACE_TO_DEPTH,
         {r.in(0), IntScalar(r, "block_size", 0)}, {r.out()});
}

void Batches(Raising& r) {
  CheckSameScale(r);
  const bool is_to_space = r.node().op == "BATCH_TO_SPACE_ND";
  const std::vector<int32_t> block = r.Ints(1), sides = r.Ints(2);
  if (r.Dims(0).size() != 4 || block.size() != 2)
    return r.Refuse("the HAL takes images only");
  std::vector<uint32_t> inputs = {r.in(0), r.Vector(block)};
  if (!is_to_space) inputs.push_back(Paddings(r, 2));
  if (is_to_space &&
      std::ranges::any_of(sides, [](int32_t s) { return s != 0; }))
    return r.Refuse("the HAL's has no crops");
  r.Emit(is_to_space ? MUNJA_NN_BATCH_TO_SPACE_ND : MUNJA_NN_SPACE_TO_BATCH_ND,
         std::move(inputs), {r.out()});
}

void L2Normalization(Raising& r) {
  CheckRank(r);
  CheckNoActivation(r);
  CheckScale(r, 128.0f, 0);
  r.Emit(MUNJA_NN_L2_NORMALIZATION, {r.in(0)}, {r.out()});
}

void LocalResponse(Raising& r) {
  const auto real = [&](std::string_view name) {
    return r.Scalar(static_cast<float>(r.Float(name, 0.0)));
  };
  r.Emit(MUNJA_NN_LOCAL_RESPONSE_NORMALIZATION,
         {r.in(0), IntScalar(r, "radius", 0), real("bias"), real("alpha"),
          real("beta")},
         {r.out()});
}

// Operators that the HAL defines differently (TOPK_V2 of equal values) or lacks
// (BATCH_MATMUL, PACK) are missing on purpose.
constexpr std::pair<std::string_view, RaiseFunction> kRaisedOperators[] = {
    {"ADD", Arithmetic},
    {"ARG_MAX", ArgExtreme},
    {"ARG_MIN", ArgExtreme},
    {"AVERAGE_POOL_2D", Pool},
    {"BATCH_TO_SPACE_ND", Batches},
    {"CAST", Cast},
    {"CONCATENATION", Concatenation},
    {"CONV_2D", Convolution},
    {"DEPTHWISE_CONV_2D", Convolution},
    {"DEPTH_TO_SPACE", Blocks},
    {"DEQUANTIZE", Dequantize},
    {"DIV", Arithmetic},
    {"ELU", Elu},
    {"EXPAND_DIMS", ExpandDims},
    {"FULLY_CONNECTED", FullyConnected},
    {"GATHER", Gather},
    {"L2_NORMALIZATION", L2Normalization},
    {"L2_POOL_2D", Pool},
    {"LEAKY_RELU", LeakyRelu},
    {"LOCAL_RESPONSE_NORMALIZATION", LocalResponse},
    {"LOGISTIC", Logistic},
    {"LOG_SOFTMAX", LogSoftmax},
    {"MAXIMUM", Choice},
    {"MAX_POOL_2D", Pool},
    {"MEAN", Reduction},
    {"MINIMUM", Choice},
    {"MUL", Arithmetic},
    {"PAD", Pad},
    {"PADV2", PadV2},
    {"QUANTIZE", Quantize},
    {"REDUCE_ALL", Reduction},
    {"REDUCE_ANY", Reduction},
    {"REDUCE_MAX", Reduction},
    {"REDUCE_MIN", Reduction},
    {"REDUCE_PROD", Reduction},
    {"RESHAPE", Reshape},
    {"RESIZE_BILINEAR", Resize},
    {"RESIZE_NEAREST_NEIGHBOR", Resize},
    {"SELECT", Choice},
    {"SELECT_V2", Choice},
    {"SLICE", Slice},
    {"SOFTMAX", Softmax},
    {"SPACE_TO_BATCH_ND", Batches},
    {"SPACE_TO_DEPTH", Blocks},
    {"SPLIT", Split},
    {"SQUARE", Square},
    {"SQUARED_DIFFERENCE", SquaredDifference},
    {"SQUEEZE", Squeeze},
    {"STRIDED_SLICE", StridedSlice},
    {"SUB", Arithmetic},
    {"SUM", Reduction},
    {"TANH", Tanh},
    {"TRANSPOSE", Transpose},
    {"TRANSPOSE_CONV", TransposeConvolution},
};

}  // namespace

RaiseFunction FindRaising(std::string_view op) {
  for (const Same& same : kSame)
    if (same.op == op) return RaiseSame;
  for (const auto& [name, raise] : kRaisedOperators)
    if (name == op) return raise;
  return nullptr;
}

}  // namespace munja::hal
