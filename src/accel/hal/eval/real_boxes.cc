// Operations on boxes.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "hal/eval/real_operations.h"

namespace munja::hal {
namespace {

using Box = std::array<double, 4>;  // Two corners, whichever comes first.

Box BoxAt(const std::vector<double>& values, size_t first) {
  return {values[first], values[first + 1], values[first + 2],
          values[first + 3]};
}

double Overlap(const Box& a, const Box& b) {
  const double w = std::max(std::min(a[2], b[2]) - std::max(a[0], b[0]), 0.0);
  const double h = std::max(std::min(a[3], b[3]) - std::max(a[1], b[1]), 0.0);
  const auto area = [](const Box& box) {
    return (box[2] - box[0]) * (box[3] - box[1]);
  };
  const double both = area(a) + area(b) - w * h;
  return w * h / both;
}

// Non-maximum suppression: keeps at most `most` candidates, or all when
// negative.
std::vector<size_t> Suppress(std::vector<size_t> left, auto&& score, auto&& box,
                             double threshold, int64_t most) {
  std::vector<size_t> kept;
  while (!left.empty() &&
         (most < 0 || kept.size() < static_cast<size_t>(most))) {
    const size_t best =
        *std::ranges::max_element(left, {}, [&](size_t i) { return score(i); });
    kept.push_back(best);
    std::erase_if(left, [&](size_t i) {
      return i == best || Overlap(box(i), box(best)) >= threshold;
    });
  }
  return kept;
}

// `box` moved and resized by four deltas, within the image.
Box Moved(const Box& box, const double* delta, double height, double width) {
  const double w = box[2] - box[0], h = box[3] - box[1];
  const double x = (box[0] + box[2]) / 2.0 + delta[0] * w;
  const double y = (box[1] + box[3]) / 2.0 + delta[1] * h;
  const double half_w = std::exp(delta[2]) * w / 2.0;
  const double half_h = std::exp(delta[3]) * h / 2.0;
  return {
      std::clamp(x - half_w, 0.0, width), std::clamp(y - half_h, 0.0, height),
      std::clamp(x + half_w, 0.0, width), std::clamp(y + half_h, 0.0, height)};
}

bool IsImageInfo(const Real& info) {
  return info.rank() == 2 && info[1] == 2 &&
         std::ranges::all_of(info.values, [](double v) { return v >= 0.0; });
}

// Not lowered: the schema has no such operator.
Status AxisAlignedTransform(RealCall& c) {
  const Real &roi = c.in[0], &delta = c.in[1], &batch = c.in[2],
             &info = c.in[3];
  if (roi.rank() != 2 || roi[1] != 4 || delta.rank() != 2 ||
      delta[0] != roi[0] || delta[1] % 4 != 0 ||
      batch.values.size() != roi[0] || !IsImageInfo(info))
    return InvalidArgument("regions, deltas, batches or images do not fit");
  MUNJA_RETURN_IF_ERROR(c.Make(0, delta.dimensions));
  const size_t classes = delta[1] / 4;
  for (size_t r = 0; r < roi[0]; ++r) {
    const Box box = BoxAt(roi.values, 4 * r);
    const double b = batch.values[r];
    if (!(b >= 0.0 && b < info[0]))
      return InvalidArgument("a region of a batch that is none");
    if (!(box[0] <= box[2] && box[1] <= box[3]))
      return InvalidArgument("a region that ends before it begins");
    const auto at = 2 * static_cast<size_t>(b);
    for (size_t k = 0; k < classes; ++k) {
      const size_t first = 4 * (r * classes + k);
      const Box moved = Moved(box, delta.values.data() + first, info.values[at],
                              info.values[at + 1]);
      std::ranges::copy(
          moved, c.out[0].values.begin() + static_cast<std::ptrdiff_t>(first));
    }
  }
  return Status();
}

// Not lowered: the schema's suppression has one class, and no linear weights.
Status BoxWithNmsLimit(RealCall& c) {
  const Real &scores = c.in[0], &roi = c.in[1], &batch = c.in[2];
  if (scores.rank() != 2 || roi.rank() != 2 || roi[0] != scores[0] ||
      roi[1] != 4 * scores[1] || batch.values.size() != scores[0])
    return InvalidArgument("scores, regions or batches do not fit");
  const size_t classes = scores[1];
  const int64_t most = c.Int(4), kernel = c.Int(5);
  if (kernel < 0 || kernel > 2)
    return InvalidArgument("there is no kernel " + std::to_string(kernel));
  const double threshold = c.At(3), overlap = c.At(6), sigma = c.At(7),
               least = c.At(8);
  const auto weight = [&](double v) {
    if (kernel == 2) return std::exp(-v * v / sigma);
    if (v < overlap) return 1.0;
    return kernel == 1 ? 1.0 - v : 0.0;
  };
  struct Kept {
    double score;
    size_t row, kind;
  };
  std::vector<Kept> all;
  for (size_t begin = 0, end; begin < scores[0]; begin = end) {
    for (end = begin;
         end < scores[0] && batch.values[end] == batch.values[begin];)
      ++end;
    std::vector<Kept> kept;
    for (size_t k = 1; k < classes; ++k) {
      std::vector<std::pair<double, size_t>> left;
      for (size_t r = begin; r < end; ++r)
        if (const double s = scores.values[r * classes + k]; s > threshold)
          left.emplace_back(s, r);
      const auto box = [&](size_t r) {
        return BoxAt(roi.values, 4 * (r * classes + k));
      };
      for (int64_t n = 0; !left.empty() && (most < 0 || n < most); ++n) {
        const auto best = std::ranges::max_element(
            left, {}, &std::pair<double, size_t>::first);
        const auto [score, row] = *best;
        left.erase(best);
        kept.push_back({score, row, k});
        for (auto& [s, r] : left) s *= weight(Overlap(box(r), box(row)));
        std::erase_if(left, [&](const auto& l) { return l.first < least; });
      }
    }
    std::ranges::stable_sort(kept, std::greater<>(), &Kept::score);
    if (most >= 0 && kept.size() > static_cast<size_t>(most))
      kept.resize(static_cast<size_t>(most));
    std::ranges::stable_sort(kept, [](const Kept& a, const Kept& b) {
      return a.kind != b.kind ? a.kind < b.kind : a.score > b.score;
    });
    all.insert(all.end(), kept.begin(), kept.end());
  }
  const auto count = static_cast<uint32_t>(all.size());
  MUNJA_RETURN_IF_ERROR(c.Make(0, {count}));
  MUNJA_RETURN_IF_ERROR(c.Make(1, {count, 4}));
  MUNJA_RETURN_IF_ERROR(c.Make(2, {count}));
  MUNJA_RETURN_IF_ERROR(c.Make(3, {count}));
  for (size_t i = 0; i < count; ++i) {
    const Kept& k = all[i];
    c.out[0].values[i] = k.score;
    std::ranges::copy(
        BoxAt(roi.values, 4 * (k.row * classes + k.kind)),
        c.out[1].values.begin() + static_cast<std::ptrdiff_t>(4 * i));
    c.out[2].values[i] = static_cast<double>(k.kind);
    c.out[3].values[i] = batch.values[k.row];
  }
  return Status();
}

// Not lowered: the schema has no such operator.
Status GenerateProposals(RealCall& c) {
  const bool is_nchw = c.Int(10) != 0;
  if (c.in[0].rank() != 4 || c.in[1].rank() != 4)
    return InvalidArgument("scores and deltas must be of rank 4");
  const Image scores(c.in[0], is_nchw), deltas(c.in[1], is_nchw);
  const Real &anchors = c.in[2], &info = c.in[3];
  if (deltas.n() != scores.n() || deltas.h() != scores.h() ||
      deltas.w() != scores.w() || deltas.c() != 4 * scores.c() ||
      anchors.rank() != 2 || anchors[0] != scores.c() || anchors[1] != 4 ||
      !IsImageInfo(info) || info[0] != scores.n())
    return InvalidArgument("scores, deltas, anchors or images do not fit");
  // Heights belong with rows: strides come height first.
  const double down = c.At(4), across = c.At(5), overlap = c.At(8),
               least = c.At(9);
  const int64_t before = c.Int(6), after = c.Int(7);
  std::vector<double> kept_scores, kept_batches;
  std::vector<Box> kept_boxes;
  for (size_t n = 0; n < scores.n(); ++n) {
    const double height = info.values[2 * n], width = info.values[2 * n + 1];
    std::vector<double> score;
    std::vector<Box> boxes;
    for (size_t i = 0; i < scores.h(); ++i)
      for (size_t j = 0; j < scores.w(); ++j)
        for (size_t a = 0; a < scores.c(); ++a) {
          Box box = BoxAt(anchors.values, 4 * a);
          for (const size_t k : {0, 2}) {
            box[k] += static_cast<double>(j) * across;
            box[k + 1] += static_cast<double>(i) * down;
          }
          double delta[4];
          for (size_t k = 0; k < 4; ++k)
            delta[k] = deltas.At(n, i, j, 4 * a + k);
          score.push_back(scores.At(n, i, j, a));
          boxes.push_back(Moved(box, delta, height, width));
        }
    std::vector<size_t> left(score.size());
    std::iota(left.begin(), left.end(), size_t{0});
    if (before > 0 && left.size() > static_cast<size_t>(before)) {
      std::ranges::stable_sort(left, std::greater<>(),
                               [&](size_t i) { return score[i]; });
      left.resize(static_cast<size_t>(before));
    }
    std::erase_if(left, [&](size_t i) {
      const Box& b = boxes[i];
      return !(b[2] - b[0] > least && b[3] - b[1] > least &&
               (b[0] + b[2]) / 2.0 < width && (b[1] + b[3]) / 2.0 < height);
    });
    for (const size_t i : Suppress(
             std::move(left), [&](size_t k) { return score[k]; },
             [&](size_t k) { return boxes[k]; }, overlap,
             after > 0 ? after : -1)) {
      kept_scores.push_back(score[i]);
      kept_boxes.push_back(boxes[i]);
      kept_batches.push_back(static_cast<double>(n));
    }
  }
  const auto count = static_cast<uint32_t>(kept_scores.size());
  MUNJA_RETURN_IF_ERROR(c.Make(0, {count}));
  MUNJA_RETURN_IF_ERROR(c.Make(1, {count, 4}));
  MUNJA_RETURN_IF_ERROR(c.Make(2, {count}));
  c.out[0].values = std::move(kept_scores);
  c.out[2].values = std::move(kept_batches);
  for (size_t i = 0; i < count; ++i)
    std::ranges::copy(kept_boxes[i], c.out[1].values.begin() +
                                         static_cast<std::ptrdiff_t>(4 * i));
  return Status();
}

// Not lowered where TFLite_Detection_PostProcess lacks the form: several
// images, deltas with keypoints, several classes of a box, labels that count
// the background.
Status DetectionPostprocessing(RealCall& c) {
  const Real &scores = c.in[0], &delta = c.in[1], &anchors = c.in[2];
  if (scores.rank() != 3 || scores[2] < 1 || delta.rank() != 3 ||
      delta[0] != scores[0] || delta[1] != scores[1] || delta[2] < 4 ||
      anchors.rank() != 2 || anchors[0] != scores[1] || anchors[1] != 4)
    return InvalidArgument("scores, deltas or anchors do not fit");
  const bool is_regular = c.Int(7) != 0;
  const int64_t most = c.Int(8), each = c.Int(9), of_class = c.Int(10);
  constexpr int64_t kMax = 1 << 20;
  if (most < 1 || most > kMax || (!is_regular && (each < 1 || each > kMax)) ||
      of_class > kMax)
    return InvalidArgument("a number of detections out of range");
  const double threshold = c.At(11), overlap = c.At(12);
  const double label = c.Int(13) != 0 ? 0.0 : 1.0;
  const auto length = static_cast<uint32_t>(is_regular ? most : most * each);
  const uint32_t batches = scores[0];
  MUNJA_RETURN_IF_ERROR(c.Make(0, {batches, length}));
  MUNJA_RETURN_IF_ERROR(c.Make(1, {batches, length, 4}));
  MUNJA_RETURN_IF_ERROR(c.Make(2, {batches, length}));
  MUNJA_RETURN_IF_ERROR(c.Make(3, {batches}));
  const size_t count = scores[1], classes = scores[2];
  for (size_t b = 0; b < batches; ++b) {
    std::vector<Box> boxes(count);
    for (size_t a = 0; a < count; ++a) {
      const double* anchor = anchors.values.data() + 4 * a;
      const double* d = delta.values.data() + (b * count + a) * delta[2];
      const double y = anchor[0] + anchor[2] * d[0] / c.At(3);
      const double x = anchor[1] + anchor[3] * d[1] / c.At(4);
      const double h = anchor[2] * std::exp(d[2] / c.At(5)) / 2.0;
      const double w = anchor[3] * std::exp(d[3] / c.At(6)) / 2.0;
      boxes[a] = {y - h, x - w, y + h, x + w};
    }
    const auto score = [&](size_t a, size_t k) {
      return scores.values[(b * count + a) * classes + k];
    };
    const auto box = [&](size_t a) { return boxes[a]; };
    std::vector<std::pair<size_t, size_t>> kept;  // Anchor, class.
    const auto candidates = [&](auto&& of) {
      std::vector<size_t> left;
      for (size_t a = 0; a < count; ++a)
        if (of(a) > threshold) left.push_back(a);
      return left;
    };
    if (is_regular) {
      for (size_t k = 1; k < classes; ++k) {
        const auto of = [&](size_t a) { return score(a, k); };
        for (const size_t a :
             Suppress(candidates(of), of, box, overlap, of_class))
          kept.emplace_back(a, k);
      }
      std::ranges::stable_sort(kept, std::greater<>(), [&](const auto& k) {
        return score(k.first, k.second);
      });
      if (kept.size() > length) kept.resize(length);
    } else {
      const auto of = [&](size_t a) {
        double largest = -INFINITY;
        for (size_t k = 1; k < classes; ++k)
          largest = std::max(largest, score(a, k));
        return largest;
      };
      for (const size_t a : Suppress(candidates(of), of, box, overlap, most)) {
        std::vector<size_t> order(classes - 1);
        std::iota(order.begin(), order.end(), size_t{1});
        std::ranges::stable_sort(order, std::greater<>(),
                                 [&](size_t k) { return score(a, k); });
        if (order.size() > static_cast<size_t>(each))
          order.resize(static_cast<size_t>(each));
        for (const size_t k : order) kept.emplace_back(a, k);
      }
    }
    for (size_t i = 0; i < kept.size(); ++i) {
      const auto& [a, k] = kept[i];
      const size_t at = b * length + i;
      c.out[0].values[at] = score(a, k);
      std::ranges::copy(boxes[a], c.out[1].values.begin() +
                                      static_cast<std::ptrdiff_t>(4 * at));
      c.out[2].values[at] = static_cast<double>(k) - label;
    }
    c.out[3].values[b] = static_cast<double>(kept.size());
  }
  return Status();
}

}  // namespace

RealFunction FindRealBoxOperation(int32_t type) {
  switch (type) {
    case MUNJA_NN_AXIS_ALIGNED_BBOX_TRANSFORM:
      return AxisAlignedTransform;
    case MUNJA_NN_BOX_WITH_NMS_LIMIT:
      return BoxWithNmsLimit;
    case MUNJA_NN_DETECTION_POSTPROCESSING:
      return DetectionPostprocessing;
    case MUNJA_NN_GENERATE_PROPOSALS:
      return GenerateProposals;
    default:
      return nullptr;
  }
}

}  // namespace munja::hal
