// Quantizes networks: those of a model, or any .tflite file.
#ifndef MUNJA_TOOLS_QUANTIZE_QUANTIZE_MODEL_H_
#define MUNJA_TOOLS_QUANTIZE_QUANTIZE_MODEL_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/status.h"
#include "compress/quantization/quantize.h"
#include "quantize/calibration.h"

namespace munja::tools {

struct QuantizeJob {
  compress::QuantizeOptions options;
  bool allow_noise = false;
  bool keep_float = false;
  double max_changed = 0.1;  // Share of decisions.
  // None: no calibration data.
  std::optional<CalibrationPictures> calibration;
};

// kInvalidArgument: the mode needs calibration data, and there is none.
Status CheckJob(const QuantizeJob& job);

// A network of a model by its role. `network`: a .tflite file that takes its
// place; "": the model's own. The reports: docs/how-to/quantize.md.
Result<nlohmann::ordered_json> QuantizeRole(const std::string& model,
                                            const std::string& role,
                                            const std::string& network,
                                            const QuantizeJob& job,
                                            const std::string& output);

// Any .tflite file, calibrated on the tensors in files
// (samples/sample_files.h).
Result<nlohmann::ordered_json> QuantizeFile(const std::string& network,
                                            const QuantizeJob& job,
                                            const std::string& output);

// All networks of a model; `directory` becomes the new one.
Result<nlohmann::ordered_json> QuantizeModel(const std::string& model,
                                             const QuantizeJob& job,
                                             const std::string& directory);

}  // namespace munja::tools

#endif  // MUNJA_TOOLS_QUANTIZE_QUANTIZE_MODEL_H_
