// An output row reads at most two rows of an enlarged map, so the sums over
// kernel rows and channels are a matrix product at the map's own width, with
// the weights of kernel rows that fall on the same row added beforehand. Its
// columns are the kernel's columns: an output pixel adds three of them, from at
// most two neighbors. For a map enlarged by 2 this takes 12 products a pixel of
// the map and channel instead of 36, by 8 it takes 15 instead of 576, and rows
// of the map whose product is the same for several output rows take it once.
#include "kernels/conv/upsampled_conv.h"

#include <algorithm>
#include <utility>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv/upsampled_conv.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "kernels/cpu/cache.h"
#include "kernels/cpu/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// One vector of channels of a whole row. `load` and `store` know how many
// channels there are; sums go on top of `start`, or of `out` where it is null.
template <bool kAccumulates, class Load, class Store>
HWY_INLINE void ExpandChannels(const float* sums, size_t width, size_t factor,
                               size_t out_c, const float* start, float* out,
                               const Load& load, const Store& store) {
  const hn::ScalableTag<float> d;
  const size_t step = 3 * out_c;
  const auto zero = hn::Zero(d);
  auto left = zero;
  auto base = start == nullptr ? zero : load(start);
  const auto add = [&](auto sum) HWY_ATTR {
    if constexpr (kAccumulates) base = load(out);
    store(hn::Add(base, sum), out);
    out += out_c;
  };
  for (size_t q = 0; q < width; ++q, sums += step) {
    const auto s0 = load(sums), s1 = load(sums + out_c),
               s2 = load(sums + 2 * out_c);
    const auto right = q + 1 < width ? load(sums + step + 2 * out_c) : zero;
    const auto tail = hn::Add(s1, s2);
    add(hn::Add(left, tail));
    if (factor > 2) {
      const auto middle = hn::Add(s0, tail);
      for (size_t i = 2; i < factor; ++i) add(middle);
    }
    add(hn::Add(hn::Add(s0, s1), right));
    left = s0;
  }
}

template <bool kAccumulates>
void ExpandAs(const float* sums, size_t width, size_t factor, size_t out_c,
              const float* start, float* out) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  for (size_t c = 0; c < out_c; c += lanes) {
    const float* from = start == nullptr ? nullptr : start + c;
    if (c + lanes <= out_c) {
      ExpandChannels<kAccumulates>(
          sums + c, width, factor, out_c, from, out + c,
          [&](const float* p) HWY_ATTR { return hn::LoadU(d, p); },
          [&](auto v, float* p) HWY_ATTR { hn::StoreU(v, d, p); });
    } else {
      const size_t left = out_c - c;
      ExpandChannels<kAccumulates>(
          sums + c, width, factor, out_c, from, out + c,
          [&](const float* p) HWY_ATTR { return LoadTail(d, p, left); },
          [&](auto v, float* p) HWY_ATTR { StoreTail(v, d, p, left); });
    }
  }
}

// out[width * factor][out_c] from sums[width][3][out_c]: added to what it
// holds, or to start[out_c], or to nothing where that is null.
void ExpandRow(const float* sums, size_t width, size_t factor, size_t out_c,
               bool accumulates, const float* start, float* out) {
  if (accumulates)
    ExpandAs<true>(sums, width, factor, out_c, nullptr, out);
  else
    ExpandAs<false>(sums, width, factor, out_c, start, out);
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {
namespace {

HWY_EXPORT(ExpandRow);

constexpr size_t kTaps = 3;

enum class Phase { kFirst, kMiddle, kLast };

Phase PhaseOf(int32_t y, int32_t factor) {
  const int32_t at = y % factor;
  if (at == 0) return Phase::kFirst;
  return at + 1 == factor ? Phase::kLast : Phase::kMiddle;
}

size_t WidthOf(const UpsampledConvShape& s, const UpsampledMap& map) {
  return static_cast<size_t>(s.out_w / map.factor_w);
}

// Size of the products of one row of a feature map.
size_t SumFloats(const UpsampledConvShape& s, const UpsampledMap& map) {
  return RoundUp(WidthOf(s, map) * kTaps * static_cast<size_t>(s.out_c),
                 kBufferAlignment / sizeof(float));
}

// Products of a feature map that one thread keeps.
struct Products {
  float* sums = nullptr;
  // Which product that is.
  size_t row = SIZE_MAX;
  Phase phase = Phase::kFirst;
};

// Makes products.sums those of output row y of an image.
void Multiply(const UpsampledConvShape& s, const UpsampledMap& map,
              const PackedUpsampledConv& weights, size_t image, int32_t y,
              Products& products) {
  const Phase phase = PhaseOf(y, map.factor_h);
  const int32_t height = s.out_h / map.factor_h, at = y / map.factor_h;
  const size_t row = image * static_cast<size_t>(height) + at;
  if (products.row == row && products.phase == phase) return;
  products.row = row;
  products.phase = phase;
  const size_t width = WidthOf(s, map);
  const size_t channels = static_cast<size_t>(map.channels);
  const float* rows[2] = {map.data + row * width * channels, nullptr};
  size_t row_count = 1;
  MatrixView matrix = weights.middle();
  if (phase == Phase::kFirst) {
    matrix = weights.first();
    rows[1] = rows[0];
    rows[0] = at == 0 ? nullptr : rows[1] - width * channels;
    row_count = 2;
  } else if (phase == Phase::kLast) {
    matrix = weights.last();
    rows[1] = at + 1 == height ? nullptr : rows[0] + width * channels;
    row_count = 2;
  }
  const size_t panels = PanelCount(matrix.n);
  for (size_t x = 0; x < width; x += kGemmBlockRows) {
    const size_t count = std::min(kGemmBlockRows, width - x);
    const float* pieces[2] = {};
    for (size_t r = 0; r < row_count; ++r)
      if (rows[r] != nullptr) pieces[r] = rows[r] + x * channels;
    MultiplyBlock({pieces, count, row_count, channels, true, channels}, matrix,
                  0, panels, {}, {products.sums + x * matrix.n, matrix.n});
  }
}

// Output rows to a task: about a million multiply-accumulates, and whole rows
// of the maps unless those are enlarged very much.
size_t RowsPerTask(const UpsampledConvShape& s,
                   std::span<const UpsampledMap> maps) {
  size_t work = 1, tallest = 1;
  for (const UpsampledMap& map : maps) {
    work += SumFloats(s, map) * map.channels;
    tallest = std::max(tallest, static_cast<size_t>(map.factor_h));
  }
  return RoundUp(std::max<size_t>(1, kTask / work),
                 std::min<size_t>(tallest, 16));
}

// kernel rows [first, end) of the weights added, as rows [at, at + channels) of
// `matrix`, which has kTaps * out_c columns.
void AddRows(const float* weights, size_t stride, size_t channels, size_t out_c,
             size_t first, size_t end, size_t at, float* matrix) {
  for (size_t co = 0; co < out_c; ++co) {
    for (size_t j = 0; j < kTaps; ++j) {
      for (size_t c = 0; c < channels; ++c) {
        double sum = 0;
        for (size_t i = first; i < end; ++i)
          sum += weights[((co * kTaps + i) * kTaps + j) * stride + c];
        matrix[(at + c) * kTaps * out_c + j * out_c + co] =
            static_cast<float>(sum);
      }
    }
  }
}

}  // namespace

Result<PackedUpsampledConv> PackedUpsampledConv::Pack(const float* weights,
                                                      size_t stride,
                                                      int32_t channels,
                                                      int32_t out_c,
                                                      Product product) {
  const size_t in = static_cast<size_t>(channels);
  const size_t out = static_cast<size_t>(out_c), n = kTaps * out;
  size_t bytes = 0;
  if (!CheckedMultiply(2 * in, n, &bytes) ||
      !CheckedMultiply(bytes, sizeof(float), &bytes)) {
    return OutOfMemory("convolution weights do not fit memory");
  }
  MUNJA_ASSIGN_OR_RETURN(Buffer plain, Buffer::Allocate(bytes));
  float* const matrix = plain.as<float>();
  AddRows(weights, stride, in, out, 0, 1, 0, matrix);
  AddRows(weights, stride, in, out, 1, 3, in, matrix);
  MUNJA_ASSIGN_OR_RETURN(PackedMatrix first,
                         PackedMatrix::Pack(matrix, 2 * in, n, n, 1, product));
  AddRows(weights, stride, in, out, 0, 3, 0, matrix);
  MUNJA_ASSIGN_OR_RETURN(PackedMatrix middle,
                         PackedMatrix::Pack(matrix, in, n, n, 1, product));
  AddRows(weights, stride, in, out, 0, 2, 0, matrix);
  AddRows(weights, stride, in, out, 2, 3, in, matrix);
  MUNJA_ASSIGN_OR_RETURN(PackedMatrix last,
                         PackedMatrix::Pack(matrix, 2 * in, n, n, 1, product));
  return PackedUpsampledConv(std::move(first), std::move(middle),
                             std::move(last));
}

Result<size_t> UpsampledConvScratchBytes(const UpsampledConvShape& s,
                                         std::span<const UpsampledMap> maps,
                                         int threads) {
  size_t floats = 0, bytes = 0;
  for (const UpsampledMap& map : maps) {
    size_t row = 0;
    if (!CheckedMultiply(WidthOf(s, map) + 1,
                         kTaps * static_cast<size_t>(s.out_c), &row) ||
        !CheckedAdd(floats, row + 16, &floats)) {
      return OutOfMemory("a row of an enlarged map does not fit memory");
    }
  }
  if (!CheckedMultiply(floats, sizeof(float) * static_cast<size_t>(threads),
                       &bytes)) {
    return OutOfMemory("a row of an enlarged map does not fit memory");
  }
  floats = 0;
  for (const UpsampledMap& map : maps) floats += SumFloats(s, map);
  return floats * sizeof(float) * static_cast<size_t>(threads);
}

void UpsampledConv(const UpsampledConvShape& s,
                   std::span<const UpsampledMap> maps,
                   std::span<const PackedUpsampledConv* const> weights,
                   const float* bias, const Activation& activation, float* out,
                   void* scratch, ThreadPool& pool) {
  size_t worker_floats = 0;
  for (const UpsampledMap& map : maps) worker_floats += SumFloats(s, map);
  const size_t out_c = static_cast<size_t>(s.out_c);
  const size_t row_floats = static_cast<size_t>(s.out_w) * out_c;
  pool.ParallelFor(
      static_cast<size_t>(s.batch) * s.out_h, RowsPerTask(s, maps),
      [&](size_t begin, size_t end, int worker) {
        float* sums = static_cast<float*>(scratch) +
                      worker_floats * static_cast<size_t>(worker);
        Products products[kMaxUpsampledMaps];
        for (size_t m = 0; m < maps.size(); ++m) {
          products[m].sums = sums;
          sums += SumFloats(s, maps[m]);
        }
        // Rows in order, so that the last product of each map serves again.
        for (size_t line = begin; line < end; ++line) {
          float* const row = out + line * row_floats;
          for (size_t m = 0; m < maps.size(); ++m) {
            Multiply(s, maps[m], *weights[m], line / s.out_h,
                     static_cast<int32_t>(line % s.out_h), products[m]);
            HWY_DYNAMIC_DISPATCH(ExpandRow)
            (products[m].sums, WidthOf(s, maps[m]),
             static_cast<size_t>(maps[m].factor_w), out_c, m > 0, bias, row);
          }
          if (activation.kind != ActivationKind::kNone)
            Activate(activation, row, row_floats, row);
        }
      });
}

namespace reference {

void UpsampledConv(const UpsampledConvShape& s,
                   std::span<const UpsampledMap> maps, const float* weights,
                   const float* bias, const Activation& activation,
                   float* out) {
  size_t all = 0, at = 0;
  for (const UpsampledMap& map : maps) all += map.channels;
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t y = 0; y < s.out_h; ++y) {
      for (int64_t x = 0; x < s.out_w; ++x) {
        for (int64_t co = 0; co < s.out_c; ++co, ++at) {
          double sum = bias == nullptr ? 0.0 : bias[co];
          size_t before = 0;
          for (const UpsampledMap& map : maps) {
            const int64_t h = s.out_h / map.factor_h,
                          w = s.out_w / map.factor_w;
            for (int64_t i = 0; i < 3; ++i) {
              for (int64_t j = 0; j < 3; ++j) {
                const int64_t iy = y + i - 1, ix = x + j - 1;
                if (iy < 0 || iy >= s.out_h || ix < 0 || ix >= s.out_w)
                  continue;
                const float* pixel =
                    map.data +
                    ((n * h + iy / map.factor_h) * w + ix / map.factor_w) *
                        map.channels;
                const float* taps =
                    weights + ((co * 3 + i) * 3 + j) * all + before;
                for (int32_t c = 0; c < map.channels; ++c)
                  sum += static_cast<double>(pixel[c]) * taps[c];
              }
            }
            before += map.channels;
          }
          out[at] = Activate(activation, static_cast<float>(sum));
        }
      }
    }
  }
}

}  // namespace reference
}  // namespace munja::kernels
#endif  // HWY_ONCE
