#include "import/compose/positions.h"

#include <utility>

namespace munja::importer {

int64_t ElementsOf(const Dims& d) {
  int64_t n = 1;
  for (const int64_t v : d) n *= v;
  return n;
}

ValueId FromFront(Steps& w, ValueId indices, int64_t size) {
  const ElementType type = w.type(indices);
  const ValueId negative = w.Compare("LESS", indices, w.Scalar(0, type));
  return w.Select(negative,
                  w.Add(indices, w.Scalar(static_cast<double>(size), type)),
                  indices);
}

ValueId Count(Steps& w, int64_t n, size_t axis, size_t rank) {
  Dims dims(rank, 1);
  dims[axis] = n;
  Int64s numbers(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) numbers[static_cast<size_t>(i)] = i;
  return w.Constant(Tensor::Integers(dims, std::move(numbers), kI32));
}

ValueId FlatIndices(Steps& w, ValueId indices, const Dims& x, int64_t axis) {
  const Dims dims = w.Static(indices);
  ValueId flat = w.Scalar(0, kI32);
  int64_t stride = 1;
  for (size_t i = x.size(); i-- > 0;) {
    const ValueId at = static_cast<int64_t>(i) == axis
                           ? w.Cast(FromFront(w, indices, x[i]), kI32)
                           : Count(w, dims[i], i, dims.size());
    flat = w.Add(flat, w.Mul(at, w.Scalar(static_cast<double>(stride), kI32)));
    stride *= x[i];
  }
  return flat;
}

ValueId RowPositions(Steps& w, ValueId indices, const Dims& x, size_t first) {
  const int64_t last = w.rank(indices) - 1;
  const int64_t k = w.shape(indices)[static_cast<size_t>(last)];
  Int64s sizes, strides(static_cast<size_t>(k), 1);
  for (int64_t i = 0; i < k; ++i) sizes.push_back(x[first + i]);
  for (int64_t i = k - 1; i-- > 0;) strides[i] = strides[i + 1] * sizes[i + 1];
  const ElementType type = w.type(indices);
  const ValueId size = w.List(sizes, type);
  const ValueId negative = w.Compare("LESS", indices, w.Scalar(0, type));
  const ValueId front = w.Select(negative, w.Add(indices, size), indices);
  return w.Cast(
      w.Reduce("SUM", w.Mul(front, w.List(strides, type)), {last}, false),
      kI32);
}

ValueId ScatterRows(Steps& w, ValueId x, const Dims& rows, ValueId positions,
                    ValueId updates, const std::string& reduction) {
  const Dims dims = w.Static(x), at = w.Static(positions);
  if (!w.ok()) return kNoValue;
  const int64_t count = ElementsOf(at);
  const ElementType own = w.type(x);
  const ElementType wide = own == kF32 ? own : w.Wide(own);
  graph::Attributes options;
  options.Set("reduction", reduction);
  const ValueId y =
      w.Custom("MunjaScatter",
               {w.Reshape(w.Cast(x, wide), rows), w.Reshape(positions, {count}),
                w.Reshape(w.Cast(updates, wide), {count, rows[1]})},
               wide, options);
  return w.Cast(w.Reshape(y, dims), own);
}

}  // namespace munja::importer
