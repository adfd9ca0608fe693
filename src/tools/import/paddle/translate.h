// Paddle programs -> neutral model.
#ifndef MUNJA_IMPORT_PADDLE_TRANSLATE_H_
#define MUNJA_IMPORT_PADDLE_TRANSLATE_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "base/status.h"
#include "import/ir/model.h"

namespace munja::importer::paddle {

struct TranslateOptions {
  // Shapes (NCHW, kUnknown allowed) by input name, instead of the file's.
  std::map<std::string, Dims> input_shapes;
  // Inputs to bind to constants.
  std::map<std::string, double> input_values;
  // Leave a batch open that the file leaves open; otherwise it becomes 1.
  bool dynamic_batch = false;
};

// `program` holds an inference.json or a .pdmodel: the first bytes tell.
// `parameters` is the .pdiparams of the same program. Half and double values
// are read as float: the model computes in float32. All unsupported operators
// are named in one kUnsupported message.
Result<Model> Translate(std::span<const uint8_t> program,
                        std::span<const uint8_t> parameters,
                        const TranslateOptions& options);

}  // namespace munja::importer::paddle

#endif  // MUNJA_IMPORT_PADDLE_TRANSLATE_H_
