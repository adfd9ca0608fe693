// The TFLite Metadata of a model: what its inputs, outputs and packed files
// mean.
#ifndef MUNJA_TFLITE_METADATA_H_
#define MUNJA_TFLITE_METADATA_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "graph/graph.h"

namespace munja::tflite {

// The entry of graph::Graph::metadata that holds it.
inline constexpr char kModelInfoName[] = "TFLITE_METADATA";

// Values equal the metadata schema's.
enum class FileRole : int8_t {
  kUnknown = 0,
  kDescriptions = 1,
  kAxisLabels = 2,   // One label for each index of the class dimension.
  kValueLabels = 3,  // One label for each value that the output can have.
  kScoreCalibration = 4,
  kVocabulary = 5,  // One word a line.
  kScannIndex = 6,
};

struct FileInfo {
  std::string name;  // In graph::Graph::associated_files.
  std::string description;
  FileRole role = FileRole::kUnknown;
  friend bool operator==(const FileInfo&, const FileInfo&) = default;
};

struct TensorInfo {
  std::string name;
  std::string description;
  // x' = (x - mean[c]) / deviation[c]; one value: for all channels; none: not
  // stated.
  std::vector<float> mean, deviation;
  std::vector<FileInfo> files;
  friend bool operator==(const TensorInfo&, const TensorInfo&) = default;
};

struct ModelInfo {
  std::string name, description, version, author, license;
  // For the inputs and outputs of subgraph 0, in their order.
  std::vector<TensorInfo> inputs, outputs;
  std::vector<FileInfo> files;  // Files that belong to no tensor.
  friend bool operator==(const ModelInfo&, const ModelInfo&) = default;
};

// kMalformed when the bytes are not such metadata.
Result<ModelInfo> ReadModelInfo(std::span<const uint8_t> bytes);

std::vector<uint8_t> WriteModelInfo(const ModelInfo& info);

// Names the main subgraph's inputs and outputs, and the associated files as
// vocabularies of the first output.
ModelInfo DefaultModelInfo(const graph::Graph& graph);

}  // namespace munja::tflite

#endif  // MUNJA_TFLITE_METADATA_H_
