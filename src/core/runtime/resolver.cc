#include "runtime/resolver.h"

#include <algorithm>
#include <utility>

namespace munja::runtime {

void Resolver::Add(std::string name, bool is_custom, Operator op) {
  (is_custom ? custom_ : builtin_)[std::move(name)] = std::move(op);
}

std::shared_ptr<const Resolver> Resolver::ForSession(
    const std::shared_ptr<const Resolver>& resolver) {
  auto own = std::make_shared<Resolver>(*resolver);
  std::shared_ptr<void> shared;
  for (auto* operators : {&own->builtin_, &own->custom_}) {
    for (auto& [name, op] : *operators)
      if (op.for_session) op.make = op.for_session(shared);
  }
  return shared != nullptr ? own : resolver;
}

std::optional<Resolver::Operator> Resolver::Find(
    const graph::Node& node) const {
  const auto& added = node.is_custom ? custom_ : builtin_;
  const auto it = added.find(node.op);
  if (it != added.end()) return it->second;
  if (node.is_custom &&
      std::none_of(node.op.begin(), node.op.end(),
                   [](char c) { return c >= 'a' && c <= 'z'; }))
    return std::nullopt;
  const ops::OpImpl* const row = table_(node.op);
  if (row == nullptr) return std::nullopt;
  return Operator{row->min_version, row->max_version, row->make, false};
}

bool Resolver::Has(std::string_view name) const {
  return builtin_.contains(name) || table_(name) != nullptr;
}

bool Resolver::ReplacesBuiltins() const {
  return std::any_of(builtin_.begin(), builtin_.end(), [](const auto& entry) {
    return entry.second.is_stateful;
  });
}

}  // namespace munja::runtime
