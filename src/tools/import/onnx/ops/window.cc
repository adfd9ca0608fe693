// Convolutions and pooling in any number of dimensions.
#include <algorithm>
#include <limits>
#include <string>

#include "import/onnx/operators.h"
#include "import/onnx/writer.h"

namespace munja::importer::onnx {
namespace {

constexpr int64_t kMaxTaps = 4096;

// Window parameters of the spatial axes, which must be static.
struct Spatial {
  Int64s in, kernel, strides, dilations, before, after, out;
};

Int64s OrOnes(Int64s v, size_t n) {
  if (v.empty()) v.assign(n, 1);
  return v;
}

Spatial ReadSpatial(Writer& w, ValueId x, Int64s kernel) {
  Spatial s;
  const Dims d = w.Static(x);
  if (d.size() < 3) w.Damaged("an input of shape ", ToString(d));
  if (!w.ok()) return s;
  const size_t n = d.size() - 2;
  s.in.assign(d.begin() + 2, d.end());
  s.kernel = std::move(kernel);
  s.strides = OrOnes(w.Ints("strides"), n);
  s.dilations = OrOnes(w.Ints("dilations"), n);
  Int64s pads = w.Ints("pads");
  if (pads.empty()) pads.assign(2 * n, 0);
  const std::string mode = w.Text("auto_pad", "NOTSET");
  const bool ceil = w.Int("ceil_mode", 0) != 0;
  if (s.kernel.size() != n || s.strides.size() != n ||
      s.dilations.size() != n || pads.size() != 2 * n)
    w.Damaged("a window of other dimensions than the input's");
  for (const Int64s* list : {&s.kernel, &s.strides, &s.dilations})
    for (const int64_t v : *list)
      if (v < 1 || v > (1 << 20)) w.Damaged("a window of ", v);
  for (const int64_t p : pads)
    if (p < 0 || p > (1 << 20)) w.Damaged("padding of ", p);
  if (!w.ok()) return s;
  for (size_t i = 0; i < n; ++i) {
    const int64_t extent = (s.kernel[i] - 1) * s.dilations[i] + 1;
    const int64_t stride = s.strides[i];
    int64_t out = 0, before = 0, after = 0;
    if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
      out = (s.in[i] + stride - 1) / stride;
      const int64_t total =
          std::max<int64_t>(0, (out - 1) * stride + extent - s.in[i]);
      before = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
      after = total - before;
    } else {
      if (mode != "VALID") {
        before = pads[i];
        after = pads[i + n];
      }
      const int64_t room = s.in[i] + before + after - extent;
      if (room < 0) w.Damaged("a window larger than the input");
      out = (room + (ceil ? stride - 1 : 0)) / stride + 1;
      if (ceil && (out - 1) * stride >= s.in[i] + before) --out;
    }
    s.before.push_back(before);
    s.after.push_back(after);
    s.out.push_back(out);
  }
  return s;
}

// Pads each axis from 2 on; negative padding at the end crops.
ValueId PadTo(Writer& w, ValueId x, const Int64s& before, const Int64s& after,
              double value) {
  if (!w.ok()) return kNoValue;
  Int64s pads(2 * w.shape(x).size(), 0);
  bool fills = false;
  for (size_t i = 0; i < before.size(); ++i) {
    pads[2 * (i + 2)] = before[i];
    pads[2 * (i + 2) + 1] = std::max<int64_t>(after[i], 0);
    fills = fills || before[i] > 0 || after[i] > 0;
  }
  if (!fills) return x;
  const ValueId paddings = w.Constant(
      Tensor::Integers({w.rank(x), 2}, std::move(pads), ElementType::kInt32));
  if (value == 0) return w.Tflite("PAD", {x, paddings}, w.type(x));
  const ValueId with =
      w.Constant(Tensor::Floats({1}, {static_cast<float>(value)}));
  return w.Tflite("PADV2", {x, paddings, with}, w.type(x));
}

// Every tap of a window along one axis of the padded input, combined.
ValueId Taps(Writer& w, ValueId x, const Spatial& s, size_t i, const char* op) {
  if (s.kernel[i] == 1 && s.strides[i] == 1) return x;
  const int64_t axis = static_cast<int64_t>(i) + 2;
  ValueId sum = kNoValue;
  for (int64_t k = 0; k < s.kernel[i]; ++k) {
    const int64_t from = k * s.dilations[i];
    const ValueId tap =
        w.Slice(x, {axis}, {from}, {from + (s.out[i] - 1) * s.strides[i] + 1},
                {s.strides[i]});
    sum = k == 0 ? tap : w.Binary(op, sum, tap);
  }
  return sum;
}

ValueId Separable(Writer& w, ValueId x, const Spatial& s, const char* op,
                  double padding) {
  int64_t taps = 0;
  Int64s after;
  for (size_t i = 0; i < s.in.size(); ++i) {
    taps += s.kernel[i];
    // The padding at the end reaches the end of the last window.
    after.push_back((s.out[i] - 1) * s.strides[i] +
                    (s.kernel[i] - 1) * s.dilations[i] + 1 - s.in[i] -
                    s.before[i]);
  }
  if (taps > kMaxTaps) w.Refuse("so large a window");
  x = PadTo(w, x, s.before, after, padding);
  for (size_t i = 0; i < s.in.size() && w.ok(); ++i) x = Taps(w, x, s, i, op);
  return x;
}

// The element count of each window, with padding or without.
ValueId Counts(Writer& w, const Spatial& s, bool include_padding) {
  if (!w.ok()) return kNoValue;
  Dims dims = {1, 1};
  int64_t total = 1;
  for (const int64_t n : s.out) {
    dims.push_back(n);
    total *= n;
  }
  if (total > (1 << 22)) w.Refuse("so large a map");
  if (!w.ok()) return kNoValue;
  std::vector<float> counts;
  for (int64_t at = 0; at < total; ++at) {
    int64_t rest = at;
    double count = 1;
    for (size_t i = s.out.size(); i-- > 0;) {
      const int64_t o = rest % s.out[i];
      rest /= s.out[i];
      int64_t inside = 0;
      for (int64_t k = 0; k < s.kernel[i]; ++k) {
        const int64_t p = o * s.strides[i] + k * s.dilations[i] - s.before[i];
        inside += include_padding
                      ? p >= -s.before[i] && p < s.in[i] + s.after[i]
                      : p >= 0 && p < s.in[i];
      }
      count *= static_cast<double>(inside);
    }
    counts.push_back(static_cast<float>(1 / std::max(count, 1.0)));
  }
  return w.Constant(Tensor::Floats(dims, std::move(counts)));
}

// Whether the neutral operator covers it: planes of floats without dilation or
// ceil mode, averages that exclude padding.
bool IsPlain(const Writer& w, const Operator& op, ValueId x) {
  const size_t rank = w.shape(x).size();
  if ((rank != 3 && rank != 4) || !w.is_float(x) || w.wants(1)) return false;
  const auto list = [&](const char* name) {
    return op.attributes.Ints(name).ok() ? *op.attributes.Ints(name) : Int64s();
  };
  for (const int64_t d : list("dilations"))
    if (d != 1) return false;
  const bool ceil = op.attributes.Int("ceil_mode", 0).ok() &&
                    *op.attributes.Int("ceil_mode", 0) != 0;
  bool padded = false;
  for (const int64_t p : list("pads")) padded = padded || p != 0;
  const auto mode = op.attributes.Text("auto_pad", "NOTSET");
  const bool automatic = mode.ok() && mode->starts_with("SAME");
  if (!IsStatic(w.shape(x))) return true;  // Only that can be free.
  if (ceil && padded) return false;
  if (op.type == "MaxPool") return true;
  const bool include = op.attributes.Int("count_include_pad", 0).ok() &&
                       *op.attributes.Int("count_include_pad", 0) != 0;
  if (ceil || (automatic && (include || *mode == "SAME_LOWER"))) return false;
  if (!padded || include) return true;
  // SAME of a stride of one leaves the padding out, too.
  const Int64s kernel = list("kernel_shape"), pads = list("pads");
  for (const int64_t s : list("strides"))
    if (s != 1) return false;
  for (size_t i = 0; i < kernel.size() && i + kernel.size() < pads.size(); ++i)
    if (pads[i] != (kernel[i] - 1) / 2 ||
        pads[i] + pads[i + kernel.size()] != kernel[i] - 1)
      return false;
  return true;
}

}  // namespace

Status AnyPool(Context& context, const Operator& op) {
  Writer w(context, op);
  ValueId x = w.Need(0);
  if (w.ok() && op.type != "LpPool" && IsPlain(w, op, x))
    return Pool(context, op);
  if (w.wants(1)) w.Refuse("the indices of the maxima");
  const Spatial s = ReadSpatial(w, x, w.Ints("kernel_shape"));
  if (!w.ok()) return w.Done();
  const ElementType own = w.type(x);
  x = w.Cast(x, kF32);
  if (op.type == "MaxPool")
    return w.Done(w.Cast(
        Separable(w, x, s, "Max", std::numeric_limits<float>::lowest()), own));
  if (op.type == "AveragePool" && w.Int("count_include_pad", 0) != 0)
    for (size_t i = 0; i < s.out.size(); ++i)
      if ((s.out[i] - 1) * s.strides[i] + (s.kernel[i] - 1) * s.dilations[i] +
              1 >
          s.in[i] + s.before[i] + s.after[i])
        w.Refuse("windows that reach beyond padding that counts");
  if (op.type == "AveragePool")
    return w.Done(w.Mul(Separable(w, x, s, "Add", 0),
                        Counts(w, s, w.Int("count_include_pad", 0) != 0)));
  const double p = static_cast<double>(w.Int("p", 2));
  const ValueId powers = p == 2
                             ? w.Unary("Square", x)
                             : w.Binary("Pow", w.Unary("Abs", x), w.Scalar(p));
  const ValueId sum = Separable(w, powers, s, "Add", 0);
  return w.Done(p == 2 ? w.Unary("Sqrt", sum)
                       : w.Binary("Pow", sum, w.Scalar(1 / p)));
}

Status GlobalLpPool(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  Int64s axes;
  for (int64_t i = 2; i < w.rank(x); ++i) axes.push_back(i);
  const double p = static_cast<double>(w.Int("p", 2));
  const ValueId powers = w.Binary("Pow", w.Unary("Abs", x), w.Scalar(p));
  return w.Done(
      w.Binary("Pow", w.Reduce("SUM", powers, axes, true), w.Scalar(1 / p)));
}

// Three dimensions: the sum over the depth of the kernel of convolutions of
// planes.
Status AnyConvolution(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0), weights = w.Need(1);
  if (w.rank(x) != 5) return Convolution(context, op);
  const Dims d = w.Static(x), k = w.Static(weights);
  if (k.size() != 5) w.Damaged("weights of shape ", ToString(k));
  if (!w.ok()) return w.Done();
  const Spatial s = ReadSpatial(w, x, {k[2], k[3], k[4]});
  if (k[2] > 64) w.Refuse("so deep a kernel");
  if (!w.ok()) return w.Done();
  const ValueId deep =
      PadTo(w, x, {s.before[0], 0, 0},
            {std::max<int64_t>(0, (s.out[0] - 1) * s.strides[0] +
                                      (k[2] - 1) * s.dilations[0] + 1 -
                                      s.in[0] - s.before[0]),
             0, 0},
            0);
  ValueId sum = kNoValue;
  for (int64_t i = 0; i < k[2] && w.ok(); ++i) {
    const int64_t from = i * s.dilations[0];
    const ValueId planes =
        w.Slice(deep, {2}, {from}, {from + (s.out[0] - 1) * s.strides[0] + 1},
                {s.strides[0]});
    const ValueId images = w.Reshape(w.Transpose(planes, {0, 2, 1, 3, 4}),
                                     {d[0] * s.out[0], d[1], d[3], d[4]});
    const ValueId kernel = w.Squeeze(w.Slice(weights, 2, i, i + 1), {2});
    const ValueId y = w.Neutral(
        "Conv", {images, kernel},
        {{"strides", Int64s{s.strides[1], s.strides[2]}},
         {"dilations", Int64s{s.dilations[1], s.dilations[2]}},
         {"pads", Int64s{s.before[1], s.before[2], s.after[1], s.after[2]}},
         {"group", w.Int("group", 1)}});
    sum = i == 0 ? y : w.Add(sum, y);
  }
  ValueId y =
      w.Transpose(w.Reshape(sum, {d[0], s.out[0], k[0], s.out[1], s.out[2]}),
                  {0, 2, 1, 3, 4});
  if (w.has(2)) y = w.Add(y, w.Reshape(w.in(2), {k[0], 1, 1, 1}));
  return w.Done(y);
}

// Without padding, in one group; cut or filled to its size afterwards.
Status TransposedConvolution(Context& context, const Operator& op) {
  Writer w(context, op);
  ValueId x = w.Need(0), weights = w.Need(1);
  const int64_t group = w.Int("group", 1);
  bool dilated = false;
  for (const int64_t v : w.Ints("dilations")) dilated = dilated || v != 1;
  const std::string mode = w.Text("auto_pad", "NOTSET");
  const size_t rank = w.shape(x).size();
  if (w.ok() && !IsStatic(w.shape(x))) return Convolution(context, op);
  const Dims d = w.Static(x), k = w.Static(weights);
  if ((rank != 3 && rank != 4) || k.size() != rank)
    w.Refuse("an input of shape ", ToString(d));
  if (!w.ok()) return w.Done();
  const size_t n = rank - 2;
  Int64s strides = OrOnes(w.Ints("strides"), n);
  Int64s dilations = OrOnes(w.Ints("dilations"), n);
  Int64s extra = w.Ints("output_padding"), pads = w.Ints("pads");
  const Int64s wanted = w.Ints("output_shape");
  if (extra.empty()) extra.assign(n, 0);
  if (pads.empty() || mode == "VALID") pads.assign(2 * n, 0);
  if (strides.size() != n || dilations.size() != n || extra.size() != n ||
      pads.size() != 2 * n || (!wanted.empty() && wanted.size() < n))
    w.Damaged("a window of other dimensions than the input's");
  if (!w.ok()) return w.Done();
  Int64s full;
  bool plain = group == 1 && !dilated && wanted.empty();
  for (size_t i = 0; i < n; ++i) {
    const int64_t extent = (k[2 + i] - 1) * dilations[i] + 1;
    full.push_back((d[2 + i] - 1) * strides[i] + extent);
    int64_t total = -1;
    if (!wanted.empty())
      total = full[i] + extra[i] - wanted[wanted.size() - n + i];
    else if (mode.starts_with("SAME"))
      total = full[i] + extra[i] - d[2 + i] * strides[i];
    if (!wanted.empty() || mode.starts_with("SAME")) {
      // Missing elements are added at the end.
      const int64_t cut = std::max<int64_t>(total, 0);
      const int64_t before = mode == "SAME_UPPER" ? cut / 2 : cut - cut / 2;
      pads[i] = before;
      pads[i + n] = total - before;
    }
    plain = plain && pads[i] == 0 && pads[i + n] == 0 && extra[i] == 0;
  }
  const bool as_same =
      group == 1 && !dilated && wanted.empty() && mode == "NOTSET" && [&] {
        for (size_t i = 0; i < n; ++i) {
          const int64_t cut = k[2 + i] - strides[i];
          if (cut < 0 || pads[i] != cut / 2 ||
              pads[i] + pads[i + n] != cut + extra[i])
            return false;
        }
        return true;
      }();
  if (plain || as_same) return Convolution(context, op);
  if (n == 1) {  // As an image of height 1.
    x = w.Unsqueeze(x, {2});
    weights = w.Unsqueeze(weights, {2});
    strides.insert(strides.begin(), 1);
    dilations.insert(dilations.begin(), 1);
  }
  if (dilated) {  // Zeros between the taps.
    const Tensor* t = w.constant(weights);
    if (t == nullptr) w.Refuse("dilated weights computed at run time");
    if (!w.ok()) return w.Done();
    const Dims& s = t->shape;
    const int64_t h = (s[2] - 1) * dilations[0] + 1;
    const int64_t v = (s[3] - 1) * dilations[1] + 1;
    if (h * v * s[0] * s[1] > (1 << 24)) w.Refuse("so large a kernel");
    if (!w.ok()) return w.Done();
    Tensor wide = Tensor::Floats(
        {s[0], s[1], h, v},
        std::vector<float>(static_cast<size_t>(s[0] * s[1] * h * v), 0.0f));
    for (int64_t p = 0; p < s[0] * s[1]; ++p)
      for (int64_t a = 0; a < s[2]; ++a)
        for (int64_t b = 0; b < s[3]; ++b)
          wide.floats[(p * h + a * dilations[0]) * v + b * dilations[1]] =
              t->floats[(p * s[2] + a) * s[3] + b];
    weights = w.Constant(std::move(wide));
  }
  if (group < 1 || d[1] % group != 0) w.Damaged(group, " groups");
  if (!w.ok()) return w.Done();
  Values parts;
  const int64_t own = d[1] / group;
  for (int64_t g = 0; g < group && w.ok(); ++g) {
    const ValueId from = group == 1 ? x : w.Slice(x, 1, g * own, (g + 1) * own);
    const ValueId with =
        group == 1 ? weights : w.Slice(weights, 0, g * own, (g + 1) * own);
    parts.push_back(w.Neutral("ConvTranspose", {from, with},
                              {{"strides", strides}, {"group", int64_t{1}}}));
  }
  ValueId y = w.Concat(parts, 1);
  if (n == 1) y = w.Squeeze(y, {2});
  Int64s none(n, 0), more, axes, starts, ends;
  for (size_t i = 0; i < n; ++i) {
    more.push_back(std::max<int64_t>(extra[i], 0) +
                   std::max<int64_t>(-pads[i + n], 0));
    axes.push_back(static_cast<int64_t>(i) + 2);
    starts.push_back(pads[i]);
    ends.push_back(full[i] + extra[i] - pads[i + n]);
  }
  y = w.Slice(PadTo(w, y, none, more, 0), axes, starts, ends, Int64s(n, 1));
  if (w.has(2)) {
    Dims dims(rank - 1, 1);
    dims[0] = w.ok() ? w.shape(w.in(2))[0] : 1;
    y = w.Add(y, w.Reshape(w.in(2), dims));
  }
  return w.Done(y);
}

}  // namespace munja::importer::onnx
