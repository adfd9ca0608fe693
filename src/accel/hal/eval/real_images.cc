// Operations on images: windows and regions of them.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "hal/eval/real_operations.h"

namespace munja::hal {
namespace {

Status NeedsImage(const Real& x) {
  if (x.rank() == 4) return Status();
  return InvalidArgument("an image of rank " + std::to_string(x.rank()) +
                         ", not 4");
}

// A window along one side of an image.
struct Side {
  int64_t before = 0, after = 0, stride = 1, size = 1;

  Status Check() const {
    constexpr int64_t kMax = 1 << 24;
    for (const int64_t v : {before, after})
      if (v < 0 || v > kMax) return InvalidArgument("padding out of range");
    for (const int64_t v : {stride, size})
      if (v < 1 || v > kMax)
        return InvalidArgument("a stride or window out of range");
    return Status();
  }
  // Pads for the scheme SAME; VALID leaves zeros.
  void Pad(int64_t scheme, int64_t extent) {
    if (scheme != MUNJA_NN_PADDING_SAME || stride < 1) return;
    const int64_t out = (extent + stride - 1) / stride;
    const int64_t total =
        std::max<int64_t>(0, (out - 1) * stride + size - extent);
    before = total / 2;
    after = total - before;
  }
  Result<uint32_t> Out(int64_t extent) const {
    const int64_t room = extent + before + after - size;
    if (room < 0) return InvalidArgument("a window larger than the image");
    return static_cast<uint32_t>(room / stride + 1);
  }
};

// Not lowered with padding other than SAME: the schema has no other for pools,
// and elements that PAD adds would count in the means.
Status Pool(RealCall& c) {
  MUNJA_RETURN_IF_ERROR(NeedsImage(c.in[0]));
  const bool is_implicit = c.inputs() < 10;
  const size_t at = is_implicit ? 2 : 5;
  const bool is_nchw = c.Int(at + 5) != 0;
  const Image x(c.in[0], is_nchw);
  Side across, down;
  across.stride = c.Int(at);
  down.stride = c.Int(at + 1);
  across.size = c.Int(at + 2);
  down.size = c.Int(at + 3);
  if (is_implicit) {
    across.Pad(c.Int(1), x.w());
    down.Pad(c.Int(1), x.h());
  } else {
    across.before = c.Int(1), across.after = c.Int(2);
    down.before = c.Int(3), down.after = c.Int(4);
  }
  MUNJA_RETURN_IF_ERROR(across.Check());
  MUNJA_RETURN_IF_ERROR(down.Check());
  MUNJA_ASSIGN_OR_RETURN(const uint32_t width, across.Out(x.w()));
  MUNJA_ASSIGN_OR_RETURN(const uint32_t height, down.Out(x.h()));
  MUNJA_RETURN_IF_ERROR(
      c.Make(0, ImageDimensions(x.n(), height, width, x.c(), is_nchw)));
  const Image y(c.out[0], is_nchw);
  const int64_t activation = c.Int(at + 4);
  for (size_t n = 0; n < x.n(); ++n)
    for (int64_t i = 0; i < height; ++i)
      for (int64_t j = 0; j < width; ++j) {
        const int64_t top = i * down.stride - down.before;
        const int64_t left = j * across.stride - across.before;
        const int64_t bottom = std::min<int64_t>(top + down.size, x.h());
        const int64_t right = std::min<int64_t>(left + across.size, x.w());
        for (size_t k = 0; k < x.c(); ++k) {
          double sum = 0.0, squares = 0.0, largest = -INFINITY, count = 0.0;
          for (int64_t r = std::max<int64_t>(top, 0); r < bottom; ++r)
            for (int64_t s = std::max<int64_t>(left, 0); s < right; ++s) {
              const double v =
                  x.At(n, static_cast<size_t>(r), static_cast<size_t>(s), k);
              sum += v;
              squares += v * v;
              largest = std::max(largest, v);
              count += 1.0;
            }
          double v = largest;
          if (count == 0.0)
            v = 0.0;
          else if (c.type == MUNJA_NN_AVERAGE_POOL_2D)
            v = sum / count;
          else if (c.type == MUNJA_NN_L2_POOL_2D)
            v = std::sqrt(squares / count);
          c.out[0].values[y.Index(n, static_cast<size_t>(i),
                                  static_cast<size_t>(j), k)] =
              Activate(v, activation);
        }
      }
  return Status();
}

// Not lowered with padding that is not what SAME or VALID would choose.
Status TransposeConvolution(RealCall& c) {
  MUNJA_RETURN_IF_ERROR(NeedsImage(c.in[0]));
  MUNJA_RETURN_IF_ERROR(NeedsImage(c.in[1]));
  const bool is_implicit = c.inputs() < 11;
  const size_t at = is_implicit ? 5 : 7;
  const bool is_nchw = c.Int(at + 3) != 0;
  const Image x(c.in[0], is_nchw), w(c.in[1], false);
  Side across, down;
  across.stride = c.Int(at);
  down.stride = c.Int(at + 1);
  across.size = w.w();
  down.size = w.h();
  if (!is_implicit) {
    across.before = c.Int(3), across.after = c.Int(4);
    down.before = c.Int(5), down.after = c.Int(6);
  }
  MUNJA_RETURN_IF_ERROR(across.Check());
  MUNJA_RETURN_IF_ERROR(down.Check());
  if (w.c() != x.c() || c.in[2].values.size() != w.n())
    return InvalidArgument("filter or bias of other channels");
  const auto size = [](const Side& window, int64_t extent) {
    return (extent - 1) * window.stride + window.size - window.before -
           window.after;
  };
  int64_t height = size(down, x.h()), width = size(across, x.w());
  if (is_implicit) {
    const std::vector<double>& shape = c.in[3].values;
    if (shape.size() != 4) return InvalidArgument("an output shape of rank 4");
    const auto pad = [&](Side& window, int64_t& extent, double wanted) {
      if (c.Int(4) == MUNJA_NN_PADDING_SAME)
        window.before =
            std::max<int64_t>(0, extent - static_cast<int64_t>(wanted)) / 2;
      extent = static_cast<int64_t>(wanted);
    };
    for (const double d : shape)
      if (!(d >= 1.0 && d < 1e9)) return InvalidArgument("an output shape");
    pad(down, height, shape[is_nchw ? 2 : 1]);
    pad(across, width, shape[is_nchw ? 3 : 2]);
  }
  if (height < 1 || width < 1 || height > 1000000000 || width > 1000000000)
    return InvalidArgument("padding leaves nothing of the image");
  MUNJA_RETURN_IF_ERROR(
      c.Make(0, ImageDimensions(x.n(), static_cast<uint32_t>(height),
                                static_cast<uint32_t>(width), w.n(), is_nchw)));
  const Image y(c.out[0], is_nchw);
  std::vector<double>& values = c.out[0].values;
  for (size_t n = 0; n < x.n(); ++n)
    for (size_t o = 0; o < w.n(); ++o) {
      for (size_t i = 0; i < y.h(); ++i)
        for (size_t j = 0; j < y.w(); ++j)
          values[y.Index(n, i, j, o)] = c.in[2].values[o];
      for (size_t i = 0; i < x.h(); ++i)
        for (size_t j = 0; j < x.w(); ++j)
          for (size_t r = 0; r < w.h(); ++r)
            for (size_t s = 0; s < w.w(); ++s) {
              const int64_t row = static_cast<int64_t>(i) * down.stride +
                                  static_cast<int64_t>(r) - down.before;
              const int64_t column = static_cast<int64_t>(j) * across.stride +
                                     static_cast<int64_t>(s) - across.before;
              if (row < 0 || row >= height || column < 0 || column >= width)
                continue;
              double sum = 0.0;
              for (size_t k = 0; k < x.c(); ++k)
                sum += x.At(n, i, j, k) * w.At(o, r, s, k);
              values[y.Index(n, static_cast<size_t>(row),
                             static_cast<size_t>(column), o)] += sum;
            }
    }
  const int64_t activation = c.Int(at + 2);
  for (double& v : values) v = Activate(v, activation);
  return Status();
}

// Not lowered: the schema has no such operator.
Status InstanceNormalization(RealCall& c) {
  MUNJA_RETURN_IF_ERROR(NeedsImage(c.in[0]));
  const Image x(c.in[0], c.Int(4) != 0);
  MUNJA_RETURN_IF_ERROR(c.Make(0, c.in[0].dimensions));
  const double gamma = c.At(1), beta = c.At(2), epsilon = c.At(3);
  const double count = static_cast<double>(x.h()) * x.w();
  for (size_t n = 0; n < x.n(); ++n)
    for (size_t k = 0; k < x.c(); ++k) {
      double mean = 0.0, variance = 0.0;
      const auto each = [&](auto&& visit) {
        for (size_t i = 0; i < x.h(); ++i)
          for (size_t j = 0; j < x.w(); ++j) visit(x.Index(n, i, j, k));
      };
      each([&](size_t at) { mean += c.in[0].values[at] / count; });
      each([&](size_t at) {
        variance += std::pow(c.in[0].values[at] - mean, 2) / count;
      });
      each([&](size_t at) {
        c.out[0].values[at] = (c.in[0].values[at] - mean) * gamma /
                                  std::sqrt(variance + epsilon) +
                              beta;
      });
    }
  return Status();
}

// The regions of ROI_ALIGN and ROI_POOLING, on the map.
struct Regions {
  uint32_t height = 0, width = 0;  // Output size of each region.
  bool is_nchw = false;
};

Result<Regions> ReadRegions(RealCall& c, size_t layout) {
  MUNJA_RETURN_IF_ERROR(NeedsImage(c.in[0]));
  Regions regions;
  regions.is_nchw = c.Int(layout) != 0;
  const Image x(c.in[0], regions.is_nchw);
  const Real &roi = c.in[1], &batch = c.in[2];
  if (roi.rank() != 2 || roi[1] != 4 || batch.values.size() != roi[0])
    return InvalidArgument("regions that are not [n, 4], or without batches");
  if (x.h() == 0 || x.w() == 0) return InvalidArgument("an empty image");
  for (const double b : batch.values)
    if (!(b >= 0.0 && b < x.n()))
      return InvalidArgument("a region of batch " + std::to_string(b));
  const int64_t height = c.Int(3), width = c.Int(4);
  if (height < 1 || width < 1 || height > 1 << 20 || width > 1 << 20)
    return InvalidArgument("an output size out of range");
  if (!(c.At(5) > 0.0) || !(c.At(6) > 0.0))
    return InvalidArgument("a ratio that is not above 0");
  regions.height = static_cast<uint32_t>(height);
  regions.width = static_cast<uint32_t>(width);
  MUNJA_RETURN_IF_ERROR(
      c.Make(0, ImageDimensions(roi[0], regions.height, regions.width, x.c(),
                                regions.is_nchw)));
  return regions;
}

// Not lowered: MunjaRoiAlign has one scale and one number of samples for both
// axes, and accepts regions outside of the image, which are errors here.
Status RoiAlign(RealCall& c) {
  MUNJA_ASSIGN_OR_RETURN(const Regions regions, ReadRegions(c, 9));
  const Image x(c.in[0], regions.is_nchw), y(c.out[0], regions.is_nchw);
  const double h = x.h(), w = x.w();
  for (const size_t i : {7, 8})
    if (c.Int(i) < 0 || c.Int(i) > 1 << 16)
      return InvalidArgument("a number of samples out of range");
  for (size_t r = 0; r < y.n(); ++r) {
    const double* roi = c.in[1].values.data() + 4 * r;
    const auto n = static_cast<size_t>(c.in[2].values[r]);
    const double left = roi[0] / c.At(6), top = roi[1] / c.At(5);
    const double right = roi[2] / c.At(6), bottom = roi[3] / c.At(5);
    if (!(left >= 0.0 && top >= 0.0 && right <= w && bottom <= h &&
          left <= right && top <= bottom))
      return InvalidArgument("a region outside of the image");
    const double step_y = std::max(bottom - top, 1.0) / regions.height;
    const double step_x = std::max(right - left, 1.0) / regions.width;
    const auto samples = [](int64_t given, double step) {
      return given > 0 ? static_cast<double>(given) : std::ceil(step);
    };
    const double ny = samples(c.Int(7), step_y), nx = samples(c.Int(8), step_x);
    for (size_t i = 0; i < regions.height; ++i)
      for (size_t j = 0; j < regions.width; ++j)
        for (double a = 0.0; a < ny; a += 1.0)
          for (double b = 0.0; b < nx; b += 1.0) {
            const double py =
                top + step_y * (static_cast<double>(i) + (a + 0.5) / ny);
            const double px =
                left + step_x * (static_cast<double>(j) + (b + 0.5) / nx);
            auto y0 = static_cast<size_t>(py), x0 = static_cast<size_t>(px);
            size_t y1 = y0 + 1, x1 = x0 + 1;
            double fy = py - std::floor(py), fx = px - std::floor(px);
            if (y0 + 1 >= x.h()) y0 = y1 = x.h() - 1, fy = 0.0;
            if (x0 + 1 >= x.w()) x0 = x1 = x.w() - 1, fx = 0.0;
            for (size_t k = 0; k < x.c(); ++k)
              c.out[0].values[y.Index(r, i, j, k)] +=
                  (x.At(n, y0, x0, k) * (1.0 - fy) * (1.0 - fx) +
                   x.At(n, y0, x1, k) * (1.0 - fy) * fx +
                   x.At(n, y1, x0, k) * fy * (1.0 - fx) +
                   x.At(n, y1, x1, k) * fy * fx) /
                  (ny * nx);
          }
  }
  return Status();
}

// Not lowered: the schema has no such operator.
Status RoiPooling(RealCall& c) {
  MUNJA_ASSIGN_OR_RETURN(const Regions regions, ReadRegions(c, 7));
  const Image x(c.in[0], regions.is_nchw), y(c.out[0], regions.is_nchw);
  for (size_t r = 0; r < y.n(); ++r) {
    const double* roi = c.in[1].values.data() + 4 * r;
    const auto n = static_cast<size_t>(c.in[2].values[r]);
    const double left = std::round(roi[0] / c.At(6));
    const double top = std::round(roi[1] / c.At(5));
    const double right = std::round(roi[2] / c.At(6));
    const double bottom = std::round(roi[3] / c.At(5));
    if (!(left >= 0.0 && top >= 0.0 && right <= x.w() && bottom <= x.h()))
      return InvalidArgument("a region outside of the image");
    const double step_y = std::max(bottom - top + 1.0, 1.0) / regions.height;
    const double step_x = std::max(right - left + 1.0, 1.0) / regions.width;
    const auto cut = [](double v, uint32_t extent) {
      return static_cast<size_t>(
          std::clamp(v, 0.0, static_cast<double>(extent)));
    };
    for (size_t i = 0; i < regions.height; ++i)
      for (size_t j = 0; j < regions.width; ++j) {
        const auto row = static_cast<double>(i),
                   column = static_cast<double>(j);
        const size_t y0 = cut(std::floor(step_y * row + top), x.h());
        const size_t y1 = cut(std::ceil(step_y * (row + 1.0) + top), x.h());
        const size_t x0 = cut(std::floor(step_x * column + left), x.w());
        const size_t x1 = cut(std::ceil(step_x * (column + 1.0) + left), x.w());
        for (size_t k = 0; k < x.c(); ++k) {
          double largest = -INFINITY;
          for (size_t a = y0; a < y1; ++a)
            for (size_t b = x0; b < x1; ++b)
              largest = std::max(largest, x.At(n, a, b, k));
          c.out[0].values[y.Index(r, i, j, k)] =
              y0 < y1 && x0 < x1 ? largest : 0.0;
        }
      }
  }
  return Status();
}

// Not lowered: the schema has no such operator.
Status HeatmapMaxKeypoint(RealCall& c) {
  MUNJA_RETURN_IF_ERROR(NeedsImage(c.in[0]));
  const Image x(c.in[0], c.Int(2) != 0);
  const Real& boxes = c.in[1];
  if (x.h() != x.w() || x.h() < 2)
    return InvalidArgument("a map that is not a square of 2 and more");
  if (boxes.rank() != 2 || boxes[0] != x.n() || boxes[1] != 4)
    return InvalidArgument("boxes that are not [n, 4]");
  for (size_t i = 0; i < boxes.values.size(); i += 4)
    if (boxes.values[i] > boxes.values[i + 2] ||
        boxes.values[i + 1] > boxes.values[i + 3])
      return InvalidArgument("a box that ends before it begins");
  MUNJA_RETURN_IF_ERROR(c.Make(0, {x.n(), x.c()}));
  MUNJA_RETURN_IF_ERROR(c.Make(1, {x.n(), x.c(), 2}));
  const auto side = static_cast<int64_t>(x.h());
  const double least = c.in[0].type == MUNJA_NN_TENSOR_FLOAT16 ? 1e-3 : 1e-5;
  for (size_t n = 0; n < x.n(); ++n)
    for (size_t k = 0; k < x.c(); ++k) {
      int64_t row = 0, column = 0;
      const auto at = [&](int64_t i, int64_t j) {
        const auto mirrored = [&](int64_t v) {
          return static_cast<size_t>(v < 0 ? 1 : v >= side ? side - 2 : v);
        };
        return x.At(n, mirrored(i), mirrored(j), k);
      };
      for (int64_t i = 0; i < side; ++i)
        for (int64_t j = 0; j < side; ++j)
          if (at(i, j) > at(row, column)) row = i, column = j;
      const auto near = [&](int64_t i, int64_t j) {
        return at(row + i, column + j);
      };
      const double center = near(0, 0);
      const double bx = (near(0, -1) - near(0, 1)) / 2.0;
      const double by = (near(-1, 0) - near(1, 0)) / 2.0;
      const double axx = near(0, -1) - 2.0 * center + near(0, 1);
      const double ayy = near(-1, 0) - 2.0 * center + near(1, 0);
      const double axy =
          (near(1, 1) - near(1, -1) - near(-1, 1) + near(-1, -1)) / 4.0;
      const double determinant = axx * ayy - axy * axy;
      double dx = 0.0, dy = 0.0, score = center;
      if (!(std::abs(determinant) < least + least * axx * ayy)) {
        dx = (bx * ayy - by * axy) / determinant;
        dy = (by * axx - bx * axy) / determinant;
        const double most = std::max(std::abs(dx), std::abs(dy));
        if (most > 1.5) dx *= 1.5 / most, dy *= 1.5 / most;
        score = center - (bx * dx + by * dy) +
                ((axx * dx + axy * dy) * dx + (axy * dx + ayy * dy) * dy) / 2.0;
      }
      const double* box = boxes.values.data() + 4 * n;
      const size_t index = n * x.c() + k;
      const auto place = [&](double v, double begin, double end) {
        return (v + 0.5) / static_cast<double>(side) * (end - begin) + begin;
      };
      c.out[0].values[index] = score;
      c.out[1].values[2 * index] =
          place(static_cast<double>(column) + dx, box[0], box[2]);
      c.out[1].values[2 * index + 1] =
          place(static_cast<double>(row) + dy, box[1], box[3]);
    }
  return Status();
}

}  // namespace

RealFunction FindRealImageOperation(int32_t type) {
  switch (type) {
    case MUNJA_NN_AVERAGE_POOL_2D:
    case MUNJA_NN_L2_POOL_2D:
    case MUNJA_NN_MAX_POOL_2D:
      return Pool;
    case MUNJA_NN_TRANSPOSE_CONV_2D:
      return TransposeConvolution;
    case MUNJA_NN_INSTANCE_NORMALIZATION:
      return InstanceNormalization;
    case MUNJA_NN_ROI_ALIGN:
      return RoiAlign;
    case MUNJA_NN_ROI_POOLING:
      return RoiPooling;
    case MUNJA_NN_HEATMAP_MAX_KEYPOINT:
      return HeatmapMaxKeypoint;
    default:
      return nullptr;
  }
}

}  // namespace munja::hal
