// The subcommands of munja-train that train. Free of libtorch.
#ifndef MUNJA_TRAIN_COMMANDS_H_
#define MUNJA_TRAIN_COMMANDS_H_

#include "base/status.h"
#include "train/train_options.h"

namespace munja::train {

// The recipe's lines and pages, then training. Samples of the held-out set
// come from a seed that no training has.
Status RunDetect(const TrainOptions& options);
Status RunRecognize(const TrainOptions& options);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_COMMANDS_H_
