#include "import/compose/pool_parts.h"

#include <string>

namespace munja::importer {

ValueId PoolParts(Steps& w, ValueId x, int64_t axis, int64_t parts,
                  bool is_max) {
  constexpr int64_t kMaxParts = 64;  // Each is an operator.
  if (!w.ok()) return kNoValue;
  const int64_t size = w.shape(x)[static_cast<size_t>(axis)];
  if (parts < 1) w.Damaged(parts, " parts");
  if (parts == 1)
    return w.Reduce(is_max ? "REDUCE_MAX" : "MEAN", x, {axis}, true);
  if (size < 1)
    w.Refuse(
        "adaptive pooling of an unknown size (a fixed input shape may "
        "help)");
  if (parts > kMaxParts) w.Refuse("adaptive pooling to ", parts);
  if (!w.ok() || parts == size) return x;
  Values pooled;
  for (int64_t i = 0; i < parts; ++i) {
    const int64_t begin = i * size / parts;
    const int64_t end = ((i + 1) * size + parts - 1) / parts;
    const ValueId part = w.Slice(x, axis, begin, end);
    pooled.push_back(end - begin == 1 ? part
                                      : w.Reduce(is_max ? "REDUCE_MAX" : "MEAN",
                                                 part, {axis}, true));
  }
  return w.Concat(pooled, axis);
}

}  // namespace munja::importer
