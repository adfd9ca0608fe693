// The translation of each ONNX operator: operators.def names the function.
#ifndef MUNJA_IMPORT_ONNX_OPERATORS_H_
#define MUNJA_IMPORT_ONNX_OPERATORS_H_

#include "import/onnx/context.h"

namespace munja::importer::onnx {

// Functions of several operators are declared once for each: that is allowed.
#define ONNX_OPERATOR(name, function) \
  Status function(Context&, const Operator&);
#include "import/onnx/operators.def"
#undef ONNX_OPERATOR

// The forms that .tflite has as they are; the functions above handle others.
Status Convolution(Context&, const Operator&);
Status Pool(Context&, const Operator&);
Status Resize(Context&, const Operator&);
Status Lstm(Context&, const Operator&);
// The activations of an LSTM are not given, or are the standard's own.
bool HasDefaultActivations(const Operator& op);

}  // namespace munja::importer::onnx

#endif  // MUNJA_IMPORT_ONNX_OPERATORS_H_
