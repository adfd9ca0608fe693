#include "kernels/classes/rough_scores.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/classes/rough_scores.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"
#include "kernels/classes/partial_best.h"
#include "kernels/quant/row_quantization.h"
#include "kernels/reduce/largest_lane-inl.h"

#ifndef MUNJA_KERNELS_ROUGH_SCORES_ONCE
#define MUNJA_KERNELS_ROUGH_SCORES_ONCE
namespace munja::kernels {

// Approximate scores of a row. All scores are binary logarithms until float32
// scores replace them.
struct RoughRow {
  // Maximum number of candidate classes.
  static constexpr size_t kMostKept = 96;
  static constexpr size_t kMostLanes = 64;

  float scale = 0.0f;  // Scale of the quantized row.
  float best = kNone;  // The largest score so far.
  // `whole` is the integer not below the best score; `sum` is that of 2^(score
  // - whole), accurate to a few hundredths. Except for a power of two the share
  // of a score depends on nothing else, so that exactly what was added to the
  // sum can be subtracted.
  float sum = 0.0f, whole = 0.0f;
  // By how much a score may be below the best one and still be that of a
  // choice; and how far it may be off.
  float near = 0.0f, reach = 0.0f;
  bool is_lost = false;  // Approximate scores are of no use.
  uint32_t kept = 0;
  uint32_t scored = 0;  // How many of them have float32 scores.
  // By rising index; a vector of them may be stored behind the last one.
  float score[kMostKept + kMostLanes];
  uint32_t index[kMostKept + kMostLanes];

  void DropFar() {
    uint32_t left = 0;
    for (uint32_t i = 0; i < kept; ++i) {
      if (!(score[i] > best - near)) continue;
      score[left] = score[i];
      index[left++] = index[i];
    }
    kept = left;
  }
};

}  // namespace munja::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace munja::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// 2^(score - whole) <= 1, given kShareBase - whole: a twentieth too small or
// too large at most, right on the average, next to nothing for what is far
// below. Numbers from 512 on have 14 bits behind the point, and above them,
// once they are moved to the left end, the exponent that is wanted.
constexpr float kShareBase = 512.0f + 127.0f - 944.0f / (1 << 14);
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Share(D d, V score, V base) {
  const hn::RebindToUnsigned<D> bits;
  const V y = hn::Max(hn::Add(score, base), hn::Set(d, 513.0f));
  return hn::BitCast(d, hn::ShiftLeft<9>(hn::BitCast(bits, y)));
}

size_t ScreenLanes() { return hn::Lanes(hn::ScalableTag<float>()); }

// Takes a group of sums, as many as the lanes divide, of the classes from
// `first` on.
void Screen(const int32_t* sums, const float* scales, const float* biases,
            size_t n, size_t first, RoughRow& row) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const hn::RebindToUnsigned<decltype(d)> du;
  const size_t lanes = hn::Lanes(d);
  if (row.is_lost) return;
  const auto row_scale = hn::Set(d, row.scale);
  auto near = hn::Set(d, row.best - row.near);
  auto base = hn::Set(d, kShareBase - row.whole);
  auto total = hn::Zero(d);
  for (size_t i = 0; i < n; i += lanes) {
    const auto sum = hn::ConvertTo(d, hn::LoadU(di, sums + i));
    const auto x = hn::MulAdd(hn::Mul(sum, hn::LoadU(d, scales + i)), row_scale,
                              hn::LoadU(d, biases + i));
    auto is_near = hn::Gt(x, near);
    if (!hn::AllFalse(d, is_near)) {
      const float largest = LargestLane(d, x);
      if (largest > row.best) {
        const float whole = std::ceil(largest);
        const float factor = std::exp2(row.whole - whole);
        total = hn::Mul(total, hn::Set(d, factor));
        row.sum *= factor;
        row.best = largest;
        row.whole = whole;
        near = hn::Set(d, row.best - row.near);
        base = hn::Set(d, kShareBase - row.whole);
        is_near = hn::Gt(x, near);
      }
      const size_t count = hn::CountTrue(d, is_near);
      if (row.kept + count > RoughRow::kMostKept) row.DropFar();
      if (row.kept + count > RoughRow::kMostKept) {
        row.is_lost = true;
        return;
      }
      const auto at = hn::Iota(du, static_cast<uint32_t>(first + i));
      hn::StoreU(hn::Compress(x, is_near), d, row.score + row.kept);
      hn::StoreU(hn::Compress(at, hn::RebindMask(du, is_near)), du,
                 row.index + row.kept);
      row.kept += static_cast<uint32_t>(count);
    }
    total = hn::Add(total, Share(d, x, base));
  }
  row.sum += hn::GetLane(hn::SumOfLanes(d, total));
}

// The sum of the absolute values; not finite where one of `in` is not.
float SumOfRounded(const float* in, const int8_t* rounded, size_t n) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const hn::Rebind<int8_t, decltype(d)> bytes;
  const size_t lanes = hn::Lanes(d);
  // 0 times a non-finite value is NaN.
  auto sum = hn::Zero(di);
  auto zero = hn::Zero(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    sum =
        hn::Add(sum, hn::Abs(hn::PromoteTo(di, hn::LoadU(bytes, rounded + i))));
    zero = hn::MulAdd(hn::LoadU(d, in + i), hn::Zero(d), zero);
  }
  float total = static_cast<float>(hn::GetLane(hn::SumOfLanes(di, sum))) +
                hn::GetLane(hn::SumOfLanes(d, zero));
  for (; i < n; ++i)
    total += static_cast<float>(std::abs(rounded[i])) + 0.0f * in[i];
  return total;
}

// The part of the sum that the kept classes contribute.
float SumOfKept(const RoughRow& row) {
  const hn::CappedTag<float, 1> d;
  const auto base = hn::Set(d, kShareBase - row.whole);
  float sum = 0.0f;
  for (uint32_t i = 0; i < row.kept; ++i)
    sum += hn::GetLane(Share(d, hn::Set(d, row.score[i]), base));
  return sum;
}

}  // namespace munja::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace munja::kernels {
namespace {

HWY_EXPORT(ScreenLanes);
HWY_EXPORT(Screen);
HWY_EXPORT(SumOfKept);
HWY_EXPORT(SumOfRounded);

// Rows that a thread takes at a time: one word has a bit for each.
constexpr size_t kBlockRows = kGemmBlockRows;

// Fewer classes are multiplied in float32 as fast. Sums of more products than
// that could wrap.
constexpr size_t kFewClasses = 512;
constexpr size_t kLongestRow = size_t{1} << 16;

// Scores that may be further off (binary logarithms) bound nothing that helps.
constexpr float kFarthest = 7.0f;

// Limit of the approximate part of the sum times the error bound of its scores.
// (As a rule they are off by a twentieth of that.)
constexpr float kVague = 1e-3f;

// Scratch memory of a thread.
struct ScreenScratch {
  static size_t Align(size_t bytes) { return RoundUp(bytes, kBufferAlignment); }
  static size_t RowBytes(const RoughWeights& w) {
    return IntWords(ByteFormat(), w.k()) * sizeof(int32_t);
  }
  static size_t TileBytes(const RoughWeights& w) {
    return std::max(Align(kBlockRows * RoughWeights::kGroup * sizeof(int32_t)),
                    ArgMaxScoreOfRowsBytes(w.n()));
  }
  static size_t Bytes(const RoughWeights& w) {
    return Align(kBlockRows * RowBytes(w)) + Align(w.k()) + TileBytes(w) +
           Align(kBlockRows * sizeof(RoughRow)) +
           Align(PanelCount(w.n()) * sizeof(uint64_t));
  }

  ScreenScratch(const RoughWeights& w, void* start) {
    auto* next = static_cast<uint8_t*>(start);
    const auto take = [&](size_t bytes) {
      return std::exchange(next, next + Align(bytes));
    };
    operand = take(kBlockRows * RowBytes(w));
    rounded = reinterpret_cast<int8_t*>(take(w.k()));
    tile = take(TileBytes(w));
    rows = reinterpret_cast<RoughRow*>(take(kBlockRows * sizeof(RoughRow)));
    wanted = reinterpret_cast<uint64_t*>(next);
  }

  uint8_t* operand;  // Rows in the format that the CPU multiplies.
  int8_t* rounded;
  uint8_t* tile;  // Sums or scores.
  RoughRow* rows;
  uint64_t* wanted;  // By panel: the rows that have a candidate there.
};

// A block of rows of a product.
class ScreenedBlock {
 public:
  ScreenedBlock(const float* a, size_t lda, size_t m, const MatrixView& b,
                const float* bias, const RoughWeights& rough, size_t count,
                ArgMaxScore* out, const ScreenScratch& scratch)
      : a_(a),
        lda_(lda),
        m_(m),
        b_(b),
        bias_(bias),
        rough_(rough),
        count_(count),
        out_(out),
        s_(scratch) {}

  void Run() {
    for (size_t r = 0; r < m_; ++r) BeginRow(r);
    for (size_t i = 0; i < rough_.groups(); ++i) ScreenGroup(i);
    FindWanted();
    for (size_t panel = 0; panel < PanelCount(b_.n); ++panel)
      if (s_.wanted[panel] != 0) ScorePanel(panel);
    const float* lost[kBlockRows];
    ArgMaxScore* outs[kBlockRows];
    size_t losses = 0;
    for (size_t r = 0; r < m_; ++r) {
      if (FinishRow(r)) continue;
      lost[losses] = a_ + r * lda_;
      outs[losses++] = out_ + r * count_;
    }
    ArgMaxScoreOfRows(lost, losses, b_, bias_, count_, outs, s_.tile);
  }

 private:
  void BeginRow(size_t r) {
    const size_t k = rough_.k();
    const float* const row = a_ + r * lda_;
    const IntFormat format = ByteFormat();
    const float step = QuantizeRow(row, k, s_.rounded).scale;
    LoadOperand({s_.rounded, ElementType::kInt8, 0}, 0, k, format,
                s_.operand + r * ScreenScratch::RowBytes(rough_));
    const float sum = HWY_DYNAMIC_DISPATCH(SumOfRounded)(row, s_.rounded, k);
    RoughRow& to = *new (s_.rows + r) RoughRow;
    to.scale = step;
    // Float32 is off, too, by a little.
    to.reach = 1.01f * rough_.Reach(step, step * sum) + 1e-3f;
    to.near = 2.0f * to.reach - std::log2(kLeastOfBest);
    to.is_lost = !(to.reach < kFarthest);
    targets_[r].offset = r * RoughWeights::kGroup;
  }

  void ScreenGroup(size_t i) {
    const IntMatrixView part = rough_.group(i);
    const size_t first = i * RoughWeights::kGroup;
    auto* const sums = reinterpret_cast<int32_t*>(s_.tile);
    IntEpilogue epilogue;
    epilogue.type = ElementType::kInt32;
    epilogue.out = sums;
    const uint8_t* const top = s_.operand;
    const IntLeftRows rows = {
        {&top, m_, 1, rough_.k(), true, ScreenScratch::RowBytes(rough_)},
        OperandZero({nullptr, ElementType::kInt8, 0}, part.format)};
    MultiplyIntBlock(rows, part, 0, IntPanelCount(part.n), 0,
                     {targets_, RoughWeights::kGroup}, epilogue);
    const size_t padded = RoundUp(part.n, HWY_DYNAMIC_DISPATCH(ScreenLanes)());
    for (size_t r = 0; r < m_; ++r) {
      int32_t* const row = sums + r * RoughWeights::kGroup;
      std::fill(row + part.n, row + padded, 0);
      HWY_DYNAMIC_DISPATCH(Screen)
      (row, rough_.scales() + first, rough_.biases() + first, padded, first,
       s_.rows[r]);
    }
  }

  void FindWanted() {
    const int width_bits = std::countr_zero(PanelWidth());  // A power of two.
    std::fill_n(s_.wanted, PanelCount(b_.n), 0);
    for (size_t r = 0; r < m_; ++r) {
      RoughRow& row = s_.rows[r];
      row.DropFar();
      if (row.is_lost || row.kept == 0) {
        row.is_lost = true;
        continue;
      }
      row.sum -= HWY_DYNAMIC_DISPATCH(SumOfKept)(row);
      row.is_lost = !(row.sum * row.reach <= kVague);
      for (uint32_t i = 0; i < row.kept && !row.is_lost; ++i)
        s_.wanted[row.index[i] >> width_bits] |= uint64_t{1} << r;
    }
  }

  // Takes the scores of that panel instead of the rough ones.
  void ScorePanel(size_t panel) {
    const size_t width = PanelWidth(), first = panel * width;
    const size_t columns = std::min(width, b_.n - first);
    const float* tops[kBlockRows];
    size_t rows[kBlockRows], count = 0;
    for (uint64_t left = s_.wanted[panel]; left != 0; left &= left - 1) {
      rows[count] = static_cast<size_t>(std::countr_zero(left));
      tops[count] = a_ + rows[count] * lda_;
      ++count;
    }
    auto* const scores = reinterpret_cast<float*>(s_.tile);
    MultiplyBlock(LeftRows{tops, count, 1, b_.k}, ColumnsOf(b_, first, columns),
                  0, 1, {bias_ == nullptr ? nullptr : bias_ + first, {}, {}},
                  {scores, columns});
    for (size_t i = 0; i < count; ++i) {
      RoughRow& row = s_.rows[rows[i]];
      // Panels come by rising index, too, and none that has one is left out.
      const float* const own = scores + i * columns;
      for (; row.scored < row.kept && row.index[row.scored] < first + columns;
           ++row.scored)
        row.score[row.scored] = own[row.index[row.scored] - first];
    }
  }

  // False: the row has to be multiplied in float32.
  bool FinishRow(size_t r) {
    const RoughRow& row = s_.rows[r];
    if (row.is_lost) return false;
    PartialBest best;
    for (uint32_t i = 0; i < row.kept; ++i) {
      if (!(row.score[i] > best.score[0])) continue;
      best.score[0] = row.score[i];
      best.index[0] = row.index[i];
    }
    const float maximum = best.score[0];
    const float least = maximum + std::log(kLeastOfBest);
    best.sum = std::max(row.sum, 0.0f) * std::exp(row.whole / kLog2E - maximum);
    for (uint32_t i = 0; i < row.kept; ++i) {
      const float score = row.score[i];
      best.sum += score == maximum ? 1.0f : std::exp(score - maximum);
      if (row.index[i] != best.index[0] && score > best.Limit(count_, least))
        best.Insert(score, row.index[i], count_);
    }
    Finish(best, count_, out_ + r * count_);
    return true;
  }

  const float* const a_;
  const size_t lda_, m_;
  const MatrixView& b_;
  const float* const bias_;
  const RoughWeights& rough_;
  const size_t count_;
  ArgMaxScore* const out_;
  const ScreenScratch& s_;
  RowTarget targets_[kBlockRows];
};

}  // namespace

IntMatrixView RoughWeights::group(size_t i) const {
  return {packed_.as<int32_t>() + i * group_words_, 1, k_,
          std::min(kGroup, n() - i * kGroup), format_};
}

Result<std::optional<RoughWeights>> RoughWeights::Make(const float* b, size_t k,
                                                       size_t n,
                                                       size_t k_stride,
                                                       size_t n_stride,
                                                       const float* bias) {
  std::optional<RoughWeights> none;
  if (n < kFewClasses || k == 0 || k > kLongestRow) return none;
  RoughWeights made;
  made.k_ = k;
  made.n_ = n;
  made.format_ = ByteFormat();
  // Columns behind the last class are never candidates.
  made.scales_.resize(RoundUp(n, kGroup));
  made.biases_.assign(RoundUp(n, kGroup), kNone);
  std::vector<float> column(k);
  std::vector<int8_t> rounded(n * k);
  for (size_t c = 0; c < n; ++c) {
    float sum = 0.0f;
    for (size_t i = 0; i < k; ++i) {
      column[i] = b[i * k_stride + c * n_stride];
      sum += std::abs(column[i]);
    }
    made.biases_[c] = bias == nullptr ? 0.0f : kLog2E * bias[c];
    // Also where one is none.
    constexpr float kMost = std::numeric_limits<float>::max();
    if (!(sum <= kMost && std::abs(made.biases_[c]) <= kMost)) return none;
    const RowScale scale =
        QuantizeRow(column.data(), k, rounded.data() + c * k);
    made.scales_[c] = kLog2E * scale.scale;
    made.widest_ = std::max(made.widest_, made.scales_[c]);
    made.heaviest_ = std::max(made.heaviest_, kLog2E * sum);
  }
  // All groups but the last are as wide as the first.
  IntMatrixView sizes = {nullptr, 1, k, kGroup, made.format_};
  made.group_words_ =
      RoundUp(PackedIntWords(sizes), kBufferAlignment / sizeof(int32_t));
  MUNJA_ASSIGN_OR_RETURN(
      made.packed_,
      Buffer::Allocate(made.groups() * made.group_words_ * sizeof(int32_t)));
  const std::vector<int16_t> values(rounded.begin(), rounded.end());
  for (size_t i = 0; i < made.groups(); ++i) {
    sizes.n = made.group(i).n;
    PackIntMatrix(values.data() + i * kGroup * k, sizes, 1, k,
                  made.packed_.as<int32_t>() + i * made.group_words_);
  }
  return std::optional<RoughWeights>(std::move(made));
}

size_t ScreenedScratchBytes(const RoughWeights& rough, int threads) {
  return static_cast<size_t>(threads) * ScreenScratch::Bytes(rough);
}

void ScreenedArgMaxScore(const float* a, size_t lda, size_t m,
                         const MatrixView& b, const float* bias,
                         const RoughWeights& rough, size_t count,
                         ArgMaxScore* out, void* scratch, ThreadPool& pool) {
  // Rows are on their own: how they are split changes none.
  const size_t threads = static_cast<size_t>(pool.threads());
  const size_t share = RoundUp((m + threads - 1) / threads, 12);
  const size_t height = std::clamp<size_t>(share, 1, kBlockRows);
  pool.ParallelFor(
      (m + height - 1) / height, 1, [&](size_t begin, size_t end, int worker) {
        const ScreenScratch own(rough, static_cast<uint8_t*>(scratch) +
                                           static_cast<size_t>(worker) *
                                               ScreenScratch::Bytes(rough));
        for (size_t i = begin; i < end; ++i) {
          const size_t first = i * height;
          ScreenedBlock(a + first * lda, lda, std::min(height, m - first), b,
                        bias, rough, count, out + first * count, own)
              .Run();
        }
      });
}

}  // namespace munja::kernels
#endif  // HWY_ONCE
