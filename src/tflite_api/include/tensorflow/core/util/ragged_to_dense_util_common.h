// How the rows of ragged tensors are given, which public operators on them take
// from here.
#ifndef MUNJA_TFLITE_TENSORFLOW_CORE_UTIL_RAGGED_TO_DENSE_UTIL_COMMON_H_
#define MUNJA_TFLITE_TENSORFLOW_CORE_UTIL_RAGGED_TO_DENSE_UTIL_COMMON_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tensorflow {

enum class RowPartitionType {
  FIRST_DIM_SIZE,
  VALUE_ROWIDS,
  ROW_LENGTHS,
  ROW_SPLITS,
  ROW_LIMITS,
  ROW_STARTS
};

namespace ragged_internal {

inline constexpr const char* kNames[] = {"FIRST_DIM_SIZE", "VALUE_ROWIDS",
                                         "ROW_LENGTHS",    "ROW_SPLITS",
                                         "ROW_LIMITS",     "ROW_STARTS"};

}  // namespace ragged_internal

inline std::string RowPartitionTypeToString(RowPartitionType type) {
  return ragged_internal::kNames[static_cast<size_t>(type)];
}

// Those before the first name that is unknown.
inline std::vector<RowPartitionType> GetRowPartitionTypesHelper(
    const std::vector<std::string>& row_partition_type_strings) {
  std::vector<RowPartitionType> types;
  for (const std::string& text : row_partition_type_strings) {
    const size_t before = types.size();
    for (size_t i = 0; i < std::size(ragged_internal::kNames); ++i)
      if (text == ragged_internal::kNames[i])
        types.push_back(static_cast<RowPartitionType>(i));
    if (types.size() == before) break;
  }
  return types;
}

// The number of dimensions whose rows differ.
inline int GetRaggedRank(const std::vector<RowPartitionType>& types) {
  const auto count = static_cast<int>(types.size());
  return count > 0 && types[0] == RowPartitionType::FIRST_DIM_SIZE ? count - 1
                                                                   : count;
}

}  // namespace tensorflow

#endif  // MUNJA_TFLITE_TENSORFLOW_CORE_UTIL_RAGGED_TO_DENSE_UTIL_COMMON_H_
