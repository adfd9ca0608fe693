// ONNX bytes -> neutral model.
#ifndef MUNJA_IMPORT_ONNX_TRANSLATE_H_
#define MUNJA_IMPORT_ONNX_TRANSLATE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>

#include "base/status.h"
#include "import/ir/model.h"

namespace munja::importer::onnx {

// The bytes of another file that a model names, by a path from its own folder.
// They stay where they are until the translation has ended.
using ExternalData =
    std::function<Result<std::span<const uint8_t>>(const std::string&)>;

struct TranslateOptions {
  // Shapes (NCHW, kUnknown allowed) by input name, instead of the file's.
  std::map<std::string, Dims> input_shapes;
  // Inputs to bind to constants.
  std::map<std::string, double> input_values;
  // Leave a batch open that the file leaves open; otherwise it becomes 1.
  bool dynamic_batch = false;
  ExternalData external;  // Empty: tensors in other files are refused.
};

// float16 and float64 are read as float: the model computes in float32. All
// operators that cannot be translated are named in one kUnsupported message.
Result<Model> Translate(std::span<const uint8_t> bytes,
                        const TranslateOptions& options);

}  // namespace munja::importer::onnx

#endif  // MUNJA_IMPORT_ONNX_TRANSLATE_H_
