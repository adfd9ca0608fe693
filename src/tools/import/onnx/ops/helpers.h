// Helpers that several families of operators share.
#ifndef MUNJA_IMPORT_ONNX_OPS_HELPERS_H_
#define MUNJA_IMPORT_ONNX_OPS_HELPERS_H_

#include "import/onnx/operators.h"
#include "import/onnx/writer.h"

namespace munja::importer::onnx {

inline ValueId Number(Context& context, double value) {
  return context.builder.AddConstant(
      "", Tensor::Floats({}, {static_cast<float>(value)}));
}

inline Int64s From(int64_t first, int64_t rank) {
  Int64s axes;
  for (int64_t i = first; i < rank; ++i) axes.push_back(i);
  return axes;
}

}  // namespace munja::importer::onnx

#endif  // MUNJA_IMPORT_ONNX_OPS_HELPERS_H_
