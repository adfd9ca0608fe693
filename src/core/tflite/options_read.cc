#include <string>
#include <vector>

#include "tflite/options.h"
#include "tflite/vector.h"

namespace munja::tflite {
namespace {

using flatbuffers::Table;
using flatbuffers::Vector;
using flatbuffers::Verifier;

template <class T>
bool VerifyScalar(const Table& table, uint16_t slot, Verifier& verifier) {
  return table.VerifyField<T>(verifier, slot, sizeof(T));
}

template <class T>
bool VerifyList(const Table& table, uint16_t slot, Verifier& verifier) {
  return table.VerifyOffset(verifier, slot) &&
         verifier.VerifyVector(table.GetPointer<const Vector<T>*>(slot));
}

bool VerifyField(const OptionField& field, const Table& table,
                 Verifier& verifier) {
  const uint16_t slot = field.slot();
  switch (field.kind) {
    case FieldKind::kBool:
    case FieldKind::kEnum8:
      return VerifyScalar<uint8_t>(table, slot, verifier);
    case FieldKind::kInt32:
    case FieldKind::kUInt32:
    case FieldKind::kFloat32:
    case FieldKind::kEnum32:
      return VerifyScalar<uint32_t>(table, slot, verifier);
    case FieldKind::kInt64:
      return VerifyScalar<uint64_t>(table, slot, verifier);
    case FieldKind::kText:
      return table.VerifyOffset(verifier, slot) &&
             verifier.VerifyString(
                 table.GetPointer<const flatbuffers::String*>(slot));
    case FieldKind::kBools:
    case FieldKind::kBytes:
      return VerifyList<uint8_t>(table, slot, verifier);
    case FieldKind::kInt32s:
    case FieldKind::kUInt32s:
    case FieldKind::kFloat32s:
      return VerifyList<uint32_t>(table, slot, verifier);
    case FieldKind::kInt64s:
      return VerifyList<uint64_t>(table, slot, verifier);
  }
  return false;
}

template <class T>
T Scalar(const OptionField& field, const Table* table) {
  const T fallback = static_cast<T>(field.fallback);
  return table == nullptr ? fallback
                          : table->GetField<T>(field.slot(), fallback);
}

// Sets the attribute if the list is there.
template <class To, class From>
void SetList(const OptionField& field, const Table* table,
             graph::Attributes& attributes) {
  if (table == nullptr) return;
  const auto* list = table->GetPointer<const Vector<From>*>(field.slot());
  if (list != nullptr) attributes.Set(field.name, CopyVector<To>(list));
}

Status SetEnum(const OptionField& field, int64_t value,
               graph::Attributes& attributes) {
  if (value < 0 || value >= static_cast<int64_t>(field.enumerators.size()))
    return Unsupported("option '" + std::string(field.name) + "' has value " +
                       std::to_string(value) + ", which has no known name");
  attributes.Set(field.name,
                 std::string(field.enumerators[static_cast<size_t>(value)]));
  return Status();
}

Status ReadField(const OptionField& field, const Table* table,
                 graph::Attributes& attributes) {
  switch (field.kind) {
    case FieldKind::kBool:
      attributes.Set(field.name, Scalar<uint8_t>(field, table) != 0);
      break;
    case FieldKind::kInt32:
      attributes.Set(field.name, int64_t{Scalar<int32_t>(field, table)});
      break;
    case FieldKind::kUInt32:
      attributes.Set(field.name, int64_t{Scalar<uint32_t>(field, table)});
      break;
    case FieldKind::kInt64:
      attributes.Set(field.name, Scalar<int64_t>(field, table));
      break;
    case FieldKind::kFloat32:
      attributes.Set(field.name, double{Scalar<float>(field, table)});
      break;
    case FieldKind::kEnum8:
      return SetEnum(field, Scalar<int8_t>(field, table), attributes);
    case FieldKind::kEnum32:
      return SetEnum(field, Scalar<int32_t>(field, table), attributes);
    case FieldKind::kText:
      if (table != nullptr) {
        const auto* text =
            table->GetPointer<const flatbuffers::String*>(field.slot());
        if (text != nullptr) attributes.Set(field.name, text->str());
      }
      break;
    case FieldKind::kInt32s:
      SetList<int64_t, int32_t>(field, table, attributes);
      break;
    case FieldKind::kUInt32s:
      SetList<int64_t, uint32_t>(field, table, attributes);
      break;
    case FieldKind::kInt64s:
      SetList<int64_t, int64_t>(field, table, attributes);
      break;
    case FieldKind::kFloat32s:
      SetList<double, float>(field, table, attributes);
      break;
    case FieldKind::kBytes:
      SetList<uint8_t, uint8_t>(field, table, attributes);
      break;
    case FieldKind::kBools: {
      if (table == nullptr) break;
      const auto* list =
          table->GetPointer<const Vector<uint8_t>*>(field.slot());
      if (list == nullptr) break;
      auto values = CopyVector<int64_t>(list);
      for (int64_t& value : values) value = value != 0;
      attributes.Set(field.name, std::move(values));
      break;
    }
  }
  return Status();
}

}  // namespace

bool VerifyOptions(const OptionTable& layout, const Table* table,
                   Verifier& verifier) {
  if (table == nullptr) return true;
  if (!table->VerifyTableStart(verifier)) return false;
  for (const OptionField& field : layout.fields)
    if (!VerifyField(field, *table, verifier)) return false;
  return verifier.EndTable();
}

Result<graph::Attributes> ReadOptions(const OptionTable& layout,
                                      const Table* table) {
  graph::Attributes attributes;
  for (const OptionField& field : layout.fields)
    MUNJA_RETURN_IF_ERROR(ReadField(field, table, attributes));
  return attributes;
}

}  // namespace munja::tflite
