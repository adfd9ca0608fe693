// TensorProto -> Tensor, with every size checked.
#ifndef MUNJA_IMPORT_ONNX_TENSOR_READER_H_
#define MUNJA_IMPORT_ONNX_TENSOR_READER_H_

#include <optional>

#include "base/status.h"
#include "import/ir/tensor.h"
#include "import/onnx/translate.h"
#include "onnx.pb.h"

namespace munja::importer::onnx {

// The element types of the format that occur here.
enum DataType {
  kFloat = 1,
  kUint8 = 2,
  kInt8 = 3,
  kUint16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kBool = 9,
  kFloat16 = 10,
  kDouble = 11,
  kUint32 = 12,
  kUint64 = 13,
  kBFloat16 = 16,
};

// The type that values of it have in the model; none for types that it has not:
// text, and floats and integers of fewer than 8 bits.
std::optional<ElementType> ReadElementType(int type);
bool IsFloatType(int type);
bool IsIntegerType(int type);

// kMalformed when the data does not fit the shape, kUnsupported for other
// element types and for external data without `external`.
Result<Tensor> ReadTensor(const munja::onnx::TensorProto& proto,
                          const ExternalData& external = {});

}  // namespace munja::importer::onnx

#endif  // MUNJA_IMPORT_ONNX_TENSOR_READER_H_
