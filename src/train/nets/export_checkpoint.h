// Checkpoints to model files and bundles. Free of libtorch.
#ifndef MUNJA_TRAIN_NETS_EXPORT_CHECKPOINT_H_
#define MUNJA_TRAIN_NETS_EXPORT_CHECKPOINT_H_

#include <string>

#include "base/status.h"

namespace munja::train {

struct ExportOptions {
  bool half = true;  // Weights as float16.
};

// The checkpoint of either network as a .tflite file.
Status ExportCheckpoint(const std::string& checkpoint,
                        const std::string& out_path,
                        const ExportOptions& options);

// Two checkpoints as a bundle: models, dictionary.txt and bundle.json.
struct BundleSources {
  std::string detector, recognizer;  // Checkpoints, or .tflite files.
  // Needed where the recognizer is a .tflite file: one character a line.
  std::string dictionary;
  std::string name, description;
};
Status ExportBundle(const BundleSources& sources, const std::string& folder,
                    const ExportOptions& options);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_NETS_EXPORT_CHECKPOINT_H_
