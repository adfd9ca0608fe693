// Samples of any model from files: what it is calibrated on when it is no
// network of a bundle.
#ifndef MUNJA_TOOLS_SAMPLES_SAMPLE_FILES_H_
#define MUNJA_TOOLS_SAMPLES_SAMPLE_FILES_H_

#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "compress/calibration/observe.h"
#include "graph/graph.h"

namespace munja::tools {

// Each file belongs to one input: "NAME=FILE", or FILE where the model has one
// input. By its ending it is
//   .npy        an array of the input's shape, or several behind one another:
//               with one dimension more in front, or along a first one of 1;
//   .txt, .csv  numbers, a sample on each line, as many as the input has
//               elements (one size may be left open by the model);
//   else        a picture, scaled to an input of 1xHxWx3 or 1xHxWx1 and
//               normalized as the model's metadata say.
// All inputs must have as many samples. kInvalidArgument, with the file's name,
// where something does not fit; the failures of reading.
Result<std::vector<compress::Sample>> ReadSamples(
    const graph::Graph& model, std::span<const std::string> files);

}  // namespace munja::tools

#endif  // MUNJA_TOOLS_SAMPLES_SAMPLE_FILES_H_
