#include "ops/support/nearest_map.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>

#include "kernels/spatial/resize.h"
#include "ops/support/operands.h"

namespace munja::ops {
namespace {

constexpr int32_t kMaxSide = 1 << 22;

}  // namespace

Result<std::pair<int32_t, int32_t>> ResizedSize(const PrepareContext& context,
                                                const Shape& image,
                                                int size_input) {
  MUNJA_ASSIGN_OR_RETURN(const std::vector<int64_t> size,
                         KnownIntegers(context, size_input, "output size", 2));
  if (size[0] < 1 || size[1] < 1 || image[1] < 1 || image[2] < 1)
    return Malformed("resizes to or from an empty image");
  MUNJA_ASSIGN_OR_RETURN(const int32_t height, CheckDim(size[0]));
  MUNJA_ASSIGN_OR_RETURN(const int32_t width, CheckDim(size[1]));
  // Tables take a few bytes for each row and column, even where the output is
  // empty.
  if (std::max(height, width) > kMaxSide)
    return OutOfMemory("resizes to " + std::to_string(height) + "x" +
                       std::to_string(width) + ", at most " +
                       std::to_string(kMaxSide) + " a side");
  return std::pair(height, width);
}

Result<NearestRule> ParseNearestRule(const graph::Attributes& attributes) {
  NearestRule rule;
  MUNJA_ASSIGN_OR_RETURN(rule.align_corners,
                         attributes.Bool("align_corners", false));
  MUNJA_ASSIGN_OR_RETURN(rule.half_pixel,
                         attributes.Bool("half_pixel_centers", false));
  return rule;
}

Result<NearestMap> PlaceNearest(const PrepareContext& context, int map,
                                int size_input, const NearestRule& rule) {
  NearestMap out;
  out.shape = context.input(map).shape;
  if (out.shape.rank() != 4)
    return Malformed("the input " + out.shape.ToString() + " is not NHWC");
  const int32_t in_h = out.height = out.shape[1], in_w = out.shape[2];
  if (context.has_input(size_input)) {
    MUNJA_ASSIGN_OR_RETURN(const auto size,
                           ResizedSize(context, out.shape, size_input));
    out.rows = kernels::NearestIndices(in_h, size.first, rule.align_corners,
                                       rule.half_pixel);
    out.columns = kernels::NearestIndices(in_w, size.second, rule.align_corners,
                                          rule.half_pixel);
    out.shape[1] = size.first;
    out.shape[2] = size.second;
  } else {
    if (in_h < 1 || in_w < 1 || std::max(in_h, in_w) > kMaxSide)
      return Malformed("a map of shape " + out.shape.ToString());
    out.rows.resize(static_cast<size_t>(in_h));
    out.columns.resize(static_cast<size_t>(in_w));
    std::iota(out.rows.begin(), out.rows.end(), 0);
    std::iota(out.columns.begin(), out.columns.end(), 0);
  }
  return out;
}

RowRange SourceRows(const std::vector<int32_t>& sources, int32_t height,
                    RowRange rows) {
  const auto source = [&](int32_t row) {
    const auto at = static_cast<size_t>(row);
    return at < sources.size() ? sources[at] : height;
  };
  const int32_t begin = source(rows.begin);
  return {begin, rows.is_empty() ? begin : source(rows.end - 1) + 1};
}

int32_t Replication(const std::vector<int32_t>& sources, int32_t in) {
  const auto count = static_cast<int64_t>(sources.size());
  if (in < 1 || count < in || count % in != 0) return 0;
  const auto factor = static_cast<int32_t>(count / in);
  for (int64_t i = 0; i < count; ++i)
    if (sources[static_cast<size_t>(i)] != i / factor) return 0;
  return factor;
}

void CopyNearest(const NearestMap& map, const Shape& in_shape, const float* in,
                 size_t pixel_floats, float* out) {
  const size_t channels = static_cast<size_t>(in_shape[3]);
  const size_t in_row = static_cast<size_t>(in_shape[2]) * channels;
  for (int32_t n = 0; n < in_shape[0]; ++n) {
    const float* image = in + static_cast<size_t>(n) * in_shape[1] * in_row;
    for (const int32_t y : map.rows) {
      for (const int32_t x : map.columns) {
        std::memcpy(out, image + y * in_row + x * channels,
                    channels * sizeof(float));
        out += pixel_floats;
      }
    }
  }
}

}  // namespace munja::ops
