// The trained networks as graphs for the runtime, and back.
#ifndef MUNJA_TRAIN_NETS_EXPORT_H_
#define MUNJA_TRAIN_NETS_EXPORT_H_

#include <string>
#include <vector>

#include "base/status.h"
#include "graph/graph.h"
#include "train/nets/detector_net.h"
#include "train/nets/recognizer_net.h"

namespace munja::train {

// Graphs that compute the same as the networks in eval mode: every block is one
// convolution with bias, float32, NHWC.
// Input "pictures" 1 x ? x ? x 3, output "probabilities" 1 x ? x classes. Runs
// at any height; the one that it was trained for is metadata, in digits.
inline constexpr char kLineHeightEntry[] = "munja.line_height";
Result<graph::Graph> ExportRecognizer(const RecognizerNet& net);
// Input "pictures" 1 x ? x ? x 3, output "probability" 1 x ? x ? x 1.
Result<graph::Graph> ExportDetector(const DetectorNet& net);

// Warm start: sets the weights from an exported graph (float32 or float16
// storage) of a network with the same config, so that forward in eval mode
// gives what the graph gives. A recognizer may have more context blocks: they
// change nothing until they are trained. Rows of the head go by character:
// `old_alphabet` and `new_alphabet` are the lines of the alphabet files
// (without blank and space); characters that the graph does not know start as
// unlikely ones. kInvalidArgument names the first convolution that does not
// fit. Before training goes on, let NormalizationRebase see a few batches.
Status InitializeFrom(RecognizerNet& net, const graph::Graph& exported,
                      const std::vector<std::string>& old_alphabet,
                      const std::vector<std::string>& new_alphabet);
// The threshold map's head is not in the graph and stays as it is.
Status InitializeFrom(DetectorNet& net, const graph::Graph& exported);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_NETS_EXPORT_H_
