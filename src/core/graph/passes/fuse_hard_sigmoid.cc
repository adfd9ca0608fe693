// Recognizes the hard sigmoid and the hard swish in the forms in which
// converters write them:
//   clamp(a * x + b, 0, 1)            -> HARD_SIGMOID(x), alpha a, beta b
//   clamp(a * x + b, 0, 6) * (1 / 6)  -> HARD_SIGMOID(x), alpha a/6, beta b/6
//   x * HARD_SIGMOID(x; 1/6, 1/2)     -> HARD_SWISH(x)
//   x * clamp(x + 3, 0, 6) * (1 / 6)  -> HARD_SWISH(x)
// where a clamp is RELU6, RELU_0_TO_1, MINIMUM with MAXIMUM, or the fused
// RELU6 of ADD and MUL, a product may be a quotient, and the multiplication or
// the addition may be missing. HARD_SIGMOID is an operator of this project,
// not of the schema. Exact but for rounding: the factors are multiplied
// together before x comes in.
#include <cmath>
#include <optional>
#include <utility>

#include "graph/op_traits.h"
#include "graph/passes/pass.h"
#include "graph/rewrite/match.h"
#include "graph/rewrite/rewriter.h"

namespace munja::graph::fuse_hard_sigmoid {
namespace {

bool Near(double a, double b) { return std::fabs(a - b) <= 1e-6 * (1 + b); }

// a * x + b
struct Affine {
  ValueId x;
  double a = 1, b = 0;
};

class Matcher {
 public:
  explicit Matcher(const Rewriter& rewriter)
      : subgraph_(rewriter.subgraph()), rewriter_(rewriter) {}

  // Node n ends one of the forms of HARD_SIGMOID.
  std::optional<Affine> HardSigmoid(const Node& node) const {
    if (auto affine = Clamp(node, 1)) {
      // clamp(x, 0, 1) alone is an operator of the schema.
      if (affine->a == 1 && affine->b == 0) return std::nullopt;
      return affine;
    }
    const auto product = ScaledBySixth(node);
    if (!product) return std::nullopt;
    const Node* inner = Inner(*product);
    if (inner == nullptr) return std::nullopt;
    auto affine = Clamp(*inner, 6);
    if (!affine) return std::nullopt;
    affine->a /= 6;
    affine->b /= 6;
    return affine;
  }

  // Node n ends one of the forms of HARD_SWISH: x.
  std::optional<ValueId> HardSwish(const Node& node) const {
    if (auto x = Product(
            node, [&](const Node& gate, ValueId v) { return IsGate(gate, v); }))
      return x;
    const auto product = ScaledBySixth(node);
    if (!product) return std::nullopt;
    const Node* inner = Inner(*product);
    if (inner == nullptr) return std::nullopt;
    return Product(*inner, [&](const Node& gate, ValueId v) {
      const auto affine = Clamp(gate, 6);
      return affine && affine->x == v && Near(affine->a, 1) &&
             Near(affine->b, 3);
    });
  }

 private:
  bool IsFloatOp(const Node& node) const {
    return !node.is_custom && node.outputs.size() == 1 &&
           !node.inputs.empty() && node.inputs[0] != kNoValue &&
           IsFloat(subgraph_, node.outputs[0]);
  }

  // The node that writes v when v is read once only: it can go away.
  const Node* Inner(ValueId v) const { return rewriter_.OnlyProducer(v); }

  // MUL by 1/6 or DIV by 6: the other operand.
  std::optional<ValueId> ScaledBySixth(const Node& node) const {
    if (!IsFloatOp(node) || !HasNoActivation(node)) return std::nullopt;
    if (node.op != "MUL" && node.op != "DIV") return std::nullopt;
    const auto operand = FindScalar(subgraph_, node);
    if (!operand) return std::nullopt;
    const bool is_sixth = node.op == "MUL" ? Near(operand->scalar * 6, 1)
                                           : !operand->is_scalar_first &&
                                                 Near(operand->scalar, 6);
    return is_sixth ? std::optional(operand->other) : std::nullopt;
  }

  // v = a * x + b for as many nodes as there are (at most one product and one
  // sum); x = v in the end.
  Affine Linear(ValueId v) const {
    Affine out{v};
    const Node* node = Inner(v);
    if (node != nullptr && HasNoActivation(*node)) {
      out = Sum(*node).value_or(Product(*node).value_or(out));
    }
    return out;
  }

  // a * x + b or x + b of a node whatever its activation.
  std::optional<Affine> Sum(const Node& node) const {
    if (!IsFloatOp(node) || (node.op != "ADD" && node.op != "SUB"))
      return std::nullopt;
    const auto operand = FindScalar(subgraph_, node);
    if (!operand || (node.op == "SUB" && operand->is_scalar_first))
      return std::nullopt;
    Affine out{operand->other};
    const Node* factor = Inner(operand->other);
    if (factor != nullptr && HasNoActivation(*factor))
      out = Product(*factor).value_or(out);
    out.b = node.op == "ADD" ? operand->scalar : -operand->scalar;
    return out;
  }

  std::optional<Affine> Product(const Node& node) const {
    if (!IsFloatOp(node) || (node.op != "MUL" && node.op != "DIV"))
      return std::nullopt;
    const auto operand = FindScalar(subgraph_, node);
    if (!operand) return std::nullopt;
    if (node.op == "MUL") return Affine{operand->other, operand->scalar};
    if (operand->is_scalar_first || operand->scalar == 0) return std::nullopt;
    return Affine{operand->other, 1 / operand->scalar};
  }

  // x of x * gate, when gate's node is right.
  template <class IsRight>
  std::optional<ValueId> Product(const Node& node, IsRight&& is_right) const {
    if (!IsFloatOp(node) || node.op != "MUL" || node.inputs.size() != 2 ||
        !HasNoActivation(node))
      return std::nullopt;
    for (const int side : {0, 1}) {
      const Node* gate = Inner(node.inputs[1 - side]);
      if (gate != nullptr && is_right(*gate, node.inputs[side]))
        return node.inputs[side];
    }
    return std::nullopt;
  }

  bool IsGate(const Node& gate, ValueId x) const {
    Affine affine{kNoValue};
    if (gate.op == "HARD_SIGMOID" && IsFloatOp(gate)) {
      const ActivationTraits& traits = TraitsOf(gate).activation;
      auto alpha = gate.attributes.Float("activation_alpha", traits.alpha);
      auto beta = gate.attributes.Float("activation_beta", traits.beta);
      if (!alpha.ok() || !beta.ok()) return false;
      affine = {gate.inputs[0], *alpha, *beta};
    } else if (const auto found = HardSigmoid(gate)) {
      affine = *found;
    }
    return affine.x == x && Near(affine.a, 1.0 / 6) && Near(affine.b, 0.5);
  }

  // clamp(a * x + b, 0, high), whatever x is.
  std::optional<Affine> Clamp(const Node& node, double high) const {
    if (!IsFloatOp(node)) return std::nullopt;
    if (node.op == (high == 6 ? "RELU6" : "RELU_0_TO_1"))
      return Linear(node.inputs[0]);
    if (high == 6 && TextIs(node, "fused_activation_function", "RELU6")) {
      const auto sum = Sum(node);
      return sum ? sum : Product(node);
    }
    for (const bool is_minimum_last : {true, false}) {
      const char* last = is_minimum_last ? "MINIMUM" : "MAXIMUM";
      const char* first = is_minimum_last ? "MAXIMUM" : "MINIMUM";
      if (node.op != last) continue;
      const auto outer = FindScalar(subgraph_, node);
      if (!outer || outer->scalar != (is_minimum_last ? high : 0)) continue;
      const Node* inner = Inner(outer->other);
      if (inner == nullptr || !IsFloatOp(*inner)) continue;
      if (is_minimum_last && inner->op == "RELU")
        return Linear(inner->inputs[0]);
      if (inner->op != first) continue;
      const auto bound = FindScalar(subgraph_, *inner);
      if (!bound || bound->scalar != (is_minimum_last ? 0 : high)) continue;
      return Linear(bound->other);
    }
    return std::nullopt;
  }

  const Subgraph& subgraph_;
  const Rewriter& rewriter_;
};

Node Become(const Node& node, const char* op, ValueId x) {
  Node out = node;
  out.op = op;
  out.version = 1;
  out.attributes = Attributes();
  out.inputs = {x};
  return out;
}

}  // namespace

// The last node of a form is rewritten; the others go with their reader. From
// the end of the graph, so that a form is taken whole.
Result<bool> Rewrite(Rewriter& rewriter, const Node& node) {
  const Matcher matcher(rewriter);
  if (const auto x = matcher.HardSwish(node);
      x && rewriter.HasOp("HARD_SWISH")) {
    rewriter.Replace(node, Become(node, "HARD_SWISH", *x));
    return true;
  }
  const auto affine = matcher.HardSigmoid(node);
  if (!affine || !rewriter.HasOp("HARD_SIGMOID")) return false;
  Node sigmoid = Become(node, "HARD_SIGMOID", affine->x);
  sigmoid.attributes.Set("activation_alpha", affine->a);
  sigmoid.attributes.Set("activation_beta", affine->b);
  rewriter.Replace(node, std::move(sigmoid));
  return true;
}

}  // namespace munja::graph::fuse_hard_sigmoid
