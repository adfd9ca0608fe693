#include "tflite/option_table.h"

#include <algorithm>
#include <iterator>

namespace munja::tflite {
namespace {

struct Kind {
  FieldKind kind;
  std::span<const char* const> enumerators;
};

// Values 0, 1, ... of the schema's enums.
constexpr const char* kPadding[] = {"SAME", "VALID"};
constexpr const char* kActivation[] = {"NONE",  "RELU", "RELU_N1_TO_1",
                                       "RELU6", "TANH", "SIGN_BIT"};
constexpr const char* kTensorType[] = {
    "FLOAT32", "FLOAT16",       "INT32",      "UINT8",     "INT64",
    "STRING",  "BOOL",          "INT16",      "COMPLEX64", "INT8",
    "FLOAT64", "COMPLEX128",    "UINT64",     "RESOURCE",  "VARIANT",
    "UINT32",  "UINT16",        "INT4",       "BFLOAT16",  "INT2",
    "UINT4",   "FLOAT8_E4M3FN", "FLOAT8_E5M2"};
constexpr const char* kLshProjection[] = {"UNKNOWN", "SPARSE", "DENSE"};
constexpr const char* kWeightsFormat[] = {"DEFAULT", "SHUFFLED4x16INT8"};
constexpr const char* kLstmKernel[] = {"FULL", "BASIC"};
constexpr const char* kCombiner[] = {"SUM", "MEAN", "SQRTN"};
constexpr const char* kMirrorPad[] = {"REFLECT", "SYMMETRIC"};
constexpr const char* kReduceWindow[] = {"UNSUPPORTED", "ADD", "MUL", "MINIMUM",
                                         "MAXIMUM",     "ALL", "ANY"};
constexpr const char* kCustomFormat[] = {"FLEXBUFFERS"};
constexpr const char* kRng[] = {"DEFAULT", "PHILOX", "THREEFRY"};
constexpr const char* kDirection[] = {
    "STABLEHLO_COMPARISON_DIRECTION_EQ", "STABLEHLO_COMPARISON_DIRECTION_NE",
    "STABLEHLO_COMPARISON_DIRECTION_GE", "STABLEHLO_COMPARISON_DIRECTION_GT",
    "STABLEHLO_COMPARISON_DIRECTION_LE", "STABLEHLO_COMPARISON_DIRECTION_LT"};
constexpr const char* kComparison[] = {
    "STABLEHLO_COMPARISON_TYPE_NOTYPE", "STABLEHLO_COMPARISON_TYPE_FLOAT",
    "STABLEHLO_COMPARISON_TYPE_FLOAT_TOTAL_ORDER",
    "STABLEHLO_COMPARISON_TYPE_SIGNED", "STABLEHLO_COMPARISON_TYPE_UNSIGNED"};

// The kinds that options.def names.
namespace kinds {
constexpr Kind Bool{FieldKind::kBool, {}};
constexpr Kind Int32{FieldKind::kInt32, {}};
constexpr Kind UInt32{FieldKind::kUInt32, {}};
constexpr Kind Int64{FieldKind::kInt64, {}};
constexpr Kind Float32{FieldKind::kFloat32, {}};
constexpr Kind Text{FieldKind::kText, {}};
constexpr Kind Int32s{FieldKind::kInt32s, {}};
constexpr Kind UInt32s{FieldKind::kUInt32s, {}};
constexpr Kind Int64s{FieldKind::kInt64s, {}};
constexpr Kind Bools{FieldKind::kBools, {}};
constexpr Kind Float32s{FieldKind::kFloat32s, {}};
constexpr Kind Bytes{FieldKind::kBytes, {}};
constexpr Kind Padding{FieldKind::kEnum8, kPadding};
constexpr Kind ActivationFunctionType{FieldKind::kEnum8, kActivation};
constexpr Kind TensorType{FieldKind::kEnum8, kTensorType};
constexpr Kind LSHProjectionType{FieldKind::kEnum8, kLshProjection};
constexpr Kind FullyConnectedOptionsWeightsFormat{FieldKind::kEnum8,
                                                  kWeightsFormat};
constexpr Kind LSTMKernelType{FieldKind::kEnum8, kLstmKernel};
constexpr Kind CombinerType{FieldKind::kEnum8, kCombiner};
constexpr Kind MirrorPadMode{FieldKind::kEnum8, kMirrorPad};
constexpr Kind CustomOptionsFormat{FieldKind::kEnum8, kCustomFormat};
constexpr Kind RngAlgorithm{FieldKind::kEnum8, kRng};
constexpr Kind ReduceWindowFunction{FieldKind::kEnum32, kReduceWindow};
constexpr Kind StablehloComparisonDirection{FieldKind::kEnum32, kDirection};
constexpr Kind StablehloComparisonType{FieldKind::kEnum32, kComparison};
}  // namespace kinds

// One array of fields for each table; its last element only keeps the array
// of a table without fields from being empty.
#define FIELD(id, name, how, fallback) \
  OptionField{#name, id, kinds::how.kind, fallback, kinds::how.enumerators},
#define OPTIONS(table, union_number, selector, ...) \
  constexpr OptionField k##table##Fields[] = {__VA_ARGS__ OptionField{}};
#include "tflite/options.def"
#undef OPTIONS
#undef FIELD

constexpr OptionTable kTables[] = {
#define FIELD(id, name, how, fallback)
#define OPTIONS(table, union_number, selector, ...) \
  {#table, union_number, selector,                  \
   std::span(k##table##Fields).first(std::size(k##table##Fields) - 1)},
#include "tflite/options.def"
#undef OPTIONS
#undef FIELD
};

constexpr const OptionTable* Named(std::string_view name) {
  for (const OptionTable& table : kTables)
    if (table.name == name) return &table;
  return nullptr;
}

constexpr Operator kOperators[] = {
#define OPERATOR(code, name, options) {code, #name, Named(#options)},
#include "tflite/operators.def"
#undef OPERATOR
};

}  // namespace

std::span<const OptionTable> OptionTables() { return kTables; }
std::span<const Operator> Operators() { return kOperators; }

const OptionTable* FindOptions(int union_number, uint8_t selector) {
  for (const OptionTable& table : kTables)
    if (table.union_number == union_number && table.selector == selector)
      return &table;
  return nullptr;
}

const Operator* FindOperator(int32_t code) {
  // Sorted by code without a gap.
  if (code < 0 || static_cast<size_t>(code) >= std::size(kOperators))
    return nullptr;
  return &kOperators[code];
}

const Operator* FindOperator(std::string_view name) {
  const auto* it =
      std::find_if(std::begin(kOperators), std::end(kOperators),
                   [&](const Operator& op) { return op.name == name; });
  return it == std::end(kOperators) ? nullptr : it;
}

}  // namespace munja::tflite
