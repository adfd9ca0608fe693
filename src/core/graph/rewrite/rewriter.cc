#include "graph/rewrite/rewriter.h"

#include <algorithm>

#include "graph/op_traits.h"
#include "graph/passes/pass.h"
#include "graph/rewrite/constants.h"
#include "graph/side_effects.h"

namespace munja::graph {
namespace {

// A function of what it reads that changes nothing: a builtin operator of which
// facts are known. (Those that update a state where they read it have no row.)
bool OnlyReads(const Node& node) {
  const OpTraits& traits = TraitsOf(node);
  return !traits.op.empty() && traits.effect == Effect::kNone;
}

}  // namespace

Result<bool> Rewriter::Run(Rewrite rewrite, bool is_backward) {
  const int count = static_cast<int>(subgraph_.nodes.size());
  is_dead_.assign(subgraph_.nodes.size(), false);
  Result<bool> result = false;
  for (int i = 0; i < count && result.ok(); ++i) {
    here_ = is_backward ? count - 1 - i : i;
    if (is_dead_[here_]) continue;
    const bool is_changed = *result;
    result = rewrite(*this, subgraph_.nodes[here_]);
    if (result.ok()) result = *result || is_changed;
  }
  if (!result.ok() || *result) Finish();
  return result;
}

void Rewriter::Finish() {
  // By place; those of one place in the order in which they came.
  std::stable_sort(
      inserted_.begin(), inserted_.end(),
      [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Node> nodes;
  nodes.reserve(subgraph_.nodes.size() + inserted_.size());
  auto next = inserted_.begin();
  for (size_t n = 0; n < subgraph_.nodes.size(); ++n) {
    for (; next != inserted_.end() && next->first == static_cast<int>(n);
         ++next)
      nodes.push_back(std::move(next->second));
    if (!is_dead_[n]) nodes.push_back(std::move(subgraph_.nodes[n]));
  }
  inserted_.clear();
  subgraph_.nodes = std::move(nodes);
  uses_ = DefUse(subgraph_);
  shapes_.reset();
}

const SymbolicShapes& Rewriter::shapes() {
  if (!shapes_) shapes_.emplace(subgraph_);
  return *shapes_;
}

bool Rewriter::HasOp(std::string_view op) const {
  return !options_.has_op || options_.has_op(op);
}

bool Rewriter::MayRunHere(const Node& node) const {
  if (!OnlyReads(node)) return false;
  for (const ValueId v : node.inputs) {
    if (v == kNoValue || !subgraph_.values[v].is_variable) continue;
    // Inserted nodes are made of nodes that were checked before.
    for (int n = IndexOf(node) + 1; n < here_; ++n) {
      const Node& between = subgraph_.nodes[n];
      const auto& inputs = between.inputs;
      if (!OnlyReads(between) &&
          std::find(inputs.begin(), inputs.end(), v) != inputs.end())
        return false;
    }
  }
  return true;
}

const Node* Rewriter::Producer(ValueId v) const {
  const int n = uses_.producer(v);
  return n != kNoNode && MayRunHere(subgraph_.nodes[n]) ? &subgraph_.nodes[n]
                                                        : nullptr;
}

const Node* Rewriter::OnlyProducer(ValueId v) const {
  return uses_.only_reader(v) == kNoNode ? nullptr : Producer(v);
}

const Node* Rewriter::OnlyReader(ValueId v) const {
  const int n = uses_.only_reader(v);
  return n != kNoNode && IsPure(subgraph_, subgraph_.nodes[n])
             ? &subgraph_.nodes[n]
             : nullptr;
}

std::vector<const Node*> Rewriter::Readers(ValueId v) const {
  std::vector<const Node*> readers;
  if (const int only = uses_.only_reader(v); only != kNoNode)
    return {&subgraph_.nodes[only]};
  if (uses_.count(v) == 0) return readers;
  for (const Node& node : subgraph_.nodes)
    if (!is_dead_[IndexOf(node)] &&
        std::find(node.inputs.begin(), node.inputs.end(), v) !=
            node.inputs.end())
      readers.push_back(&node);
  return readers;
}

void Rewriter::Replace(const Node& old, Node by) {
  const int n = IndexOf(old);
  uses_.Remove(n, old);
  std::swap(subgraph_.nodes[n], by);
  uses_.Add(n, old);
  Sweep(std::move(by.inputs));
}

void Rewriter::Merge(const Node& old, Node by, const Node& later) {
  by.outputs = later.outputs;
  Drop(later);
  Replace(old, std::move(by));
  Sweep(later.inputs);
}

void Rewriter::Insert(Node node) {
  uses_.Add(kNoNode, node);
  inserted_.emplace_back(here_, std::move(node));
}

void Rewriter::Remove(const Node& node) {
  Drop(node);
  Sweep(node.inputs);
}

bool Rewriter::RemoveUnread(const Node& node) {
  const bool can_go = CanGo(node);
  if (can_go) Remove(node);
  return can_go;
}

bool Rewriter::CanGo(const Node& node) const {
  for (const ValueId v : node.outputs)
    if (uses_.count(v) > 0) return false;
  return !node.outputs.empty() &&
         (OnlyReads(node) || !HasSideEffects(subgraph_, node));
}

void Rewriter::Sweep(std::vector<ValueId> values) {
  while (!values.empty()) {
    const int n = uses_.producer(values.back());
    values.pop_back();
    if (n == kNoNode || !CanGo(subgraph_.nodes[n])) continue;
    const Node& node = subgraph_.nodes[n];
    Drop(node);
    values.insert(values.end(), node.inputs.begin(), node.inputs.end());
  }
}

void Rewriter::Drop(const Node& node) {
  uses_.Remove(IndexOf(node), node);
  is_dead_[IndexOf(node)] = true;
}

ValueId Rewriter::AddFloats(std::string name, const Shape& shape,
                            const std::vector<float>& data) {
  return graph::AddFloats(subgraph_, std::move(name), shape, data);
}

void Rewriter::SetConstant(ValueId v, const Shape& shape, Constant data) {
  SetShape(v, shape);
  subgraph_.values[v].constant = std::move(data);
}

void Rewriter::SetShape(ValueId v, const std::optional<Shape>& shape) {
  Value& value = subgraph_.values[v];
  value.has_shape = shape.has_value();
  if (shape) value.shape = *shape;
  if (shapes_) shapes_->Forget(v);
}

std::string Rewriter::Describe(const Node& node) const {
  return graph::Describe(subgraph_, static_cast<size_t>(IndexOf(node)));
}

}  // namespace munja::graph
