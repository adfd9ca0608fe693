#include "import/simplify/gpu_safe.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "import/ir/rewriter.h"
#include "import/ir/window.h"

namespace munja::importer {
namespace {

class Expander {
 public:
  explicit Expander(Model* model) : model_(*model), rewriter_(model) {}

  Rewriter& rewriter() { return rewriter_; }
  void Keep(Node node) { out_.push_back(std::move(node)); }
  // A node with a new value of the shape of its first input.
  ValueId Step(const Node& source, const char* what, const char* op,
               std::vector<ValueId> inputs) {
    const ValueId y = rewriter_.AddLike(source.name + "/" + what, inputs[0]);
    To(source, op, std::move(inputs), y);
    return y;
  }
  Node& To(const Node& source, const char* op, std::vector<ValueId> inputs,
           ValueId output) {
    Node node;
    node.op = op;
    node.name = source.name;
    node.inputs = std::move(inputs);
    node.outputs = {output};
    out_.push_back(std::move(node));
    return out_.back();
  }
  ValueId Number(const Node& source, const char* what, double value) {
    return rewriter_.AddConstant(
        source.name + "/" + what,
        Tensor::Floats({}, {static_cast<float>(value)}));
  }
  // clamp(alpha * x + beta, 0, 1) into `output`.
  void Gate(const Node& source, ValueId x, double alpha, double beta,
            ValueId output) {
    x = Step(source, "scaled", "Mul", {x, Number(source, "alpha", 6 * alpha)});
    if (beta != 0)
      x = Step(source, "moved", "Add", {x, Number(source, "beta", 6 * beta)});
    x = Step(source, "clamped", "Clip", {x});
    out_.back().attributes.Set("min", 0.0);
    out_.back().attributes.Set("max", 6.0);
    To(source, "Mul", {x, Number(source, "sixth", 1.0 / 6)}, output);
  }
  void Finish() { model_.nodes = std::move(out_); }

 private:
  Model& model_;
  Rewriter rewriter_;
  std::vector<Node> out_;
};

}  // namespace

int DecomposeHardSigmoid(Model* model) {
  std::vector<Node> nodes = model->nodes;
  Expander expander(model);
  int changed = 0;
  for (Node& node : nodes) {
    const bool sigmoid = node.op == "HardSigmoid";
    const bool swish = node.op == "HardSwish";
    const double alpha =
        node.attributes.Float("alpha", sigmoid ? 0.2 : 1.0 / 6).value();
    const double beta = node.attributes.Float("beta", 0.5).value();
    const bool clamp = node.op == "Clip" &&
                       node.attributes.Float("min", -1).value() == 0 &&
                       node.attributes.Float("max", -1).value() == 1;
    if (swish && std::fabs(alpha - 1.0 / 6) < 1e-5 && beta == 0.5) {
      expander.Keep(std::move(node));  // HARD_SWISH is one operator.
    } else if (swish) {
      ++changed;
      const ValueId gate =
          expander.rewriter().AddLike(node.name + "/gate", node.inputs[0]);
      expander.Gate(node, node.inputs[0], alpha, beta, gate);
      expander.To(node, "Mul", {node.inputs[0], gate}, node.outputs[0]);
    } else if (sigmoid || clamp) {
      ++changed;
      expander.Gate(node, node.inputs[0], clamp ? 1 : alpha, clamp ? 0 : beta,
                    node.outputs[0]);
    } else {
      expander.Keep(std::move(node));
    }
  }
  expander.Finish();
  return changed;
}

int UseAsymmetricResize(Model* model) {
  int changed = 0;
  for (Node& node : model->nodes) {
    if (node.op != "Resize") continue;
    const Result<std::string> coordinates =
        node.attributes.Text("coordinates", "asymmetric");
    if (!coordinates.ok() || *coordinates == "asymmetric") continue;
    node.attributes.Set("coordinates", std::string("asymmetric"));
    node.attributes.Set("rounding", std::string("floor"));
    ++changed;
  }
  return changed;
}

namespace {

// The side of the blocks that the windows of a transposed convolution write,
// each input element its own; 0 when they are not squares side by side.
int64_t BlockSide(const Node& node, const Tensor& weights) {
  const Result<Window> window = ReadWindow(node.attributes);
  const Result<Dims> extra = node.attributes.Ints("output_padding");
  if (!window.ok() || !extra.ok() || window->pad_mode != PadMode::kExplicit)
    return 0;
  for (const int64_t e : *extra)
    if (e != 0) return 0;
  const int64_t side = weights.shape[2];
  for (int i = 0; i < 2; ++i)
    if (weights.shape[2 + i] != side || window->stride[i] != side ||
        window->dilation[i] != 1 || window->before[i] != 0 ||
        window->after[i] != 0)
      return 0;
  return side > 1 ? side : 0;
}

}  // namespace

int RewriteTransposedConvolutions(Model* model) {
  std::vector<Node> nodes = model->nodes;
  Expander expander(model);
  Rewriter& rewriter = expander.rewriter();
  int changed = 0;
  for (Node& node : nodes) {
    const Tensor* w = node.op == "ConvTranspose"
                          ? rewriter.constant(node.inputs[1])
                          : nullptr;
    const bool has_bias =
        w != nullptr && node.inputs.size() > 2 && node.inputs[2] != kNoValue;
    const Tensor* b = has_bias ? rewriter.constant(node.inputs[2]) : nullptr;
    const int64_t side =
        w != nullptr && (!has_bias || b != nullptr) ? BlockSide(node, *w) : 0;
    if (side == 0) {
      expander.Keep(std::move(node));
      continue;
    }
    // [I, O, kh, kw] -> [kh * kw * O, I, 1, 1].
    const int64_t in = w->shape[0], out = w->shape[1], area = side * side;
    std::vector<float> weights(w->floats.size()), bias(area * out, 0.0f);
    for (int64_t i = 0; i < in; ++i)
      for (int64_t o = 0; o < out; ++o)
        for (int64_t p = 0; p < area; ++p)
          weights[(p * out + o) * in + i] = w->floats[(i * out + o) * area + p];
    for (int64_t k = 0; b != nullptr && k < area * out; ++k)
      bias[k] = b->floats[k % out];
    const ValueId x = node.inputs[0];
    const ValueId packed = rewriter.AddLike(node.name + "/blocks", x);
    model->values[packed].shape[1] = area * out;
    const ValueId new_weights = rewriter.AddConstant(
        node.name + "/weights",
        Tensor::Floats({area * out, in, 1, 1}, std::move(weights)));
    const ValueId new_bias = rewriter.AddConstant(
        node.name + "/bias", Tensor::Floats({area * out}, std::move(bias)));
    expander.To(node, "Conv", {x, new_weights, new_bias}, packed);
    expander.To(node, "DepthToSpace", {packed}, node.outputs[0])
        .attributes.Set("blocksize", side);
    ++changed;
  }
  expander.Finish();
  return changed;
}

}  // namespace munja::importer
