// Sampling at computed positions, and blocks of pixels.
#include <algorithm>
#include <string>
#include <utility>

#include "import/onnx/operators.h"
#include "import/onnx/writer.h"

namespace munja::importer::onnx {

Status GridSample(Context& context, const Operator& op) {
  Writer w(context, op);
  const std::string mode = w.Text("mode", "linear");
  graph::Attributes options;
  options.Set("mode", mode == "bilinear"  ? std::string("linear")
                      : mode == "bicubic" ? std::string("cubic")
                                          : mode);
  options.Set("padding", w.Text("padding_mode", "zeros"));
  options.Set("align_corners", w.Int("align_corners", 0));
  const ValueId y =
      w.Custom("MunjaGridSample", {w.Need(0), w.Need(1)}, kF32, options);
  return w.Done(y);
}

Status DeformConv(Context& context, const Operator& op) {
  Writer w(context, op);
  if (w.rank(w.Need(0)) != 4)
    w.Refuse("maps of shape ", ToString(w.shape(w.in(0))));
  graph::Attributes options;
  for (const char* name : {"strides", "dilations", "pads"})
    if (op.attributes.Has(name)) options.Set(name, w.Ints(name));
  options.Set("group", w.Int("group", 1));
  options.Set("offset_group", w.Int("offset_group", 1));
  Values inputs = {w.in(0), w.Need(1), w.Need(2), w.in(3), w.in(4)};
  while (inputs.back() == kNoValue && inputs.size() > 3) inputs.pop_back();
  return w.Done(w.Custom("MunjaDeformConv", std::move(inputs), kF32, options));
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
  // The position of each tap of each window in the padded image.
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
  // The positions are those of the natural size; the rest is zero.
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
  // Rows x, y, (z,) 1 of each position.
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

}  // namespace munja::importer::onnx
