// Layers that move elements or change a shape.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "import/ncnn/context.h"
#include "import/ncnn/writer.h"

namespace munja::importer::ncnn {
namespace {

using Ints = std::vector<int64_t>;

Result<int64_t> AxisBehindBatch(const Layer& layer, int64_t axis, int rank) {
  MUNJA_ASSIGN_OR_RETURN(const int64_t a,
                         NormalizeAxis(axis, rank).With(layer));
  return a + 1;
}

graph::Attributes Axes(Ints axes) {
  graph::Attributes a;
  a.Set("axes", std::move(axes));
  return a;
}

// [1, w, 1, 1] -> [1, w], the vector without its two extra axes.
Result<ValueId> Plain(Context& context, const Layer& layer, const Blob& in) {
  if (in.rank != 1) return in.value;
  return context.Step(layer, "plain", "Squeeze", {in.value}, Axes({2, 3}));
}

// Emits a node whose result has `rank` axes behind the batch, and restores the
// two extra axes of a vector.
Status EmitPlain(Context& context, const Layer& layer, const char* op,
                 ValueId x, graph::Attributes a, int rank) {
  if (rank != 1) return context.Emit(layer, op, {x}, std::move(a), rank);
  MUNJA_ASSIGN_OR_RETURN(const ValueId v,
                         context.Step(layer, "vector", op, {x}, std::move(a)));
  return context.Emit(layer, "Unsqueeze", {v}, Axes({2, 3}), 1);
}

}  // namespace

Status MemoryData(Context& context, const Layer& layer) {
  MUNJA_ASSIGN_OR_RETURN(const int w, layer.Int(0, 0));
  MUNJA_ASSIGN_OR_RETURN(const int h, layer.Int(1, 0));
  MUNJA_ASSIGN_OR_RETURN(const int c, layer.Int(2, 0));
  MUNJA_ASSIGN_OR_RETURN(const int d, layer.Int(11, 0));
  MUNJA_ASSIGN_OR_RETURN(const int untagged, layer.Int(21, 1));
  if (w < 1 || h < 0 || c < 0 || (h == 0 && c > 0))
    return Malformed(layer, ": sizes");
  if (d != 0) return Unsupported(layer, ": four dimensions");
  const int rank = c > 0 ? 3 : h > 0 ? 2 : 1;
  const Dims shape = rank == 3   ? Dims{1, c, h, w}
                     : rank == 2 ? Dims{1, h, w}
                                 : Dims{1, w, 1, 1};
  MUNJA_ASSIGN_OR_RETURN(const int64_t count, CountElements(shape).With(layer));
  MUNJA_ASSIGN_OR_RETURN(std::vector<float> values,
                         (untagged != 0 ? context.weights.Untagged(count)
                                        : context.weights.Tagged(count))
                             .With(layer));
  const ValueId value = context.builder.AddConstant(
      layer.outputs[0], Tensor::Floats(shape, std::move(values)));
  return context.Set(layer, 0, {value, rank});
}

Status Split(Context& context, const Layer& layer) {
  for (size_t i = 0; i < layer.outputs.size(); ++i)
    MUNJA_RETURN_IF_ERROR(context.Set(layer, i, context.In(layer)));
  return {};
}

Status Dropout(Context& context, const Layer& layer) {
  MUNJA_ASSIGN_OR_RETURN(const double scale, layer.Float(0, 1));
  const Blob in = context.In(layer);
  if (scale == 1) return context.Set(layer, 0, in);
  const ValueId factor =
      context.Constant(layer, "scale", {}, {static_cast<float>(scale)});
  return context.Emit(layer, "Mul", {in.value, factor}, {}, in.rank);
}

Status Concat(Context& context, const Layer& layer) {
  MUNJA_ASSIGN_OR_RETURN(const int given, layer.Int(0, 0));
  const int rank = context.In(layer).rank;
  std::vector<ValueId> inputs;
  for (size_t i = 0; i < layer.inputs.size(); ++i) {
    if (context.In(layer, i).rank != rank)
      return Malformed(layer, ": inputs of different rank");
    inputs.push_back(context.In(layer, i).value);
  }
  MUNJA_ASSIGN_OR_RETURN(const int64_t axis,
                         AxisBehindBatch(layer, given, rank));
  graph::Attributes a;
  a.Set("axis", axis);
  return context.Emit(layer, "Concat", std::move(inputs), std::move(a), rank);
}

Status Slice(Context& context, const Layer& layer) {
  MUNJA_ASSIGN_OR_RETURN(Ints sizes, layer.Ints(0));
  MUNJA_ASSIGN_OR_RETURN(const int given, layer.Int(1, 0));
  const Blob in = context.In(layer);
  MUNJA_ASSIGN_OR_RETURN(const int64_t axis,
                         AxisBehindBatch(layer, given, in.rank));
  if (sizes.size() != layer.outputs.size())
    return Unsupported(layer, ": slices given by positions");
  int64_t taken = 0, open = 0;
  for (const int64_t s : sizes) {
    if (s == -233)
      ++open;
    else
      taken += s;
  }
  const int64_t total = context.ShapeOf(in)[axis];
  if (open == static_cast<int64_t>(sizes.size())) {
    sizes.clear();  // Even parts.
  } else if (open > 0) {
    if (total < taken) return Unsupported(layer, ": an axis of unknown size");
    for (int64_t& s : sizes) {
      if (s != -233) continue;
      s = (total - taken) / open;
      taken += s;
      --open;
    }
  }
  Node node;
  node.op = "Split";
  node.name = layer.name;
  node.inputs = {in.value};
  node.attributes.Set("axis", axis);
  node.attributes.Set("sizes", std::move(sizes));
  MUNJA_ASSIGN_OR_RETURN(
      const std::vector<ValueId> parts,
      context.builder.AddNode(std::move(node), layer.outputs).With(layer));
  for (size_t i = 0; i < parts.size(); ++i)
    MUNJA_RETURN_IF_ERROR(context.Set(layer, i, {parts[i], in.rank}));
  return {};
}

namespace {

// A crop by the margins before and behind each axis and its maximum size; or to
// the size of another blob.
Status CropByOffsets(Context& context, const Layer& layer) {
  Writer w(context, layer);
  const int rank = w.in_rank();
  // Channels, height, width.
  const Ints before = {w.Given(layer.Int(2, 0)), w.Given(layer.Int(1, 0)),
                       w.Given(layer.Int(0, 0))};
  const Ints kept = {w.Given(layer.Int(5, 0)), w.Given(layer.Int(4, 0)),
                     w.Given(layer.Int(3, 0))};
  const Ints behind = {w.Given(layer.Int(8, 0)), w.Given(layer.Int(7, 0)),
                       w.Given(layer.Int(6, 0))};
  for (const int id : {13, 14, 15})
    if (w.Given(layer.Int(id, 0)) != 0) w.Refuse("a crop in depth");
  const bool by_blob = kept == Ints{0, 0, 0} && behind == Ints{0, 0, 0};
  if (layer.inputs.size() != (by_blob ? 2u : 1u))
    w.Damaged(layer.inputs.size(), " inputs");
  if (!w.ok()) return w.Done(kNoValue, rank);
  Dims size;  // The other blob's size; channels only if present.
  if (by_blob) size = w.Static(w.in(1));
  const int other = by_blob ? w.in_rank(1) : 0;
  if (by_blob && other < std::min(rank, 2)) w.Refuse("the size of a vector");
  Ints axes, starts, ends;
  for (int i = 0; i < rank && w.ok(); ++i) {
    const auto from = static_cast<size_t>(3 - rank + i);
    const int64_t all = w.shape(w.in())[static_cast<size_t>(i + 1)];
    int64_t start = before[from], end = INT64_MAX;
    if (start < 0 || behind[from] < 0) w.Refuse("an offset that is not given");
    if (by_blob) {
      const int at = i + other - rank;  // The same axis there.
      if (at >= 0)
        end = start + size[static_cast<size_t>(at + 1)];
      else
        start = 0;
    } else if (kept[from] == -233 || behind[from] > 0) {
      end = behind[from] > 0 ? -behind[from] : INT64_MAX;
      // Both limit the size: the smaller one counts.
      if (kept[from] != -233 && behind[from] > 0) {
        if (all < 0) w.Refuse("an axis of unknown size");
        end = std::min(all - behind[from], start + kept[from]);
      }
    } else {
      end = start + kept[from];
    }
    if (all >= 0 && end >= 0) end = std::min(end, all);
    if (end >= 0 && end <= start) w.Damaged("a crop to nothing");
    axes.push_back(i + 1);
    starts.push_back(start);
    ends.push_back(end);
  }
  return w.Done(w.Slice(w.in(), axes, starts, ends, Ints(axes.size(), 1)),
                rank);
}

// Replicates the first and last element of an axis.
ValueId Repeat(Writer& w, ValueId x, int64_t axis, int64_t before,
               int64_t behind) {
  constexpr int64_t kMost = 64;
  if (before < 0 || behind < 0) w.Damaged("less than no padding");
  if (before > kMost || behind > kMost) w.Refuse("so wide a padding");
  if (!w.ok() || (before == 0 && behind == 0)) return x;
  std::vector<ValueId> parts;
  if (before > 0)
    parts.assign(static_cast<size_t>(before), w.Slice(x, axis, 0, 1));
  parts.push_back(x);
  if (behind > 0)
    parts.insert(parts.end(), static_cast<size_t>(behind),
                 w.Slice(x, axis, -1, INT64_MAX));
  return w.Concat(std::move(parts), axis);
}

}  // namespace

Status Crop(Context& context, const Layer& layer) {
  MUNJA_ASSIGN_OR_RETURN(Ints starts, layer.Ints(9));
  MUNJA_ASSIGN_OR_RETURN(Ints ends, layer.Ints(10));
  MUNJA_ASSIGN_OR_RETURN(Ints axes, layer.Ints(11));
  const Blob in = context.In(layer);
  if (layer.Has(19) || layer.Has(20))
    return Unsupported(layer, ": a crop by expressions");
  if (starts.empty()) return CropByOffsets(context, layer);
  if (ends.size() != starts.size() || layer.inputs.size() != 1)
    return Malformed(layer, ": starts without their ends");
  if (axes.empty())
    for (size_t i = 0; i < starts.size(); ++i)
      axes.push_back(static_cast<int64_t>(i));
  for (size_t i = 0; i < axes.size(); ++i) {
    MUNJA_ASSIGN_OR_RETURN(axes[i], AxisBehindBatch(layer, axes[i], in.rank));
    if (i < starts.size() && starts[i] == -233) starts[i] = 0;
    if (i < ends.size() && ends[i] == -233) ends[i] = 2147483647;
  }
  graph::Attributes a;
  a.Set("steps", Ints(axes.size(), 1));
  a.Set("axes", std::move(axes));
  a.Set("starts", std::move(starts));
  a.Set("ends", std::move(ends));
  return context.Emit(layer, "Slice", {in.value}, std::move(a), in.rank);
}

Status Padding(Context& context, const Layer& layer) {
  MUNJA_ASSIGN_OR_RETURN(const int top, layer.Int(0, 0));
  MUNJA_ASSIGN_OR_RETURN(const int bottom, layer.Int(1, 0));
  MUNJA_ASSIGN_OR_RETURN(const int left, layer.Int(2, 0));
  MUNJA_ASSIGN_OR_RETURN(const int right, layer.Int(3, 0));
  MUNJA_ASSIGN_OR_RETURN(const int type, layer.Int(4, 0));
  MUNJA_ASSIGN_OR_RETURN(const double value, layer.Float(5, 0));
  MUNJA_ASSIGN_OR_RETURN(const int per_channel, layer.Int(6, 0));
  MUNJA_ASSIGN_OR_RETURN(const int front, layer.Int(7, 0));
  MUNJA_ASSIGN_OR_RETURN(const int behind, layer.Int(8, 0));
  const Blob in = context.In(layer);
  if (type == 1 && in.rank > 1 && per_channel == 0) {
    Writer w(context, layer);
    const int64_t last = in.rank;  // The batch comes first.
    ValueId x = Repeat(w, in.value, last, left, right);
    x = Repeat(w, x, last - 1, top, bottom);
    if (in.rank == 3) x = Repeat(w, x, 1, front, behind);
    return w.Done(x, in.rank);
  }
  if (in.rank == 1 || per_channel != 0 || (type != 0 && type != 2))
    return Unsupported(layer, ": padding of type ", type, " on rank ", in.rank);
  graph::Attributes a;
  a.Set("pads", in.rank == 3
                    ? Ints{0, front, top, left, 0, behind, bottom, right}
                    : Ints{0, top, left, 0, bottom, right});
  a.Set("value", value);
  a.Set("mode", std::string(type == 0 ? "constant" : "reflect"));
  return context.Emit(layer, "Pad", {in.value}, std::move(a), in.rank);
}

Status Permute(Context& context, const Layer& layer) {
  MUNJA_ASSIGN_OR_RETURN(const int order, layer.Int(0, 0));
  const Blob in = context.In(layer);
  // Each row lists the old axes from the innermost outwards.
  static const Ints kThree[] = {
      {0, 1, 2, 3},  // w h c
      {0, 1, 3, 2},  // h w c
      {0, 2, 1, 3},  // w c h
      {0, 2, 3, 1},  // c w h
      {0, 3, 1, 2},  // h c w
      {0, 3, 2, 1},  // c h w
  };
  graph::Attributes a;
  if (in.rank == 3 && order >= 0 && order < 6)
    a.Set("perm", kThree[order]);
  else if (in.rank == 2 && (order == 0 || order == 1))
    a.Set("perm", order == 0 ? Ints{0, 1, 2} : Ints{0, 2, 1});
  else
    return Unsupported(layer, ": order ", order, " on rank ", in.rank);
  return context.Emit(layer, "Transpose", {in.value}, std::move(a), in.rank);
}

Status Reshape(Context& context, const Layer& layer) {
  MUNJA_ASSIGN_OR_RETURN(const int w, layer.Int(0, -233));
  MUNJA_ASSIGN_OR_RETURN(const int h, layer.Int(1, -233));
  MUNJA_ASSIGN_OR_RETURN(const int d, layer.Int(11, -233));
  MUNJA_ASSIGN_OR_RETURN(const int c, layer.Int(2, -233));
  MUNJA_ASSIGN_OR_RETURN(const int permute, layer.Int(3, 0));
  if (d != -233 || permute != 0 || layer.Has(6))
    return Unsupported(layer, ": this form of reshape");
  const Blob in = context.In(layer);
  const Dims& from = context.ShapeOf(in);
  const int rank = c != -233 ? 3 : h != -233 ? 2 : 1;
  if (w == -233 || (rank == 3 && h == -233))
    return Malformed(layer, ": a size is missing");
  Ints to = rank == 3 ? Ints{c, h, w} : rank == 2 ? Ints{h, w} : Ints{w};
  for (int i = 0; i < rank; ++i) {
    if (to[i] < -1) return Malformed(layer, ": size ", to[i]);
    if (to[i] != 0) continue;
    // 0 copies the axis of the same name, counted from the innermost one.
    const int from_end = rank - 1 - i;
    if (from_end >= in.rank)
      return Malformed(layer, ": a missing axis is copied");
    const int64_t size =
        in.rank == 1 ? from[1] : from[from.size() - 1 - from_end];
    if (size > 0)
      to[i] = size;
    else if (rank != in.rank)
      return Unsupported(layer, ": an unknown size is copied");
  }
  // A vector and [c, 1, 1] are the same neutral tensor.
  const bool vector_in =
      in.rank == 1 || (in.rank == 3 && from[2] == 1 && from[3] == 1);
  const bool vector_out = rank == 1 || (rank == 3 && to[1] == 1 && to[2] == 1);
  if (vector_in && vector_out &&
      (to[0] == -1 || to[0] == 0 || to[0] == from[1]))
    return context.Set(layer, 0, {in.value, rank});
  if (rank == 1) to = {to[0], 1, 1};
  to.insert(to.begin(), 1);
  graph::Attributes a;
  a.Set("shape", std::move(to));
  return context.Emit(layer, "Reshape", {in.value}, std::move(a), rank);
}

Status Flatten(Context& context, const Layer& layer) {
  const Blob in = context.In(layer);
  const Dims& from = context.ShapeOf(in);
  if (in.rank == 1 || (in.rank == 3 && from[2] == 1 && from[3] == 1))
    return context.Set(layer, 0, {in.value, 1});
  graph::Attributes a;
  a.Set("shape", Ints{1, -1, 1, 1});
  return context.Emit(layer, "Reshape", {in.value}, std::move(a), 1);
}

Status Squeeze(Context& context, const Layer& layer) {
  MUNJA_ASSIGN_OR_RETURN(Ints axes, layer.Ints(3));
  const Blob in = context.In(layer);
  if (axes.empty()) {
    // Older files name the axes by flags: 2 = c, 1 = h, 0 = w.
    for (int i = 0; i < in.rank; ++i) {
      MUNJA_ASSIGN_OR_RETURN(const int flag, layer.Int(in.rank - 1 - i, 0));
      if (flag != 0) axes.push_back(i);
    }
  }
  for (int64_t& axis : axes) {
    MUNJA_ASSIGN_OR_RETURN(axis, AxisBehindBatch(layer, axis, in.rank));
  }
  std::sort(axes.begin(), axes.end());
  const int rank = in.rank - static_cast<int>(axes.size());
  if (axes.empty()) return context.Set(layer, 0, in);
  if (rank < 1) return Unsupported(layer, ": nothing remains");
  if (in.rank == 3 && axes == Ints{2, 3})
    return context.Set(layer, 0, {in.value, 1});
  return EmitPlain(context, layer, "Squeeze", in.value, Axes(std::move(axes)),
                   rank);
}

Status ExpandDims(Context& context, const Layer& layer) {
  MUNJA_ASSIGN_OR_RETURN(Ints axes, layer.Ints(3));
  const Blob in = context.In(layer);
  const int rank = in.rank + static_cast<int>(axes.size());
  if (axes.empty() || rank > 3)
    return Unsupported(layer, ": axes not named, or too many");
  for (int64_t& axis : axes) {
    MUNJA_ASSIGN_OR_RETURN(axis, AxisBehindBatch(layer, axis, rank));
  }
  std::sort(axes.begin(), axes.end());
  if (in.rank == 1 && axes == Ints{2, 3})
    return context.Set(layer, 0, {in.value, 3});
  MUNJA_ASSIGN_OR_RETURN(const ValueId x, Plain(context, layer, in));
  return EmitPlain(context, layer, "Unsqueeze", x, Axes(std::move(axes)), rank);
}

// Repeats the input along an axis.
Status Tile(Context& context, const Layer& layer) {
  Writer w(context, layer);
  const int64_t axis = w.Given(layer.Int(0, 0));
  const int64_t tiles = w.Given(layer.Int(1, 1));
  if (!w.Given(layer.Ints(2)).empty()) w.Refuse("repeats of all axes");
  const int rank = w.in_rank();
  if (axis < 0 || axis >= rank) w.Damaged("axis ", axis);
  if (tiles < 1 || tiles > 1 << 20) w.Damaged(tiles, " tiles");
  if (!w.ok()) return w.Done(kNoValue, rank);
  Int64s times(static_cast<size_t>(w.rank(w.in())), 1);
  times[static_cast<size_t>(axis + 1)] = tiles;
  return w.Done(w.Tflite("TILE", {w.in(), w.List(times)}, kF32), rank);
}

// Changes of memory layout or type do nothing: all values are float here.
Status Same(Context& context, const Layer& layer) {
  return context.Set(layer, 0, context.In(layer));
}

// Writes the second blob over a part of the first.
Status CopyTo(Context& context, const Layer& layer) {
  Writer w(context, layer);
  const int rank = w.in_rank();
  Int64s offsets = {w.Given(layer.Int(2, 0)), w.Given(layer.Int(1, 0)),
                    w.Given(layer.Int(0, 0))};
  offsets.erase(offsets.begin(), offsets.end() - std::min(rank, 3));
  const Int64s starts = w.Given(layer.Ints(9));
  Int64s axes = w.Given(layer.Ints(11));
  if (w.Given(layer.Int(13, 0)) != 0) w.Refuse("an offset in depth");
  if (w.in_rank(1) != rank) w.Refuse("blobs of different rank");
  if (!w.ok()) return w.Done(kNoValue, rank);
  const Dims into = w.Static(w.in(0)), part = w.Static(w.in(1));
  if (!w.ok()) return w.Done(kNoValue, rank);
  if (into == part) return context.Set(layer, 0, context.In(layer, 1));
  if (!starts.empty()) {
    std::fill(offsets.begin(), offsets.end(), 0);
    if (axes.empty())
      for (size_t i = 0; i < starts.size(); ++i)
        axes.push_back(static_cast<int64_t>(i));
    if (axes.size() != starts.size()) w.Damaged("starts without their axes");
    for (size_t i = 0; i < starts.size() && w.ok(); ++i) {
      const int64_t axis = w.Axis(axes[i], rank);
      if (!w.ok()) break;
      const int64_t size = into[static_cast<size_t>(axis + 1)];
      offsets[static_cast<size_t>(axis)] = starts[i] == -233 ? 0
                                           : starts[i] < 0   ? size + starts[i]
                                                             : starts[i];
    }
  }
  Int64s pads(2 * into.size(), 0);
  for (size_t i = 0; i < offsets.size() && w.ok(); ++i) {
    const int64_t rest = into[i + 1] - part[i + 1] - offsets[i];
    if (offsets[i] < 0 || rest < 0) w.Damaged("a part that reaches beyond");
    pads[i + 1] = offsets[i];
    pads[into.size() + i + 1] = rest;
  }
  if (!w.ok()) return w.Done(kNoValue, rank);
  const auto pad = [&](ValueId v) {
    return w.Neutral(
        "Pad", {v},
        {{"pads", pads}, {"value", 0.0}, {"mode", std::string("constant")}});
  };
  int64_t count = 1;
  for (const int64_t n : part) count *= n;
  constexpr int64_t kMaxConstantElements = 1 << 24;
  if (count > kMaxConstantElements) w.Refuse("so large a part");
  if (!w.ok()) return w.Done(kNoValue, rank);
  const ValueId is_part = pad(w.Constant(Tensor::Floats(
      part, std::vector<float>(static_cast<size_t>(count), 1.0f))));
  return w.Done(w.Select(w.Compare("GREATER", is_part, w.Scalar(0.5)),
                         pad(w.in(1)), w.in(0)),
                rank);
}

}  // namespace munja::importer::ncnn
