// Fourier transforms and windows of signals.
#include <cmath>
#include <numbers>

#include "import/onnx/operators.h"
#include "import/onnx/writer.h"

namespace munja::importer::onnx {
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
  if (w.Int("output_datatype", 1) != 1) w.Refuse("a type other than float");
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

}  // namespace munja::importer::onnx
