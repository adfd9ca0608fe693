// MunjaUnique, a custom operator: the different elements of a tensor, or its
// different slices along an axis.
//
// Input: x, numbers of any type. Outputs: the different elements [m] or slices
// (as x, m along the axis), of x's type; int64: the first place of each [m];
// which of them each place holds [n]; how often each occurs [m]. Options:
// "axis" (none: x is taken as one row), "sorted": in ascending order, slices by
// their first element that differs, else in the order of first places.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <optional>
#include <vector>

#include "ops/op.h"
#include "ops/support/by_type.h"
#include "ops/support/custom_options.h"
#include "ops/support/operands.h"

namespace munja::ops::unique_slices {
namespace {

struct Options {
  std::optional<int64_t> axis;
  bool sorted = true;
};

// Elements before the axis, along it and behind it.
struct Extent {
  int64_t outer = 1, count = 0, inner = 1;
};

// The place of each slice among those that differ, from the first places.
struct Groups {
  std::vector<int64_t> first, of, size;
};

// -1, 0, 1: the order of two slices.
template <class T>
int Compare(const void* data, const Extent& e, int64_t a, int64_t b) {
  const T* const x = static_cast<const T*>(data);
  for (int64_t o = 0; o < e.outer; ++o) {
    const T* p = x + (o * e.count + a) * e.inner;
    const T* q = x + (o * e.count + b) * e.inner;
    for (int64_t i = 0; i < e.inner; ++i) {
      if (p[i] < q[i]) return -1;
      if (q[i] < p[i]) return 1;
    }
  }
  return 0;
}
using CompareFunction = int (*)(const void*, const Extent&, int64_t, int64_t);

Groups Find(const void* x, const Extent& e, CompareFunction compare,
            bool sorted) {
  std::vector<int64_t> order(static_cast<size_t>(e.count));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return compare(x, e, a, b) < 0;
  });
  Groups g;
  g.of.resize(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || compare(x, e, order[i - 1], order[i]) != 0) {
      g.first.push_back(order[i]);
      g.size.push_back(0);
    }
    ++g.size.back();
    g.of[static_cast<size_t>(order[i])] =
        static_cast<int64_t>(g.first.size()) - 1;
  }
  if (sorted) return g;
  std::vector<int64_t> by_place(g.first.size()), now(g.first.size());
  std::iota(by_place.begin(), by_place.end(), 0);
  std::sort(by_place.begin(), by_place.end(), [&](int64_t a, int64_t b) {
    return g.first[static_cast<size_t>(a)] < g.first[static_cast<size_t>(b)];
  });
  Groups placed;
  for (const int64_t k : by_place) {
    now[static_cast<size_t>(k)] = static_cast<int64_t>(placed.first.size());
    placed.first.push_back(g.first[static_cast<size_t>(k)]);
    placed.size.push_back(g.size[static_cast<size_t>(k)]);
  }
  for (const int64_t k : g.of) placed.of.push_back(now[static_cast<size_t>(k)]);
  return placed;
}

Status Give(EvalContext& context, int output, const std::vector<int64_t>& v) {
  MUNJA_RETURN_IF_ERROR(
      context.ResizeOutput(output, Shape{static_cast<int32_t>(v.size())}));
  if (!v.empty())
    std::memcpy(context.output(output).data, v.data(),
                v.size() * sizeof(int64_t));
  return {};
}

class UniqueSlicesKernel final : public Kernel {
 public:
  explicit UniqueSlicesKernel(const Options& options) : options_(options) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& x = context.input(0);
    MUNJA_RETURN_IF_ERROR(
        CheckType(x, "the input",
                  {ElementType::kFloat32, ElementType::kBool,
                   ElementType::kInt8, ElementType::kUInt8, ElementType::kInt16,
                   ElementType::kInt32, ElementType::kInt64}));
    MUNJA_RETURN_IF_ERROR(CheckSameType(x, context.output(0)));
    for (int i = 1; i < 4; ++i)
      MUNJA_RETURN_IF_ERROR(
          CheckType(context.output(i), "the list", {ElementType::kInt64}));
    const int64_t rank = x.shape.rank();
    if (options_.axis && (*options_.axis < -rank || *options_.axis >= rank))
      return InvalidArgument("axis " + std::to_string(*options_.axis) +
                             " of a tensor of shape " + x.shape.ToString());
    for (int i = 0; i < 4; ++i) context.DeferOutputShape(i);
    return {};
  }

  Status Eval(EvalContext& context) const override {
    const TensorView& x = context.input(0);
    Extent e;
    Shape shape{0};
    int axis = 0;
    if (options_.axis) {
      axis =
          static_cast<int>(*options_.axis < 0 ? *options_.axis + x.shape.rank()
                                              : *options_.axis);
      e = {x.shape.elements(0, axis), x.shape[axis],
           x.shape.elements(axis + 1, x.shape.rank())};
      shape = x.shape;
    } else {
      e.count = x.shape.elements();
    }
    const auto compare =
        ByType<float, int8_t, int16_t, int32_t, int64_t, uint8_t>(
            x.type, []<class T>() -> CompareFunction { return Compare<T>; });
    const Groups g = Find(x.data, e, compare, options_.sorted);
    const int64_t found = static_cast<int64_t>(g.first.size());
    shape[axis] = static_cast<int32_t>(found);
    MUNJA_RETURN_IF_ERROR(context.ResizeOutput(0, shape));
    const auto bytes = static_cast<size_t>(e.inner) * ElementSize(x.type);
    const auto* from = static_cast<const uint8_t*>(x.data);
    auto* to = static_cast<uint8_t*>(context.output(0).data);
    for (int64_t o = 0; o < e.outer; ++o)
      for (const int64_t k : g.first)
        to = std::copy_n(from + static_cast<size_t>(o * e.count + k) * bytes,
                         bytes, to);
    MUNJA_RETURN_IF_ERROR(Give(context, 1, g.first));
    MUNJA_RETURN_IF_ERROR(Give(context, 2, g.of));
    return Give(context, 3, g.size);
  }

 private:
  Options options_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(1, 1, 4));
  MUNJA_ASSIGN_OR_RETURN(const graph::Attributes given,
                         DecodeCustomOptions(info.node().custom_options));
  Options o;
  if (given.Has("axis")) {
    MUNJA_ASSIGN_OR_RETURN(o.axis, given.Int("axis", 0));
  }
  MUNJA_ASSIGN_OR_RETURN(const int64_t sorted, given.Int("sorted", 1));
  o.sorted = sorted != 0;
  return std::unique_ptr<Kernel>(std::make_unique<UniqueSlicesKernel>(o));
}

}  // namespace munja::ops::unique_slices
