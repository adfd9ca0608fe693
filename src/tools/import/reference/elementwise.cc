#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "import/reference/loops.h"

namespace munja::importer::reference {
namespace {

struct UnarySettings {
  double alpha = 0, beta = 0, low = 0, high = 0;
  double scale = 1, zero = 0;
  bool approximate = false;
};

using Function = double (*)(double, const UnarySettings&);

double Gelu(double x, const UnarySettings& s) {
  if (!s.approximate) return 0.5 * x * std::erfc(-x * std::sqrt(0.5));
  const double inner = 0.7978845608028654 * (x + 0.044715 * x * x * x);
  return 0.5 * x * (1 + std::tanh(inner));
}

Function FindFunction(const std::string& op) {
  using S = const UnarySettings&;
  struct Row {
    const char* op;
    Function function;
  };
  static constexpr Row kRows[] = {
      {"Relu", [](double x, S) { return std::max(x, 0.0); }},
      {"LeakyRelu", [](double x, S s) { return x < 0 ? s.alpha * x : x; }},
      {"Elu",
       [](double x, S s) { return x < 0 ? s.alpha * std::expm1(x) : x; }},
      {"Sigmoid", [](double x, S) { return 1 / (1 + std::exp(-x)); }},
      {"Tanh", [](double x, S) { return std::tanh(x); }},
      {"Exp", [](double x, S) { return std::exp(x); }},
      {"Log", [](double x, S) { return std::log(x); }},
      {"Sqrt", [](double x, S) { return std::sqrt(x); }},
      {"Rsqrt", [](double x, S) { return 1 / std::sqrt(x); }},
      {"Square", [](double x, S) { return x * x; }},
      {"Reciprocal", [](double x, S) { return 1 / x; }},
      {"Abs", [](double x, S) { return std::fabs(x); }},
      {"Neg", [](double x, S) { return -x; }},
      {"Floor", [](double x, S) { return std::floor(x); }},
      {"Ceil", [](double x, S) { return std::ceil(x); }},
      {"Sin", [](double x, S) { return std::sin(x); }},
      {"Cos", [](double x, S) { return std::cos(x); }},
      {"Erf", [](double x, S) { return std::erf(x); }},
      {"HardSigmoid",
       [](double x, S s) {
         return std::clamp(s.alpha * x + s.beta, 0.0, 1.0);
       }},
      {"HardSwish",
       [](double x, S s) {
         return x * std::clamp(s.alpha * x + s.beta, 0.0, 1.0);
       }},
      {"Gelu", Gelu},
      {"Clip",
       [](double x, S s) { return std::min(std::max(x, s.low), s.high); }},
      {"FakeQuantize",
       [](double x, S s) {
         // The quotient is a float in ONNX, and ties go to the even integer.
         const double steps =
             std::nearbyint(double{static_cast<float>(x / s.scale)});
         return s.scale * (std::clamp(steps + s.zero, s.low, s.high) - s.zero);
       }},
  };
  for (const Row& row : kRows)
    if (op == row.op) return row.function;
  return nullptr;
}

int64_t IntegerBinary(const std::string& op, int64_t a, int64_t b) {
  // Unsigned arithmetic wraps; shapes never come near that.
  const uint64_t ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  if (op == "Add") return static_cast<int64_t>(ua + ub);
  if (op == "Sub") return static_cast<int64_t>(ua - ub);
  if (op == "Mul") return static_cast<int64_t>(ua * ub);
  if (op == "Max") return std::max(a, b);
  return std::min(a, b);
}

float FloatBinary(const std::string& op, float a, float b) {
  if (op == "Add") return a + b;
  if (op == "Sub") return a - b;
  if (op == "Mul") return a * b;
  if (op == "Div") return a / b;
  if (op == "Max") return std::max(a, b);
  if (op == "Min") return std::min(a, b);
  if (op == "Pow") return std::pow(a, b);
  return a < 0 ? a * b : a;  // PRelu
}

}  // namespace

Status RunUnary(const Node& node, Inputs in, Outputs* out) {
  const Function function = FindFunction(node.op);
  if (function == nullptr) return Unsupported("operator ", node.op);
  if (in[0]->is_integer) return Unsupported("integer input");
  UnarySettings s;
  MUNJA_ASSIGN_OR_RETURN(
      s.alpha, node.attributes.Float("alpha", node.op == "Elu" ? 1.0 : 0.0));
  MUNJA_ASSIGN_OR_RETURN(s.beta, node.attributes.Float("beta", 0));
  constexpr double kMost = std::numeric_limits<double>::infinity();
  MUNJA_ASSIGN_OR_RETURN(s.low, node.attributes.Float("min", -kMost));
  MUNJA_ASSIGN_OR_RETURN(s.high, node.attributes.Float("max", kMost));
  MUNJA_ASSIGN_OR_RETURN(const int64_t approximate,
                         node.attributes.Int("approximate", 0));
  s.approximate = approximate != 0;
  MUNJA_ASSIGN_OR_RETURN(s.scale, node.attributes.Float("scale", 1));
  MUNJA_ASSIGN_OR_RETURN(s.zero, node.attributes.Float("zero", 0));
  Tensor& y = (*out)[0];
  for (size_t i = 0; i < y.floats.size(); ++i)
    y.floats[i] = static_cast<float>(function(in[0]->floats[i], s));
  return {};
}

Status RunBinary(const Node& node, Inputs in, Outputs* out) {
  Tensor& y = (*out)[0];
  const size_t rank = y.shape.size();
  // Steps of each input along the axes of the output: 0 where it broadcasts.
  std::vector<int64_t> step[2];
  for (int k = 0; k < 2; ++k) {
    step[k].assign(rank, 0);
    const Dims& shape = in[k]->shape;
    int64_t stride = 1;
    for (size_t i = 0; i < shape.size(); ++i) {
      const int64_t d = shape[shape.size() - 1 - i];
      if (d != 1) step[k][rank - 1 - i] = stride;
      stride *= d;
    }
  }
  if (y.is_integer && (node.op == "Pow" || node.op == "PRelu"))
    return Unsupported("integer inputs");
  std::vector<int64_t> index(rank, 0);
  int64_t a = 0, b = 0;
  for (size_t i = 0; i < y.elements(); ++i) {
    if (!y.is_integer) {
      y.floats[i] = FloatBinary(node.op, in[0]->floats[a], in[1]->floats[b]);
    } else if (node.op == "Div") {
      const int64_t divisor = in[1]->integers[b];
      if (divisor == 0 || divisor == -1) return Malformed("integer division");
      y.integers[i] = in[0]->integers[a] / divisor;
    } else {
      y.integers[i] =
          IntegerBinary(node.op, in[0]->integers[a], in[1]->integers[b]);
    }
    for (size_t d = rank; d-- > 0;) {
      a += step[0][d];
      b += step[1][d];
      if (++index[d] < y.shape[d]) break;
      a -= step[0][d] * y.shape[d];
      b -= step[1][d] * y.shape[d];
      index[d] = 0;
    }
  }
  return {};
}

Status RunCast(const Node&, Inputs in, Outputs* out) {
  Tensor& y = (*out)[0];
  for (size_t i = 0; i < y.elements(); ++i) {
    if (y.is_integer == in[0]->is_integer) {
      CopyElement(*in[0], i, &y, i);
    } else if (y.is_integer) {
      const float v = in[0]->floats[i];
      if (!(std::fabs(v) < 9e18f))
        return Malformed("a value is not an integer");
      y.integers[i] = static_cast<int64_t>(v);
    } else {
      y.floats[i] = static_cast<float>(in[0]->integers[i]);
    }
  }
  return {};
}

}  // namespace munja::importer::reference
