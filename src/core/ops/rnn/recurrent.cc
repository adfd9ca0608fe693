// MunjaRecurrent, a custom operator: RNN, GRU and LSTM layers with states that
// are given and taken, sequences of different lengths, and any activations.
//
// Inputs: x [steps, batch, in]; weights [d, gates * hidden, in]; recurrent
// weights [d, gates * hidden, hidden]; biases [d, 2 * gates * hidden], of the
// input and of the state; lengths [batch], int32; first state and first cell
// [d, batch, hidden]; peepholes [d, 3 * hidden] (input, output, forget). All
// after the third may be absent; all but the lengths are float32. Outputs:
// every state [steps, d, batch, hidden], the last one and the last cell [d,
// batch, hidden]. The gates: LSTM input, output, forget, content; GRU update,
// reset, content. d = 2: forward and backward.
//
// Options: "kind": "RNN", "GRU", "LSTM"; "reverse"; "activations": names for
// each direction, separated by blanks; "alpha", "beta": one number for each;
// "clip" (0: none); "linear_before_reset" (GRU); "coupled" (LSTM: the forget
// gate is what the input gate leaves).
#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "ops/op.h"
#include "ops/support/custom_options.h"
#include "ops/support/operands.h"

namespace munja::ops::recurrent {
namespace {

enum class Kind { kRnn, kGru, kLstm };

struct Activation {
  std::string name;
  double alpha = 0, beta = 0;

  double operator()(double x) const {
    if (name == "sigmoid") return 1 / (1 + std::exp(-x));
    if (name == "tanh") return std::tanh(x);
    if (name == "relu") return std::max(x, 0.0);
    if (name == "affine") return alpha * x + beta;
    if (name == "leakyrelu") return x < 0 ? alpha * x : x;
    if (name == "thresholdedrelu") return x > alpha ? x : 0;
    if (name == "scaledtanh") return alpha * std::tanh(beta * x);
    if (name == "hardsigmoid") return std::clamp(alpha * x + beta, 0.0, 1.0);
    if (name == "elu") return x < 0 ? alpha * (std::exp(x) - 1) : x;
    if (name == "softsign") return x / (1 + std::fabs(x));
    return std::log1p(std::exp(x));  // softplus
  }
};

bool IsKnown(const std::string& name) {
  for (const char* known :
       {"sigmoid", "tanh", "relu", "affine", "leakyrelu", "thresholdedrelu",
        "scaledtanh", "hardsigmoid", "elu", "softsign", "softplus"})
    if (name == known) return true;
  return false;
}

struct Options {
  Kind kind = Kind::kRnn;
  bool reverse = false, linear_before_reset = false, coupled = false;
  double clip = 0;
  std::vector<Activation> activations;
  int gates() const {
    return kind == Kind::kRnn ? 1 : kind == Kind::kGru ? 3 : 4;
  }
  int functions() const {
    return kind == Kind::kRnn ? 1 : kind == Kind::kGru ? 2 : 3;
  }
};

class RecurrentKernel final : public Kernel {
 public:
  explicit RecurrentKernel(Options options) : o_(std::move(options)) {}

  Status Prepare(PrepareContext& context) const override {
    const Shape& x = context.input(0).shape;
    const Shape& w = context.input(1).shape;
    const Shape& r = context.input(2).shape;
    for (int i = 0; i < context.inputs(); ++i) {
      if (!context.has_input(i)) continue;
      MUNJA_RETURN_IF_ERROR(
          CheckType(context.input(i), "the operand",
                    {i == 4 ? ElementType::kInt32 : ElementType::kFloat32}));
    }
    const auto wrong = [&](const char* what) {
      return InvalidArgument(std::string(what) + " do not fit: input " +
                             x.ToString() + ", weights " + w.ToString() +
                             " and " + r.ToString());
    };
    if (x.rank() != 3 || w.rank() != 3 || r.rank() != 3) return wrong("ranks");
    const int32_t d = w[0], hidden = r[2], batch = x[1];
    if (d < 1 || d > 2 || hidden < 1 || w[1] != o_.gates() * hidden ||
        w[2] != x[2] || r != Shape{d, o_.gates() * hidden, hidden} ||
        static_cast<int>(o_.activations.size()) != d * o_.functions())
      return wrong("weights");
    const Shape state{d, batch, hidden};
    const Shape expected[] = {Shape{d, 2 * o_.gates() * hidden}, Shape{batch},
                              state, state, Shape{d, 3 * hidden}};
    for (int i = 3; i < 8; ++i)
      if (context.has_input(i) && context.input(i).shape != expected[i - 3])
        return wrong("biases, lengths or states");
    MUNJA_RETURN_IF_ERROR(
        context.SetOutputShape(0, Shape{x[0], d, batch, hidden}));
    MUNJA_RETURN_IF_ERROR(context.SetOutputShape(1, state));
    return context.SetOutputShape(2, state);
  }

  Status Eval(EvalContext& context) const override {
    const Shape& x = context.input(0).shape;
    const int64_t d = context.input(1).shape[0];
    const int64_t hidden = context.input(2).shape[2];
    const auto zero = [&](int i) {
      if (context.output(i).bytes > 0)
        std::memset(context.output(i).data, 0, context.output(i).bytes);
    };
    for (int i = 0; i < 3; ++i) zero(i);
    for (int64_t b = 0; b < x[1] && context.has_input(4); ++b) {
      const int32_t length = context.input(4).as<int32_t>()[b];
      if (length < 0 || length > x[0])
        return InvalidArgument("a sequence of " + std::to_string(length) +
                               " steps of " + std::to_string(x[0]));
    }
    // Kernels must not allocate for each step: once a run.
    context.pool().ParallelFor(
        static_cast<size_t>(d * x[1]), 1, [&](size_t begin, size_t end, int) {
          for (size_t i = begin; i < end; ++i)
            RunSequence(context, static_cast<int64_t>(i) / x[1],
                        static_cast<int64_t>(i) % x[1], hidden);
        });
    return {};
  }

 private:
  double Clip(double v) const {
    return o_.clip > 0 ? std::clamp(v, -o_.clip, o_.clip) : v;
  }

  void RunSequence(EvalContext& context, int64_t d, int64_t b,
                   int64_t hidden) const {
    const Shape& shape = context.input(0).shape;
    const int64_t steps = shape[0], batch = shape[1], size = shape[2];
    const int64_t gates = o_.gates(), n = gates * hidden;
    const int64_t directions = context.input(1).shape[0];
    const auto floats = [&](int i) -> const float* {
      return context.has_input(i) ? context.input(i).as<float>() : nullptr;
    };
    const float* w = floats(1) + d * n * size;
    const float* r = floats(2) + d * n * hidden;
    const float* bias = floats(3);
    const float* peephole = floats(7);
    if (bias != nullptr) bias += d * 2 * n;
    if (peephole != nullptr) peephole += d * 3 * hidden;
    const int64_t length =
        context.has_input(4) ? context.input(4).as<int32_t>()[b] : steps;
    const bool backward = d == 1 || o_.reverse;
    const Activation* f = o_.activations.data() + d * o_.functions();
    std::vector<double> h(hidden, 0.0), c(hidden, 0.0), in(n), back(n);
    const int64_t state = (d * batch + b) * hidden;
    for (int64_t i = 0; i < hidden; ++i) {
      if (floats(5) != nullptr) h[i] = floats(5)[state + i];
      if (floats(6) != nullptr) c[i] = floats(6)[state + i];
    }
    const auto recur = [&](int64_t row, const std::vector<double>& from) {
      double sum = bias != nullptr ? bias[n + row] : 0.0;
      for (int64_t i = 0; i < hidden; ++i)
        sum += static_cast<double>(r[row * hidden + i]) * from[i];
      return sum;
    };
    std::vector<double> next(hidden), gate(hidden);
    for (int64_t step = 0; step < length; ++step) {
      const int64_t t = backward ? length - 1 - step : step;
      const float* x = floats(0) + (t * batch + b) * size;
      for (int64_t row = 0; row < n; ++row) {
        double sum = bias != nullptr ? bias[row] : 0.0;
        for (int64_t i = 0; i < size; ++i)
          sum += static_cast<double>(w[row * size + i]) * x[i];
        in[row] = sum;
        back[row] = recur(row, h);
      }
      if (o_.kind == Kind::kRnn) {
        for (int64_t i = 0; i < hidden; ++i)
          next[i] = f[0](Clip(in[i] + back[i]));
      } else if (o_.kind == Kind::kGru) {
        Gru(f, in, back, recur, h, &gate, &next);
      } else {
        Lstm(f, in, back, peephole, &c, &next);
      }
      h = next;
      float* to = context.output(0).mutable_as<float>() +
                  ((t * directions + d) * batch + b) * hidden;
      for (int64_t i = 0; i < hidden; ++i) to[i] = static_cast<float>(h[i]);
    }
    for (int64_t i = 0; i < hidden; ++i) {
      context.output(1).mutable_as<float>()[state + i] =
          static_cast<float>(h[i]);
      context.output(2).mutable_as<float>()[state + i] =
          static_cast<float>(c[i]);
    }
  }

  template <class Recur>
  void Gru(const Activation* f, const std::vector<double>& in,
           const std::vector<double>& back, const Recur& recur,
           const std::vector<double>& h, std::vector<double>* reset,
           std::vector<double>* next) const {
    const int64_t n = static_cast<int64_t>(h.size());
    std::vector<double> kept(h.size());
    for (int64_t i = 0; i < n; ++i) {
      (*reset)[i] = f[0](Clip(in[n + i] + back[n + i]));
      kept[i] = (*reset)[i] * h[i];
    }
    for (int64_t i = 0; i < n; ++i) {
      const double update = f[0](Clip(in[i] + back[i]));
      const double from = o_.linear_before_reset ? (*reset)[i] * back[2 * n + i]
                                                 : recur(2 * n + i, kept);
      const double content = f[1](Clip(in[2 * n + i] + from));
      (*next)[i] = (1 - update) * content + update * h[i];
    }
  }

  void Lstm(const Activation* f, const std::vector<double>& in,
            const std::vector<double>& back, const float* peephole,
            std::vector<double>* c, std::vector<double>* next) const {
    const int64_t n = static_cast<int64_t>(c->size());
    const auto gate = [&](int64_t g, int64_t i, double cell) {
      double v = in[g * n + i] + back[g * n + i];
      if (peephole != nullptr) v += peephole[g * n + i] * cell;
      return f[0](Clip(v));
    };
    for (int64_t i = 0; i < n; ++i) {
      const double before = (*c)[i];
      const double input = gate(0, i, before);
      const double forget = o_.coupled ? 1 - input : gate(2, i, before);
      const double content = f[1](Clip(in[3 * n + i] + back[3 * n + i]));
      (*c)[i] = forget * before + input * content;
      (*next)[i] = gate(1, i, (*c)[i]) * f[2]((*c)[i]);
    }
  }

  Options o_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(3, 8, 3));
  MUNJA_ASSIGN_OR_RETURN(const graph::Attributes given,
                         DecodeCustomOptions(info.node().custom_options));
  Options o;
  MUNJA_ASSIGN_OR_RETURN(const std::string kind, given.Text("kind", "RNN"));
  if (kind != "RNN" && kind != "GRU" && kind != "LSTM")
    return Malformed("kind '" + kind + "'");
  o.kind = kind == "RNN"   ? Kind::kRnn
           : kind == "GRU" ? Kind::kGru
                           : Kind::kLstm;
  const auto flag = [&](const char* name, bool* to) -> Status {
    MUNJA_ASSIGN_OR_RETURN(const int64_t v, given.Int(name, 0));
    *to = v != 0;
    return {};
  };
  MUNJA_RETURN_IF_ERROR(flag("reverse", &o.reverse));
  MUNJA_RETURN_IF_ERROR(flag("linear_before_reset", &o.linear_before_reset));
  MUNJA_RETURN_IF_ERROR(flag("coupled", &o.coupled));
  MUNJA_ASSIGN_OR_RETURN(o.clip, given.Float("clip", 0));
  MUNJA_ASSIGN_OR_RETURN(const std::string names,
                         given.Text("activations", ""));
  const auto numbers = [&](const char* name) {
    const graph::AttributeValue* v = given.Find(name);
    std::vector<double> list;
    if (v == nullptr) return list;
    if (const auto* d = std::get_if<std::vector<double>>(v)) list = *d;
    if (const auto* i = std::get_if<std::vector<int64_t>>(v))
      list.assign(i->begin(), i->end());
    return list;
  };
  const std::vector<double> alpha = numbers("alpha"), beta = numbers("beta");
  std::istringstream words(names);
  for (std::string name; words >> name;) {
    if (!IsKnown(name)) return Unsupported("activation '" + name + "'");
    const size_t i = o.activations.size();
    o.activations.push_back({name, i < alpha.size() ? alpha[i] : 0.0,
                             i < beta.size() ? beta[i] : 0.0});
  }
  return std::unique_ptr<Kernel>(
      std::make_unique<RecurrentKernel>(std::move(o)));
}

}  // namespace munja::ops::recurrent
