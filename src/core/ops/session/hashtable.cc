// HASHTABLE, HASHTABLE_IMPORT, HASHTABLE_FIND, HASHTABLE_SIZE: tables of a
// session from keys to values, filled once.
#include <cstring>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ops/op.h"
#include "ops/support/operands.h"
#include "ops/support/resource.h"
#include "tensor/strings.h"

namespace munja::ops::hashtable {
namespace {

// Keys and values by their bytes, whatever their types.
struct Table : State {
  Table(ElementType key, ElementType value)
      : key_type(key), value_type(value) {}
  ElementType key_type, value_type;
  bool is_filled = false;
  std::unordered_map<std::string, std::string> entries;
};

std::string_view ElementAt(const TensorView& view, size_t i) {
  if (view.type == ElementType::kString) return StringAt(view, i);
  const size_t size = ElementSize(view.type);
  return {view.as<char>() + i * size, size};
}

size_t Count(const TensorView& view) {
  return static_cast<size_t>(view.shape.elements());
}

Status CheckTypes(const Table& table, const TensorView& keys,
                  const TensorView& values) {
  if (keys.type == table.key_type && values.type == table.value_type)
    return Status();
  return Malformed(
      std::string("the table maps ") + ElementTypeName(table.key_type) +
      " to " + ElementTypeName(table.value_type) + ", used are " +
      ElementTypeName(keys.type) + " and " + ElementTypeName(values.type));
}

class TableKernel final : public HandleKernel {
 public:
  TableKernel(int64_t id, ElementType key, ElementType value, Shape shape)
      : HandleKernel("hashtable/" + std::to_string(id), shape),
        key_(key),
        value_(value) {}

 private:
  std::unique_ptr<State> MakeContent() const override {
    return std::make_unique<Table>(key_, value_);
  }
  ElementType key_, value_;
};

class ImportKernel final : public Kernel {
 public:
  bool needs_host() const override { return true; }
  Status Prepare(PrepareContext& context) const override {
    MUNJA_RETURN_IF_ERROR(CheckResource(context.input(0)));
    if (context.input(1).shape != context.input(2).shape) {
      return Malformed(
          "has keys of shape " + context.input(1).shape.ToString() +
          " and values of shape " + context.input(2).shape.ToString());
    }
    return Status();
  }
  Status Eval(EvalContext& context) const override {
    MUNJA_ASSIGN_OR_RETURN(Table* const table,
                           FindResource<Table>(context, 0, "table"));
    const TensorView& keys = context.input(1);
    const TensorView& values = context.input(2);
    MUNJA_RETURN_IF_ERROR(CheckTypes(*table, keys, values));
    if (table->is_filled) return Status();
    // The first of equal keys counts.
    for (size_t i = 0; i < Count(keys); ++i)
      table->entries.emplace(ElementAt(keys, i), ElementAt(values, i));
    table->is_filled = true;
    return Status();
  }
};

class FindKernel final : public Kernel {
 public:
  bool needs_host() const override { return true; }
  Status Prepare(PrepareContext& context) const override {
    MUNJA_RETURN_IF_ERROR(CheckResource(context.input(0)));
    MUNJA_RETURN_IF_ERROR(CheckSameType(context.input(2), context.output(0)));
    if (context.input(2).shape.elements() != 1)
      return Malformed("the default is no scalar");
    // The strings found, before their memory is known.
    context.RequestScratch(Count(context.input(1)) * sizeof(std::string_view));
    context.DeferOutputShape(0);
    return Status();
  }
  Status Eval(EvalContext& context) const override {
    MUNJA_ASSIGN_OR_RETURN(const Table* const table,
                           FindResource<Table>(context, 0, "table"));
    const TensorView& keys = context.input(1);
    const TensorView& otherwise = context.input(2);
    MUNJA_RETURN_IF_ERROR(CheckTypes(*table, keys, otherwise));
    const std::span<std::string_view> found(
        static_cast<std::string_view*>(context.scratch()), Count(keys));
    for (size_t i = 0; i < found.size(); ++i) {
      const auto it = table->entries.find(std::string(ElementAt(keys, i)));
      found[i] = it != table->entries.end() ? std::string_view(it->second)
                                            : ElementAt(otherwise, 0);
    }
    MUNJA_RETURN_IF_ERROR(
        context.ResizeOutput(0, keys.shape, StringBytes(found)));
    if (otherwise.type == ElementType::kString) {
      WriteStrings(found, context.output(0).data);
      return Status();
    }
    auto* out = context.output(0).mutable_as<char>();
    for (const std::string_view value : found) {
      std::memcpy(out, value.data(), value.size());
      out += value.size();
    }
    return Status();
  }
};

class SizeKernel final : public Kernel {
 public:
  explicit SizeKernel(Shape shape) : shape_(shape) {}
  bool needs_host() const override { return true; }
  Status Prepare(PrepareContext& context) const override {
    MUNJA_RETURN_IF_ERROR(CheckResource(context.input(0)));
    MUNJA_RETURN_IF_ERROR(
        CheckType(context.output(0), "the size", {ElementType::kInt64}));
    return context.SetOutputShape(0, shape_);
  }
  Status Eval(EvalContext& context) const override {
    MUNJA_ASSIGN_OR_RETURN(const Table* const table,
                           FindResource<Table>(context, 0, "table"));
    *context.output(0).mutable_as<int64_t>() =
        static_cast<int64_t>(table->entries.size());
    return Status();
  }

 private:
  Shape shape_;
};

Result<ElementType> TypeOf(const NodeInfo& info, std::string_view attribute,
                           std::initializer_list<ElementType> types) {
  MUNJA_ASSIGN_OR_RETURN(const std::string name,
                         info.attributes().Text(attribute, "FLOAT32"));
  for (const ElementType type : types) {
    std::string upper = ElementTypeName(type);
    for (char& c : upper) c = static_cast<char>(c >= 'a' ? c - 'a' + 'A' : c);
    if (name == upper) return type;
  }
  return Unsupported("'" + std::string(attribute) + "' is " + name);
}

template <class K, class... Args>
std::unique_ptr<Kernel> New(Args... args) {
  return std::make_unique<K>(args...);
}

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  const std::string& op = info.node().op;
  if (op == "HASHTABLE_IMPORT") {
    MUNJA_RETURN_IF_ERROR(info.CheckArity(3, 3, 0));
    return New<ImportKernel>();
  }
  if (op == "HASHTABLE_FIND") {
    MUNJA_RETURN_IF_ERROR(info.CheckArity(3, 3, 1));
    return New<FindKernel>();
  }
  if (op == "HASHTABLE_SIZE") {
    MUNJA_RETURN_IF_ERROR(info.CheckArity(1, 1, 1));
    return New<SizeKernel>(OneElementShape(info, Shape{1}));
  }
  MUNJA_RETURN_IF_ERROR(info.CheckArity(0, 0, 1));
  MUNJA_ASSIGN_OR_RETURN(const int64_t id,
                         info.attributes().Int("table_id", 0));
  MUNJA_ASSIGN_OR_RETURN(
      const ElementType key,
      TypeOf(info, "key_dtype",
             {ElementType::kInt32, ElementType::kInt64, ElementType::kString}));
  MUNJA_ASSIGN_OR_RETURN(const ElementType value,
                         TypeOf(info, "value_dtype",
                                {ElementType::kFloat32, ElementType::kInt32,
                                 ElementType::kInt64, ElementType::kString}));
  return New<TableKernel>(id, key, value, OneElementShape(info, Shape{1}));
}

}  // namespace munja::ops::hashtable
