// Graphs within a graph: the branches and bodies of operators.
#ifndef MUNJA_IMPORT_ONNX_BODY_H_
#define MUNJA_IMPORT_ONNX_BODY_H_

#include "import/onnx/context.h"

namespace munja::foreign::onnx {

// Translates the constants and nodes of a graph whose inputs have values.
Status AddNodes(Context& context, const munja::onnx::GraphProto& graph);

}  // namespace munja::foreign::onnx

#endif  // MUNJA_IMPORT_ONNX_BODY_H_
