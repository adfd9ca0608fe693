// Signals, windows, steps of optimizers, columns back to images.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "import/onnx/operators.h"
#include "import/onnx/tensor_reader.h"
#include "import/onnx/writer.h"

namespace munja::foreign::onnx {
namespace {

// The real or imaginary parts of exp(sign * 2 pi i n k / size) / scale.
ValueId Rotation(Writer& w, int64_t rows, int64_t columns, double size,
                 double sign, bool imaginary, double scale) {
  std::vector<float> v;
  for (int64_t n = 0; n < rows; ++n) {
    for (int64_t k = 0; k < columns; ++k) {
      const double a =
          sign * 2 * std::numbers::pi *
          std::fmod(static_cast<double>(n) * static_cast<double>(k), size) /
          size;
      v.push_back(
          static_cast<float>((imaginary ? std::sin(a) : std::cos(a)) * scale));
    }
  }
  return w.Constant(Tensor::Floats({rows, columns}, std::move(v)));
}

// The transform along the last axis of parts that may be absent.
void Transform(Writer& w, ValueId* real, ValueId* imaginary, int64_t n,
               int64_t count, bool inverse) {
  const double sign = inverse ? 1 : -1;
  const double scale = inverse ? 1.0 / static_cast<double>(n) : 1;
  const double size = static_cast<double>(n);
  const ValueId c = Rotation(w, n, count, size, sign, false, scale);
  const ValueId s = Rotation(w, n, count, size, sign, true, scale);
  const auto times = [&](ValueId v, ValueId m) {
    return w.Neutral("MatMul", {v, m});
  };
  ValueId re = times(*real, c), im = times(*real, s);
  if (*imaginary != kNoValue) {
    re = w.Sub(re, times(*imaginary, s));
    im = w.Add(im, times(*imaginary, c));
  }
  *real = re;
  *imaginary = im;
}

}  // namespace

// The discrete Fourier transform along one axis, as products with constants.
Status Fourier(Context& context, const Operator& op) {
  Writer w(context, op);
  ValueId x = w.Need(0);
  const int64_t rank = w.rank(x);
  bool present = false;
  const Int64s length = w.has(1) ? w.Ints("dft_length", 1, &present) : Int64s();
  Int64s axes;
  if (w.has(2)) axes = w.Ints("axis", 2, &present);
  const int64_t axis = w.Axis(
      axes.empty() ? w.Int("axis", w.opset() < 20 ? 1 : -2) : axes[0], rank);
  const bool inverse = w.Int("inverse", 0) != 0;
  const bool half = w.Int("onesided", 0) != 0;
  const Dims d = w.Static(x);
  if (rank < 2 || axis == rank - 1) w.Damaged("axis ", axis);
  if (!w.ok()) return w.Done();
  const int64_t have = d[static_cast<size_t>(axis)];
  const int64_t n = length.empty() ? have : length[0];
  if (n < 1 || n > 4096) w.Refuse("a length of ", n);
  if (!w.ok()) return w.Done();
  if (n < have) x = w.Slice(x, axis, 0, n);
  if (n > have) {
    Int64s pads(2 * d.size(), 0);
    pads[2 * static_cast<size_t>(axis) + 1] = n - have;
    x = w.Tflite(
        "PAD", {x, w.Constant(Tensor::Integers({rank, 2}, pads, kI32))}, kF32);
  }
  // [..., n] for each part.
  Int64s perm, back(static_cast<size_t>(rank));
  for (int64_t i = 0; i < rank - 1; ++i)
    if (i != axis) perm.push_back(i);
  perm.push_back(axis);
  perm.push_back(rank - 1);
  for (size_t i = 0; i < perm.size(); ++i)
    back[static_cast<size_t>(perm[i])] = static_cast<int64_t>(i);
  x = w.Transpose(x, perm);
  ValueId real = w.Squeeze(w.Slice(x, rank - 1, 0, 1), {rank - 1});
  ValueId imaginary = kNoValue;
  if (d.back() == 2)
    imaginary = w.Squeeze(w.Slice(x, rank - 1, 1, 2), {rank - 1});
  Transform(w, &real, &imaginary, n, half ? n / 2 + 1 : n, inverse);
  const ValueId both = w.Concat(
      {w.Unsqueeze(real, {rank - 1}), w.Unsqueeze(imaginary, {rank - 1})},
      rank - 1);
  return w.Done(w.Transpose(both, back));
}

Status ShortTimeFourier(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  bool present = false;
  const Int64s step = w.Ints("frame_step", 1, &present);
  const Int64s given =
      w.has(3) ? w.Ints("frame_length", 3, &present) : Int64s();
  const Dims d = w.Static(x);
  const Dims window = w.has(2) ? w.Static(w.in(2)) : Dims();
  const bool half = w.Int("onesided", 1) != 0;
  if (d.size() != 3 || step.size() != 1 || step[0] < 1 ||
      (given.empty() && window.empty()))
    w.Damaged("a signal of shape ", ToString(d));
  if (!w.ok()) return w.Done();
  const int64_t n = given.empty() ? window[0] : given[0];
  if (n < 1 || n > d[1] || n > 4096) w.Refuse("frames of ", n);
  if (!w.ok()) return w.Done();
  const int64_t frames = (d[1] - n) / step[0] + 1;
  Int64s places;
  for (int64_t f = 0; f < frames; ++f)
    for (int64_t i = 0; i < n; ++i) places.push_back(f * step[0] + i);
  const ValueId index =
      w.Constant(Tensor::Integers({frames, n}, std::move(places), kI32));
  const auto part = [&](int64_t k) {
    const ValueId v = w.Squeeze(w.Slice(x, 2, k, k + 1), {2});
    const ValueId framed = w.Gather(v, index, 1);
    return w.has(2) ? w.Mul(framed, w.in(2)) : framed;
  };
  ValueId real = part(0), imaginary = d[2] == 2 ? part(1) : kNoValue;
  Transform(w, &real, &imaginary, n, half ? n / 2 + 1 : n, false);
  return w.Done(
      w.Concat({w.Unsqueeze(real, {3}), w.Unsqueeze(imaginary, {3})}, 3));
}

// Hann, Hamming and Blackman.
Status SignalWindow(Context& context, const Operator& op) {
  Writer w(context, op);
  bool present = false;
  const Int64s size = w.Ints("size", 0, &present);
  const bool periodic = w.Int("periodic", 1) != 0;
  if (size.size() != 1 || size[0] < 1 || size[0] > (1 << 20))
    w.Damaged("its size");
  if (w.Int("output_datatype", 1) != 1) w.Refuse("another type than float");
  if (!w.ok()) return w.Done();
  const double n = static_cast<double>(periodic ? size[0] : size[0] - 1);
  std::vector<float> v;
  for (int64_t i = 0; i < size[0]; ++i) {
    const double a = 2 * std::numbers::pi * static_cast<double>(i) / n;
    const double y = op.type == "HannWindow" ? 0.5 - 0.5 * std::cos(a)
                     : op.type == "HammingWindow"
                         ? 25.0 / 46 - 21.0 / 46 * std::cos(a)
                         : 0.42 - 0.5 * std::cos(a) + 0.08 * std::cos(2 * a);
    v.push_back(static_cast<float>(y));
  }
  return w.Done(w.Constant(Tensor::Floats({size[0]}, std::move(v))));
}

// Sums of columns where they overlap.
Status ColumnsToImage(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  const Int64s image = w.Ints("image_shape", 1),
               block = w.Ints("block_shape", 2);
  const size_t n = image.size();
  Int64s strides = w.Ints("strides"), dilations = w.Ints("dilations");
  Int64s pads = w.Ints("pads");
  if (strides.empty()) strides.assign(n, 1);
  if (dilations.empty()) dilations.assign(n, 1);
  if (pads.empty()) pads.assign(2 * n, 0);
  const Dims d = w.Static(x);
  if (d.size() != 3 || n == 0 || block.size() != n || strides.size() != n ||
      dilations.size() != n || pads.size() != 2 * n)
    w.Damaged("an input of shape ", ToString(d));
  if (!w.ok()) return w.Done();
  int64_t taps = 1, places = 1, wide = 1;
  Int64s counts, padded;
  for (size_t i = 0; i < n; ++i) {
    padded.push_back(image[i] + pads[i] + pads[i + n]);
    counts.push_back((padded[i] - dilations[i] * (block[i] - 1) - 1) /
                         std::max<int64_t>(strides[i], 1) +
                     1);
    taps *= block[i];
    places *= counts[i];
    wide *= padded[i];
  }
  if (taps < 1 || d[1] % taps != 0 || places != d[2] || wide < 1 ||
      taps * places > (1 << 22))
    w.Damaged("columns of shape ", ToString(d));
  if (!w.ok()) return w.Done();
  // Where each tap of each place lies in the padded image.
  Int64s rows;
  for (int64_t t = 0; t < taps; ++t) {
    for (int64_t p = 0; p < places; ++p) {
      int64_t tap = t, place = p, at = 0, stride = 1;
      for (size_t i = n; i-- > 0;) {
        at += stride *
              (place % counts[i] * strides[i] + tap % block[i] * dilations[i]);
        tap /= block[i];
        place /= counts[i];
        stride *= padded[i];
      }
      rows.push_back(at);
    }
  }
  const int64_t maps = d[0] * (d[1] / taps);
  const ValueId updates =
      w.Transpose(w.Reshape(x, {maps, taps * places}), {1, 0});
  const ValueId zeros = w.Constant(Tensor::Floats(
      {wide, maps},
      std::vector<float>(static_cast<size_t>(wide * maps), 0.0f)));
  graph::Attributes options;
  options.Set("reduction", std::string("add"));
  ValueId y =
      w.Custom("MunjaScatter", {zeros, w.List(rows), updates}, kF32, options);
  Dims dims = {d[0], d[1] / taps};
  Int64s axes, starts, ends;
  for (size_t i = 0; i < n; ++i) {
    dims.push_back(padded[i]);
    axes.push_back(static_cast<int64_t>(i) + 2);
    starts.push_back(pads[i]);
    ends.push_back(pads[i] + image[i]);
  }
  y = w.Reshape(w.Transpose(y, {1, 0}), dims);
  return w.Done(w.Slice(y, axes, starts, ends, Int64s(n, 1)));
}

// Maxima back to where they were.
Status MaxUnpool(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0), indices = w.Need(1);
  const Dims d = w.Static(x);
  const Int64s kernel = w.Ints("kernel_shape");
  Int64s strides = w.Ints("strides"), pads = w.Ints("pads");
  const size_t n = kernel.size();
  if (strides.empty()) strides.assign(n, 1);
  if (pads.empty()) pads.assign(2 * n, 0);
  if (d.size() != n + 2 || strides.size() != n || pads.size() != 2 * n)
    w.Damaged("an input of shape ", ToString(d));
  if (!w.ok()) return w.Done();
  Dims natural = {d[0], d[1]};
  int64_t whole = d[0] * d[1], count = d[0] * d[1];
  for (size_t i = 0; i < n; ++i) {
    natural.push_back((d[2 + i] - 1) * strides[i] + kernel[i] - pads[i] -
                      pads[i + n]);
    count *= d[2 + i];
  }
  Dims to = natural;
  bool present = false;
  if (w.has(2)) to = w.Ints("output_shape", 2, &present);
  if (to.size() != d.size()) w.Damaged("its output_shape");
  if (!w.ok()) return w.Done();
  // The places are those of the natural size; what is more is zero.
  Int64s behind(2 * d.size(), 0);
  for (size_t i = 0; i < d.size(); ++i) {
    if (to[i] < natural[i]) w.Refuse("to a smaller map");
    behind[2 * i + 1] = to[i] - natural[i];
  }
  whole = 1;
  for (const int64_t v : natural) whole *= v;
  if (whole < 1 || whole > (1 << 22)) w.Refuse("so large a map");
  if (!w.ok()) return w.Done();
  const ValueId zeros = w.Constant(Tensor::Floats(
      {whole, 1}, std::vector<float>(static_cast<size_t>(whole), 0.0f)));
  graph::Attributes options;
  options.Set("reduction", std::string("none"));
  const ValueId y = w.Custom("MunjaScatter",
                             {zeros, w.Reshape(w.Cast(indices, kI32), {count}),
                              w.Reshape(x, {count, 1})},
                             kF32, options);
  const ValueId map = w.Reshape(y, natural);
  if (to == natural) return w.Done(map);
  const ValueId paddings = w.Constant(Tensor::Integers(
      {static_cast<int64_t>(d.size()), 2}, std::move(behind), kI32));
  return w.Done(w.Tflite("PAD", {map, paddings}, kF32));
}

// Places of a grid under an affine map.
Status AffineGrid(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId theta = w.Need(0);
  bool present = false;
  const Int64s size = w.Ints("size", 1, &present);
  const bool corners = w.Int("align_corners", 0) != 0;
  const size_t n = size.size() < 2 ? 0 : size.size() - 2;
  if (n != 2 && n != 3) w.Damaged("its size");
  if (!w.ok()) return w.Done();
  int64_t count = 1;
  for (size_t i = 0; i < n; ++i) count *= size[2 + i];
  if (count < 1 || count > (1 << 20)) w.Refuse("so large a grid");
  if (!w.ok()) return w.Done();
  // Rows x, y, (z,) 1 of each place.
  std::vector<float> places(static_cast<size_t>(count) * (n + 1), 1.0f);
  for (int64_t at = 0; at < count; ++at) {
    int64_t rest = at;
    for (size_t i = n; i-- > 0;) {
      const int64_t extent = size[2 + i], k = rest % extent;
      rest /= extent;
      const double e = static_cast<double>(extent), p = static_cast<double>(k);
      const double v = corners ? (extent == 1 ? 0 : -1 + 2 * p / (e - 1))
                               : (2 * p + 1) / e - 1;
      places[(n - 1 - i) * static_cast<size_t>(count) +
             static_cast<size_t>(at)] = static_cast<float>(v);
    }
  }
  const ValueId grid = w.Neutral(
      "MatMul",
      {theta, w.Constant(Tensor::Floats({static_cast<int64_t>(n) + 1, count},
                                        std::move(places)))});
  Dims to = {size[0]};
  for (size_t i = 0; i < n; ++i) to.push_back(size[2 + i]);
  to.push_back(static_cast<int64_t>(n));
  return w.Done(w.Reshape(w.Transpose(grid, {0, 2, 1}), to));
}

}  // namespace munja::foreign::onnx
