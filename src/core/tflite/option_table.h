// The schema's operators and option tables as data: what lets one reader and
// one writer handle the options of every operator.
#ifndef MUNJA_TFLITE_OPTION_TABLE_H_
#define MUNJA_TFLITE_OPTION_TABLE_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace munja::tflite {

// How a field is stored, and as which graph::AttributeValue it appears.
enum class FieldKind : uint8_t {
  kBool,     // bool
  kInt32,    // int64_t
  kUInt32,   // int64_t
  kInt64,    // int64_t
  kFloat32,  // double
  kEnum8,    // std::string: the enumerator's name
  kEnum32,   // std::string
  kText,     // std::string
  kInt32s,   // std::vector<int64_t>, as all lists of integers
  kUInt32s,
  kInt64s,
  kBools,     // 0 and 1
  kFloat32s,  // std::vector<double>
  kBytes,     // std::vector<uint8_t>
};

struct OptionField {
  std::string_view name;
  uint16_t id = 0;  // The field's number in its table.
  FieldKind kind = FieldKind::kBool;
  int8_t fallback = 0;                       // The schema's default.
  std::span<const char* const> enumerators;  // kEnum*: name of value 0, 1, ...

  // Where FlatBuffers keeps the field's place.
  uint16_t slot() const { return static_cast<uint16_t>(4 + 2 * id); }
};

struct OptionTable {
  std::string_view name;
  int union_number;  // 1: builtin_options, 2: builtin_options_2.
  uint8_t selector;  // The member's number in that union.
  std::span<const OptionField> fields;
};

struct Operator {
  int32_t code;
  std::string_view name;
  const OptionTable* options;  // Null: it has none.
};

inline constexpr int32_t kCustomCode = 32;
// The code that says "see the other field".
inline constexpr int32_t kPlaceholderCode = 127;

std::span<const OptionTable> OptionTables();
std::span<const Operator> Operators();
// Null when there is none.
const OptionTable* FindOptions(int union_number, uint8_t selector);
const Operator* FindOperator(int32_t code);
const Operator* FindOperator(std::string_view name);

}  // namespace munja::tflite

#endif  // MUNJA_TFLITE_OPTION_TABLE_H_
