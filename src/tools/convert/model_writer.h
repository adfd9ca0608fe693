// Converting a model file: read, write as .tflite, report.
#ifndef MUNJA_TOOLS_CONVERT_MODEL_WRITER_H_
#define MUNJA_TOOLS_CONVERT_MODEL_WRITER_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/status.h"
#include "tensor/shape.h"

namespace munja::tools {

struct ConvertSettings {
  bool fp16 = false;
  bool compare = true;
  bool allow_custom_ops = false;
  // "1x640x640x3" or "NAME=1x640x640x3,...": the inputs are fixed there.
  std::string shape;
  // "NAME=0,...": inputs that are replaced by a number.
  std::string values;
  // Shape at which the report counts and compares, where it is free.
  std::string report_shape;
  // Sizes that the report takes for free dimensions unless stated otherwise;
  // 0: a page or a line. A model that does not run there has a note.
  int32_t sample_height = 0, sample_width = 0;
  // Shape of the only input of a Paddle model, whose file states the sizes it
  // was written at: -1 for free. Empty: what the file says. `shape` goes first.
  std::vector<int32_t> paddle_shape;
  // The height that the file states goes before that of paddle_shape.
  bool keep_paddle_height = false;
  bool gpu_safe = false;
  bool keep_layout = false;
  std::vector<std::string> pictures;  // Images for the parity report.
  // Packed with the model when the name is not empty.
  std::string dictionary_name;
  std::vector<uint8_t> dictionary;
};

struct ConvertedModel {
  std::vector<uint8_t> bytes;  // A .tflite file.
  Shape input;                 // Shape of the first input in the file.
  nlohmann::ordered_json report;
};

// Errors in the source are kMalformed or kUnsupported and name the file; so are
// operators that are missing here, unless allow_custom_ops. A model that this
// runtime cannot run is then converted all the same; its report has a note
// instead of the figures of a run.
Result<ConvertedModel> ConvertModel(const std::string& source,
                                    const ConvertSettings& settings);

}  // namespace munja::tools

#endif  // MUNJA_TOOLS_CONVERT_MODEL_WRITER_H_
