#include <algorithm>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "tflite/options.h"

namespace munja::tflite {
namespace {

using flatbuffers::FlatBufferBuilder;

// The out-of-line part of each field (a list or text), by the field's number
// in `layout.fields`; 0 where there is none.
using Parts = std::vector<flatbuffers::uoffset_t>;

Status Wrong(const OptionField& field, const char* wanted) {
  return InvalidArgument("attribute '" + std::string(field.name) + "' is not " +
                         wanted);
}

template <class T>
bool Fits(int64_t value) {
  return value >= static_cast<int64_t>(std::numeric_limits<T>::min()) &&
         value <= static_cast<int64_t>(std::numeric_limits<T>::max());
}

template <class To>
Result<flatbuffers::uoffset_t> WriteInts(const OptionField& field,
                                         const graph::AttributeValue& value,
                                         FlatBufferBuilder& builder) {
  const auto* from = std::get_if<std::vector<int64_t>>(&value);
  if (from == nullptr) return Wrong(field, "a list of integers");
  std::vector<To> to;
  to.reserve(from->size());
  for (const int64_t v : *from) {
    if (!Fits<To>(v)) return Wrong(field, "in the range of the schema");
    to.push_back(static_cast<To>(v));
  }
  return builder.CreateVector(to).o;
}

Result<flatbuffers::uoffset_t> WritePart(const OptionField& field,
                                         const graph::AttributeValue& value,
                                         FlatBufferBuilder& builder) {
  switch (field.kind) {
    case FieldKind::kText:
      if (const auto* text = std::get_if<std::string>(&value))
        return builder.CreateString(*text).o;
      return Wrong(field, "a text");
    case FieldKind::kInt32s:
      return WriteInts<int32_t>(field, value, builder);
    case FieldKind::kUInt32s:
      return WriteInts<uint32_t>(field, value, builder);
    case FieldKind::kInt64s:
      return WriteInts<int64_t>(field, value, builder);
    case FieldKind::kBools:
      return WriteInts<uint8_t>(field, value, builder);
    case FieldKind::kFloat32s:
      if (const auto* from = std::get_if<std::vector<double>>(&value)) {
        std::vector<float> to(from->size());
        std::transform(from->begin(), from->end(), to.begin(),
                       [](double v) { return static_cast<float>(v); });
        return builder.CreateVector(to).o;
      }
      return Wrong(field, "a list of numbers");
    case FieldKind::kBytes:
      if (const auto* bytes = std::get_if<graph::AttributeBytes>(&value))
        return builder.CreateVector(*bytes).o;
      return Wrong(field, "a list of bytes");
    default:
      return flatbuffers::uoffset_t{0};
  }
}

template <class T>
Status AddInt(const OptionField& field, const graph::AttributeValue& value,
              FlatBufferBuilder& builder) {
  const auto* v = std::get_if<int64_t>(&value);
  if (v == nullptr) return Wrong(field, "an integer");
  if (!Fits<T>(*v)) return Wrong(field, "in the range of the schema");
  builder.AddElement<T>(field.slot(), static_cast<T>(*v),
                        static_cast<T>(field.fallback));
  return Status();
}

template <class T>
Status AddEnum(const OptionField& field, const graph::AttributeValue& value,
               FlatBufferBuilder& builder) {
  const auto* name = std::get_if<std::string>(&value);
  if (name == nullptr) return Wrong(field, "the name of an enumerator");
  const auto it = std::find(field.enumerators.begin(), field.enumerators.end(),
                            std::string_view(*name));
  if (it == field.enumerators.end())
    return InvalidArgument("attribute '" + std::string(field.name) +
                           "' cannot be \"" + *name + "\"");
  builder.AddElement<T>(field.slot(),
                        static_cast<T>(it - field.enumerators.begin()),
                        static_cast<T>(field.fallback));
  return Status();
}

Status AddScalar(const OptionField& field, const graph::AttributeValue& value,
                 FlatBufferBuilder& builder) {
  switch (field.kind) {
    case FieldKind::kBool: {
      const auto* v = std::get_if<bool>(&value);
      if (v == nullptr) return Wrong(field, "a truth value");
      builder.AddElement<uint8_t>(field.slot(), *v ? 1 : 0,
                                  static_cast<uint8_t>(field.fallback));
      return Status();
    }
    case FieldKind::kInt32:
      return AddInt<int32_t>(field, value, builder);
    case FieldKind::kUInt32:
      return AddInt<uint32_t>(field, value, builder);
    case FieldKind::kInt64:
      return AddInt<int64_t>(field, value, builder);
    case FieldKind::kFloat32: {
      double number;
      if (const auto* d = std::get_if<double>(&value))
        number = *d;
      else if (const auto* i = std::get_if<int64_t>(&value))
        number = static_cast<double>(*i);
      else
        return Wrong(field, "a number");
      builder.AddElement<float>(field.slot(), static_cast<float>(number),
                                static_cast<float>(field.fallback));
      return Status();
    }
    case FieldKind::kEnum8:
      return AddEnum<int8_t>(field, value, builder);
    case FieldKind::kEnum32:
      return AddEnum<int32_t>(field, value, builder);
    default:
      return Status();
  }
}

}  // namespace

Result<flatbuffers::Offset<flatbuffers::Table>> WriteOptions(
    const OptionTable& layout, const graph::Attributes& attributes,
    FlatBufferBuilder& builder) {
  for (const auto& [name, value] : attributes) {
    bool known = false;
    for (const OptionField& field : layout.fields)
      known = known || field.name == name;
    if (!known)
      return InvalidArgument("attribute '" + name + "' is not a field of " +
                             std::string(layout.name));
  }
  Parts parts(layout.fields.size(), 0);
  for (size_t i = 0; i < parts.size(); ++i) {
    const OptionField& field = layout.fields[i];
    const graph::AttributeValue* value = attributes.Find(field.name);
    if (value == nullptr) continue;
    MUNJA_ASSIGN_OR_RETURN(parts[i], WritePart(field, *value, builder));
  }
  const auto start = builder.StartTable();
  for (size_t i = 0; i < parts.size(); ++i) {
    const OptionField& field = layout.fields[i];
    const graph::AttributeValue* value = attributes.Find(field.name);
    if (value == nullptr) continue;
    if (parts[i] != 0)
      builder.AddOffset(field.slot(), flatbuffers::Offset<void>(parts[i]));
    else
      MUNJA_RETURN_IF_ERROR(AddScalar(field, *value, builder));
  }
  return flatbuffers::Offset<flatbuffers::Table>(builder.EndTable(start));
}

}  // namespace munja::tflite
