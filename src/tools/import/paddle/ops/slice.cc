// Slices whose bounds are computed at run time, and assignments to slices.
#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

#include "import/compose/positions.h"
#include "import/paddle/writer.h"

namespace munja::importer::paddle {
namespace {

constexpr int64_t kMaxPlaces = 1 << 22;

// The start or end of a slice.
struct Place {
  bool is_known = false;
  int64_t at = 0;
  ValueId value = kNoValue;  // One int64.
};

using PlaceList = std::vector<Place>;

// From one tensor, from one tensor for each, or from an attribute.
PlaceList ReadPlaces(Context& context, Writer& w, const Operation& op,
                     std::initializer_list<const char*> parameters,
                     const char* attribute, size_t count) {
  PlaceList places;
  const auto known = [&](int64_t at) {
    places.push_back({true, at, w.Constant(Tensor::Integers({}, {at}))});
  };
  Values given;
  for (const char* parameter : parameters)
    if (given.empty()) given = w.Given(context.All(op, parameter));
  for (const ValueId v : given) {
    if (!w.ok()) break;
    if (w.is_float(v) || w.rank(v) > 1) {
      w.Damaged("a position of shape ", ToString(w.shape(v)));
      break;
    }
    if (const Tensor* t = w.constant(v)) {
      for (const int64_t at : t->integers) known(at);
      continue;
    }
    const ValueId list = w.Cast(w.Reshape(v, {-1}), kI64);
    const int64_t n = w.Static(list).empty() ? 0 : w.shape(list)[0];
    for (int64_t i = 0; i < n && places.size() <= count; ++i)
      places.push_back(
          {false, 0, w.Reshape(w.Slice(list, 0, i, i + 1), Dims())});
  }
  if (given.empty())
    for (const int64_t at : w.Given(op.attributes.Ints(attribute))) known(at);
  if (w.ok() && places.size() != count)
    w.Damaged(places.size(), " ", attribute, " for ", count, " axes");
  places.resize(count);
  return places;
}

// The size of an axis.
ValueId Size(Writer& w, ValueId x, int64_t axis) {
  const int64_t known = w.ok() ? w.shape(x)[static_cast<size_t>(axis)] : 1;
  if (known >= 0) return w.Scalar(static_cast<double>(known), kI64);
  return w.Reshape(
      w.Cast(w.Slice(w.Neutral("Shape", {x}), 0, axis, axis + 1), kI64),
      Dims());
}

// Negative positions count from the end.
ValueId FromEnd(Writer& w, ValueId place, ValueId size) {
  return w.Select(w.Compare("LESS", place, w.Scalar(0, kI64)),
                  w.Add(place, size), place);
}

// Between nothing and all.
ValueId Within(Writer& w, ValueId place, ValueId size) {
  return w.Binary(
      "Min", w.Binary("Max", FromEnd(w, place, size), w.Scalar(0, kI64)), size);
}

bool Contains(const Int64s& list, int64_t v) {
  return std::find(list.begin(), list.end(), v) != list.end();
}

// Axes counted from the front, each once.
Int64s ReadAxes(Writer& w, const Operation& op, const char* name,
                int64_t rank) {
  Int64s axes;
  for (const int64_t axis : w.Given(op.attributes.Ints(name))) {
    axes.push_back(w.Axis(axis, rank));
    if (w.ok() && std::count(axes.begin(), axes.end(), axes.back()) > 1)
      w.Damaged(name, " ", ToString(axes));
  }
  return axes;
}

// The value with the axes of what it is put into: those that were taken away
// come back, those that were only put between go.
ValueId WithAllAxes(Writer& w, ValueId value, int64_t rank, const Int64s& gone,
                    Int64s between) {
  std::sort(between.begin(), between.end());
  Int64s kept;  // The part's axes, those of x; -1 for one that is between.
  size_t next = 0;
  for (int64_t axis = 0; axis <= rank; ++axis) {
    for (; next < between.size() && (between[next] <= axis || axis == rank);
         ++next)
      kept.push_back(-1);
    if (axis < rank && !Contains(gone, axis)) kept.push_back(axis);
  }
  // The ends of both lie together.
  int64_t more = w.rank(value) - static_cast<int64_t>(kept.size());
  if (more > 0) {
    Int64s front;
    for (int64_t i = 0; i < more; ++i) front.push_back(i);
    value = w.Squeeze(value, front);
  }
  if (more < 0) {
    Int64s front;
    for (int64_t i = 0; i < -more; ++i) front.push_back(i);
    value = w.Unsqueeze(value, front);
  }
  Int64s empty;
  for (size_t i = 0; i < kept.size(); ++i)
    if (kept[i] < 0) empty.push_back(static_cast<int64_t>(i));
  if (!empty.empty()) value = w.Squeeze(value, empty);
  if (!gone.empty()) {
    Int64s back = gone;
    std::sort(back.begin(), back.end());
    value = w.Unsqueeze(value, back);
  }
  return value;
}

// The elements of an axis that belong to a slice, and the index of each in it.
struct Part {
  ValueId holds = kNoValue;  // Shaped to go beside the whole.
  ValueId index = kNoValue;  // One for each element; 0 outside.
  int64_t count = kUnknown;
};

Part KnownPart(Writer& w, const Place& start, const Place& end, int64_t step,
               int64_t size, size_t axis, size_t rank) {
  const int64_t least = step > 0 ? 0 : -1;
  const int64_t most = step > 0 ? size : size - 1;
  const auto within = [&](int64_t at) {
    return std::clamp(at < 0 ? at + size : at, least, most);
  };
  Int64s holds(static_cast<size_t>(size), 0), index(holds);
  int64_t count = 0;
  const int64_t last = within(end.at);
  step = std::clamp(step, -size - 1, size + 1);
  for (int64_t at = within(start.at); step > 0 ? at < last : at > last;
       at += step) {
    holds[static_cast<size_t>(at)] = 1;
    index[static_cast<size_t>(at)] = count++;
  }
  Dims dims(rank, 1);
  dims[axis] = size;
  return {
      w.Constant(Tensor::Integers(dims, std::move(holds), ElementType::kBool)),
      w.List(index, kI64), count};
}

Part PartOfRun(Writer& w, const Place& start, const Place& end, int64_t size,
               size_t axis, size_t rank) {
  const ValueId all = w.Scalar(static_cast<double>(size), kI64);
  const ValueId first = Within(w, start.value, all);
  const ValueId last = Within(w, end.value, all);
  const ValueId at = w.Cast(Count(w, size, 0, 1), kI64);
  const ValueId holds =
      w.Logical("LOGICAL_AND", w.Compare("GREATER_EQUAL", at, first),
                w.Compare("LESS", at, last));
  Dims dims(rank, 1);
  dims[axis] = size;
  return {w.Reshape(holds, dims),
          w.Select(holds, w.Sub(at, first), w.Scalar(0, kI64)), kUnknown};
}

}  // namespace

// A slice of which a begin or an end is computed by the run.
Status SliceOfRun(Context& context, const Operation& op) {
  Writer w(context, op);
  ValueId x = w.Need("Input");
  if (!w.ok()) return w.Done();
  const Int64s axes = ReadAxes(w, op, "axes", w.rank(x));
  const Int64s gone = ReadAxes(w, op, "decrease_axis", w.rank(x));
  const PlaceList starts =
      ReadPlaces(context, w, op, {"StartsTensor", "StartsTensorList"}, "starts",
                 axes.size());
  const PlaceList ends = ReadPlaces(
      context, w, op, {"EndsTensor", "EndsTensorList"}, "ends", axes.size());
  PlaceList steps(axes.size(), {true, 1, kNoValue});
  if (op.type == "strided_slice")
    steps = ReadPlaces(context, w, op, {"StridesTensor", "StridesTensorList"},
                       "strides", axes.size());
  for (size_t i = 0; i < axes.size() && w.ok(); ++i) {
    const int64_t axis = axes[i];
    if (Contains(gone, axis)) {
      const ValueId at = FromEnd(w, starts[i].value, Size(w, x, axis));
      x = w.Gather(x, w.Reshape(at, {1}), axis);
      continue;
    }
    if (!steps[i].is_known || steps[i].at <= 0) {
      w.Refuse("a step that is negative or computed at run time");
    } else if (starts[i].is_known && ends[i].is_known) {
      x = w.Slice(x, {axis}, {starts[i].at}, {ends[i].at}, {steps[i].at});
    } else {
      const ValueId size = Size(w, x, axis);
      const ValueId first = Within(w, starts[i].value, size);
      const ValueId last =
          w.Binary("Max", first, Within(w, ends[i].value, size));
      // More than any size is as good as that.
      const auto step =
          static_cast<double>(std::min(steps[i].at, kMaxElements));
      const ValueId at =
          w.TfliteMany("RANGE", {first, last, w.Scalar(step, kI64)}, {kI64}, {},
                       {{kUnknown}})[0];
      x = w.Gather(x, at, axis);
    }
  }
  if (!gone.empty()) x = w.Squeeze(x, gone);
  return w.Done("Out", x);
}

// Input with other values in a part of it.
Status SetValue(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("Input");
  if (!w.ok()) return w.Done();
  const int64_t rank = w.rank(x);
  const Int64s axes = ReadAxes(w, op, "axes", rank);
  const Int64s gone = ReadAxes(w, op, "decrease_axes", rank);
  const Int64s between = w.Given(op.attributes.Ints("none_axes"));
  const PlaceList starts =
      ReadPlaces(context, w, op, {"StartsTensor", "StartsTensorList"}, "starts",
                 axes.size());
  const PlaceList ends = ReadPlaces(
      context, w, op, {"EndsTensor", "EndsTensorList"}, "ends", axes.size());
  const PlaceList steps = ReadPlaces(
      context, w, op, {"StepsTensor", "StepsTensorList"}, "steps", axes.size());
  ValueId value = w.Optional("ValueTensor");
  if (w.ok() && value == kNoValue)
    value = w.Constant(w.Given(ListedValues(op, !w.is_float(x))));
  if (!w.ok()) return w.Done();
  value = WithAllAxes(w, w.Cast(value, w.type(x)), rank, gone, between);
  ValueId holds = kNoValue;
  for (size_t i = 0; i < axes.size() && w.ok(); ++i) {
    const auto axis = static_cast<size_t>(axes[i]);
    const int64_t size = w.shape(x)[axis];
    if (size < 0 || size > kMaxPlaces) w.Refuse("an axis of unknown size");
    if (!w.ok()) break;
    Part part;
    if (Contains(gone, axes[i])) {
      const ValueId at = FromEnd(w, starts[i].value,
                                 w.Scalar(static_cast<double>(size), kI64));
      part.holds = w.Compare(
          "EQUAL",
          w.Cast(Count(w, size, axis, static_cast<size_t>(rank)), kI64), at);
      part.count = 1;
    } else if (!steps[i].is_known) {
      w.Refuse("a step computed at run time");
    } else if (steps[i].at == 0) {
      w.Damaged("a step of 0");
    } else if (starts[i].is_known && ends[i].is_known) {
      part = KnownPart(w, starts[i], ends[i], steps[i].at, size, axis,
                       static_cast<size_t>(rank));
    } else if (steps[i].at == 1) {
      part = PartOfRun(w, starts[i], ends[i], size, axis,
                       static_cast<size_t>(rank));
    } else {
      w.Refuse("positions computed at run time, with a step");
    }
    if (!w.ok()) break;
    const int64_t given = w.shape(value)[axis];
    if (given >= 0 && given != 1 && part.count >= 0 && given != part.count)
      w.Damaged(given, " values for ", part.count, " positions");
    if (given != 1 && part.count != 1 && w.ok())
      // A single value of a size that only the run knows goes everywhere.
      value =
          w.Gather(value,
                   w.Binary("Min", part.index,
                            w.Sub(Size(w, value, axes[i]), w.Scalar(1, kI64))),
                   axes[i]);
    holds = holds == kNoValue ? part.holds
                              : w.Logical("LOGICAL_AND", holds, part.holds);
  }
  if (holds == kNoValue) return w.Done("Out", w.Expand(value, w.Static(x)));
  return w.Done("Out", w.Select(holds, value, x));
}

}  // namespace munja::importer::paddle
