// HAL operations with nearly the same operands as in the schema.
#include <flatbuffers/flexbuffers.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "hal/lower/lowering.h"
#include "hal/operations.h"

namespace munja::hal {
namespace {

using graph::Attributes;
using graph::ValueId;

std::vector<ValueId> Inputs(const Lowering& l, int first, int last) {
  std::vector<ValueId> inputs;
  for (int i = first; i < last; ++i) inputs.push_back(l.in(i));
  return inputs;
}

std::vector<ValueId> Outputs(const Lowering& l) {
  std::vector<ValueId> outputs;
  for (int i = 0; i < l.outputs(); ++i) outputs.push_back(l.out(i));
  return outputs;
}

// Same tensors in the same order.
constexpr std::pair<int32_t, std::string_view> kSame[] = {
    {MUNJA_NN_ABS, "ABS"},
    {MUNJA_NN_DEQUANTIZE, "DEQUANTIZE"},
    {MUNJA_NN_EMBEDDING_LOOKUP, "EMBEDDING_LOOKUP"},
    {MUNJA_NN_EXP, "EXP"},
    {MUNJA_NN_EXPAND_DIMS, "EXPAND_DIMS"},
    {MUNJA_NN_FILL, "FILL"},
    {MUNJA_NN_FLOOR, "FLOOR"},
    {MUNJA_NN_HARD_SWISH, "HARD_SWISH"},
    {MUNJA_NN_HASHTABLE_LOOKUP, "HASHTABLE_LOOKUP"},
    {MUNJA_NN_LOG, "LOG"},
    {MUNJA_NN_LOGICAL_AND, "LOGICAL_AND"},
    {MUNJA_NN_LOGICAL_NOT, "LOGICAL_NOT"},
    {MUNJA_NN_LOGICAL_OR, "LOGICAL_OR"},
    {MUNJA_NN_LOGISTIC, "LOGISTIC"},
    {MUNJA_NN_NEG, "NEG"},
    {MUNJA_NN_PAD, "PAD"},
    {MUNJA_NN_POW, "POW"},
    {MUNJA_NN_QUANTIZE, "QUANTIZE"},
    {MUNJA_NN_RELU, "RELU"},
    {MUNJA_NN_RELU1, "RELU_N1_TO_1"},
    {MUNJA_NN_RELU6, "RELU6"},
    {MUNJA_NN_RESHAPE, "RESHAPE"},
    {MUNJA_NN_RSQRT, "RSQRT"},
    {MUNJA_NN_SIN, "SIN"},
    {MUNJA_NN_SLICE, "SLICE"},
    {MUNJA_NN_SQRT, "SQRT"},
    {MUNJA_NN_TANH, "TANH"},
    {MUNJA_NN_TILE, "TILE"},
};

Status LowerSame(Lowering& l) {
  for (const auto& [nn, name] : kSame) {
    if (l.type() == nn)
      l.Emit(std::string(name), {}, Inputs(l, 0, l.inputs()), Outputs(l));
  }
  return Status();
}

// FLOOR_DIV has no fused activation.
Status FloorDivision(Lowering& l) {
  const int64_t activation = l.Int(2);
  std::vector<std::pair<std::string, int32_t>> bounds;
  if (activation != MUNJA_NN_ACTIVATION_NONE)
    bounds.emplace_back("MAXIMUM",
                        activation == MUNJA_NN_ACTIVATION_RELU1 ? -1 : 0);
  if (activation == MUNJA_NN_ACTIVATION_RELU1)
    bounds.emplace_back("MINIMUM", 1);
  if (activation == MUNJA_NN_ACTIVATION_RELU6)
    bounds.emplace_back("MINIMUM", 6);
  ValueId result = bounds.empty() ? l.out(0) : l.Like(l.out(0), "quotient");
  l.Emit("FLOOR_DIV", {}, Inputs(l, 0, 2), {result});
  for (size_t i = 0; i < bounds.size(); ++i) {
    const ValueId bound = l.Ints32({bounds[i].second}, true);
    const ValueId next =
        i + 1 == bounds.size() ? l.out(0) : l.Like(l.out(0), "bounded");
    l.Emit(bounds[i].first, {}, {result, bound}, {next});
    result = next;
  }
  return Status();
}

Status Arithmetic(Lowering& l) {
  MUNJA_ASSIGN_OR_RETURN(const std::string activation,
                         FusedActivation(l.Int(2)));
  if (l.type() == MUNJA_NN_ADD &&
      l.value(l.in(0)).type == ElementType::kInt32 && l.Int(2) != 0)
    return InvalidArgument(l.name() + " of int32 with a fused activation");
  // The schema's DIV truncates, the HAL's floors.
  if (l.type() == MUNJA_NN_DIV && l.value(l.in(0)).type == ElementType::kInt32)
    return FloorDivision(l);
  Attributes attributes = With({{"fused_activation_function", activation}});
  if (l.type() == MUNJA_NN_ADD || l.type() == MUNJA_NN_SUB)
    attributes.Set("pot_scale_int16", false);
  l.Emit(l.name(), attributes, Inputs(l, 0, 2), Outputs(l));
  return Status();
}

// Operands with different scales are dequantized first: the schema's operator
// compares rescaled values, where others are equal.
Status Comparison(Lowering& l) {
  std::vector<ValueId> inputs = Inputs(l, 0, 2);
  const graph::Value &a = l.value(inputs[0]), &b = l.value(inputs[1]);
  const bool is_quantized =
      a.type == ElementType::kUInt8 || a.type == ElementType::kInt8;
  if (is_quantized && a.quantization != b.quantization)
    for (ValueId& v : inputs) {
      const ValueId real = l.Like(v, "real");
      l.value(real).type = ElementType::kFloat32;
      l.value(real).quantization = {};
      l.Emit("DEQUANTIZE", {}, {v}, {real});
      v = real;
    }
  l.Emit(l.name(), {}, inputs, Outputs(l));
  return Status();
}

// MAXIMUM, MINIMUM and SELECT of the HAL rescale to the output, the schema's
// take raw values.
Status RawValues(Lowering& l) {
  for (int i = 0; i < l.inputs(); ++i) {
    const graph::Value& x = l.value(l.in(i));
    if (x.type != ElementType::kBool &&
        x.quantization != l.value(l.out(0)).quantization)
      return Unsupported(l.name() + " of different scales cannot be lowered");
  }
  l.Emit(l.name(), {}, Inputs(l, 0, l.inputs()), Outputs(l));
  return Status();
}

Status FullyConnected(Lowering& l) {
  MUNJA_ASSIGN_OR_RETURN(const std::string activation,
                         FusedActivation(l.Int(3)));
  l.Emit("FULLY_CONNECTED", With({{"fused_activation_function", activation}}),
         Inputs(l, 0, 3), Outputs(l));
  return Status();
}

Status Concatenation(Lowering& l) {
  if (l.Dims(0).size() > 4)
    return InvalidArgument("CONCATENATION takes at most four dimensions");
  const int last = l.inputs() - 1;
  l.Emit("CONCATENATION",
         With({{"axis", l.Int(last)}, {"fused_activation_function", "NONE"}}),
         Inputs(l, 0, last), Outputs(l));
  return Status();
}

// SOFTMAX, LOG_SOFTMAX, L2_NORMALIZATION and LOCAL_RESPONSE_NORMALIZATION work
// along the last dimension; the HAL takes any.
Status AlongAxis(Lowering& l, int axis_at, const std::string& op,
                 const Attributes& attributes, ValueId in) {
  const int rank = static_cast<int>(l.Dims(0).size());
  int64_t axis = l.Int(axis_at, -1);
  if (axis < 0) axis += rank;
  if (rank > 0 && (axis < 0 || axis >= rank))
    return InvalidArgument(l.name() + ": there is no such axis");
  if (rank == 0 || axis == rank - 1) {
    l.Emit(op, attributes, {in}, Outputs(l));
    return Status();
  }
  std::vector<int32_t> order(static_cast<size_t>(rank));
  for (int i = 0; i < rank; ++i) order[i] = i;
  std::swap(order[axis], order.back());
  const ValueId turned = l.Transposed(in, order);
  const ValueId result = l.Like(l.out(0), "turned");
  l.Emit(op, attributes, {turned}, {result});
  const ValueId axes = l.Ints32(order, false);
  l.Emit("TRANSPOSE", {}, {result, axes}, Outputs(l));
  return Status();
}

Status Softmax(Lowering& l) {
  return AlongAxis(l, 2, "SOFTMAX",
                   With({{"beta", static_cast<double>(l.Float(1))}}), l.in(0));
}

Status LogSoftmax(Lowering& l) {
  ValueId in = l.in(0);
  if (const float beta = l.Float(1); beta != 1.0f) {
    const ValueId scaled = l.Like(in, "times beta");
    const ValueId factor = l.Scalar(beta);
    l.Emit("MUL", With({{"fused_activation_function", "NONE"}}), {in, factor},
           {scaled});
    in = scaled;
  }
  return AlongAxis(l, 2, "LOG_SOFTMAX", {}, in);
}

Status L2Normalization(Lowering& l) {
  return AlongAxis(l, 1, "L2_NORMALIZATION",
                   With({{"fused_activation_function", "NONE"}}), l.in(0));
}

// The schema's operator takes images only: a tensor of another rank becomes
// one.
Status LocalResponse(Lowering& l) {
  const Attributes attributes =
      With({{"radius", l.Int(1)},
            {"bias", static_cast<double>(l.Float(2))},
            {"alpha", static_cast<double>(l.Float(3))},
            {"beta", static_cast<double>(l.Float(4))}});
  const std::vector<int32_t> dims = l.Dims(0);
  const int rank = static_cast<int>(dims.size());
  int64_t axis = l.Int(5, -1);
  if (axis < 0) axis += rank;
  if (rank == 4)
    return AlongAxis(l, 5, "LOCAL_RESPONSE_NORMALIZATION", attributes, l.in(0));
  if (rank == 0 || rank > 3) return Unsupported("an unknown or large rank");
  if (axis < 0 || axis >= rank)
    return InvalidArgument(l.name() + ": there is no such axis");
  // Channels last, and ones in front.
  std::vector<int32_t> order, image(static_cast<size_t>(4 - rank), 1);
  for (int i = 0; i < rank; ++i) order.push_back(i);
  std::swap(order[axis], order.back());
  std::vector<int32_t> turned;
  for (const int32_t i : order) turned.push_back(dims[i]);
  image.insert(image.end(), turned.begin(), turned.end());
  const ValueId channels_last = l.Transposed(l.in(0), order);
  const ValueId as_image = l.Like(l.in(0), "image");
  const ValueId result = l.Like(l.out(0), "result");
  const ValueId flat = l.Like(l.out(0), "flat");
  const ValueId to = l.Ints32(image, false), back = l.Ints32(turned, false);
  l.Emit("RESHAPE", {}, {channels_last, to}, {as_image});
  l.Emit("LOCAL_RESPONSE_NORMALIZATION", attributes, {as_image}, {result});
  l.Emit("RESHAPE", {}, {result, back}, {flat});
  const ValueId axes = l.Ints32(order, false);
  l.Emit("TRANSPOSE", {}, {flat, axes}, Outputs(l));
  return Status();
}

Status Resize(Lowering& l) {
  const bool is_nchw = l.Int(3) != 0;
  if (l.Int(4) != 0 && l.Int(5) != 0)
    return InvalidArgument(l.name() + " by corners and by middles of pixels");
  int32_t width = static_cast<int32_t>(l.Int(1));
  int32_t height = static_cast<int32_t>(l.Int(2));
  if (l.operand(1).type != MUNJA_NN_INT32) {
    const auto scaled = [&](bool is_width, float by) {
      const float size =
          std::floor(static_cast<float>(l.Extent(is_nchw, is_width)) * by);
      return size >= 1.0f && size < 1e9f ? static_cast<int32_t>(size) : 0;
    };
    width = scaled(true, l.Float(1));
    height = scaled(false, l.Float(2));
    if (width == 0 || height == 0)
      return InvalidArgument(l.name() + ": a size out of range");
  }
  const ValueId out = l.FromNhwc(l.out(0), is_nchw);
  const ValueId size = l.Ints32({height, width}, false);
  l.Emit(l.name(),
         With({{"align_corners", l.Int(4) != 0},
               {"half_pixel_centers", l.Int(5) != 0}}),
         {l.Nhwc(l.in(0), is_nchw), size}, {out});
  return Status();
}

Status Blocks(Lowering& l) {
  const bool is_nchw = l.Int(2) != 0;
  const ValueId out = l.FromNhwc(l.out(0), is_nchw);
  l.Emit(l.name(), With({{"block_size", l.Int(1)}}), {l.Nhwc(l.in(0), is_nchw)},
         {out});
  return Status();
}

Status Batches(Lowering& l) {
  const bool is_to_space = l.type() == MUNJA_NN_BATCH_TO_SPACE_ND;
  const bool is_nchw = l.Int(is_to_space ? 2 : 3) != 0;
  ValueId sizes = l.in(2);
  if (is_to_space) {
    sizes = l.Ints32({0, 0, 0, 0}, false);
    l.value(sizes).shape = Shape({2, 2});
  }
  const ValueId out = l.FromNhwc(l.out(0), is_nchw);
  l.Emit(l.name(), {}, {l.Nhwc(l.in(0), is_nchw), l.in(1), sizes}, {out});
  return Status();
}

Status Reduction(Lowering& l) {
  l.Emit(l.type() == MUNJA_NN_REDUCE_SUM ? "SUM" : l.name(),
         With({{"keep_dims", l.Int(2) > 0}}), Inputs(l, 0, 2), Outputs(l));
  return Status();
}

Status ArgExtreme(Lowering& l) {
  l.Emit(l.type() == MUNJA_NN_ARGMAX ? "ARG_MAX" : "ARG_MIN",
         With({{"output_type", "INT32"}}), Inputs(l, 0, 2), Outputs(l));
  return Status();
}

// The schema's slopes broadcast to the input; in the HAL the input broadcasts
// to the slopes, too.
Status Prelu(Lowering& l) {
  const std::vector<int32_t> x = l.Dims(0), slopes = l.Dims(1);
  std::vector<int32_t> all = x;
  bool fits = x.empty() || slopes.size() <= x.size();
  if (!x.empty() && slopes.size() > all.size())
    all.insert(all.begin(), slopes.size() - all.size(), 1);
  for (size_t i = 1; !x.empty() && i <= slopes.size(); ++i) {
    const int32_t d = slopes[slopes.size() - i];
    int32_t& size = all[all.size() - i];
    if (d == 1 || d == size) continue;
    if (size == 0) return Unsupported("PRELU of unknown dimensions");
    if (size != 1) return InvalidArgument("slopes that do not broadcast");
    size = d;
    fits = false;
  }
  ValueId in = l.in(0);
  if (!fits) {
    if (std::ranges::count(all, 0) > 0)
      return Unsupported("PRELU of unknown dimensions");
    in = l.Like(in, "broadcast");
    const ValueId shape = l.Ints32(all, false);
    l.Emit("BROADCAST_TO", {}, {l.in(0), shape}, {in});
    l.SetVersion(2);
  }
  l.Emit("PRELU", {}, {in, l.in(1)}, Outputs(l));
  return Status();
}

// The HAL orders equal values from the last, the schema from the first: the
// input is reversed.
Status TopK(Lowering& l) {
  const std::vector<int32_t> dims = l.Dims(0);
  if (dims.empty() || dims.back() == 0)
    return Unsupported("the largest of an unknown number of values");
  if (l.Int(1) < 1 || l.Int(1) > dims.back())
    return InvalidArgument("TOPK_V2 of more elements than there are, or none");
  if (l.value(l.in(0)).quantization != l.value(l.out(0)).quantization)
    return Unsupported("TOPK_V2 of different scales");
  const ValueId axis = l.Ints32({static_cast<int32_t>(dims.size()) - 1}, false);
  const ValueId last = l.Ints32({dims.back() - 1}, true);
  const ValueId reversed = l.Like(l.in(0), "reversed");
  const ValueId places = l.Like(l.out(1), "places from the end");
  l.Emit("REVERSE_V2", {}, {l.in(0), axis}, {reversed});
  l.Emit("TOPK_V2", {}, {reversed, l.in(1)}, {l.out(0), places});
  l.Emit("SUB", With({{"fused_activation_function", "NONE"}}), {last, places},
         {l.out(1)});
  return Status();
}

// Channel g * each + e becomes e * groups + g: a transposition.
Status ChannelShuffle(Lowering& l) {
  const std::vector<int32_t> dims = l.Dims(0);
  if (dims.empty() || std::ranges::count(dims, 0) > 0)
    return Unsupported("CHANNEL_SHUFFLE of unknown dimensions");
  if (l.value(l.in(0)).quantization != l.value(l.out(0)).quantization)
    return Unsupported("CHANNEL_SHUFFLE of different scales");
  const auto rank = static_cast<int64_t>(dims.size());
  int64_t axis = l.Int(2, -1);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank)
    return InvalidArgument("CHANNEL_SHUFFLE: there is no such axis");
  const int64_t groups = l.Int(1);
  if (groups <= 0 || dims[axis] % groups != 0)
    return InvalidArgument("groups that do not divide the channels");
  int32_t before = 1, behind = 1;
  for (int64_t i = 0; i < axis; ++i) before *= dims[i];
  for (int64_t i = axis + 1; i < rank; ++i) behind *= dims[i];
  const auto count = static_cast<int32_t>(groups);
  const ValueId split = l.Like(l.in(0), "groups");
  const ValueId shape =
      l.Ints32({before, count, dims[axis] / count, behind}, false);
  const ValueId whole = l.Ints32(dims, false);
  l.Emit("RESHAPE", {}, {l.in(0), shape}, {split});
  const ValueId shuffled = l.Transposed(split, {0, 2, 1, 3});
  l.Emit("RESHAPE", {}, {shuffled, whole}, Outputs(l));
  return Status();
}

Status Squeeze(Lowering& l) {
  l.Emit("SQUEEZE", With({{"squeeze_dims", l.Ints(1)}}), {l.in(0)}, Outputs(l));
  return Status();
}

// The HAL wants one element along an axis that is shrunk, and to go forward;
// the schema takes the first one, whatever the end says.
Status CheckShrunk(const Lowering& l) {
  const std::vector<int32_t> dims = l.Dims(0);
  const auto begin = l.Ints(1), end = l.Ints(2), strides = l.Ints(3);
  const size_t known = std::min({begin.size(), end.size(), strides.size()});
  for (size_t i = 0; i < dims.size() && i < known && i < 31; ++i) {
    const int64_t bit = int64_t{1} << i;
    if ((l.Int(6) & bit) == 0) continue;
    const auto place = [&](int64_t v) {
      return std::clamp<int64_t>(v < 0 ? v + dims[i] : v, 0, dims[i]);
    };
    const int64_t first = (l.Int(4) & bit) != 0 ? 0 : place(begin[i]);
    const int64_t last = (l.Int(5) & bit) != 0 ? dims[i] : place(end[i]);
    if (strides[i] < 0 || last - first > std::max<int64_t>(strides[i], 1))
      return InvalidArgument(
          "STRIDED_SLICE shrinks an axis of more than one "
          "element, or backwards");
  }
  return Status();
}

Status StridedSlice(Lowering& l) {
  MUNJA_RETURN_IF_ERROR(CheckShrunk(l));
  l.Emit("STRIDED_SLICE",
         With({{"begin_mask", l.Int(4)},
               {"end_mask", l.Int(5)},
               {"shrink_axis_mask", l.Int(6)}}),
         Inputs(l, 0, 4), Outputs(l));
  return Status();
}

Status Transpose(Lowering& l) {
  ValueId order = l.in(1);
  if (order == graph::kNoValue) {
    std::vector<int32_t> reverse;
    for (size_t i = l.Dims(0).size(); i-- > 0;)
      reverse.push_back(static_cast<int32_t>(i));
    order = l.Ints32(reverse, false);
  }
  l.Emit("TRANSPOSE", {}, {l.in(0), order}, Outputs(l));
  return Status();
}

Status Gather(Lowering& l) {
  l.Emit("GATHER", With({{"axis", l.Int(1)}}), {l.in(0), l.in(2)}, Outputs(l));
  return Status();
}

Status Split(Lowering& l) {
  l.Emit("SPLIT", With({{"num_splits", l.Int(2)}}), {l.in(1), l.in(0)},
         Outputs(l));
  return Status();
}

Status Elu(Lowering& l) {
  const float alpha = l.Float(1);
  if (alpha == 1.0f) {
    l.Emit("ELU", {}, {l.in(0)}, Outputs(l));
    return Status();
  }
  // RELU(x) + alpha * ELU(min(x, 0))
  const ValueId above = l.Like(l.out(0), "above 0");
  const ValueId below = l.Like(l.out(0), "below 0");
  const ValueId curved = l.Like(l.out(0), "curved");
  const ValueId scaled = l.Like(l.out(0), "times alpha");
  const ValueId zero = l.Scalar(0.0f), factor = l.Scalar(alpha);
  const Attributes plain = With({{"fused_activation_function", "NONE"}});
  l.Emit("RELU", {}, {l.in(0)}, {above});
  l.Emit("MINIMUM", {}, {l.in(0), zero}, {below});
  l.Emit("ELU", {}, {below}, {curved});
  l.Emit("MUL", plain, {curved, factor}, {scaled});
  l.Emit("ADD", plain, {above, scaled}, Outputs(l));
  return Status();
}

// Types count, scales do not: the schema's CAST takes raw values as well. But
// it wraps where the HAL saturates.
Status Cast(Lowering& l) {
  const ElementType to = l.value(l.out(0)).type;
  if (l.value(l.in(0)).type == ElementType::kInt32 &&
      (to == ElementType::kUInt8 || to == ElementType::kInt8))
    return Unsupported("CAST of integers to bytes cannot be lowered");
  l.Emit("CAST", {}, {l.in(0)}, Outputs(l));
  return Status();
}

Status Rank(Lowering& l) {
  l.Emit("RANK", {}, {l.in(0)}, Outputs(l));
  return Status();
}

Status PadV2(Lowering& l) {
  ValueId filler = l.in(2);
  const graph::Value& x = l.value(l.in(0));
  if (x.type != ElementType::kFloat32) {
    // A raw value as INT32: PADV2 wants the type of the image.
    graph::Value value;
    value.type = x.type;
    value.quantization = x.quantization;
    value.constant =
        graph::MakeConstant({static_cast<uint8_t>(l.Int(2) & 0xff)});
    filler = l.Like(l.in(0), "filler");
    l.value(filler) = std::move(value);
  }
  l.Emit("PADV2", {}, {l.in(0), l.in(1), filler}, Outputs(l));
  return Status();
}

// The old sparse projection gives each hash its own number, without the offset
// that tells it from those of other hashes.
Status Lsh(Lowering& l) {
  const int64_t kind = l.Int(3);
  const bool is_old = kind == 1;
  const ValueId out = is_old ? l.Like(l.out(0), "with offsets") : l.out(0);
  l.Emit("LSH_PROJECTION", With({{"type", kind == 2 ? "DENSE" : "SPARSE"}}),
         Inputs(l, 0, 3), {out});
  if (!is_old) return Status();
  const std::vector<int32_t> hash = l.Dims(0);
  if (hash.size() != 2 || hash[1] < 0 || hash[1] > 30)
    return InvalidArgument("LSH_PROJECTION with hashes that are not [n, bits]");
  std::vector<int32_t> offsets;
  for (int64_t i = 0; i < hash[0]; ++i)
    offsets.push_back(static_cast<int32_t>(i << hash[1]));
  const ValueId less = l.Ints32(offsets, false);
  l.Emit(
      "SUB",
      With({{"fused_activation_function", "NONE"}, {"pot_scale_int16", false}}),
      {out, less}, {l.out(0)});
  return Status();
}

Status Multinomial(Lowering& l) {
  const std::vector<int64_t> seeds = l.Ints(2);
  l.Emit("MULTINOMIAL",
         With({{"seed", seeds.empty() ? int64_t{0} : seeds[0]},
               {"seed2", seeds.size() < 2 ? int64_t{0} : seeds[1]}}),
         Inputs(l, 0, 2), Outputs(l));
  return Status();
}

Status If(Lowering& l) {
  std::vector<ValueId> inputs = {l.in(0)};
  for (int i = 3; i < l.inputs(); ++i) inputs.push_back(l.in(i));
  l.Emit("IF",
         With({{"then_subgraph_index", l.Called(1)},
               {"else_subgraph_index", l.Called(2)}}),
         inputs, Outputs(l));
  return Status();
}

Status While(Lowering& l) {
  const std::vector<ValueId> inputs = Inputs(l, 2, l.inputs());
  std::vector<ValueId> outputs = Outputs(l);
  for (size_t i = outputs.size(); i < inputs.size(); ++i)
    outputs.push_back(l.Like(inputs[i], "left of the loop"));
  l.Forward(static_cast<int>(l.Called(1)));
  l.Emit("WHILE",
         With({{"cond_subgraph_index", l.Called(0)},
               {"body_subgraph_index", l.Called(1)}}),
         inputs, outputs);
  return Status();
}

Status Detection(Lowering& l) {
  if (l.Int(13) != 0) return Unsupported("labels with background");
  if (l.Dims(0).size() != 3)
    return InvalidArgument("DETECTION_POSTPROCESSING of scores without a rank");
  // The deltas may have more than a box in them: keypoints, for example.
  const std::vector<int32_t> deltas = l.Dims(1);
  if (l.Dims(0)[0] != 1 || (deltas.size() == 3 && deltas[2] != 4))
    return Unsupported("detections of many images, or of more than boxes");
  // The schema counts boxes and leaves room for all classes of each; the HAL
  // counts the classes too, one after the other, and a regular suppression has
  // but one of a box.
  const bool is_regular = l.Int(7) != 0;
  if (!is_regular && l.Int(9) != 1)
    return Unsupported("detections of several classes of a box");
  flexbuffers::Builder options;
  options.Map([&] {
    options.Float("y_scale", l.Float(3));
    options.Float("x_scale", l.Float(4));
    options.Float("h_scale", l.Float(5));
    options.Float("w_scale", l.Float(6));
    options.Bool("use_regular_nms", is_regular);
    options.Int("max_detections", l.Int(8));
    options.Int("max_classes_per_detection", 1);
    options.Int("detections_per_class", l.Int(10));
    options.Float("nms_score_threshold", l.Float(11));
    options.Float("nms_iou_threshold", l.Float(12));
    options.Int("num_classes", l.Dims(0)[2] - 1);
  });
  options.Finish();
  const ValueId classes = l.Like(l.out(0), "classes");
  const ValueId count = l.Like(l.out(0), "count");
  l.Emit("TFLite_Detection_PostProcess", {}, {l.in(1), l.in(0), l.in(2)},
         {l.out(1), classes, l.out(0), count});
  l.SetCustomOptions(options.GetBuffer());
  l.Emit("CAST", {}, {classes}, {l.out(2)});
  l.Emit("CAST", {}, {count}, {l.out(3)});
  return Status();
}

constexpr std::pair<int32_t, LowerFunction> kLoweredOperations[] = {
    {MUNJA_NN_ADD, Arithmetic},
    {MUNJA_NN_ARGMAX, ArgExtreme},
    {MUNJA_NN_ARGMIN, ArgExtreme},
    {MUNJA_NN_BATCH_TO_SPACE_ND, Batches},
    {MUNJA_NN_CAST, Cast},
    {MUNJA_NN_CHANNEL_SHUFFLE, ChannelShuffle},
    {MUNJA_NN_CONCATENATION, Concatenation},
    {MUNJA_NN_DEPTH_TO_SPACE, Blocks},
    {MUNJA_NN_DETECTION_POSTPROCESSING, Detection},
    {MUNJA_NN_DIV, Arithmetic},
    {MUNJA_NN_ELU, Elu},
    {MUNJA_NN_EQUAL, Comparison},
    {MUNJA_NN_FULLY_CONNECTED, FullyConnected},
    {MUNJA_NN_GATHER, Gather},
    {MUNJA_NN_GREATER, Comparison},
    {MUNJA_NN_GREATER_EQUAL, Comparison},
    {MUNJA_NN_IF, If},
    {MUNJA_NN_L2_NORMALIZATION, L2Normalization},
    {MUNJA_NN_LESS, Comparison},
    {MUNJA_NN_LESS_EQUAL, Comparison},
    {MUNJA_NN_LOCAL_RESPONSE_NORMALIZATION, LocalResponse},
    {MUNJA_NN_LOG_SOFTMAX, LogSoftmax},
    {MUNJA_NN_LSH_PROJECTION, Lsh},
    {MUNJA_NN_MAXIMUM, RawValues},
    {MUNJA_NN_MEAN, Reduction},
    {MUNJA_NN_MINIMUM, RawValues},
    {MUNJA_NN_MUL, Arithmetic},
    {MUNJA_NN_NOT_EQUAL, Comparison},
    {MUNJA_NN_PAD_V2, PadV2},
    {MUNJA_NN_PRELU, Prelu},
    {MUNJA_NN_RANDOM_MULTINOMIAL, Multinomial},
    {MUNJA_NN_RANK, Rank},
    {MUNJA_NN_REDUCE_ALL, Reduction},
    {MUNJA_NN_REDUCE_ANY, Reduction},
    {MUNJA_NN_REDUCE_MAX, Reduction},
    {MUNJA_NN_REDUCE_MIN, Reduction},
    {MUNJA_NN_REDUCE_PROD, Reduction},
    {MUNJA_NN_REDUCE_SUM, Reduction},
    {MUNJA_NN_RESIZE_BILINEAR, Resize},
    {MUNJA_NN_RESIZE_NEAREST_NEIGHBOR, Resize},
    {MUNJA_NN_SELECT, RawValues},
    {MUNJA_NN_SOFTMAX, Softmax},
    {MUNJA_NN_SPACE_TO_BATCH_ND, Batches},
    {MUNJA_NN_SPACE_TO_DEPTH, Blocks},
    {MUNJA_NN_SPLIT, Split},
    {MUNJA_NN_SQUEEZE, Squeeze},
    {MUNJA_NN_STRIDED_SLICE, StridedSlice},
    {MUNJA_NN_SUB, Arithmetic},
    {MUNJA_NN_TOPK_V2, TopK},
    {MUNJA_NN_TRANSPOSE, Transpose},
    {MUNJA_NN_WHILE, While},
};

}  // namespace

LowerFunction FindLowering(int32_t type) {
  for (const auto& [nn, name] : kSame)
    if (nn == type) return LowerSame;
  for (const auto& [nn, lower] : kLoweredOperations)
    if (nn == type) return lower;
  return FindWindowLowering(type);
}

}  // namespace munja::hal
