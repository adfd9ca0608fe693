// Training of a detector: differentiable binarization on pages made as it
// goes.
#ifndef MUNJA_TRAIN_DETECTOR_TRAINER_H_
#define MUNJA_TRAIN_DETECTOR_TRAINER_H_

#include <functional>

#include "base/status.h"
#include "train/page_feeder.h"
#include "train/train_options.h"

namespace munja::train {

// Where the pages come from. The held-out pages' source is opened when it is
// needed and dropped afterwards: fonts take much memory.
struct DetectorData {
  PageFeeder::Maker training;
  std::function<Result<PageFeeder::Maker>()> open_held_out;
};

// As TrainRecognizer() (train/recognizer_trainer.h).
Status TrainDetector(const TrainOptions& options, const DetectorData& data);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_DETECTOR_TRAINER_H_
