#include "import/paddle/context.h"

#include <algorithm>
#include <utility>

namespace munja::importer::paddle {

Handler FindHandler(const std::string& type) {
  struct Row {
    const char* type;
    Handler handler;
  };
  static constexpr Row kRows[] = {
#define PADDLE_OPERATOR(type, function, ...) {#type, function},
#define PADDLE_OLD_OPERATOR(type, function) {#type, function},
#define PADDLE_NEW_NAME(...)
#include "import/paddle/operators.def"
#undef PADDLE_OPERATOR
#undef PADDLE_OLD_OPERATOR
#undef PADDLE_NEW_NAME
  };
  for (const Row& row : kRows)
    if (type == row.type) return row.handler;
  return nullptr;
}

Status TranslateOperation(Context& context, const Operation& op) {
  const AttributeLog::Scope scope(op.type);
  return FindHandler(op.type)(context, op);
}

Result<std::vector<ValueId>> Context::All(const Operation& op,
                                          const char* parameter) const {
  std::vector<ValueId> found;
  const auto it = op.inputs.find(parameter);
  if (it == op.inputs.end()) return found;
  for (const std::string& name : it->second) {
    const auto value = values.find(name);
    if (value == values.end())
      return Malformed(op, " reads '", name,
                       "', which nothing before it writes");
    found.push_back(value->second);
  }
  return found;
}

Result<ValueId> Context::Optional(const Operation& op,
                                  const char* parameter) const {
  MUNJA_ASSIGN_OR_RETURN(const std::vector<ValueId> all, All(op, parameter));
  if (all.size() > 1)
    return Malformed(op, ": ", parameter, " is given ", all.size(), " times");
  return all.empty() ? kNoValue : all[0];
}

Result<ValueId> Context::One(const Operation& op, const char* parameter) const {
  MUNJA_ASSIGN_OR_RETURN(const ValueId value, Optional(op, parameter));
  if (value == kNoValue) return Malformed(op, " lacks its input ", parameter);
  return value;
}

Result<const Tensor*> Context::Constant(const Operation& op,
                                        const char* parameter) const {
  MUNJA_ASSIGN_OR_RETURN(const ValueId value, Optional(op, parameter));
  if (value == kNoValue) return static_cast<const Tensor*>(nullptr);
  const Tensor* t = builder.constant(value);
  if (t == nullptr)
    return Unsupported(op, ": ", parameter, " computed at run time");
  return t;
}

std::string Context::OutputName(const Operation& op, const char* output) const {
  const auto it = op.outputs.find(output);
  return it == op.outputs.end() || it->second.empty() ? op.name : it->second[0];
}

Status Context::Bind(const Operation& op, const char* output, ValueId value,
                     size_t i) {
  const auto it = op.outputs.find(output);
  if (it == op.outputs.end() || it->second.size() <= i)
    return Malformed(op, " lacks its output ", output);
  values[it->second[i]] = value;
  return {};
}

Status Context::Emit(const Operation& op, const char* output, std::string name,
                     std::vector<ValueId> inputs,
                     graph::Attributes attributes) {
  MUNJA_ASSIGN_OR_RETURN(
      const ValueId value,
      builder.Add(std::move(name), std::move(inputs), std::move(attributes),
                  OutputName(op, output)));
  return Bind(op, output, value);
}

Result<ValueId> Context::Step(const Operation& op, const char* what,
                              std::string name, std::vector<ValueId> inputs,
                              graph::Attributes attributes) {
  return builder.Add(std::move(name), std::move(inputs), std::move(attributes),
                     op.name + "/" + what);
}

Result<std::vector<int64_t>> Context::Ints(
    const Operation& op, std::initializer_list<const char*> parameters,
    std::initializer_list<const char*> attributes, bool* present) const {
  *present = true;
  for (const char* parameter : parameters) {
    MUNJA_ASSIGN_OR_RETURN(const std::vector<ValueId> all, All(op, parameter));
    if (all.empty()) continue;
    std::vector<int64_t> numbers;
    for (const ValueId value : all) {
      const Tensor* t = builder.constant(value);
      if (t == nullptr)
        return Unsupported(op, ": ", parameter, " computed at run time");
      if (!t->is_integer || (all.size() > 1 && t->integers.size() != 1))
        return Malformed(op, ": ", parameter, " does not hold integers");
      numbers.insert(numbers.end(), t->integers.begin(), t->integers.end());
    }
    return numbers;
  }
  const graph::AttributeValue* v = FindFirst(op, attributes);
  if (v == nullptr) {
    *present = false;
    return std::vector<int64_t>();
  }
  if (const auto* one = std::get_if<int64_t>(v))
    return std::vector<int64_t>{*one};
  if (const auto* list = std::get_if<std::vector<int64_t>>(v)) return *list;
  return Malformed(op, ": ", *attributes.begin(), " does not hold integers");
}

const graph::AttributeValue* FindFirst(
    const Operation& op, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const graph::AttributeValue* v = op.attributes.Find(name)) return v;
  return nullptr;
}

Result<bool> Flag(const Operation& op, std::initializer_list<const char*> names,
                  bool fallback) {
  const graph::AttributeValue* v = FindFirst(op, names);
  if (v == nullptr) return fallback;
  if (const auto* b = std::get_if<bool>(v)) return *b;
  if (const auto* i = std::get_if<int64_t>(v)) return *i != 0;
  return Malformed(op, ": ", *names.begin(), " is not a truth value");
}

Status NeedChannelsFirst(const Operation& op) {
  for (const char* name : {"data_format", "data_layout"}) {
    MUNJA_ASSIGN_OR_RETURN(const std::string layout,
                           op.attributes.Text(name, "NCHW"));
    if (layout != "NCHW" && layout != "NCL" && layout != "AnyLayout")
      return Unsupported(op, ": ", name, " ", layout);
  }
  return {};
}

}  // namespace munja::importer::paddle
