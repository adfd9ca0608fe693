// Checkpoints to model files and bundles. Free of libtorch.
#ifndef MUNJA_TRAIN_EXPORT_CHECKPOINT_H_
#define MUNJA_TRAIN_EXPORT_CHECKPOINT_H_

#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "train/checkpoint_kind.h"

namespace munja::train {

struct ExportOptions {
  bool half = true;  // Weights as float16.
};

// The averaged weights of a checkpoint, of either network or of one of
// `more_kinds`, as a .tflite file; a recognizer's alphabet is packed with it as
// dictionary.txt.
// kInternal when the runtime does not give libtorch's numbers to 1e-4.
Status ExportCheckpoint(const std::string& checkpoint,
                        const std::string& out_path,
                        const ExportOptions& options,
                        std::span<const CheckpointKind> more_kinds = {});

// The sources of a bundle. A model is a checkpoint or a .tflite file that was
// exported from one.
struct BundleSources {
  std::string detector, recognizer;
  // One character a line. Empty: a checkpoint's alphabet, or dictionary.txt
  // packed with a .tflite file or beside it.
  std::string dictionary;
  // Files of language models, which keep their names.
  std::vector<std::string> languages;
  std::string name;  // Empty: that of the folder.
  std::string description;
  // JSON with the fields of the contract that differ from what the training
  // kit sets, such as thresholds; may be empty.
  std::string contract;
};

// Writes the bundle's folder: models, dictionary.txt and bundle.json.
Status ExportBundle(const BundleSources& sources, const std::string& folder,
                    const ExportOptions& options);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_EXPORT_CHECKPOINT_H_
