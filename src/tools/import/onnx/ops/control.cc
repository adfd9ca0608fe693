// If, Loop and Scan. Control flow that is known when the model is read is
// unrolled: the branch that is taken, loops with a fixed number of iterations.
// The rest becomes IF and WHILE.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "import/ir/bodies.h"
#include "import/onnx/body.h"
#include "import/onnx/operators.h"
#include "import/onnx/writer.h"
#include "onnx.pb.h"

namespace munja::importer::onnx {
namespace {

using Graph = munja::onnx::GraphProto;

constexpr int64_t kMaxIterations = 1024;  // Limit of unrolling.

constexpr int64_t kMaxWritten = 1 << 16;  // In all turns of one loop.

constexpr int kMaxShapes = 16;  // Tried for loop variables.

Result<const Graph*> FindGraph(const Operator& op, const char* name) {
  const auto it = op.graphs.find(name);
  if (it == op.graphs.end()) return Malformed(op, " lacks its ", name);
  return it->second;
}

// A node with bodies, its outputs bound.
Status AddControl(Context& context, const Operator& op, const char* what,
                  std::vector<ValueId> inputs,
                  std::vector<std::shared_ptr<const Model>> bodies,
                  Values* outputs) {
  Node node;
  node.op = what;
  node.name = op.name;
  node.inputs = std::move(inputs);
  std::vector<std::string> names;
  const std::string base = op.outputs.empty() ? op.name : op.outputs[0];
  for (size_t i = 0; i < bodies.back()->outputs.size(); ++i)
    names.push_back(base + "/" + what + std::to_string(i));
  node.bodies = std::move(bodies);
  MUNJA_ASSIGN_OR_RETURN(
      *outputs, context.builder.AddNode(std::move(node), std::move(names)));
  return {};
}

Status BindAll(Context& context, const Operator& op, const Values& values) {
  if (values.size() < op.outputs.size())
    return Malformed(op, ": a branch or body has ", values.size(),
                     " outputs for ", op.outputs.size());
  for (size_t i = 0; i < op.outputs.size(); ++i)
    if (!op.outputs[i].empty())
      MUNJA_RETURN_IF_ERROR(context.Bind(op, i, values[i]));
  return {};
}

std::vector<std::string> Union(std::vector<std::string> a,
                               const std::vector<std::string>& b) {
  for (const std::string& name : b)
    if (std::find(a.begin(), a.end(), name) == a.end()) a.push_back(name);
  return a;
}

// One value of `v` along `axis`.
ValueId At(Writer& w, ValueId v, int64_t axis, int64_t index) {
  return w.Squeeze(w.Slice(v, axis, index, index + 1), {axis});
}

}  // namespace

Status Conditional(Context& context, const Operator& op) {
  MUNJA_ASSIGN_OR_RETURN(const Graph* yes, FindGraph(op, "then_branch"));
  MUNJA_ASSIGN_OR_RETURN(const Graph* no, FindGraph(op, "else_branch"));
  const Result<double> known = context.Number(op, "condition", 0, 0);
  if (known.ok()) {
    MUNJA_ASSIGN_OR_RETURN(const Values results,
                           AddBody(context, op, *known != 0 ? *yes : *no, {}));
    return BindAll(context, op, results);
  }
  const std::vector<std::string> captured =
      Union(FreeNames(context, *yes), FreeNames(context, *no));
  std::vector<std::shared_ptr<const Model>> bodies;
  for (const Graph* graph : {yes, no}) {
    Outline outline(context, graph);
    outline.Capture(captured);
    MUNJA_ASSIGN_OR_RETURN(Values results,
                           AddBody(outline.context(), op, *graph, {}));
    MUNJA_ASSIGN_OR_RETURN(auto model, outline.Finish(std::move(results)));
    bodies.push_back(std::move(model));
  }
  Values inputs = {op.inputs[0]};
  for (const std::string& name : captured)
    inputs.push_back(context.values.at(name));
  Values outputs;
  MUNJA_RETURN_IF_ERROR(AddControl(context, op, "If", std::move(inputs),
                                   std::move(bodies), &outputs));
  return BindAll(context, op, outputs);
}

namespace {

// The inputs of a Loop.
struct LoopParts {
  const Graph* body = nullptr;
  ValueId most = kNoValue;  // Turns.
  ValueId condition = kNoValue;
  Values states;
  size_t scans = 0;
  Dims counter;  // Its shape: none, or one.
};

Result<LoopParts> ReadLoop(const Operator& op) {
  LoopParts p;
  MUNJA_ASSIGN_OR_RETURN(p.body, FindGraph(op, "body"));
  p.most = op.input(0);
  p.condition = op.input(1);
  for (size_t i = 2; i < op.inputs.size(); ++i) {
    if (op.inputs[i] == kNoValue) return Malformed(op, " lacks input ", i);
    p.states.push_back(op.inputs[i]);
  }
  const int states = static_cast<int>(p.states.size());
  if (p.body->input_size() != 2 + states || p.body->output_size() < 1 + states)
    return Malformed(op, ": its body has ", p.body->input_size(),
                     " inputs and ", p.body->output_size(), " outputs for ",
                     states, " variables");
  p.scans = static_cast<size_t>(p.body->output_size() - 1 - states);
  if (p.body->input(0).type().tensor_type().shape().dim_size() == 1)
    p.counter = {1};
  return p;
}

// Unrolls the loop; false when its iteration count is not known.
Result<bool> Unroll(Context& context, const Operator& op, const LoopParts& p,
                    Values* results) {
  Writer w(context, op);
  const auto number = [&](ValueId v,
                          double otherwise) -> std::optional<double> {
    if (v == kNoValue) return otherwise;
    const Tensor* t = context.builder.constant(v);
    if (t == nullptr || t->elements() != 1 || !t->is_integer) return {};
    return static_cast<double>(t->integers[0]);
  };
  const auto most = number(p.most, kMaxIterations + 1.0);
  auto condition = number(p.condition, 1);
  if (!most || !condition || *most > kMaxIterations ||
      *most * p.body->node_size() > kMaxWritten)
    return false;
  Values states = p.states;
  std::vector<Values> scans(p.scans);
  for (int64_t i = 0; i < static_cast<int64_t>(*most) && *condition != 0; ++i) {
    Values inputs = {w.Constant(Tensor::Integers(p.counter, {i}, kI64)),
                     w.Constant(Tensor::Integers({}, {1}, ElementType::kBool))};
    inputs.insert(inputs.end(), states.begin(), states.end());
    MUNJA_ASSIGN_OR_RETURN(const Values out,
                           AddBody(context, op, *p.body, inputs));
    condition = number(out[0], 1);
    if (!condition) return false;  // It is computed in the turn.
    states.assign(out.begin() + 1,
                  out.begin() + 1 + static_cast<ptrdiff_t>(states.size()));
    for (size_t k = 0; k < p.scans; ++k)
      scans[k].push_back(w.Unsqueeze(out[1 + states.size() + k], {0}));
  }
  *results = states;
  for (Values& s : scans) {
    if (s.empty()) w.Refuse("outputs of iterations where there are none");
    if (w.ok()) results->push_back(w.Concat(s, 0));
  }
  MUNJA_RETURN_IF_ERROR(w.Done());
  return true;
}

// The loop variables of a WHILE: counter, condition, states, scans, then what
// the body reads of the graph around it.
class WhileLoop {
 public:
  WhileLoop(Context& context, const Operator& op, const LoopParts& p)
      : context_(context), op_(op), p_(p) {
    captured_ = FreeNames(context, *p.body);
    for (const ValueId s : p.states) shapes_.push_back(context.ShapeOf(s));
  }

  Status Add(Values* results) {
    Writer w(context_, op_);
    std::shared_ptr<const Model> body;
    for (int tries = 0;; ++tries) {
      MUNJA_ASSIGN_OR_RETURN(body, Body());
      MUNJA_ASSIGN_OR_RETURN(const bool grew, Widen(*body));
      if (!grew) break;
      if (tries > kMaxShapes) return Unsupported("shapes that never settle");
    }
    MUNJA_ASSIGN_OR_RETURN(auto condition, Condition());
    Values inputs = {
        w.Constant(Tensor::Integers(p_.counter, {0}, kI64)),
        p_.condition != kNoValue
            ? w.Reshape(p_.condition, {})
            : w.Constant(Tensor::Integers({}, {1}, ElementType::kBool))};
    inputs.insert(inputs.end(), p_.states.begin(), p_.states.end());
    for (size_t k = 0; k < p_.scans; ++k) {
      Tensor none;
      none.shape = scans_[k].shape;
      none.shape[0] = 0;
      none.type = scans_[k].type;
      none.is_integer = none.type != kF32;
      inputs.push_back(w.Constant(std::move(none)));
    }
    if (Counts()) inputs.push_back(w.Reshape(p_.most, {}));
    for (const std::string& name : captured_)
      inputs.push_back(context_.values.at(name));
    MUNJA_RETURN_IF_ERROR(w.Done());
    Values outputs;
    MUNJA_RETURN_IF_ERROR(AddControl(context_, op_, "While", std::move(inputs),
                                     {condition, body}, &outputs));
    results->assign(outputs.begin() + 2,
                    outputs.begin() + 2 +
                        static_cast<ptrdiff_t>(p_.states.size() + p_.scans));
    return {};
  }

 private:
  struct Scan {
    Dims shape;
    ElementType type = kF32;
  };

  // The iteration count is known at run time only.
  bool Counts() const { return p_.most != kNoValue; }

  // The inputs of both bodies.
  Values Inputs(Outline& outline) {
    Values v = {outline.AddInput("turn", p_.counter, kI64),
                outline.AddInput("again", {}, ElementType::kBool)};
    for (size_t i = 0; i < p_.states.size(); ++i)
      v.push_back(outline.AddInput("state_" + std::to_string(i), shapes_[i],
                                   context_.builder.value(p_.states[i]).type));
    for (size_t k = 0; k < scans_.size(); ++k)
      v.push_back(outline.AddInput("scan_" + std::to_string(k), scans_[k].shape,
                                   scans_[k].type));
    if (Counts()) v.push_back(outline.AddInput("turns", {}, kI64));
    outline.Capture(captured_);
    for (const std::string& name : captured_)
      v.push_back(outline.context().values.at(name));
    return v;
  }

  Operator Here(const char* name) const {
    Operator op;
    op.type = op_.type;
    op.name = op_.name;
    op.outputs = {name};
    return op;
  }

  Result<std::shared_ptr<const Model>> Condition() {
    Outline outline(context_, nullptr);
    const Values in = Inputs(outline);
    const Operator here = Here("goes_on");
    Writer w(outline.context(), here);
    ValueId y = in[1];
    if (Counts()) {
      const ValueId turns = in[2 + p_.states.size() + scans_.size()];
      y = w.Logical("LOGICAL_AND", y,
                    w.Compare("LESS", w.Reshape(in[0], {}), turns));
    }
    MUNJA_RETURN_IF_ERROR(w.Done());
    return outline.Finish({y});
  }

  Result<std::shared_ptr<const Model>> Body() {
    Outline outline(context_, p_.body);
    // The scan outputs are known after the body has been translated once.
    const bool known = !scans_.empty() || p_.scans == 0;
    const Values in = Inputs(outline);
    const size_t states = p_.states.size();
    MUNJA_ASSIGN_OR_RETURN(
        const Values out,
        AddBody(outline.context(), op_, *p_.body,
                std::span<const ValueId>(in).first(2 + states)));
    const Operator here = Here("next");
    Writer w(outline.context(), here);
    Values results = {w.Add(in[0], w.Scalar(1, kI64)), w.Reshape(out[0], {})};
    results.insert(results.end(), out.begin() + 1,
                   out.begin() + 1 + static_cast<ptrdiff_t>(states));
    if (!known) {
      for (size_t k = 0; k < p_.scans; ++k) {
        const ValueId v = out[1 + states + k];
        Dims shape = w.Static(v);
        shape.insert(shape.begin(), kUnknown);
        scans_.push_back({shape, w.type(v)});
      }
      MUNJA_RETURN_IF_ERROR(w.Done());
      return Body();
    }
    for (size_t k = 0; k < p_.scans; ++k)
      results.push_back(w.Concat(
          {in[2 + states + k], w.Unsqueeze(out[1 + states + k], {0})}, 0));
    results.insert(results.end(),
                   in.begin() + static_cast<ptrdiff_t>(2 + states + p_.scans),
                   in.end());
    MUNJA_RETURN_IF_ERROR(w.Done());
    return outline.Finish(std::move(results));
  }

  Result<bool> Widen(const Model& body) {
    std::vector<LoopVariable> variables;
    for (size_t i = 0; i < shapes_.size(); ++i)
      variables.push_back(
          {std::to_string(i), context_.builder.value(p_.states[i]).type});
    return WidenShapes(body, 2, variables, shapes_);
  }

  Context& context_;
  const Operator& op_;
  const LoopParts& p_;
  std::vector<std::string> captured_;
  std::vector<Dims> shapes_;  // Shapes of the states.
  std::vector<Scan> scans_;
};

}  // namespace

Status Loop(Context& context, const Operator& op) {
  MUNJA_ASSIGN_OR_RETURN(const LoopParts parts, ReadLoop(op));
  Values results;
  MUNJA_ASSIGN_OR_RETURN(const bool done, Unroll(context, op, parts, &results));
  if (!done)
    MUNJA_RETURN_IF_ERROR(WhileLoop(context, op, parts).Add(&results).With(op));
  return BindAll(context, op, results);
}

Status Scan(Context& context, const Operator& op) {
  Writer w(context, op);
  if (context.opset < 9) w.Refuse("as it was before set 9");
  MUNJA_ASSIGN_OR_RETURN(const Graph* body, FindGraph(op, "body"));
  const int64_t scanned = w.Int("num_scan_inputs", 0);
  const int64_t all = static_cast<int64_t>(op.inputs.size());
  const int64_t states = all - scanned;
  const int64_t scans = body->output_size() - states;
  if (scanned < 1 || states < 0 || scans < 0)
    w.Damaged("num_scan_inputs ", scanned);
  const auto settings = [&](const char* name, int64_t count) {
    Int64s given = w.Ints(name);
    if (given.empty())
      given.assign(static_cast<size_t>(std::max<int64_t>(count, 0)), 0);
    if (static_cast<int64_t>(given.size()) != count)
      w.Damaged(name, " are not ", count);
    return given;
  };
  Int64s axes = settings("scan_input_axes", scanned);
  const Int64s backward = settings("scan_input_directions", scanned);
  const Int64s out_axes = settings("scan_output_axes", scans);
  const Int64s out_backward = settings("scan_output_directions", scans);
  if (!w.ok()) return w.Done();
  int64_t turns = -1;
  for (int64_t k = 0; k < scanned; ++k) {
    const ValueId v = w.Need(static_cast<size_t>(states + k));
    axes[k] = w.Axis(axes[k], w.rank(v));
    if (!w.ok()) return w.Done();
    const int64_t size = w.shape(v)[axes[k]];
    if (size < 0) w.Refuse("a dynamic number of steps");
    if (turns >= 0 && size != turns) w.Damaged("inputs of different lengths");
    turns = size;
  }
  if (turns > kMaxIterations || turns * body->node_size() > kMaxWritten)
    w.Refuse(turns, " steps");
  if (turns == 0) w.Refuse("no steps");
  Values state(op.inputs.begin(), op.inputs.begin() + states);
  std::vector<Values> results(static_cast<size_t>(scans));
  for (int64_t i = 0; i < turns && w.ok(); ++i) {
    Values inputs = state;
    for (int64_t k = 0; k < scanned; ++k)
      inputs.push_back(At(w, w.in(static_cast<size_t>(states + k)), axes[k],
                          backward[k] != 0 ? turns - 1 - i : i));
    if (!w.ok()) break;
    MUNJA_ASSIGN_OR_RETURN(const Values out,
                           AddBody(context, op, *body, inputs));
    state.assign(out.begin(), out.begin() + states);
    for (int64_t k = 0; k < scans; ++k) {
      const ValueId v = out[static_cast<size_t>(states + k)];
      const int64_t axis = w.Axis(out_axes[k], w.rank(v) + 1);
      results[k].push_back(w.Unsqueeze(v, {axis}));
    }
  }
  for (int64_t k = 0; k < scans && w.ok(); ++k) {
    if (out_backward[k] != 0)
      std::reverse(results[k].begin(), results[k].end());
    const ValueId first = results[k][0];
    const int64_t axis = w.Axis(out_axes[k], w.rank(first));
    state.push_back(w.Concat(results[k], axis));
  }
  MUNJA_RETURN_IF_ERROR(w.Done());
  return BindAll(context, op, state);
}

}  // namespace munja::importer::onnx
