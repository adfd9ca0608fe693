// The curves of a training, from its log.
#ifndef MUNJA_TRAIN_PLOT_H_
#define MUNJA_TRAIN_PLOT_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/status.h"
#include "image/image.h"

namespace munja::train {

// Above the loss (logarithmic) and the learning rate, below the figures of
// every evaluated set between 0 and 1, over minutes of training. kMalformed
// when there is nothing to draw.
Result<image::Image> DrawCurves(const std::vector<nlohmann::json>& entries);

// From a log (train/training_log.h) to a PNG file.
Status PlotLog(const std::string& log_path, const std::string& png_path);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_PLOT_H_
