#include "import/paddle/program.h"

namespace munja::importer::paddle {

std::string Describe(const Operation& op) {
  return op.type + " '" + op.name + "'";
}

std::optional<RawType> ToRawType(int32_t type) {
  switch (type) {
    case 0:
      return RawType::kBool;
    case 1:
      return RawType::kInt16;
    case 2:
      return RawType::kInt32;
    case 3:
      return RawType::kInt64;
    case 4:
      return RawType::kFloat16;
    case 5:
      return RawType::kFloat32;
    case 6:
      return RawType::kFloat64;
    case 20:
      return RawType::kUint8;
    case 21:
      return RawType::kInt8;
    case 22:
      return RawType::kBFloat16;
    default:
      return std::nullopt;
  }
}

}  // namespace munja::importer::paddle
