#include "hal/validate.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hal/operations.h"
#include "hal/types.h"

namespace munja::hal {
namespace {

bool IsOem(int32_t type) {
  return type == MUNJA_NN_OEM || type == MUNJA_NN_TENSOR_OEM_BYTE;
}

// The checks of one model.
class ModelCheck {
 public:
  ModelCheck(const Model& model, int32_t version)
      : model_(model), version_(version) {}
  Status Run();

 private:
  Status CheckExtensions() const;
  Status CheckPrefix(int32_t type) const;
  Status CheckSubgraph(const Subgraph& subgraph) const;
  Status CheckOperand(const Operand& operand) const;
  Status CheckQuantization(const Operand& operand, const TypeRow& row) const;
  Status CheckLocation(const Operand& operand) const;
  Status CheckLists(const Subgraph& subgraph) const;
  Status CheckFlow(const Subgraph& subgraph) const;
  Status CheckConsumers(const Subgraph& subgraph) const;
  Status CheckOperation(const Subgraph& subgraph,
                        const Operation& operation) const;
  Status CheckIf(const Subgraph& subgraph, const Operation& operation) const;
  Status CheckWhile(const Subgraph& subgraph, const Operation& operation) const;
  Status CheckCalls() const;
  Status Visit(size_t subgraph, std::vector<int>& state) const;

  const Model& model_;
  const int32_t version_;
};

Status Wrong(const std::string& message) { return InvalidArgument(message); }

Status ModelCheck::CheckExtensions() const {
  std::set<std::string> names;
  std::set<uint16_t> prefixes;
  for (const ExtensionPrefix& extension : model_.extensions) {
    const std::string& name = extension.name;
    const bool is_name =
        name.find('.') != name.npos && std::ranges::all_of(name, [](char c) {
          return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
                 c == '_';
        });
    if (!is_name)
      return Wrong("'" + name +
                   "' is no name of an extension: lower case letters, digits, "
                   "'_' and at least one '.'");
    if (extension.prefix == 0)
      return Wrong("extension " + name + " has prefix 0, which none may have");
    if (!names.insert(name).second)
      return Wrong("extension " + name + " is listed twice");
    if (!prefixes.insert(extension.prefix).second)
      return Wrong("two extensions have prefix " +
                   std::to_string(extension.prefix));
  }
  return Status();
}

Status ModelCheck::CheckPrefix(int32_t type) const {
  const auto prefix = static_cast<uint32_t>(type) >> 16;
  const bool is_listed = std::ranges::any_of(
      model_.extensions,
      [&](const ExtensionPrefix& e) { return e.prefix == prefix; });
  if (is_listed) return Status();
  return Wrong("prefix " + std::to_string(prefix) + " of type " +
               std::to_string(type) + " is that of no extension of the model");
}

Status ModelCheck::CheckQuantization(const Operand& operand,
                                     const TypeRow& row) const {
  const std::string name = row.name;
  const float s = operand.scale;
  const bool fits = row.scale == TypeRow::kNone  ? s == 0.0f
                    : row.scale == TypeRow::kAny ? s >= 0.0f
                                                 : s > 0.0f;
  if (!fits || !std::isfinite(s))
    return Wrong("scale " + std::to_string(s) + " of " + name +
                 ": it must be " +
                 (row.scale == TypeRow::kNone  ? "0"
                  : row.scale == TypeRow::kAny ? "0 or more"
                                               : "above 0"));
  const int32_t z = operand.zero_point;
  if (z < row.min_zero_point || z > row.max_zero_point)
    return Wrong("zero point " + std::to_string(z) + " of " + name +
                 ": it must lie in " + std::to_string(row.min_zero_point) +
                 " to " + std::to_string(row.max_zero_point));
  if (operand.extension_data) return Wrong("data of an extension with " + name);
  if (row.type != MUNJA_NN_TENSOR_QUANT8_SYMM_PER_CHANNEL)
    return operand.channels ? Wrong("scales by channel with " + name)
                            : Status();
  if (!operand.channels) return Wrong(name + " without scales by channel");
  const ChannelScales& channels = *operand.channels;
  if (channels.dimension >= operand.dimensions.size())
    return Wrong("channels along dimension " +
                 std::to_string(channels.dimension) + " of " +
                 ToText(operand.dimensions));
  const uint32_t size = operand.dimensions[channels.dimension];
  if (size == 0 || channels.scales.size() != size)
    return Wrong(std::to_string(channels.scales.size()) + " scales for " +
                 std::to_string(size) + " channels");
  for (const float scale : channels.scales)
    if (!(scale > 0.0f) || !std::isfinite(scale))
      return Wrong("a channel's scale is " + std::to_string(scale) +
                   ": it must be above 0");
  return Status();
}

Status ModelCheck::CheckLocation(const Operand& operand) const {
  const Location& at = operand.location;
  if (operand.lifetime == MUNJA_NN_LIFETIME_SUBGRAPH) {
    if (at.pool != 0 || at.length != 0)
      return Wrong("pool and length of a subgraph's operand must be 0");
    if (Model::SubgraphOf(operand) >= model_.subgraphs.size())
      return Wrong("there is no referenced subgraph " +
                   std::to_string(at.offset));
    return Status();
  }
  if (!operand.is_constant()) {
    if (at != Location{}) return Wrong("a location, which only constants have");
    return Status();
  }
  uint64_t available = model_.operand_values.size();
  if (operand.lifetime == MUNJA_NN_CONSTANT_REFERENCE) {
    if (at.pool >= model_.pools.size())
      return Wrong("there is no pool " + std::to_string(at.pool));
    available = model_.pools[at.pool].bytes;
  } else if (at.pool != 0) {
    return Wrong("pool " + std::to_string(at.pool) +
                 " of a constant in the operand values: it must be 0");
  }
  if (uint64_t{at.offset} + at.length > available)
    return Wrong("bytes " + std::to_string(at.offset) + " to " +
                 std::to_string(uint64_t{at.offset} + at.length) +
                 " lie beyond the end at " + std::to_string(available));
  if (IsExtension(operand.type) || IsOem(operand.type)) return Status();
  if (!IsFullySpecified(operand.type, operand.dimensions))
    return Wrong("a constant with unknown dimensions: " +
                 ToText(operand.dimensions));
  const uint32_t size = *SizeOf(operand.type, operand.dimensions);
  if (at.length != size)
    return Wrong("a constant of " + std::to_string(at.length) +
                 " bytes, where " + TypeName(operand.type) + " of dimensions " +
                 ToText(operand.dimensions) + " has " + std::to_string(size));
  return Status();
}

Status ModelCheck::CheckOperand(const Operand& operand) const {
  if (operand.lifetime < MUNJA_NN_TEMPORARY_VARIABLE ||
      operand.lifetime > MUNJA_NN_LIFETIME_SUBGRAPH)
    return Wrong("there is no lifetime " + std::to_string(operand.lifetime));
  if ((operand.type == MUNJA_NN_SUBGRAPH) !=
      (operand.lifetime == MUNJA_NN_LIFETIME_SUBGRAPH))
    return Wrong("type and lifetime SUBGRAPH go together only");
  if (IsExtension(operand.type)) {
    MUNJA_RETURN_IF_ERROR(CheckPrefix(operand.type));
    if (operand.channels)
      return Wrong("scales by channel with a type of an extension");
    return CheckLocation(operand);
  }
  if (IsOem(operand.type)) return CheckLocation(operand);
  const TypeRow* row = FindType(operand.type);
  if (row == nullptr)
    return Wrong("there is no type " + std::to_string(operand.type));
  if (row->since > version_)
    return Wrong(std::string(row->name) + " came with a later version");
  if (!row->is_tensor && !operand.dimensions.empty())
    return Wrong("a scalar with dimensions " + ToText(operand.dimensions));
  if (row->is_tensor && operand.dimensions.empty() && version_ < MUNJA_NN_1_2)
    return Wrong("a tensor of unknown rank, which came with HAL 1.2");
  if (!SizeOf(operand.type, operand.dimensions))
    return Wrong("dimensions " + ToText(operand.dimensions) +
                 " are more than 32 bits of bytes");
  MUNJA_RETURN_IF_ERROR(CheckQuantization(operand, *row));
  return CheckLocation(operand);
}

// Inputs and outputs of a subgraph are what their lifetimes say.
Status ModelCheck::CheckLists(const Subgraph& subgraph) const {
  const auto check = [&](const std::vector<uint32_t>& list, int32_t lifetime,
                         const std::string& what) -> Status {
    if (list.empty()) return Wrong("no " + what);
    std::vector<bool> is_listed(subgraph.operands.size());
    for (const uint32_t i : list) {
      if (i >= subgraph.operands.size())
        return Wrong(what + " is operand " + std::to_string(i) + " of " +
                     std::to_string(subgraph.operands.size()));
      if (is_listed[i])
        return Wrong("operand " + std::to_string(i) + " is listed twice as " +
                     what);
      is_listed[i] = true;
    }
    for (size_t i = 0; i < is_listed.size(); ++i)
      if (is_listed[i] != (subgraph.operands[i].lifetime == lifetime))
        return Wrong("operand " + std::to_string(i) +
                     (is_listed[i] ? " is listed as " : " is not listed as ") +
                     what + ", which its lifetime contradicts");
    return Status();
  };
  MUNJA_RETURN_IF_ERROR(
      check(subgraph.inputs, MUNJA_NN_SUBGRAPH_INPUT, "input"));
  return check(subgraph.outputs, MUNJA_NN_SUBGRAPH_OUTPUT, "output");
}

// Nothing is read before it is written, and all is written once: so there is
// no cycle either.
Status ModelCheck::CheckFlow(const Subgraph& subgraph) const {
  const size_t count = subgraph.operands.size();
  std::vector<bool> is_known(count);
  for (size_t i = 0; i < count; ++i) {
    const int32_t lifetime = subgraph.operands[i].lifetime;
    is_known[i] = lifetime != MUNJA_NN_TEMPORARY_VARIABLE &&
                  lifetime != MUNJA_NN_SUBGRAPH_OUTPUT;
  }
  for (size_t k = 0; k < subgraph.operations.size(); ++k) {
    const Operation& operation = subgraph.operations[k];
    const std::string where = "operation " + std::to_string(k) + " (" +
                              OperationName(operation.type) + ")";
    for (const uint32_t i : operation.inputs)
      if (!is_known[i])
        return Wrong(where + ": reads operand " + std::to_string(i) +
                     " before it is written");
    for (const uint32_t i : operation.outputs) {
      if (is_known[i])
        return Wrong(where + ": writes operand " + std::to_string(i) +
                     ", which has its value already");
      is_known[i] = true;
    }
  }
  for (size_t i = 0; i < count; ++i)
    if (!is_known[i])
      return Wrong("operand " + std::to_string(i) + " is never written");
  return Status();
}

Status ModelCheck::CheckConsumers(const Subgraph& subgraph) const {
  std::vector<uint32_t> consumers(subgraph.operands.size());
  for (const Operation& operation : subgraph.operations)
    for (const uint32_t i : operation.inputs) ++consumers[i];
  for (size_t i = 0; i < consumers.size(); ++i)
    if (consumers[i] != subgraph.operands[i].consumers)
      return Wrong("operand " + std::to_string(i) + " is read " +
                   std::to_string(consumers[i]) + " times and says " +
                   std::to_string(subgraph.operands[i].consumers));
  return Status();
}

// The values passed into or out of a subgraph must fit what it states.
Status CheckPassed(const Operand& outer, const Operand& inner,
                   const std::string& what) {
  bool fits = outer.type == inner.type && outer.channels == inner.channels &&
              outer.extension_data == inner.extension_data &&
              outer.scale == inner.scale &&
              outer.zero_point == inner.zero_point;
  const Dimensions &a = outer.dimensions, &b = inner.dimensions;
  if (!a.empty() && !b.empty()) {
    fits = fits && a.size() == b.size();
    for (size_t i = 0; fits && i < a.size(); ++i)
      fits = a[i] == b[i] || a[i] == 0 || b[i] == 0;
  }
  if (fits) return Status();
  return Wrong(what + " is " + TypeName(outer.type) + " " +
               ToText(outer.dimensions) + " outside and " +
               TypeName(inner.type) + " " + ToText(inner.dimensions) +
               " inside, or quantized in another way");
}

// The subgraph's operand, where there is one.
const Operand* SubgraphInput(const Subgraph& subgraph,
                             const Operation& operation, size_t input) {
  const Operand& operand = subgraph.operands[operation.inputs[input]];
  return operand.type == MUNJA_NN_SUBGRAPH ? &operand : nullptr;
}

bool IsCondition(const Operand& operand) {
  return operand.type == MUNJA_NN_TENSOR_BOOL8 &&
         (operand.dimensions.empty() || operand.dimensions == Dimensions{1} ||
          operand.dimensions == Dimensions{0});
}

Status ModelCheck::CheckIf(const Subgraph& subgraph,
                           const Operation& operation) const {
  if (operation.inputs.size() < 3 || operation.outputs.empty())
    return Wrong("needs a condition, two subgraphs and an output");
  if (!IsCondition(subgraph.operands[operation.inputs[0]]))
    return Wrong("its condition must be TENSOR_BOOL8 of one element");
  for (const size_t branch : {1, 2}) {
    const Operand* operand = SubgraphInput(subgraph, operation, branch);
    if (operand == nullptr)
      return Wrong("input " + std::to_string(branch) + " is no subgraph");
    const Subgraph& inner = model_.subgraphs[Model::SubgraphOf(*operand)];
    if (inner.inputs.size() != operation.inputs.size() - 3 ||
        inner.outputs.size() != operation.outputs.size())
      return Wrong("branch " + std::to_string(branch) +
                   " has another number of inputs or outputs");
    for (size_t i = 0; i < inner.inputs.size(); ++i)
      MUNJA_RETURN_IF_ERROR(CheckPassed(
          subgraph.operands[operation.inputs[3 + i]],
          inner.operands[inner.inputs[i]], "input " + std::to_string(3 + i)));
    for (size_t i = 0; i < inner.outputs.size(); ++i)
      MUNJA_RETURN_IF_ERROR(CheckPassed(subgraph.operands[operation.outputs[i]],
                                        inner.operands[inner.outputs[i]],
                                        "output " + std::to_string(i)));
  }
  return Status();
}

Status ModelCheck::CheckWhile(const Subgraph& subgraph,
                              const Operation& operation) const {
  if (operation.inputs.size() < 3 || operation.outputs.empty())
    return Wrong("needs two subgraphs, a value and an output");
  const Operand* condition_operand = SubgraphInput(subgraph, operation, 0);
  const Operand* body_operand = SubgraphInput(subgraph, operation, 1);
  if (condition_operand == nullptr || body_operand == nullptr)
    return Wrong("its first two inputs must be subgraphs");
  const Subgraph& condition =
      model_.subgraphs[Model::SubgraphOf(*condition_operand)];
  const Subgraph& body = model_.subgraphs[Model::SubgraphOf(*body_operand)];
  const size_t passed = operation.inputs.size() - 2;
  if (condition.inputs.size() != passed || condition.outputs.size() != 1 ||
      !IsCondition(condition.operands[condition.outputs[0]]))
    return Wrong(
        "its condition must take all values and give one TENSOR_BOOL8 of one "
        "element");
  if (body.inputs.size() != passed ||
      body.outputs.size() < operation.outputs.size() ||
      body.outputs.size() > passed)
    return Wrong("its body has another number of inputs or outputs");
  for (size_t i = 0; i < passed; ++i) {
    const Operand& outer = subgraph.operands[operation.inputs[2 + i]];
    const std::string what = "input " + std::to_string(2 + i);
    MUNJA_RETURN_IF_ERROR(
        CheckPassed(outer, condition.operands[condition.inputs[i]], what));
    MUNJA_RETURN_IF_ERROR(
        CheckPassed(outer, body.operands[body.inputs[i]], what));
  }
  for (size_t i = 0; i < body.outputs.size(); ++i) {
    const Operand& out = body.operands[body.outputs[i]];
    const std::string what = "output " + std::to_string(i);
    MUNJA_RETURN_IF_ERROR(
        CheckPassed(out, body.operands[body.inputs[i]], what));
    if (i < operation.outputs.size())
      MUNJA_RETURN_IF_ERROR(
          CheckPassed(subgraph.operands[operation.outputs[i]], out, what));
  }
  return Status();
}

// The scale and zero point of results with a known range are prescribed.
Status CheckPrescribed(int32_t operation, const Operand& output) {
  const bool is_signed = output.type == MUNJA_NN_TENSOR_QUANT8_ASYMM_SIGNED;
  if (!is_signed && output.type != MUNJA_NN_TENSOR_QUANT8_ASYMM)
    return Status();
  const bool is_symmetric =
      operation == MUNJA_NN_TANH || operation == MUNJA_NN_L2_NORMALIZATION;
  if (!is_symmetric && operation != MUNJA_NN_LOGISTIC &&
      operation != MUNJA_NN_SOFTMAX)
    return Status();
  const float scale = is_symmetric ? 1.0f / 128.0f : 1.0f / 256.0f;
  const int32_t zero = (is_symmetric ? 128 : 0) - (is_signed ? 128 : 0);
  if (output.scale == scale && output.zero_point == zero) return Status();
  return Wrong("its output has another scale or zero point than " +
               std::to_string(scale) + " and " + std::to_string(zero));
}

Status ModelCheck::CheckOperation(const Subgraph& subgraph,
                                  const Operation& operation) const {
  const size_t count = subgraph.operands.size();
  for (const auto* list : {&operation.inputs, &operation.outputs})
    for (const uint32_t i : *list)
      if (i >= count) return Wrong("there is no operand " + std::to_string(i));
  if (IsExtension(operation.type)) return CheckPrefix(operation.type);
  if (operation.type == MUNJA_NN_OEM_OPERATION) return Status();
  if (operation.type == MUNJA_NN_IF || operation.type == MUNJA_NN_WHILE) {
    if (version_ < MUNJA_NN_1_3) return Wrong("came with HAL 1.3");
    // Subgraphs are looked into: what they say is checked on its own.
    return operation.type == MUNJA_NN_IF ? CheckIf(subgraph, operation)
                                         : CheckWhile(subgraph, operation);
  }
  if (operation.type < 0 || operation.type > MUNJA_NN_RANK)
    return Wrong("there is no such operation");
  const auto version = VersionOf(subgraph, operation);
  if (!version) {
    std::string types;
    const auto append = [&](const std::vector<uint32_t>& list) {
      for (const uint32_t i : list) {
        const Operand& operand = subgraph.operands[i];
        types += " " + TypeName(operand.type);
        if (IsTensor(operand.type)) types += ToText(operand.dimensions);
      }
    };
    append(operation.inputs);
    types += " ->";
    append(operation.outputs);
    return Wrong("takes no such operands:" + types);
  }
  if (*version > version_)
    return Wrong("with these operands came with a later version");
  return CheckPrescribed(operation.type,
                         subgraph.operands[operation.outputs[0]]);
}

Status ModelCheck::CheckSubgraph(const Subgraph& subgraph) const {
  for (size_t i = 0; i < subgraph.operands.size(); ++i)
    MUNJA_RETURN_IF_ERROR(CheckOperand(subgraph.operands[i])
                              .With("operand " + std::to_string(i)));
  MUNJA_RETURN_IF_ERROR(CheckLists(subgraph));
  return Status();
}

// No subgraph contains itself.
Status ModelCheck::Visit(size_t index, std::vector<int>& state) const {
  if (state[index] == 2) return Status();
  if (state[index] == 1)
    return Wrong("subgraph " + std::to_string(index) + " contains itself");
  state[index] = 1;
  for (const Operand& operand : model_.subgraphs[index].operands)
    if (operand.type == MUNJA_NN_SUBGRAPH)
      MUNJA_RETURN_IF_ERROR(Visit(Model::SubgraphOf(operand), state));
  state[index] = 2;
  return Status();
}

Status ModelCheck::CheckCalls() const {
  std::vector<int> state(model_.subgraphs.size());
  for (size_t i = 0; i < state.size(); ++i)
    MUNJA_RETURN_IF_ERROR(Visit(i, state));
  return Status();
}

// Deeper calls would be a stack that the model's author chooses.
constexpr size_t kMaxSubgraphs = 1024;

Status ModelCheck::Run() {
  if (model_.subgraphs.empty()) return Wrong("a model without a subgraph");
  if (model_.subgraphs.size() > kMaxSubgraphs)
    return Wrong("more than " + std::to_string(kMaxSubgraphs) + " subgraphs");
  if (model_.subgraphs.size() > 1 && version_ < MUNJA_NN_1_3)
    return Wrong("referenced subgraphs came with HAL 1.3");
  if (!model_.extensions.empty() && version_ < MUNJA_NN_1_2)
    return Wrong("extensions came with HAL 1.2");
  if (model_.is_relaxed && version_ < MUNJA_NN_1_1)
    return Wrong("relaxed precision came with HAL 1.1");
  for (size_t i = 0; i < model_.pools.size(); ++i) {
    const Memory& pool = model_.pools[i];
    if (pool.data == nullptr || pool.bytes == 0 || pool.token != 0)
      return Wrong("pool " + std::to_string(i) +
                   " of a model must be memory that is not empty");
  }
  MUNJA_RETURN_IF_ERROR(CheckExtensions());
  // All operands first: operations look into other subgraphs.
  const auto named = [](Status status, size_t i) {
    return std::move(status).With("subgraph " + std::to_string(i));
  };
  for (size_t i = 0; i < model_.subgraphs.size(); ++i)
    MUNJA_RETURN_IF_ERROR(named(CheckSubgraph(model_.subgraphs[i]), i));
  MUNJA_RETURN_IF_ERROR(CheckCalls());
  for (size_t i = 0; i < model_.subgraphs.size(); ++i) {
    const Subgraph& subgraph = model_.subgraphs[i];
    for (size_t k = 0; k < subgraph.operations.size(); ++k) {
      const Operation& operation = subgraph.operations[k];
      MUNJA_RETURN_IF_ERROR(
          named(CheckOperation(subgraph, operation)
                    .With("operation " + std::to_string(k) + " (" +
                          OperationName(operation.type) + ")"),
                i));
    }
    MUNJA_RETURN_IF_ERROR(named(CheckFlow(subgraph), i));
    MUNJA_RETURN_IF_ERROR(named(CheckConsumers(subgraph), i));
  }
  return Status();
}

// Bytes of memory, wherever it was mapped.
struct Range {
  uintptr_t begin = 0;
  uint64_t length = 0;
};

Range RangeOf(const std::vector<Memory>& pools, const Location& at) {
  const auto* base = static_cast<const uint8_t*>(pools[at.pool].data);
  return {reinterpret_cast<uintptr_t>(base + at.offset), at.length};
}

bool Overlap(const Range& a, const Range& b) {
  return a.length > 0 && b.length > 0 && a.begin < b.begin + b.length &&
         b.begin < a.begin + a.length;
}

Status CheckArgument(const Operand& operand, const Argument& argument,
                     const Request& request, bool must_be_known) {
  if (argument.has_no_value) {
    if (argument.location != Location{} || !argument.dimensions.empty())
      return Wrong("an argument without value has location or dimensions");
    return Status();
  }
  const Location& at = argument.location;
  if (at.pool >= request.pools.size())
    return Wrong("there is no pool " + std::to_string(at.pool));
  const Dimensions &stated = operand.dimensions, &given = argument.dimensions;
  if (!given.empty()) {
    bool fits = !(FindType(operand.type) && !IsTensor(operand.type)) &&
                (stated.empty() || stated.size() == given.size());
    for (size_t i = 0; fits && i < stated.size(); ++i)
      fits = stated[i] == given[i] || stated[i] == 0 || given[i] == 0;
    if (!fits)
      return Wrong("dimensions " + ToText(given) + " where the model says " +
                   ToText(stated));
  }
  const Dimensions dimensions = Combined(operand, argument);
  const bool is_base = FindType(operand.type) != nullptr;
  const bool is_known = !is_base || IsFullySpecified(operand.type, dimensions);
  if (must_be_known && !is_known)
    return Wrong("dimensions " + ToText(dimensions) + " are not all known");
  const Memory& pool = request.pools[at.pool];
  if (pool.token != 0) {
    if (at.offset != 0 || at.length != 0)
      return Wrong("offset or length in a driver's buffer, where both are 0");
    return Status();
  }
  if (uint64_t{at.offset} + at.length > pool.bytes)
    return Wrong("bytes " + std::to_string(at.offset) + " to " +
                 std::to_string(uint64_t{at.offset} + at.length) +
                 " lie beyond the end of pool " + std::to_string(at.pool) +
                 " at " + std::to_string(pool.bytes));
  if (!is_base) return Status();
  const auto size = SizeOf(operand.type, dimensions);
  if (!size)
    return Wrong("dimensions " + ToText(dimensions) +
                 " are more than 32 bits of bytes");
  if (is_known && at.length != *size)
    return Wrong(std::to_string(at.length) + " bytes, where " +
                 TypeName(operand.type) + " of dimensions " +
                 ToText(dimensions) + " has " + std::to_string(*size));
  return Status();
}

}  // namespace

Status ValidateModel(const Model& model, int32_t version) {
  if (version < MUNJA_NN_1_0 || version > MUNJA_NN_1_3)
    return Wrong("there is no version " + std::to_string(version));
  return ModelCheck(model, version).Run();
}

Dimensions Combined(const Operand& operand, const Argument& argument) {
  if (argument.dimensions.empty()) return operand.dimensions;
  Dimensions dimensions = argument.dimensions;
  for (size_t i = 0; i < operand.dimensions.size(); ++i)
    if (dimensions[i] == 0) dimensions[i] = operand.dimensions[i];
  return dimensions;
}

Status ValidateRequest(const Model& model, const Request& request,
                       bool outputs_known) {
  const Subgraph& main = model.main();
  const auto count = [](const char* what, size_t has, size_t wants) {
    return has == wants ? Status()
                        : Wrong(std::to_string(has) + " " + what + "s, where " +
                                "the model has " + std::to_string(wants));
  };
  MUNJA_RETURN_IF_ERROR(
      count("input", request.inputs.size(), main.inputs.size()));
  MUNJA_RETURN_IF_ERROR(
      count("output", request.outputs.size(), main.outputs.size()));
  for (size_t i = 0; i < request.pools.size(); ++i) {
    const Memory& pool = request.pools[i];
    if (pool.token == 0 && (pool.data == nullptr || pool.bytes == 0))
      return Wrong("pool " + std::to_string(i) + " is empty");
  }
  for (size_t i = 0; i < request.inputs.size(); ++i)
    MUNJA_RETURN_IF_ERROR(CheckArgument(main.operands[main.inputs[i]],
                                        request.inputs[i], request, true)
                              .With("input " + std::to_string(i)));
  for (size_t i = 0; i < request.outputs.size(); ++i) {
    const Argument& output = request.outputs[i];
    if (output.has_no_value)
      return Wrong("output " + std::to_string(i) + " has nowhere to go");
    MUNJA_RETURN_IF_ERROR(CheckArgument(main.operands[main.outputs[i]], output,
                                        request, outputs_known)
                              .With("output " + std::to_string(i)));
  }
  // Nothing is written that is read, or written twice.
  for (size_t i = 0; i < request.outputs.size(); ++i) {
    const Location& at = request.outputs[i].location;
    const uint32_t token = request.pools[at.pool].token;
    const auto clashes = [&](const Argument& other) {
      if (other.has_no_value) return false;
      const uint32_t its = request.pools[other.location.pool].token;
      if (token != 0 || its != 0) return token == its;
      return Overlap(RangeOf(request.pools, at),
                     RangeOf(request.pools, other.location));
    };
    const std::string output = "output " + std::to_string(i) + " overlaps ";
    for (size_t k = 0; k < i; ++k)
      if (clashes(request.outputs[k]))
        return Wrong(output + "output " + std::to_string(k));
    for (size_t k = 0; k < request.inputs.size(); ++k)
      if (clashes(request.inputs[k]))
        return Wrong(output + "input " + std::to_string(k));
    if (token != 0) continue;
    for (const Subgraph& subgraph : model.subgraphs)
      for (const Operand& operand : subgraph.operands)
        if (operand.lifetime == MUNJA_NN_CONSTANT_REFERENCE &&
            Overlap(RangeOf(request.pools, at),
                    RangeOf(model.pools, operand.location)))
          return Wrong(output + "a constant of the model");
  }
  return Status();
}

bool CompliantWith(const Model& model, int32_t version) {
  return ValidateModel(model, version).ok();
}

int32_t MinimumVersion(const Model& model) {
  for (const int32_t version : {MUNJA_NN_1_0, MUNJA_NN_1_1, MUNJA_NN_1_2})
    if (CompliantWith(model, version)) return version;
  return MUNJA_NN_1_3;
}

}  // namespace munja::hal
