// Checkpoints of detectors of objects, as they are exported and pruned. Free of
// libtorch.
#ifndef MUNJA_PRUNING_STUDY_OBJECTS_KIND_H_
#define MUNJA_PRUNING_STUDY_OBJECTS_KIND_H_

#include "train/checkpoint_kind.h"

namespace munja::train {

CheckpointKind ObjectsKind();

}  // namespace munja::train

#endif  // MUNJA_PRUNING_STUDY_OBJECTS_KIND_H_
