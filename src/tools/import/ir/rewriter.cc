#include "import/ir/rewriter.h"

#include <memory>
#include <string>
#include <utility>

namespace munja::importer {

Rewriter::Rewriter(Model* model)
    : model_(*model),
      uses_(CountUses(*model)),
      producer_(model->values.size(), -1) {
  for (size_t i = 0; i < model_.nodes.size(); ++i)
    for (const ValueId v : model_.nodes[i].outputs)
      producer_[v] = static_cast<int>(i);
}

Node* Rewriter::Producer(ValueId id, std::string_view op) {
  if (id == kNoValue || producer_[id] < 0) return nullptr;
  Node& node = model_.nodes[producer_[id]];
  return node.op == op ? &node : nullptr;
}

std::optional<double> Rewriter::Scalar(ValueId id) const {
  if (id == kNoValue) return std::nullopt;
  const Tensor* t = constant(id);
  if (t == nullptr || t->is_integer || t->floats.size() != 1)
    return std::nullopt;
  return t->floats[0];
}

bool Rewriter::SplitScalar(const Node& node, double* scalar,
                           ValueId* other) const {
  for (int i = 0; i < 2; ++i) {
    const std::optional<double> s = Scalar(node.inputs[i]);
    if (!s) continue;
    *scalar = *s;
    *other = node.inputs[1 - i];
    return true;
  }
  return false;
}

ValueId Rewriter::AddConstant(const std::string& name, Tensor tensor) {
  Value value;
  value.name = name;
  value.shape = tensor.shape;
  value.is_integer = tensor.is_integer;
  value.type = tensor.type;
  value.constant = std::make_shared<const Tensor>(std::move(tensor));
  model_.values.push_back(std::move(value));
  uses_.push_back(1);
  producer_.push_back(-1);
  return static_cast<ValueId>(model_.values.size() - 1);
}

ValueId Rewriter::AddLike(const std::string& name, ValueId like) {
  Value value;
  value.name = name;
  value.shape = model_.values[like].shape;
  model_.values.push_back(std::move(value));
  uses_.push_back(1);
  producer_.push_back(-1);
  return static_cast<ValueId>(model_.values.size() - 1);
}

}  // namespace munja::importer
