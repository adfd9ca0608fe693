// Matrix products and quantized values.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "import/onnx/operators.h"
#include "import/onnx/tensor_reader.h"
#include "import/onnx/writer.h"

namespace munja::importer::onnx {
namespace {

// Sums of products of 8-bit integers are exact in floats up to this many terms.
constexpr int64_t kExactTerms = 257, kExactHalves = 4096;

// Operands of one axis are rows or columns.
ValueId Product(Writer& w, ValueId a, ValueId b) {
  if (!w.ok()) return kNoValue;
  const bool row = w.rank(a) == 1, column = w.rank(b) == 1;
  if (w.rank(a) == 0 || w.rank(b) == 0) w.Damaged("an operand is a scalar");
  if (row) a = w.Unsqueeze(a, {0});
  if (column) b = w.Unsqueeze(b, {1});
  ValueId y = w.Neutral("MatMul", {a, b});
  Int64s gone;
  if (row) gone.push_back(-2);
  if (column) gone.push_back(-1);
  return gone.empty() ? y : w.Squeeze(y, gone);
}

struct Bounds {
  double low, high;
};

Bounds RangeOf(ElementType type) {
  switch (type) {
    case ElementType::kInt8:
      return {-128, 127};
    case ElementType::kInt16:
      return {-32768, 32767};
    case ElementType::kUInt16:
      return {0, 65535};
    case ElementType::kInt32:
      return {-2147483648.0, 2147483520.0};
    default:
      return {0, 255};
  }
}

// A parameter with one value, or with one for each position along an axis.
ValueId Along(Writer& w, ValueId v, int64_t axis, int64_t rank) {
  if (!w.ok() || w.rank(v) == 0) return v;
  if (w.shape(v) == Dims{1}) return w.Reshape(v, {});
  Dims dims(static_cast<size_t>(rank), 1);
  dims[static_cast<size_t>(axis)] = w.shape(v)[0];
  return w.Reshape(v, dims);
}

// Or for each block along it.
ValueId Spread(Writer& w, ValueId v, ValueId x, int64_t axis, int64_t block) {
  if (!w.ok() || block == 0 || w.rank(v) != w.rank(x))
    return Along(w, v, axis, w.rank(x));
  Dims wide = w.Static(v), dims = wide;
  wide.insert(wide.begin() + axis + 1, 1);
  Dims to = wide;
  to[static_cast<size_t>(axis) + 1] = block;
  dims[static_cast<size_t>(axis)] *= block;
  return w.Reshape(w.Expand(w.Reshape(v, wide), to), dims);
}

// The one scale and zero point that are constants, if they are.
std::optional<StoredValue> Scheme(const Writer& w, ValueId scale,
                                  ValueId zero) {
  if (!w.ok()) return {};
  const Tensor* s = w.constant(scale);
  const Tensor* z = zero == kNoValue ? nullptr : w.constant(zero);
  if (s == nullptr || s->is_integer || s->elements() != 1 ||
      !(s->floats[0] > 0) || !std::isfinite(s->floats[0]))
    return {};
  if (zero == kNoValue) return StoredValue{kNoValue, s->floats[0], 0};
  if (z == nullptr || !z->is_integer || z->elements() != 1) return {};
  return StoredValue{kNoValue, s->floats[0], z->integers[0]};
}

// For integers quantized this way, returns the original values rounded to them:
// the pair tells an integer operator next to it what to compute with.
ValueId Restored(Context& context, Writer& w, ValueId x, ValueId scale,
                 ValueId zero) {
  const auto made = context.stored.find(x);
  const auto wanted = Scheme(w, scale, zero);
  if (made == context.stored.end() || !wanted ||
      wanted->scale != made->second.scale || wanted->zero != made->second.zero)
    return kNoValue;
  const auto [it, is_new] = context.restored.try_emplace(x, kNoValue);
  const Bounds range = RangeOf(w.type(x));
  if (is_new)
    it->second = w.Neutral("FakeQuantize", {made->second.real},
                           {{"scale", double{wanted->scale}},
                            {"zero", static_cast<double>(wanted->zero)},
                            {"min", range.low},
                            {"max", range.high}});
  return it->second;
}

ValueId ToReal(Context& context, Writer& w, ValueId x, ValueId scale,
               ValueId zero, int64_t axis, int64_t block) {
  if (const ValueId y = Restored(context, w, x, scale, zero); y != kNoValue)
    return y;
  ValueId y = w.Cast(x, kF32);
  if (zero != kNoValue)
    y = w.Sub(y, Spread(w, w.Cast(zero, kF32), x, axis, block));
  return w.Mul(y, Spread(w, scale, x, axis, block));
}

ValueId ToStored(Context& context, Writer& w, ValueId x, ValueId scale,
                 ValueId zero, ElementType to, int64_t axis, int64_t block) {
  const ValueId real = x;
  ValueId y = w.Tflite("ROUND", {w.Div(x, Spread(w, scale, x, axis, block))},
                       kF32, {}, true);
  if (zero != kNoValue)
    y = w.Add(y, Spread(w, w.Cast(zero, kF32), x, axis, block));
  const Bounds range = RangeOf(to);
  y = w.Neutral("Clip", {y}, {{"min", range.low}, {"max", range.high}});
  y = w.Cast(y, to);
  const bool is_byte = to == ElementType::kInt8 || to == ElementType::kUInt8;
  if (auto scheme = Scheme(w, scale, zero); scheme && is_byte) {
    scheme->real = real;
    context.stored[y] = *scheme;
  }
  return y;
}

// Exact sums: large ones in two halves.
ValueId IntegerProduct(Writer& w, ValueId a, ValueId b) {
  if (!w.ok()) return kNoValue;
  const int64_t terms = w.shape(a).empty() ? 1 : w.shape(a).back();
  if (terms >= 0 && terms <= kExactTerms) return w.Cast(Product(w, a, b), kI32);
  if (terms < 0 || terms > kExactHalves)
    w.Refuse("too many integer products in a sum");
  const ValueId high = w.Unary("Floor", w.Mul(a, 1.0 / 16));
  const ValueId low = w.Sub(a, w.Mul(high, 16.0));
  return w.Add(w.Mul(w.Cast(Product(w, high, b), kI32), 16.0),
               w.Cast(Product(w, low, b), kI32));
}

// An integer less its zero point, as float.
ValueId Shifted(Writer& w, ValueId x, ValueId zero, int64_t axis) {
  const ValueId y = w.Cast(x, kF32);
  if (zero == kNoValue) return y;
  return w.Sub(y, Along(w, w.Cast(zero, kF32), axis, w.rank(x)));
}

}  // namespace

Status MatMulAny(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId a = w.Need(0), b = w.Need(1);
  if (w.is_float(a)) return w.Done(Product(w, a, b));
  w.Refuse("of integers");
  return w.Done();
}

Status MatMulInteger(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId a = w.Need(0), b = w.Need(1);
  return w.Done(IntegerProduct(w, Shifted(w, a, w.in(2), w.rank(a) - 2),
                               Shifted(w, b, w.in(3), w.rank(b) - 1)));
}

Status QLinearMatMul(Context& context, const Operator& op) {
  Writer w(context, op);
  for (size_t i = 0; i < 8; ++i) w.Need(i);
  const ValueId a = w.in(0), b = w.in(3);
  const ValueId y =
      Product(w, ToReal(context, w, a, w.in(1), w.in(2), w.rank(a) - 2, 0),
              ToReal(context, w, b, w.in(4), w.in(5), w.rank(b) - 1, 0));
  return w.Done(
      ToStored(context, w, y, w.in(6), w.in(7), w.type(w.in(7)), 0, 0));
}

Status DequantizeLinear(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0);
  const int64_t rank = w.rank(x);
  const int64_t axis =
      rank > 0 ? w.Axis(w.rank(w.Need(1)) > 0 ? w.Int("axis", 1) : 0, rank) : 0;
  return w.Done(
      ToReal(context, w, x, w.Need(1), w.in(2), axis, w.Int("block_size", 0)));
}

Status QuantizeLinear(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Cast(w.Need(0), kF32);
  const int64_t rank = w.rank(x);
  const int64_t axis =
      rank > 0 ? w.Axis(w.rank(w.Need(1)) > 0 ? w.Int("axis", 1) : 0, rank) : 0;
  ElementType to = w.has(2) ? w.type(w.in(2)) : ElementType::kUInt8;
  if (!w.has(2) && op.attributes.Has("output_dtype")) {
    const auto type =
        ReadElementType(static_cast<int>(w.Int("output_dtype", 2)));
    if (!type) w.Refuse("this output_dtype");
    to = type.value_or(to);
  }
  return w.Done(ToStored(context, w, x, w.Need(1), w.in(2), to, axis,
                         w.Int("block_size", 0)));
}

// To uint8, over a range that holds zero.
Status DynamicQuantizeLinear(Context& context, const Operator& op) {
  Writer w(context, op);
  const ValueId x = w.Need(0), zero = w.Scalar(0);
  const ValueId high =
      w.Binary("Max", w.Reduce("REDUCE_MAX", x, {}, false), zero);
  const ValueId low =
      w.Binary("Min", w.Reduce("REDUCE_MIN", x, {}, false), zero);
  const ValueId scale = w.Mul(w.Sub(high, low), 1.0 / 255);
  const ValueId point =
      w.Tflite("ROUND",
               {w.Neutral("Clip", {w.Div(w.Sub(zero, low), scale)},
                          {{"min", 0.0}, {"max", 255.0}})},
               kF32, {}, true);
  w.Set(1, scale);
  w.Set(2, w.Cast(point, ElementType::kUInt8));
  return w.Done(
      ToStored(context, w, x, scale, point, ElementType::kUInt8, 0, 0));
}

Status GemmAny(Context& context, const Operator& op) {
  Writer w(context, op);
  ValueId a = w.Need(0), b = w.Need(1);
  if (w.rank(a) != 2 || w.rank(b) != 2) w.Damaged("operands are no matrices");
  if (w.Int("transA", 0) != 0) a = w.Transpose(a, {1, 0});
  if (w.Int("transB", 0) != 0) b = w.Transpose(b, {1, 0});
  const double alpha = w.Float("alpha", 1), beta = w.Float("beta", 1);
  if (!w.is_float(a)) w.Refuse("of integers");
  // Constants take the factor when the model is written.
  if (alpha != 1) {
    if (w.constant(a) != nullptr)
      a = w.Mul(a, alpha);
    else
      b = w.Mul(b, alpha);
  }
  ValueId y = w.Neutral("MatMul", {a, b});
  if (w.has(2) && beta != 0) {
    const ValueId c = beta == 1 ? w.in(2) : w.Mul(w.in(2), beta);
    y = w.Add(y, c);
  }
  return w.Done(y);
}

// ---- Einsum ----
namespace {

struct Term {
  ValueId value = kNoValue;
  std::string labels;
};

// Labels of an ellipsis are small letters of their own: '0', '1', ...
std::string Labels(const std::string& text, size_t rank) {
  std::string labels;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') continue;
    if (text[i] != '.') {
      labels += text[i];
      continue;
    }
    size_t letters = 0;
    for (const char c : text)
      letters += std::isalpha(static_cast<unsigned char>(c)) != 0;
    const size_t many = rank > letters ? rank - letters : 0;
    for (size_t k = 0; k < many; ++k)
      labels += static_cast<char>('0' + (8 - many) + k);
    i += 2;
  }
  return labels;
}

// A label that occurs twice: the diagonal.
void Diagonal(Writer& w, Term* t) {
  for (size_t i = 0; w.ok() && i < t->labels.size(); ++i) {
    const size_t j = t->labels.find(t->labels[i], i + 1);
    if (j == t->labels.npos) continue;
    // Both to the end, flattened; every (n + 1)-th element.
    Int64s perm;
    std::string rest;
    for (size_t k = 0; k < t->labels.size(); ++k) {
      if (k == i || k == j) continue;
      perm.push_back(static_cast<int64_t>(k));
      rest += t->labels[k];
    }
    perm.push_back(static_cast<int64_t>(i));
    perm.push_back(static_cast<int64_t>(j));
    Dims dims;
    const Dims from = w.Static(t->value);
    for (size_t k = 0; k + 2 < perm.size(); ++k)
      dims.push_back(from[static_cast<size_t>(perm[k])]);
    const int64_t n = from[i];
    dims.push_back(n * n);
    const int64_t last = static_cast<int64_t>(dims.size()) - 1;
    t->value = w.Slice(w.Reshape(w.Transpose(t->value, perm), dims), {last},
                       {0}, {n * n}, {n + 1});
    t->labels = rest + t->labels[i];
    i = static_cast<size_t>(-1);
  }
}

// Permutes the axes to `order`; others have size 1 or are absent.
ValueId Ordered(Writer& w, const Term& t, const std::string& order) {
  Int64s perm;
  for (const char c : order)
    perm.push_back(static_cast<int64_t>(t.labels.find(c)));
  return w.Transpose(t.value, perm);
}

void SumOut(Writer& w, Term* t, const std::string& kept) {
  Int64s axes;
  std::string left;
  for (size_t i = 0; i < t->labels.size(); ++i) {
    if (kept.find(t->labels[i]) == kept.npos)
      axes.push_back(static_cast<int64_t>(i));
    else
      left += t->labels[i];
  }
  if (axes.empty()) return;
  t->value = w.Reduce("SUM", t->value, axes, false);
  t->labels = left;
}

Term Contract(Writer& w, Term a, Term b, const std::string& kept) {
  SumOut(w, &a, kept + b.labels);
  SumOut(w, &b, kept + a.labels);
  std::string batch, rows, columns, inner;
  for (const char c : a.labels) {
    const bool both = b.labels.find(c) != b.labels.npos;
    const bool stays = kept.find(c) != kept.npos;
    (!both ? rows : stays ? batch : inner) += c;
  }
  for (const char c : b.labels)
    if (a.labels.find(c) == a.labels.npos) columns += c;
  std::map<char, int64_t> size;
  for (const Term* t : {&a, &b}) {
    const Dims dims = w.Static(t->value);
    for (size_t i = 0; i < t->labels.size() && i < dims.size(); ++i)
      size[t->labels[i]] = std::max(size[t->labels[i]], dims[i]);
  }
  if (!w.ok()) return a;
  const auto count = [&](const std::string& labels) {
    int64_t n = 1;
    for (const char c : labels) n *= size[c];
    return n;
  };
  const ValueId left = w.Reshape(Ordered(w, a, batch + rows + inner),
                                 {count(batch), count(rows), count(inner)});
  const ValueId right = w.Reshape(Ordered(w, b, batch + inner + columns),
                                  {count(batch), count(inner), count(columns)});
  Dims dims;
  for (const char c : batch + rows + columns) dims.push_back(size[c]);
  return {w.Reshape(w.Neutral("MatMul", {left, right}), dims),
          batch + rows + columns};
}

}  // namespace

Status Einsum(Context& context, const Operator& op) {
  Writer w(context, op);
  std::string equation = w.Text("equation", "");
  std::erase(equation, ' ');
  const size_t arrow = equation.find("->");
  const std::string left = equation.substr(0, arrow);
  std::vector<Term> terms;
  size_t most = 0;
  for (size_t at = 0, i = 0; at <= left.size(); ++i) {
    const size_t end = std::min(left.find(',', at), left.size());
    const std::string text = left.substr(at, end - at);
    Term t{w.Need(i), ""};
    t.labels = Labels(text, static_cast<size_t>(w.rank(t.value)));
    if (static_cast<int64_t>(t.labels.size()) != w.rank(t.value))
      w.Damaged("equation ", equation);
    for (const char c : t.labels)
      if (c < 'A') most = std::max(most, static_cast<size_t>('8' - c));
    terms.push_back(std::move(t));
    at = end + 1;
  }
  std::string result;
  if (arrow != equation.npos) {
    const std::string text = equation.substr(arrow + 2);
    size_t letters = 0;
    for (const char c : text)
      letters += std::isalpha(static_cast<unsigned char>(c)) != 0;
    result = Labels(text, letters + most);
  } else {
    std::map<char, int> seen;
    for (const Term& t : terms)
      for (const char c : t.labels) ++seen[c];
    for (const auto& [c, n] : seen)
      if (n == 1 || c < 'A') result += c;
  }
  if (!w.ok()) return w.Done();
  for (Term& t : terms) Diagonal(w, &t);
  Term sum = terms[0];
  for (size_t i = 1; i < terms.size() && w.ok(); ++i) {
    std::string kept = result;
    for (size_t k = i + 1; k < terms.size(); ++k) kept += terms[k].labels;
    sum = Contract(w, sum, terms[i], kept);
  }
  SumOut(w, &sum, result);
  for (const char c : result)
    if (sum.labels.find(c) == sum.labels.npos) w.Damaged("equation ", equation);
  if (!w.ok()) return w.Done();
  return w.Done(Ordered(w, sum, result));
}

// ConvInteger and QLinearConv: convolutions of dequantized values.
Status QuantizedConvolution(Context& context, const Operator& op) {
  Writer w(context, op);
  const bool integer = op.type == "ConvInteger";
  const ValueId x = w.Need(0), k = w.Need(integer ? 1 : 3);
  const ValueId real = integer
                           ? Shifted(w, x, w.in(2), 1)
                           : ToReal(context, w, x, w.Need(1), w.in(2), 1, 0);
  const ValueId kernel = integer
                             ? Shifted(w, k, w.in(3), 0)
                             : ToReal(context, w, k, w.Need(4), w.in(5), 0, 0);
  if (!w.ok()) return w.Done();
  Dims d = w.Static(k);
  int64_t terms = 1;
  for (size_t i = 1; i < d.size(); ++i) terms *= d[i];
  if (integer && terms > kExactTerms)
    w.Refuse("too many integer products in a sum");
  if (!w.ok()) return w.Done();
  Operator inner = op;
  inner.type = "Conv";
  inner.inputs = {real, kernel};
  inner.outputs = {op.outputs[0] + "/sums"};
  if (!integer && w.has(8)) {
    // The bias is in units of both scales.
    const ValueId unit = w.Mul(w.in(1), w.in(4));
    inner.inputs.push_back(w.Mul(w.Cast(w.in(8), kF32), unit));
  }
  if (!w.ok()) return w.Done();
  MUNJA_RETURN_IF_ERROR(AnyConvolution(context, inner));
  const ValueId y = context.values.at(inner.outputs[0]);
  if (integer) return w.Done(w.Cast(y, kI32));
  return w.Done(
      ToStored(context, w, y, w.Need(6), w.in(7), w.type(w.Need(7)), 1, 0));
}

}  // namespace munja::importer::onnx
