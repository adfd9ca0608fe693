#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "import/ir/rewriter.h"
#include "import/simplify/simplify.h"

namespace munja::importer {
namespace {

// Files hold these constants as float or as half (sqrt 2 is 1.4140625 then).
bool Near(double a, double b) { return std::fabs(a - b) <= 1e-3 * b; }

// A product written as a tree of Mul and Div by constants: their product, and
// the other factors. `stop` is never taken apart.
struct Product {
  double scalar = 1;
  std::vector<ValueId> factors;
};

void Collect(Rewriter& rewriter, ValueId id, ValueId stop, int depth,
             Product* product) {
  if (const std::optional<double> s = rewriter.Scalar(id)) {
    product->scalar *= *s;
    return;
  }
  if (id != stop && depth > 0) {
    if (const Node* mul = rewriter.Producer(id, "Mul")) {
      Collect(rewriter, mul->inputs[0], stop, depth - 1, product);
      Collect(rewriter, mul->inputs[1], stop, depth - 1, product);
      return;
    }
    const Node* div = rewriter.Producer(id, "Div");
    const std::optional<double> divisor =
        div != nullptr ? rewriter.Scalar(div->inputs[1]) : std::nullopt;
    if (divisor && *divisor != 0) {
      product->scalar /= *divisor;
      Collect(rewriter, div->inputs[0], stop, depth - 1, product);
      return;
    }
  }
  product->factors.push_back(id);
}

// x for a value x * scalar; kNoValue when it is not that.
ValueId ScaledBy(Rewriter& rewriter, ValueId id, double scalar) {
  Product p;
  Collect(rewriter, id, kNoValue, 1, &p);
  return p.factors.size() == 1 && Near(p.scalar, scalar) ? p.factors[0]
                                                         : kNoValue;
}

// 0.7978845 * (x + 0.044715 * x^3) -> x.
ValueId TanhArgument(Rewriter& rewriter, ValueId id) {
  const ValueId inner = ScaledBy(rewriter, id, 0.7978845608);
  const Node* add =
      inner == kNoValue ? nullptr : rewriter.Producer(inner, "Add");
  for (int i = 0; add != nullptr && i < 2; ++i) {
    const ValueId x = add->inputs[i];
    Product cube;
    Collect(rewriter, add->inputs[1 - i], x, 3, &cube);
    if (!Near(cube.scalar, 0.044715)) continue;
    if (cube.factors == std::vector<ValueId>{x, x, x}) return x;
    if (cube.factors.size() != 1) continue;
    const Node* pow = rewriter.Producer(cube.factors[0], "Pow");
    if (pow != nullptr && pow->inputs[0] == x &&
        rewriter.Scalar(pow->inputs[1]) == 3.0)
      return x;
  }
  return kNoValue;
}

// 1 + erf(x / sqrt 2), or 1 + tanh(...): returns x.
ValueId GateArgument(Rewriter& rewriter, ValueId id, bool* approximate) {
  const Node* add = rewriter.Producer(id, "Add");
  double one = 0;
  ValueId curve = kNoValue;
  if (add == nullptr || !rewriter.SplitScalar(*add, &one, &curve) || one != 1)
    return kNoValue;
  if (const Node* erf = rewriter.Producer(curve, "Erf")) {
    *approximate = false;
    return ScaledBy(rewriter, erf->inputs[0], std::sqrt(0.5));
  }
  if (const Node* tanh = rewriter.Producer(curve, "Tanh")) {
    *approximate = true;
    return TanhArgument(rewriter, tanh->inputs[0]);
  }
  return kNoValue;
}

bool RewriteGelu(Rewriter& rewriter, Node* node) {
  Product rough;
  Collect(rewriter, node->outputs[0], kNoValue, 3, &rough);
  for (const ValueId gate : rough.factors) {
    bool approximate = false;
    const ValueId x = GateArgument(rewriter, gate, &approximate);
    if (x == kNoValue) continue;
    Product exact;
    Collect(rewriter, node->outputs[0], x, 3, &exact);
    if (exact.factors.size() != 2 || !Near(exact.scalar, 0.5)) continue;
    if ((exact.factors[0] != x || exact.factors[1] != gate) &&
        (exact.factors[1] != x || exact.factors[0] != gate))
      continue;
    node->op = "Gelu";
    node->inputs = {x};
    node->attributes = {};
    node->attributes.Set("approximate", int64_t{approximate});
    return true;
  }
  return false;
}

// x * clip(x * a + b, 0, 1), with the gate as one HardSigmoid or as
// clip(x + 3, 0, 6) / 6.
bool RewriteHardSwish(Rewriter& rewriter, Node* node) {
  Product p;
  Collect(rewriter, node->outputs[0], kNoValue, 2, &p);
  if (p.factors.size() != 2) return false;
  for (int i = 0; i < 2; ++i) {
    const ValueId x = p.factors[i], gate = p.factors[1 - i];
    double alpha = 0, beta = 0;
    if (const Node* hard = rewriter.Producer(gate, "HardSigmoid")) {
      if (hard->inputs[0] != x || p.scalar != 1) continue;
      alpha = hard->attributes.Float("alpha", 0.2).value();
      beta = hard->attributes.Float("beta", 0.5).value();
    } else if (const Node* clip = rewriter.Producer(gate, "Clip")) {
      const Node* add = rewriter.Producer(clip->inputs[0], "Add");
      double offset = 0;
      ValueId source = kNoValue;
      if (add == nullptr || !rewriter.SplitScalar(*add, &offset, &source) ||
          source != x || offset != 3 || !Near(p.scalar, 1.0 / 6) ||
          clip->attributes.Float("min", 1).value() != 0 ||
          clip->attributes.Float("max", 1).value() != 6)
        continue;
      alpha = 1.0 / 6;
      beta = 0.5;
    } else {
      continue;
    }
    node->op = "HardSwish";
    node->inputs = {x};
    node->attributes = {};
    node->attributes.Set("alpha", alpha);
    node->attributes.Set("beta", beta);
    return true;
  }
  return false;
}

}  // namespace

void RecognizeActivations(Model* model) {
  Rewriter rewriter(model);
  for (Node& node : model->nodes) {
    if (node.op != "Mul" && node.op != "Div") continue;
    if (!RewriteGelu(rewriter, &node)) RewriteHardSwish(rewriter, &node);
  }
}

}  // namespace munja::importer
