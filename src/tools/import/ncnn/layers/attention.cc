// Attention and embedding.
#include <cmath>
#include <utility>
#include <vector>

#include "import/ncnn/layers/helpers.h"
#include "import/ncnn/writer.h"

namespace munja::importer::ncnn {
namespace {

// Rows of `width` elements times weights of [outputs, width], plus a bias.
ValueId Product(Writer& w, ValueId x, int64_t outputs, int64_t width) {
  const std::vector<float> stored = w.Tagged(outputs * width);
  std::vector<float> bias = w.Weights(outputs);
  if (!w.ok()) return kNoValue;
  std::vector<float> turned(stored.size());
  for (int64_t o = 0; o < outputs; ++o)
    for (int64_t i = 0; i < width; ++i)
      turned[static_cast<size_t>(i * outputs + o)] =
          stored[static_cast<size_t>(o * width + i)];
  const ValueId product = w.Neutral(
      "MatMul",
      {x, w.Constant(Tensor::Floats({width, outputs}, std::move(turned)))});
  return w.Add(product, w.Constant(Tensor::Floats({outputs}, std::move(bias))));
}

// Softmax(q k^T * scale + mask) v, head by head: all are [1, heads, n, width].
ValueId Attend(Writer& w, ValueId q, ValueId k, ValueId v, double scale,
               ValueId mask) {
  ValueId scores =
      w.Neutral("MatMul", {w.Mul(q, scale), w.Transpose(k, {0, 1, 3, 2})});
  if (mask != kNoValue) scores = w.Add(scores, mask);
  scores = w.Neutral("Softmax", {scores}, {{"axis", int64_t{3}}});
  return w.Neutral("MatMul", {scores, v});
}

// A plane for all heads, or one for each.
ValueId Mask(Writer& w, size_t input) {
  const int rank = w.in_rank(input);
  if (rank == 1) w.Refuse("a mask that is no plane");
  return rank == 2 ? w.Unsqueeze(w.in(input), {1}) : w.in(input);
}

}  // namespace

// Inputs: query, key, value (the last ones may be the same as those before),
// then a mask.
Status MultiHeadAttention(Context& context, const Layer& layer) {
  Writer w(context, layer);
  const int64_t width = w.Given(layer.Int(0, 0));
  const int64_t heads = w.Given(layer.Int(1, 1));
  const int64_t count = w.Given(layer.Int(2, 0));
  if (width < 1 || heads < 1 || width % heads != 0 || width > kMaxOutputs ||
      count < width || count % width != 0)
    w.Damaged(heads, " heads of ", width, " columns, ", count, " weights");
  if (!w.ok()) return w.Done(kNoValue, 2);
  const int64_t keys = w.Given(layer.Int(3, static_cast<int>(width)));
  const int64_t values = w.Given(layer.Int(4, static_cast<int>(width)));
  const bool has_mask = w.Given(layer.Int(5, 0)) != 0;
  const int64_t columns = width / heads;
  const double scale =
      w.Given(layer.Float(6, 1 / std::sqrt(static_cast<double>(columns))));
  if (w.Given(layer.Int(7, 0)) != 0) w.Refuse("a cache of keys and values");
  if (w.Given(layer.Int(18, 0)) != 0) w.Refuse("int8 weights");
  const size_t given = layer.inputs.size() - (has_mask ? 1 : 0);
  if (given < 1 || given > 3 || keys < 1 || values < 1)
    w.Damaged(layer.inputs.size(), " inputs");
  if (!w.ok()) return w.Done(kNoValue, 2);
  const size_t k_at = given > 1 ? 1 : 0, v_at = given - 1;
  for (const size_t i : {size_t{0}, k_at, v_at})
    if (w.in_rank(i) != 2) w.Refuse("an input that is not rows");
  const auto head = [&](ValueId rows) {
    return w.Transpose(w.Reshape(rows, {1, -1, heads, width / heads}),
                       {0, 2, 1, 3});
  };
  const ValueId q = head(Product(w, w.in(0), width, count / width));
  const ValueId k = head(Product(w, w.in(k_at), width, keys));
  const ValueId v = head(Product(w, w.in(v_at), width, values));
  const ValueId mask = has_mask ? Mask(w, given) : kNoValue;
  const ValueId all =
      w.Reshape(w.Transpose(Attend(w, q, k, v, scale, mask), {0, 2, 1, 3}),
                {1, -1, width});
  return w.Done(Product(w, all, count / width, width), 2);
}

// Attention over maps whose channels are the heads; several query heads may
// share one head of key and value.
Status ScaledDotProduct(Context& context, const Layer& layer) {
  Writer w(context, layer);
  const bool has_mask = w.Given(layer.Int(5, 0)) != 0;
  double scale = w.Given(layer.Float(6, 0));
  if (w.Given(layer.Int(7, 0)) != 0) w.Refuse("a cache of keys and values");
  if (w.Given(layer.Int(18, 0)) != 0) w.Refuse("int8 products");
  if (layer.inputs.size() != (has_mask ? 4u : 3u))
    w.Damaged(layer.inputs.size(), " inputs");
  if (!w.ok()) return w.Done(kNoValue, 3);
  const ValueId q = w.Map(0);
  ValueId k = w.Map(1), v = w.Map(2);
  if (!w.ok()) return w.Done(kNoValue, 3);
  const int64_t heads = w.shape(q)[1], groups = w.shape(k)[1];
  if (heads < 1 || groups < 1 || w.shape(q)[3] < 1)
    w.Refuse("an unknown number of heads or columns");
  if (w.ok() && (heads % groups != 0 || w.shape(v)[1] != groups))
    w.Damaged(heads, " heads in ", groups, " groups");
  if (!w.ok()) return w.Done(kNoValue, 3);
  if (scale == 0) scale = 1 / std::sqrt(static_cast<double>(w.shape(q)[3]));
  if (groups != heads) {
    Int64s of;
    for (int64_t i = 0; i < heads; ++i) of.push_back(i / (heads / groups));
    k = w.Gather(k, w.List(of), 1);
    v = w.Gather(v, w.List(of), 1);
  }
  const ValueId mask = has_mask ? Mask(w, 3) : kNoValue;
  return w.Done(Attend(w, q, k, v, scale, mask), 3);
}

// Looks up rows of a table by word ids, which are floats.
Status Embed(Context& context, const Layer& layer) {
  Writer w(context, layer);
  const int64_t width = w.Given(layer.Int(0, 0));
  const int64_t words = w.Given(layer.Int(1, 0));
  const bool has_bias = w.Given(layer.Int(2, 0)) != 0;
  const int64_t count = w.Given(layer.Int(3, 0));
  if (w.Given(layer.Int(18, 0)) != 0) w.Refuse("int8 weights");
  if (w.in_rank() != 1) w.Refuse("an input that is not a row of words");
  if (width < 1 || words < 1 || width > kMaxOutputs || count != width * words)
    w.Damaged(count, " weights for ", words, " words of ", width);
  std::vector<float> table = w.Tagged(count);
  std::vector<float> bias;
  if (has_bias) bias = w.Weights(width);
  if (!w.ok()) return w.Done(kNoValue, 2);
  const ValueId rows =
      w.Constant(Tensor::Floats({words, width}, std::move(table)));
  // Words outside of the table are its first or its last.
  const ValueId word =
      w.Binary("Min",
               w.Binary("Max", w.Cast(w.Reshape(w.in(), {1, -1}), kI32),
                        w.Scalar(0, kI32)),
               w.Scalar(static_cast<double>(words - 1), kI32));
  ValueId y = w.Gather(rows, word, 0);
  if (has_bias)
    y = w.Add(y, w.Constant(Tensor::Floats({width}, std::move(bias))));
  return w.Done(y, 2);
}

}  // namespace munja::importer::ncnn
