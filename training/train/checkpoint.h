// Checkpoint: a training that can go on, and the weights it has come to.
#ifndef MUNJA_TRAIN_CHECKPOINT_H_
#define MUNJA_TRAIN_CHECKPOINT_H_

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/status.h"

namespace munja::train {

struct CheckpointTensor {
  std::vector<int64_t> shape;
  std::vector<float> values;
};

struct Checkpoint {
  std::string kind;                   // "recognizer" or "detector".
  std::string recipe;                 // Text of the recipe file.
  std::string recipe_path;            // Where it was; for messages.
  std::vector<std::string> alphabet;  // Alphabet of a recognizer.
  nlohmann::json progress;            // Step, seconds, position of the data.
  // "weights/NAME" as trained; "average/NAME", which are evaluated and
  // exported; "moment1/NAME" and "moment2/NAME" of AdamW. Names are those of
  // the module's parameters and buffers.
  std::map<std::string, CheckpointTensor> tensors;
};

// The old file stays until the new one is whole. kIo.
Status WriteCheckpoint(const std::string& path, const Checkpoint& checkpoint);

// kNotFound, kIo; kMalformed when it is cut short, changed or no checkpoint.
Result<Checkpoint> ReadCheckpoint(const std::string& path);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_CHECKPOINT_H_
