// Finds the files of a model from the path that a user gives.
#ifndef MUNJA_IMPORT_SOURCE_H_
#define MUNJA_IMPORT_SOURCE_H_

#include <string>

#include "base/status.h"

namespace munja::importer {

// The model file that `path` means: the path itself, or what a folder holds:
// Paddle's inference.json, else its inference.pdmodel, else the only file that
// ends like a model (.onnx, .param, .pdmodel, .tflite). kNotFound when there is
// none, kInvalidArgument names them when there are several.
Result<std::string> FindModelFile(const std::string& path);

}  // namespace munja::importer

#endif  // MUNJA_IMPORT_SOURCE_H_
