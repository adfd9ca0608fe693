#include "tflite_api/builtin_data.h"

#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "tensorflow/lite/core/c/builtin_op_data.h"
#include "tflite/option_table.h"
#include "tflite_api/types.h"

namespace munja::compat {
namespace {

using tflite::FieldKind;

// Where an attribute goes in the struct.
struct Member {
  std::string_view attribute;
  size_t offset;
  size_t size;              // Size of an entry, for lists.
  int bias = 0;             // Added to the schema's number of an enumerator.
  bool is_type = false;     // TfLiteType has numbers of its own.
  size_t capacity = 0;      // Capacity of a list in the struct.
  size_t count_offset = 0;  // The member with the length.
  size_t count_size = 0;    // 0: there is none.
};

struct Layout {
  std::string_view table;
  size_t size;
  std::span<const Member> members;
};

// The API has a number for "unknown" in front where the schema has none.
template <class T>
constexpr int kBias = std::is_same_v<T, TfLitePadding> ||
                              std::is_same_v<T, TfLiteMirrorPaddingMode> ||
                              std::is_same_v<T, TfLiteRngAlgorithm>
                          ? 1
                          : 0;

#define FIELD(attribute, member)                             \
  Member{#attribute, offsetof(S, member), sizeof(S::member), \
         kBias<decltype(S::member)>,                         \
         std::is_same_v<decltype(S::member), TfLiteType>},
#define TEXT(attribute, member) FIELD(attribute, member)
#define ARRAY(attribute, member) \
  Member{#attribute,             \
         offsetof(S, member),    \
         sizeof(S::member[0]),   \
         0,                      \
         false,                  \
         std::extent_v<decltype(S::member)>},
#define LIST(attribute, member, count)       \
  Member{#attribute,                         \
         offsetof(S, member),                \
         sizeof(S::member[0]),               \
         0,                                  \
         false,                              \
         std::extent_v<decltype(S::member)>, \
         offsetof(S, count),                 \
         sizeof(S::count)},
#define POINTER(attribute, member, count)                              \
  Member{#attribute, offsetof(S, member), sizeof(S::member), 0, false, \
         0,          offsetof(S, count),  sizeof(S::count)},

const Layout* FindLayout(std::string_view table) {
#define PARAMS(name, Struct, ...)                                   \
  if (table == #name) {                                             \
    using S = Struct;                                               \
    static constexpr Member kMembers[] = {__VA_ARGS__};             \
    static constexpr Layout kLayout = {#name, sizeof(S), kMembers}; \
    return &kLayout;                                                \
  }
#include "tflite_api/builtin_data.def"
#undef PARAMS
  return nullptr;
}
#undef FIELD
#undef TEXT
#undef ARRAY
#undef LIST
#undef POINTER

const tflite::OptionField* FindField(const tflite::OptionTable& table,
                                     std::string_view name) {
  for (const tflite::OptionField& field : table.fields)
    if (field.name == name) return &field;
  return nullptr;
}

}  // namespace

class BuiltinDataWriter {
 public:
  BuiltinDataWriter(const graph::Node& node, const Layout& layout)
      : node_(node) {
    out_.size_ = layout.size;
    out_.data_ = std::make_unique<uint8_t[]>(layout.size);
  }
  Status Write(const Member& member, const tflite::OptionField& field);
  BuiltinData Take() { return std::move(out_); }

 private:
  void Put(size_t offset, size_t size, int64_t value) {
    std::memcpy(out_.data_.get() + offset, &value, size);  // Little endian.
  }
  // `count` is what the struct says about its length.
  void Point(const Member& member, const void* bytes, size_t size,
             size_t count);
  Status Misfit(const Member& member, const char* why) const {
    return Malformed(node_.op + ": attribute " + std::string(member.attribute) +
                     " " + why);
  }
  Status PutList(const Member& member, std::span<const int64_t> list);

  const graph::Node& node_;
  BuiltinData out_;
};

void BuiltinDataWriter::Point(const Member& member, const void* bytes,
                              size_t size, size_t count) {
  auto block = std::make_unique<uint8_t[]>(size + 1);  // Texts end with zero.
  if (size > 0) std::memcpy(block.get(), bytes, size);
  const void* address = block.get();
  std::memcpy(out_.data_.get() + member.offset, &address, sizeof(address));
  out_.blocks_.push_back(std::move(block));
  if (member.count_size > 0)
    Put(member.count_offset, member.count_size, static_cast<int64_t>(count));
}

Status BuiltinDataWriter::PutList(const Member& member,
                                  std::span<const int64_t> list) {
  if (list.size() > member.capacity)
    return Unsupported(node_.op + ": " + std::string(member.attribute) +
                       " has " + std::to_string(list.size()) +
                       " entries; the struct of the C API holds " +
                       std::to_string(member.capacity));
  for (size_t i = 0; i < list.size(); ++i)
    Put(member.offset + i * member.size, member.size, list[i]);
  if (member.count_size > 0)
    Put(member.count_offset, member.count_size,
        static_cast<int64_t>(list.size()));
  return {};
}

Status BuiltinDataWriter::Write(const Member& member,
                                const tflite::OptionField& field) {
  const graph::AttributeValue* value = node_.attributes.Find(member.attribute);
  switch (field.kind) {
    case FieldKind::kBool: {
      const bool* b = value ? std::get_if<bool>(value) : nullptr;
      if (value && !b) return Misfit(member, "is no bool");
      Put(member.offset, member.size, b ? *b : field.fallback);
      return {};
    }
    case FieldKind::kInt32:
    case FieldKind::kUInt32:
    case FieldKind::kInt64: {
      const int64_t* i = value ? std::get_if<int64_t>(value) : nullptr;
      if (value && !i) return Misfit(member, "is no integer");
      Put(member.offset, member.size, i ? *i : field.fallback);
      return {};
    }
    case FieldKind::kFloat32: {
      const double* d = value ? std::get_if<double>(value) : nullptr;
      if (value && !d) return Misfit(member, "is no float");
      const auto f = static_cast<float>(d ? *d : field.fallback);
      std::memcpy(out_.data_.get() + member.offset, &f, sizeof(f));
      return {};
    }
    case FieldKind::kEnum8:
    case FieldKind::kEnum32: {
      const std::string* text =
          value ? std::get_if<std::string>(value) : nullptr;
      if (value && !text) return Misfit(member, "is no name");
      int64_t number = field.fallback;
      if (text) {
        size_t i = 0;
        while (i < field.enumerators.size() && *text != field.enumerators[i])
          ++i;
        if (i == field.enumerators.size())
          return Misfit(member, "is a name that the schema does not have");
        number = static_cast<int64_t>(i);
      }
      // ElementType has the schema's numbers.
      number = member.is_type
                   ? int64_t{ToTfLiteType(static_cast<ElementType>(number))}
                   : number + member.bias;
      Put(member.offset, member.size, number);
      return {};
    }
    case FieldKind::kInt32s:
    case FieldKind::kUInt32s:
    case FieldKind::kInt64s:
    case FieldKind::kBools: {
      if (!value) return {};
      const auto* list = std::get_if<std::vector<int64_t>>(value);
      if (!list) return Misfit(member, "is no list of integers");
      return PutList(member, *list);
    }
    case FieldKind::kFloat32s: {
      if (!value) return {};
      const auto* list = std::get_if<std::vector<double>>(value);
      if (!list) return Misfit(member, "is no list of floats");
      const std::vector<float> floats(list->begin(), list->end());
      Point(member, floats.data(), floats.size() * sizeof(float),
            floats.size());
      return {};
    }
    case FieldKind::kText: {
      if (!value) return {};
      const auto* text = std::get_if<std::string>(value);
      if (!text) return Misfit(member, "is no text");
      Point(member, text->data(), text->size(), text->size());
      return {};
    }
    case FieldKind::kBytes: {
      if (!value) return {};
      const auto* bytes = std::get_if<graph::AttributeBytes>(value);
      if (!bytes) return Misfit(member, "is no list of bytes");
      Point(member, bytes->data(), bytes->size(), bytes->size());
      return {};
    }
  }
  return {};
}

Result<BuiltinData> BuiltinData::Make(const graph::Node& node) {
  if (node.is_custom) return BuiltinData();
  const tflite::Operator* op = tflite::FindOperator(std::string_view(node.op));
  // Without fields there is nothing to know.
  if (op == nullptr || op->options == nullptr || op->options->fields.empty())
    return BuiltinData();
  const Layout* layout = FindLayout(op->options->name);
  if (layout == nullptr)
    return Unsupported(node.op + ": the C API has no struct for its options");
  BuiltinDataWriter writer(node, *layout);
  for (const Member& member : layout->members) {
    const tflite::OptionField* field =
        FindField(*op->options, member.attribute);
    if (field == nullptr)
      return Internal(std::string(layout->table) + " has no field " +
                      std::string(member.attribute));
    MUNJA_RETURN_IF_ERROR(writer.Write(member, *field));
  }
  return writer.Take();
}

int BuiltinCode(const graph::Node& node) {
  if (node.is_custom) return tflite::kCustomCode;
  const tflite::Operator* op = tflite::FindOperator(std::string_view(node.op));
  return op != nullptr ? op->code : -1;
}

}  // namespace munja::compat
