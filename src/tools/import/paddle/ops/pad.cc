// Padding.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "import/paddle/context.h"
#include "import/paddle/writer.h"

namespace munja::importer::paddle {
namespace {

using Ints = std::vector<int64_t>;

}  // namespace

Status Pad(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const ValueId x, context.One(op, "X"));
  const size_t rank = context.ShapeOf(x).size();
  const bool image = op.type == "pad2d";
  MUNJA_ASSIGN_OR_RETURN(const Ints given, op.attributes.Ints("paddings"));
  MUNJA_ASSIGN_OR_RETURN(const double value,
                         op.attributes.Float("pad_value", 0));
  MUNJA_ASSIGN_OR_RETURN(const std::string mode,
                         op.attributes.Text("mode", "constant"));
  if (op.inputs.contains("Paddings"))
    return Unsupported(op, ": paddings given by a tensor");
  Ints pads(2 * rank, 0);
  if (image) {  // Top, bottom, left, right.
    MUNJA_RETURN_IF_ERROR(NeedChannelsFirst(op));
    if (given.size() != 4 || rank != 4)
      return Malformed(op, ": ", given.size(), " paddings");
    pads = {0, 0, given[0], given[2], 0, 0, given[1], given[3]};
  } else {  // Before and after, axis by axis.
    if (given.size() != 2 * rank)
      return Malformed(op, ": ", given.size(), " paddings");
    for (size_t i = 0; i < rank; ++i) {
      pads[i] = given[2 * i];
      pads[rank + i] = given[2 * i + 1];
    }
  }
  graph::Attributes a;
  a.Set("pads", std::move(pads));
  a.Set("value", value);
  a.Set("mode", mode);
  return context.Emit(op, "Out", "Pad", {x}, std::move(a));
}

// Volumes: left, right, top, bottom, front, back. Images are volumes of depth
// 1.
Status Pad3d(Context& context, const Operation& op) {
  Writer w(context, op);
  ValueId x = w.Need("X");
  bool present = false;
  const Ints given =
      w.Given(context.Ints(op, {"Paddings"}, {"paddings"}, &present));
  const double value = w.Given(op.attributes.Float(
      op.attributes.Has("pad_value") ? "pad_value" : "value", 0));
  const std::string mode = w.Given(op.attributes.Text("mode", "constant"));
  if (w.Given(op.attributes.Text("data_format", "NCDHW")) != "NCDHW")
    w.Refuse("channels last");
  if (w.ok() && (w.rank(x) != 5 || given.size() != 6))
    w.Damaged(given.size(), " paddings of ", ToString(w.shape(x)));
  if (!w.ok()) return w.Done();
  const bool is_picture = w.shape(x)[2] == 1 && given[4] == 0 && given[5] == 0;
  if (is_picture) x = w.Squeeze(x, {2});
  const auto rank = static_cast<size_t>(w.ok() ? w.rank(x) : 0);
  Ints pads(2 * rank, 0);
  for (size_t i = 0; i < rank - 2; ++i) {
    pads[rank - 1 - i] = given[2 * i];
    pads[2 * rank - 1 - i] = given[2 * i + 1];
  }
  if (mode == "constant" || mode == "reflect") {
    x = w.Neutral("Pad", {x},
                  {{"pads", pads}, {"value", value}, {"mode", mode}});
  } else if (mode == "replicate" || mode == "circular") {
    constexpr int64_t kMost = 1 << 20;
    for (size_t axis = 2; axis < rank && w.ok(); ++axis) {
      const int64_t before = pads[axis], after = pads[rank + axis];
      if (before == 0 && after == 0) continue;
      const int64_t size = w.shape(x)[axis];
      if (size < 1) w.Refuse("a size that is not known");
      if (before < 0 || after < 0 || size + before + after > kMost)
        w.Refuse("paddings ", ToString(given));
      if (!w.ok()) break;
      Ints from;
      for (int64_t i = -before; i < size + after; ++i)
        from.push_back(mode == "replicate" ? std::clamp<int64_t>(i, 0, size - 1)
                                           : (i % size + size) % size);
      x = w.Gather(x, w.List(from), static_cast<int64_t>(axis));
    }
  } else {
    w.Damaged("mode ", mode);
  }
  return w.Done("Out", is_picture ? w.Unsqueeze(x, {2}) : x);
}

}  // namespace munja::importer::paddle
