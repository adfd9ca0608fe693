// Shape rules of the operators that only move data.
#include <algorithm>
#include <string>
#include <utility>

#include "import/shapes/infer_rules.h"

namespace munja::importer {
namespace {

using Infos = std::span<const ValueInfo>;
using Outputs = Result<std::vector<ValueInfo>>;

}  // namespace

SliceRange ResolveSlice(int64_t size, int64_t start, int64_t end,
                        int64_t step) {
  const int64_t low = step > 0 ? 0 : -1;
  const int64_t high = step > 0 ? size : size - 1;
  const auto resolve = [&](int64_t i) {
    return std::clamp(i < 0 ? std::max(i, -size - 1) + size : i, low, high);
  };
  SliceRange range;
  range.first = resolve(start);
  int64_t last = resolve(end);
  // The smallest integer means "before the first" when stepping backwards.
  if (step < 0 && end < -size) last = -1;
  const int64_t distance = step > 0 ? last - range.first : range.first - last;
  const int64_t stride = step > 0 ? step : -step;
  // Steps of 0 are refused before. NOLINTNEXTLINE(clang-analyzer-core.*)
  range.count = distance <= 0 ? 0 : (distance + stride - 1) / stride;
  return range;
}

Outputs InferDepthToSpace(const Node& node, Infos inputs) {
  MUNJA_ASSIGN_OR_RETURN(const int64_t block,
                         node.attributes.Int("blocksize", 0));
  Dims shape = inputs[0].shape;
  if (shape.size() != 4 || inputs[0].is_integer)
    return Unsupported("input of shape ", ToString(shape));
  if (block < 1 || block > 1024 || shape[1] < 1 ||
      shape[1] % (block * block) != 0)
    return Malformed("blocks of ", block, " in ", ToString(shape));
  shape[1] /= block * block;
  for (int i = 2; i < 4; ++i)
    if (shape[i] >= 0) shape[i] *= block;
  return One(std::move(shape), false);
}

Outputs InferConcat(const Node& node, Infos inputs) {
  MUNJA_ASSIGN_OR_RETURN(int64_t axis, node.attributes.Int("axis", 0));
  Dims shape = inputs[0].shape;
  MUNJA_ASSIGN_OR_RETURN(axis, NormalizeAxis(axis, shape.size()));
  for (size_t i = 1; i < inputs.size(); ++i) {
    const Dims& other = inputs[i].shape;
    if (!inputs[i].present || other.size() != shape.size() ||
        inputs[i].is_integer != inputs[0].is_integer)
      return Malformed("inputs of shape ", ToString(shape), " and ",
                       ToString(other));
    for (size_t d = 0; d < shape.size(); ++d) {
      if (static_cast<int64_t>(d) == axis) {
        const bool known = shape[d] >= 0 && other[d] >= 0;
        shape[d] = known ? shape[d] + other[d] : kUnknown;
        if (shape[d] > kMaxElements) return OutOfMemory("too large");
      } else if (shape[d] < 0) {
        shape[d] = other[d];
      } else if (other[d] >= 0 && other[d] != shape[d]) {
        return Malformed("inputs of shape ", ToString(shape), " and ",
                         ToString(other));
      }
    }
  }
  return One(std::move(shape), inputs[0].is_integer);
}

Outputs InferSplit(const Node& node, Infos inputs) {
  MUNJA_ASSIGN_OR_RETURN(int64_t axis, node.attributes.Int("axis", 0));
  MUNJA_ASSIGN_OR_RETURN(Dims sizes, node.attributes.Ints("sizes"));
  const Dims& x = inputs[0].shape;
  MUNJA_ASSIGN_OR_RETURN(axis, NormalizeAxis(axis, x.size()));
  const int64_t parts = static_cast<int64_t>(node.outputs.size());
  if (sizes.empty()) {
    if (parts == 0 || (x[axis] >= 0 && x[axis] % parts != 0))
      return Malformed("axis of size ", x[axis], " cannot be split evenly in ",
                       parts);
    sizes.assign(parts, x[axis] < 0 ? kUnknown : x[axis] / parts);
  } else {
    int64_t sum = 0;
    for (const int64_t s : sizes) {
      if (s < 0 || s > kMaxElements || sum > kMaxElements)
        return Malformed("a part of size ", s);
      sum += s;
    }
    if (static_cast<int64_t>(sizes.size()) != parts ||
        (x[axis] >= 0 && sum != x[axis]))
      return Malformed("parts ", ToString(sizes), " of an axis of size ",
                       x[axis]);
  }
  std::vector<ValueInfo> outputs;
  for (const int64_t s : sizes) {
    Dims shape = x;
    shape[axis] = s;
    outputs.push_back({std::move(shape), inputs[0].is_integer, true});
  }
  return outputs;
}

Outputs InferSlice(const Node& node, Infos inputs) {
  Dims shape = inputs[0].shape;
  MUNJA_ASSIGN_OR_RETURN(const Dims axes, node.attributes.Ints("axes"));
  MUNJA_ASSIGN_OR_RETURN(const Dims starts, node.attributes.Ints("starts"));
  MUNJA_ASSIGN_OR_RETURN(const Dims ends, node.attributes.Ints("ends"));
  MUNJA_ASSIGN_OR_RETURN(const Dims steps, node.attributes.Ints("steps"));
  if (starts.size() != axes.size() || ends.size() != axes.size() ||
      steps.size() != axes.size())
    return Malformed("axes, starts, ends and steps differ in length");
  std::vector<bool> seen(shape.size(), false);
  for (size_t i = 0; i < axes.size(); ++i) {
    MUNJA_ASSIGN_OR_RETURN(const int64_t a,
                           NormalizeAxis(axes[i], shape.size()));
    if (steps[i] == 0 || steps[i] > kMaxElements || steps[i] < -kMaxElements)
      return Malformed("step ", steps[i]);
    if (seen[a]) return Malformed("an axis is sliced twice");
    seen[a] = true;
    if (shape[a] < 0) {
      // Known without the size: the first element, or the last one.
      if (steps[i] == 1 && ((starts[i] == 0 && ends[i] == 1) ||
                            (starts[i] == -1 && ends[i] > kMaxElements)))
        shape[a] = 1;
      continue;
    }
    shape[a] = ResolveSlice(shape[a], starts[i], ends[i], steps[i]).count;
  }
  return One(std::move(shape), inputs[0].is_integer);
}

Outputs InferSqueeze(const Node& node, Infos inputs) {
  const Dims& x = inputs[0].shape;
  MUNJA_ASSIGN_OR_RETURN(const Dims axes, node.attributes.Ints("axes"));
  std::vector<bool> gone(x.size(), false);
  for (const int64_t axis : axes) {
    MUNJA_ASSIGN_OR_RETURN(const int64_t a, NormalizeAxis(axis, x.size()));
    gone[a] = true;
  }
  Dims shape;
  for (size_t i = 0; i < x.size(); ++i) {
    if (axes.empty() && x[i] < 0)
      return Unsupported("axes are not named and a size is not known");
    if (axes.empty() ? x[i] == 1 : gone[i]) {
      if (x[i] >= 0 && x[i] != 1)
        return Malformed("axis ", i, " of ", ToString(x), " is not 1");
    } else {
      shape.push_back(x[i]);
    }
  }
  return One(std::move(shape), inputs[0].is_integer);
}

Outputs InferUnsqueeze(const Node& node, Infos inputs) {
  MUNJA_ASSIGN_OR_RETURN(const Dims axes, node.attributes.Ints("axes"));
  const size_t rank = inputs[0].shape.size() + axes.size();
  if (rank > 8) return Unsupported("more than 8 dimensions");
  std::vector<bool> added(rank, false);
  for (const int64_t axis : axes) {
    MUNJA_ASSIGN_OR_RETURN(const int64_t a, NormalizeAxis(axis, rank));
    if (added[a]) return Malformed("an axis is named twice");
    added[a] = true;
  }
  Dims shape;
  size_t next = 0;
  for (size_t i = 0; i < rank; ++i)
    shape.push_back(added[i] ? 1 : inputs[0].shape[next++]);
  return One(std::move(shape), inputs[0].is_integer);
}

Outputs InferReshape(const Node& node, Infos inputs) {
  const Dims& x = inputs[0].shape;
  MUNJA_ASSIGN_OR_RETURN(Dims shape, node.attributes.Ints("shape"));
  int64_t rest = -1;
  // The size for the -1 after equal dimensions have been struck out, so that a
  // copied dynamic dimension is no obstacle.
  Dims from = x, to;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == -1) {
      if (rest >= 0) return Malformed("shape has two -1");
      rest = static_cast<int64_t>(i);
      continue;
    }
    if (shape[i] < 0 || shape[i] > kMaxElements)
      return Malformed("shape ", ToString(shape));
    if (shape[i] == 0) {
      if (i >= x.size()) return Malformed("shape copies a missing dimension");
      shape[i] = x[i];
      if (x[i] < 0) {
        from[i] = 1;
        continue;
      }
    }
    to.push_back(shape[i]);
  }
  if (IsStatic(from)) {
    MUNJA_ASSIGN_OR_RETURN(const int64_t have, CountElements(from));
    MUNJA_ASSIGN_OR_RETURN(const int64_t want, CountElements(to));
    if (rest >= 0) {
      if (want == 0 || have % want != 0)
        return Malformed(ToString(x), " cannot become ", ToString(shape));
      shape[rest] = have / want;
    } else if (have != want) {
      return Malformed(ToString(x), " cannot become ", ToString(shape));
    }
  }
  return One(std::move(shape), inputs[0].is_integer);
}

Outputs InferTranspose(const Node& node, Infos inputs) {
  const Dims& x = inputs[0].shape;
  MUNJA_ASSIGN_OR_RETURN(const Dims perm, node.attributes.Ints("perm"));
  if (perm.size() != x.size())
    return Malformed("perm has ", perm.size(), " entries for a tensor of rank ",
                     x.size());
  std::vector<bool> seen(x.size(), false);
  Dims shape;
  for (const int64_t p : perm) {
    if (p < 0 || p >= static_cast<int64_t>(x.size()) || seen[p])
      return Malformed("perm is not a permutation");
    seen[p] = true;
    shape.push_back(x[p]);
  }
  return One(std::move(shape), inputs[0].is_integer);
}

Outputs InferPad(const Node& node, Infos inputs) {
  Dims shape = inputs[0].shape;
  MUNJA_ASSIGN_OR_RETURN(const Dims pads, node.attributes.Ints("pads"));
  MUNJA_ASSIGN_OR_RETURN(const std::string mode,
                         node.attributes.Text("mode", "constant"));
  MUNJA_RETURN_IF_ERROR(node.attributes.Float("value", 0).TakeStatus());
  if (inputs[0].is_integer) return Unsupported("integer inputs");
  if (mode != "constant" && mode != "reflect")
    return Unsupported("padding mode ", mode);
  if (pads.size() != 2 * shape.size())
    return Malformed("pads has ", pads.size(), " values");
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t before = pads[i], after = pads[i + shape.size()];
    if (before < 0 || after < 0) return Unsupported("negative padding");
    if (before > (1 << 20) || after > (1 << 20))
      return Malformed("padding of ", std::max(before, after));
    if (mode == "reflect" && shape[i] >= 0 &&
        std::max(before, after) >= shape[i] && before + after > 0)
      return Malformed("reflection wider than the input");
    if (shape[i] >= 0) shape[i] += before + after;
  }
  return One(std::move(shape), false);
}

Outputs InferGather(const Node& node, Infos inputs) {
  const Dims& x = inputs[0].shape;
  MUNJA_ASSIGN_OR_RETURN(int64_t axis, node.attributes.Int("axis", 0));
  MUNJA_ASSIGN_OR_RETURN(axis, NormalizeAxis(axis, x.size()));
  if (!inputs[1].is_integer) return Malformed("indices are not integers");
  Dims shape(x.begin(), x.begin() + axis);
  shape.insert(shape.end(), inputs[1].shape.begin(), inputs[1].shape.end());
  shape.insert(shape.end(), x.begin() + axis + 1, x.end());
  return One(std::move(shape), inputs[0].is_integer);
}

Outputs InferShape(const Node&, Infos inputs) {
  return One({static_cast<int64_t>(inputs[0].shape.size())}, true);
}

}  // namespace munja::importer
