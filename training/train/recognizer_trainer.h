// Training of a recognizer: CTC on lines made as it goes.
#ifndef MUNJA_TRAIN_RECOGNIZER_TRAINER_H_
#define MUNJA_TRAIN_RECOGNIZER_TRAINER_H_

#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "train/line_feeder.h"
#include "train/train_options.h"

namespace munja::train {

// Where the lines come from. The held-out lines' source is opened when it is
// needed and dropped afterwards: fonts take much memory.
struct RecognizerData {
  std::vector<std::string> alphabet;
  LineFeeder::Maker training;
  std::function<Result<LineFeeder::Maker>()> open_held_out;
};

// Runs until the recipe's schedule ends, the run's own limit is reached or
// options.stop is set; then the checkpoint is written and success returned.
// Without options.resume a checkpoint that exists is kInvalidArgument. May
// throw what libtorch throws.
Status TrainRecognizer(const TrainOptions& options, const RecognizerData& data);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_RECOGNIZER_TRAINER_H_
