// Training of a detector of parcels. Free of libtorch.
#ifndef MUNJA_PRUNING_STUDY_YOLO_TRAINER_H_
#define MUNJA_PRUNING_STUDY_YOLO_TRAINER_H_

#include <cstdint>

#include "base/status.h"
#include "train/train_options.h"

namespace munja::train {

// The seed of the held-out pictures, which are never trained on.
inline constexpr uint64_t kHeldOutParcels = 0x8E1D'0077'0000'0001u;

// Pictures are drawn as they are needed (parcels.h). kNotFound, kIo,
// kMalformed (recipe, checkpoint), and as RunTraining().
Status TrainObjects(const TrainOptions& options);

}  // namespace munja::train

#endif  // MUNJA_PRUNING_STUDY_YOLO_TRAINER_H_
