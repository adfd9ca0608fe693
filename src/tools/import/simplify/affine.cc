#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "import/ir/rewriter.h"
#include "import/simplify/simplify.h"

namespace munja::importer {
namespace {

// y = factor * x + offset with one value of each per channel.
struct Affine {
  std::vector<double> factor, offset;
};

// The constant as one value for each of `channels` along axis 1 of a tensor of
// the given rank; empty when it varies along another axis.
std::vector<double> PerChannel(const Tensor& t, size_t rank, int64_t channels) {
  if (t.is_integer) return {};
  if (t.floats.size() == 1) return std::vector<double>(channels, t.floats[0]);
  const size_t skip = rank - t.shape.size();
  if (t.shape.size() > rank ||
      static_cast<int64_t>(t.floats.size()) != channels)
    return {};
  for (size_t i = 0; i < t.shape.size(); ++i)
    if (t.shape[i] != 1 && i + skip != 1) return {};
  return std::vector<double>(t.floats.begin(), t.floats.end());
}

// The affine function that an arithmetic node with a constant applies to each
// channel.
std::optional<Affine> ReadAffine(const Rewriter& rewriter, const Model& model,
                                 const Node& node, int64_t channels,
                                 ValueId* input) {
  const bool add = node.op == "Add", sub = node.op == "Sub";
  const bool mul = node.op == "Mul", div = node.op == "Div";
  if (!add && !sub && !mul && !div) return std::nullopt;
  const bool constant_first = rewriter.constant(node.inputs[0]) != nullptr;
  if (constant_first && (sub || div)) return std::nullopt;
  const Tensor* t = rewriter.constant(node.inputs[constant_first ? 0 : 1]);
  *input = node.inputs[constant_first ? 1 : 0];
  if (t == nullptr) return std::nullopt;
  const Value& x = model.values[*input];
  if (t->shape.size() > x.shape.size()) return std::nullopt;
  const std::vector<double> v = PerChannel(*t, x.shape.size(), channels);
  if (v.empty()) return std::nullopt;
  Affine affine{std::vector<double>(channels, 1.0),
                std::vector<double>(channels, 0.0)};
  for (int64_t c = 0; c < channels; ++c) {
    if (add) affine.offset[c] = v[c];
    if (sub) affine.offset[c] = -v[c];
    if (mul) affine.factor[c] = v[c];
    if (div) {
      if (v[c] == 0) return std::nullopt;
      affine.factor[c] = 1 / v[c];
    }
  }
  return affine;
}

// Scales weights [O, I, kh, kw] (Conv) or [I, O, kh, kw] (ConvTranspose) and
// the bias so that the output becomes factor * y + offset.
void Apply(Rewriter& rewriter, const Affine& affine, Node* conv) {
  const bool transposed = conv->op == "ConvTranspose";
  Tensor w = *rewriter.constant(conv->inputs[1]);
  const int64_t plane = w.shape[2] * w.shape[3];
  const int64_t per_filter = transposed ? plane : plane * w.shape[1];
  const int64_t filters = transposed ? w.shape[1] : w.shape[0];
  for (size_t i = 0; i < w.floats.size(); ++i) {
    const int64_t o = static_cast<int64_t>(i) / per_filter % filters;
    w.floats[i] = static_cast<float>(w.floats[i] * affine.factor[o]);
  }
  std::vector<float> bias(filters, 0.0f);
  if (conv->inputs.size() > 2 && conv->inputs[2] != kNoValue)
    bias = rewriter.constant(conv->inputs[2])->floats;
  for (int64_t o = 0; o < filters; ++o)
    bias[o] = static_cast<float>(bias[o] * affine.factor[o] + affine.offset[o]);
  conv->inputs.resize(3);
  conv->inputs[1] = rewriter.AddConstant(conv->name + "/weights", std::move(w));
  conv->inputs[2] = rewriter.AddConstant(
      conv->name + "/bias", Tensor::Floats({filters}, std::move(bias)));
}

// The convolution behind a value, looking through squeezed planes; every value
// on the way has one reader.
Node* FindConvolution(Rewriter& rewriter, ValueId id) {
  for (int steps = 0; steps < 4 && rewriter.ReadOnce(id); ++steps) {
    for (const char* op : {"Conv", "ConvTranspose"})
      if (Node* conv = rewriter.Producer(id, op)) return conv;
    Node* shaped = rewriter.Producer(id, "Squeeze");
    if (shaped == nullptr) return nullptr;
    const Result<Dims> axes = shaped->attributes.Ints("axes");
    if (!axes.ok() || axes->empty() ||
        *std::min_element(axes->begin(), axes->end()) < 2)
      return nullptr;
    id = shaped->inputs[0];
  }
  return nullptr;
}

// Product with constant weights plus a constant row.
bool FoldBias(Rewriter& rewriter, Node* node) {
  if (node->op != "Add") return false;
  for (int i = 0; i < 2; ++i) {
    const Tensor* bias = rewriter.constant(node->inputs[1 - i]);
    Node* product = rewriter.Producer(node->inputs[i], "MatMul");
    if (bias == nullptr || product == nullptr || bias->is_integer ||
        !rewriter.ReadOnce(node->inputs[i]) ||
        // A product of constants, or with the constant on the left: only
        // FULLY_CONNECTED of run-time rows has a bias.
        rewriter.constant(product->inputs[0]) != nullptr)
      continue;
    const Tensor* w = rewriter.constant(product->inputs[1]);
    if (w == nullptr || w->shape.size() != 2 || bias->shape.empty() ||
        bias->shape.back() != w->shape[1] ||
        static_cast<int64_t>(bias->floats.size()) != w->shape[1] ||
        bias->shape.size() > 2)
      continue;
    const Tensor row = Tensor::Floats({w->shape[1]}, bias->floats);
    node->op = "FullyConnected";
    node->inputs = {product->inputs[0], product->inputs[1],
                    rewriter.AddConstant(node->name + "/bias", row)};
    return true;
  }
  return false;
}

}  // namespace

Status FoldAffine(Model* model) {
  Rewriter rewriter(model);
  std::vector<bool> gone(model->nodes.size(), false);
  for (size_t i = 0; i < model->nodes.size(); ++i) {
    Node& node = model->nodes[i];
    if (node.inputs.size() != 2 || FoldBias(rewriter, &node)) continue;
    for (const ValueId v : node.inputs) {
      if (v == kNoValue || rewriter.constant(v) != nullptr) continue;
      Node* conv = FindConvolution(rewriter, v);
      if (conv == nullptr || rewriter.constant(conv->inputs[1]) == nullptr)
        continue;
      const Dims& w = model->values[conv->inputs[1]].shape;
      ValueId input = kNoValue;
      const std::optional<Affine> affine = ReadAffine(
          rewriter, *model, node, conv->op == "Conv" ? w[0] : w[1], &input);
      if (!affine || input != v ||
          model->values[v].shape.size() !=
              model->values[node.outputs[0]].shape.size())
        continue;
      Apply(rewriter, *affine, conv);
      // The input's producer now writes this node's result; values between it
      // and the convolution change.
      const int before = rewriter.ProducerIndex(v);
      for (Node* at = &model->nodes[before]; at != conv;) {
        const ValueId old = at->inputs[0];
        const ValueId fresh =
            rewriter.AddLike(model->values[old].name + "/affine", old);
        at->inputs[0] = fresh;
        at = &model->nodes[rewriter.ProducerIndex(old)];
        at->outputs[0] = fresh;
        rewriter.SetProducer(fresh, rewriter.ProducerIndex(old));
      }
      model->nodes[before].outputs[0] = node.outputs[0];
      rewriter.SetProducer(node.outputs[0], before);
      gone[i] = true;
      break;
    }
  }
  std::vector<Node> kept;
  for (size_t i = 0; i < gone.size(); ++i)
    if (!gone[i]) kept.push_back(std::move(model->nodes[i]));
  model->nodes = std::move(kept);
  return {};
}

}  // namespace munja::importer
