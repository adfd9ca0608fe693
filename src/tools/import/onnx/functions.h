// Functions of a file's own are written out where they are called.
#ifndef MUNJA_IMPORT_ONNX_FUNCTIONS_H_
#define MUNJA_IMPORT_ONNX_FUNCTIONS_H_

#include <cstdint>

#include "base/status.h"
#include "onnx.pb.h"

namespace munja::importer::onnx {

bool IsOwnDomain(const std::string& domain);

// The set of ONNX's own operators that these imports name; `otherwise` where
// they name none.
template <class Imports>
int64_t OwnOperatorSet(const Imports& imports, int64_t otherwise) {
  int64_t set = otherwise;
  for (const munja::onnx::OperatorSetIdProto& i : imports)
    if (IsOwnDomain(i.domain())) set = i.version();
  return set;
}

// Inlines the nodes of functions at their calls, also in the branches and
// bodies of nodes, and writes each node's operator set into it. kMalformed when
// a function calls itself, kOutOfMemory when the result is far larger than the
// file.
Status InlineFunctions(munja::onnx::ModelProto* file, int64_t operator_set);

}  // namespace munja::importer::onnx

#endif  // MUNJA_IMPORT_ONNX_FUNCTIONS_H_
