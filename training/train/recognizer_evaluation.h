// How much a recognizer in training reads right.
#ifndef MUNJA_TRAIN_RECOGNIZER_EVALUATION_H_
#define MUNJA_TRAIN_RECOGNIZER_EVALUATION_H_

#include <string>
#include <vector>

#include "base/status.h"
#include "document/score.h"
#include "train/character_classes.h"
#include "train/line_batch.h"
#include "train/line_feeder.h"
#include "train/nets/recognizer_net.h"

namespace munja::train {

struct LineSet {
  std::string name;
  std::vector<ScaledLine> lines;
};

// The first `count` samples, unchanged but for the height.
Result<LineSet> HeldOutLines(const LineFeeder::Maker& maker, int count,
                             int height);

// The crops of a label file; pictures are beside the folder of the labels. The
// set is called as the file, without ".jsonl". Pictures of whole pages are
// left out; kMalformed when nothing is left.
Result<LineSet> LabeledLines(const std::string& labels_path, int height);

// Best path of each line; the network must be in eval mode.
document::Figures EvaluateLines(RecognizerNet& net, torch::Device device,
                                const CharacterClasses& classes,
                                const LineSet& set);

// N x 3 x H x W on the device, in the memory order of the pixels.
torch::Tensor ToTensor(const LineBatch& batch, torch::Device device);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_RECOGNIZER_EVALUATION_H_
