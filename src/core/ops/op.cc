#include "ops/op.h"

#include <algorithm>
#include <iterator>

#include "ops/support/string_moves.h"

// A build with fewer operators names its own list: tools/select-operators.
#ifndef MUNJA_OPS_DEF
#define MUNJA_OPS_DEF "ops/ops.def"
#endif

namespace munja::ops {

#define OP(symbol, stem, lo, hi)                              \
  namespace stem {                                            \
  Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info); \
  }
#include MUNJA_OPS_DEF
#undef OP

namespace {

template <MakeFunction kMake>
Result<std::unique_ptr<Kernel>> MakeOf(const NodeInfo& info) {
  return MakeMovingStrings(info, kMake);
}

constexpr OpImpl kOps[] = {
#define OP(symbol, stem, lo, hi) {#symbol, lo, hi, MakeOf<stem::Make>},
#include MUNJA_OPS_DEF
#undef OP
    {"", 0, 0, nullptr},  // Ends the list, which may be empty.
};

}  // namespace

std::span<const OpImpl> AllOps() { return {kOps, std::size(kOps) - 1}; }

const OpImpl* FindOp(std::string_view name) {
  const auto ops = AllOps();
  const auto it = std::find_if(ops.begin(), ops.end(), [&](const OpImpl& op) {
    return op.name == name;
  });
  return it == ops.end() ? nullptr : &*it;
}

int32_t Resources::Id(std::string_view name) {
  const auto it = std::find(names_.begin(), names_.end(), name);
  if (it != names_.end()) return static_cast<int32_t>(it - names_.begin());
  names_.emplace_back(name);
  contents_.emplace_back();
  return static_cast<int32_t>(names_.size() - 1);
}

std::unique_ptr<State>* Resources::Find(int32_t id) {
  if (id < 0 || static_cast<size_t>(id) >= contents_.size()) return nullptr;
  return &contents_[static_cast<size_t>(id)];
}

void Resources::Clear() {
  for (std::unique_ptr<State>& content : contents_) content.reset();
}

const graph::Value* NodeInfo::input(int i) const {
  if (i < 0 || i >= inputs() || node_.inputs[i] == graph::kNoValue)
    return nullptr;
  return &subgraph_.values[node_.inputs[i]];
}

const graph::Value& NodeInfo::output(int i) const {
  return subgraph_.values[node_.outputs[i]];
}

const graph::Value* NodeInfo::intermediate(int i) const {
  const auto& list = node_.intermediates;
  if (i < 0 || static_cast<size_t>(i) >= list.size() ||
      list[static_cast<size_t>(i)] == graph::kNoValue)
    return nullptr;
  return &subgraph_.values[static_cast<size_t>(list[static_cast<size_t>(i)])];
}

TensorView NodeInfo::constant(int i) const {
  const graph::Value* value = input(i);
  if (value == nullptr || !value->constant) return TensorView{};
  // Views have one kind of data pointer; inputs are never written through it.
  return TensorView{value->type, value->shape,
                    const_cast<uint8_t*>(value->constant->bytes.data()),
                    value->constant->bytes.size(), &value->quantization};
}

Status NodeInfo::CheckArity(int min_inputs, int max_inputs,
                            int want_outputs) const {
  if (inputs() < min_inputs || inputs() > max_inputs) {
    return Malformed(
        "has " + std::to_string(inputs()) + " inputs, wants " +
        std::to_string(min_inputs) +
        (max_inputs > min_inputs ? " to " + std::to_string(max_inputs) : ""));
  }
  for (int i = 0; i < min_inputs; ++i) {
    if (input(i) == nullptr)
      return Malformed("input " + std::to_string(i) + " is absent");
  }
  if (outputs() != want_outputs) {
    return Malformed("has " + std::to_string(outputs()) + " outputs, wants " +
                     std::to_string(want_outputs));
  }
  return Status();
}

}  // namespace munja::ops
