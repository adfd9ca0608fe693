// Elements added around, and parts that inputs are cut into.
#include <algorithm>
#include <string>
#include <utility>

#include "import/onnx/operators.h"
#include "import/onnx/writer.h"

namespace munja::foreign::onnx {
namespace {

constexpr int64_t kMostPlaces = 1 << 22;  // Of an axis that is written out.
constexpr int64_t kMostFilled = 1 << 26;  // Elements, in a whole model.

// Where the element at `i` (from -before on) comes from.
int64_t Source(const std::string& mode, int64_t i, int64_t n) {
  if (mode == "edge") return std::clamp<int64_t>(i, 0, n - 1);
  if (mode == "wrap") return ((i % n) + n) % n;
  if (n == 1) return 0;
  const int64_t period = 2 * (n - 1);  // reflect
  const int64_t at = ((i % period) + period) % period;
  return at < n ? at : period - at;
}

}  // namespace

Status PadAny(Context& context, const Operator& op) {
  Writer w(context, op);
  ValueId x = w.Need(0);
  bool present = false;
  const Int64s given = w.Ints("pads", 1, &present);
  const std::string mode = w.Text("mode", "constant");
  const double value = w.has(2) && !w.is_float(x)
                           ? [&] {
                               const Int64s v = w.Ints("value", 2, &present);
                               return v.empty() ? 0.0
                                                : static_cast<double>(v[0]);
                             }()
                           : w.Number("value", 2, 0);
  const size_t rank = w.shape(x).size();
  Int64s axes;
  if (w.has(3))
    axes = w.Ints("axes", 3, &present);
  else
    for (size_t i = 0; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
  if (given.size() != 2 * axes.size())
    w.Damaged("pads has ", given.size(), " values");
  if (!w.ok()) return w.Done();
  Int64s pads(2 * rank, 0);
  bool cuts = false;
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t a = static_cast<size_t>(w.Axis(axes[i], w.rank(x)));
    if (!w.ok()) return w.Done();
    pads[a] = given[i];
    pads[a + rank] = given[i + axes.size()];
    cuts = cuts || pads[a] < 0 || pads[a + rank] < 0;
    for (const int64_t pad : {pads[a], pads[a + rank]})
      if (pad > (1 << 20) || pad < -kMaxElements) w.Damaged("padding of ", pad);
    if (!w.ok()) return w.Done();
  }
  if (w.is_float(x) && !cuts && (mode == "constant" || mode == "reflect"))
    return w.Done(w.Neutral(
        "Pad", {x}, {{"pads", pads}, {"value", value}, {"mode", mode}}));
  if (mode != "constant" && mode != "reflect" && mode != "edge" &&
      mode != "wrap")
    w.Damaged("mode ", mode);
  const Dims d = w.Static(x);
  if (!w.ok()) return w.Done();
  if (mode != "constant") {
    for (size_t a = 0; a < rank && w.ok(); ++a) {
      if (pads[a] == 0 && pads[a + rank] == 0) continue;
      if (d[a] < 1) w.Damaged("an empty input");
      const int64_t count = pads[a] + d[a] + pads[a + rank];
      if (count < 0) w.Damaged("more is cut off than there is");
      if (count > kMostPlaces) w.Refuse(mode, " to ", count, " elements");
      if (!w.ok()) break;
      Int64s places;
      for (int64_t i = -pads[a]; i < d[a] + pads[a + rank]; ++i)
        places.push_back(Source(mode, i, d[a]));
      x = w.Gather(x, w.List(places), static_cast<int64_t>(a));
    }
    return w.Done(x);
  }
  Int64s around(2 * rank, 0), all, starts, ends;
  for (size_t a = 0; a < rank; ++a) {
    around[2 * a] = std::max<int64_t>(pads[a], 0);
    around[2 * a + 1] = std::max<int64_t>(pads[a + rank], 0);
    all.push_back(static_cast<int64_t>(a));
    starts.push_back(std::max<int64_t>(-pads[a], 0));
    ends.push_back(d[a] + std::min<int64_t>(pads[a + rank], 0));
  }
  if (cuts) x = w.Slice(x, all, starts, ends, Int64s(rank, 1));
  const ElementType own = w.type(x);
  Tensor with = own == ElementType::kFloat32
                    ? Tensor::Floats({1}, {static_cast<float>(value)})
                    : Tensor::Integers({1}, {static_cast<int64_t>(value)}, own);
  const ValueId paddings = w.Constant(Tensor::Integers(
      {static_cast<int64_t>(rank), 2}, std::move(around), ElementType::kInt32));
  if (value == 0) return w.Done(w.Tflite("PAD", {x, paddings}, own));
  return w.Done(
      w.Tflite("PADV2", {x, paddings, w.Constant(std::move(with))}, own));
}

// By sizes, or evenly in so many parts, of which the last may be smaller.
Status SplitAny(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  bool present = false;
  Int64s sizes = w.Ints("split", 1, &present);
  const int64_t axis = w.Axis(w.Int("axis", 0), w.rank(x));
  if (!w.ok()) return w.Done();
  const int64_t n = w.shape(x)[static_cast<size_t>(axis)];
  const int64_t parts = static_cast<int64_t>(op.outputs.size());
  if (sizes.empty() && n >= 0 && op.attributes.Has("num_outputs") &&
      parts > 0 && n % parts != 0) {
    const int64_t each = (n + parts - 1) / parts;
    for (int64_t i = 0; i < parts; ++i)
      sizes.push_back(std::clamp<int64_t>(n - i * each, 0, each));
  }
  Node node;
  node.op = "Split";
  node.name = op.name;
  node.inputs = {x};
  node.attributes.Set("axis", axis);
  node.attributes.Set("sizes", std::move(sizes));
  MUNJA_ASSIGN_OR_RETURN(const std::vector<ValueId> made,
                         context.builder.AddNode(std::move(node), op.outputs));
  for (size_t i = 0; i < made.size(); ++i) w.Set(i, made[i]);
  return w.Done();
}

// ConstantOfShape.
Status Filled(Context& context, const Operator& op) {
  Writer w(context, op);
  const Int64s shape = w.Ints("shape", 0);
  if (!w.ok()) return w.Done();
  MUNJA_ASSIGN_OR_RETURN(const int64_t count, CountElements(shape).With(op));
  // A network may have its weights so; but what a few bytes ask for is bounded
  // for all of its operators together.
  if (count > kMostFilled - *context.filled) w.Refuse(count, " elements");
  if (!w.ok()) return w.Done();
  *context.filled += count;
  const size_t n = static_cast<size_t>(count);
  Tensor t = Tensor::Floats(shape, std::vector<float>(n, 0.0f));
  if (const Tensor* value = op.TensorAttribute("value")) {
    const Tensor& v = *value;
    if (v.elements() != 1) w.Damaged("its value is not one number");
    if (!w.ok()) return w.Done();
    t = v.is_integer
            ? Tensor::Integers(shape, Int64s(n, v.integers[0]), v.type)
            : Tensor::Floats(shape, std::vector<float>(n, v.floats[0]));
  }
  return w.Done(
      context.builder.AddConstant("", std::move(t), ModelBuilder::kMade));
}

}  // namespace munja::foreign::onnx
