#include "hal/types.h"

#include <algorithm>
#include <iterator>

namespace munja::hal {
namespace {

constexpr TypeRow kTypes[] = {
    {MUNJA_NN_FLOAT32, "FLOAT32", MUNJA_NN_1_0, 4, false, TypeRow::kNone, 0, 0},
    {MUNJA_NN_INT32, "INT32", MUNJA_NN_1_0, 4, false, TypeRow::kNone, 0, 0},
    {MUNJA_NN_UINT32, "UINT32", MUNJA_NN_1_0, 4, false, TypeRow::kNone, 0, 0},
    {MUNJA_NN_TENSOR_FLOAT32, "TENSOR_FLOAT32", MUNJA_NN_1_0, 4, true,
     TypeRow::kNone, 0, 0},
    {MUNJA_NN_TENSOR_INT32, "TENSOR_INT32", MUNJA_NN_1_0, 4, true,
     TypeRow::kAny, 0, 0},
    {MUNJA_NN_TENSOR_QUANT8_ASYMM, "TENSOR_QUANT8_ASYMM", MUNJA_NN_1_0, 1, true,
     TypeRow::kPositive, 0, 255},
    {MUNJA_NN_BOOL, "BOOL", MUNJA_NN_1_2, 1, false, TypeRow::kNone, 0, 0},
    {MUNJA_NN_TENSOR_QUANT16_SYMM, "TENSOR_QUANT16_SYMM", MUNJA_NN_1_2, 2, true,
     TypeRow::kPositive, 0, 0},
    {MUNJA_NN_TENSOR_FLOAT16, "TENSOR_FLOAT16", MUNJA_NN_1_2, 2, true,
     TypeRow::kNone, 0, 0},
    {MUNJA_NN_TENSOR_BOOL8, "TENSOR_BOOL8", MUNJA_NN_1_2, 1, true,
     TypeRow::kNone, 0, 0},
    {MUNJA_NN_FLOAT16, "FLOAT16", MUNJA_NN_1_2, 2, false, TypeRow::kNone, 0, 0},
    {MUNJA_NN_TENSOR_QUANT8_SYMM_PER_CHANNEL, "TENSOR_QUANT8_SYMM_PER_CHANNEL",
     MUNJA_NN_1_2, 1, true, TypeRow::kNone, 0, 0},
    {MUNJA_NN_TENSOR_QUANT16_ASYMM, "TENSOR_QUANT16_ASYMM", MUNJA_NN_1_2, 2,
     true, TypeRow::kPositive, 0, 65535},
    {MUNJA_NN_TENSOR_QUANT8_SYMM, "TENSOR_QUANT8_SYMM", MUNJA_NN_1_2, 1, true,
     TypeRow::kPositive, 0, 0},
    {MUNJA_NN_TENSOR_QUANT8_ASYMM_SIGNED, "TENSOR_QUANT8_ASYMM_SIGNED",
     MUNJA_NN_1_3, 1, true, TypeRow::kPositive, -128, 127},
    {MUNJA_NN_SUBGRAPH, "SUBGRAPH", MUNJA_NN_1_3, 0, false, TypeRow::kNone, 0,
     0},
};

}  // namespace

const TypeRow* FindType(int32_t type) {
  const auto* row = std::ranges::find(kTypes, type, &TypeRow::type);
  return row == std::end(kTypes) ? nullptr : row;
}

const TypeRow* FindType(std::string_view name) {
  const auto* row = std::ranges::find_if(
      kTypes, [&](const TypeRow& type) { return name == type.name; });
  return row == std::end(kTypes) ? nullptr : row;
}

bool IsTensor(int32_t type) {
  const TypeRow* row = FindType(type);
  return row != nullptr && row->is_tensor;
}

std::string TypeName(int32_t type) {
  const TypeRow* row = FindType(type);
  return row == nullptr ? "type " + std::to_string(type) : row->name;
}

bool IsFullySpecified(int32_t type, const Dimensions& dimensions) {
  if (!IsTensor(type)) return true;
  return !dimensions.empty() && std::ranges::count(dimensions, 0u) == 0;
}

std::optional<uint32_t> SizeOf(int32_t type, const Dimensions& dimensions) {
  const TypeRow* row = FindType(type);
  if (row == nullptr) return std::nullopt;
  if (!row->is_tensor) return row->bytes;
  if (dimensions.empty()) return 0;
  // Unknown dimensions must not hide that the known ones are too large.
  uint64_t bytes = row->bytes;
  for (const uint32_t d : dimensions) {
    if (d == 0) continue;
    bytes *= d;
    if (bytes > UINT32_MAX) return std::nullopt;
  }
  return IsFullySpecified(type, dimensions) ? static_cast<uint32_t>(bytes) : 0;
}

std::string ToText(const Dimensions& dimensions) {
  std::string text = "[";
  for (const uint32_t d : dimensions) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(d);
  }
  return text + "]";
}

}  // namespace munja::hal
