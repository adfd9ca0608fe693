// The inputs of a bundle's networks while pictures are read: the data to
// calibrate them on.
#ifndef MUNJA_TOOLS_QUANTIZE_CALIBRATION_H_
#define MUNJA_TOOLS_QUANTIZE_CALIBRATION_H_

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/thread_pool.h"
#include "bundle/bundle.h"
#include "compress/calibration/observe.h"

namespace munja::tools {

struct CalibrationPictures {
  std::vector<std::string> files;
  bool are_lines = false;  // Each is a single line of text.
  size_t max_pages = 24;   // Inputs of the detector kept.
  size_t max_lines = 192;  // Inputs of recognizer and classifier kept.
};

struct CalibrationData {
  std::vector<compress::Sample> detector, recognizer, classifier;
  int64_t lines = 0;  // Lines found in all pictures.
  std::vector<std::string> unreadable;
};

// Reads every picture with the bundle's own networks, pre-processing and
// cutting of lines, and keeps what each network was given. kInvalidArgument
// when no picture can be read.
Result<CalibrationData> Calibrate(const bundle::Bundle& bundle,
                                  const CalibrationPictures& pictures,
                                  const std::shared_ptr<ThreadPool>& pool);

}  // namespace munja::tools

#endif  // MUNJA_TOOLS_QUANTIZE_CALIBRATION_H_
