// Models of other formats (ONNX, ncnn, Paddle) -> graph, together with the
// source as a model that can be run for comparison.
#ifndef MUNJA_IMPORT_IMPORT_H_
#define MUNJA_IMPORT_IMPORT_H_

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "graph/graph.h"
#include "import/ir/model.h"
#include "import/ir/tensor.h"
#include "import/lower/lowering.h"
#include "import/simplify/simplify.h"

namespace munja::importer {

enum class Format { kOnnx, kNcnn, kPaddle };

struct ImportOptions {
  // Shapes of inputs by name, in the converted graph's order of axes (NHWC for
  // rank 4), -1 for "any"; they override the file. The name "" is the only
  // input.
  std::map<std::string, std::vector<int32_t>> input_shapes;
  // By name, inputs to bind to constants: a switch between training and
  // inference, a scale. Not for ncnn models.
  std::map<std::string, double> input_values;
  // A batch that the file leaves open stays open; otherwise it becomes 1.
  // ncnn has no batch: always 1.
  bool dynamic_batch = false;
  // Inputs and outputs of rank 4 keep the source's order of axes (NCHW), which
  // input_shapes are then in, too.
  bool keep_layout = false;
  // Rewrites what delegates for graphics processors refuse (see gpu_safe.h).
  bool gpu_safe = false;
};

struct ImportedModel {
  Format format = Format::kOnnx;
  graph::Graph graph;
  // The source as read, before any rewriting: NCHW, for RunReference.
  Model source;
  // Notes on the conversion for users.
  std::vector<std::string> notes;
  Simplification simplified;
  bool keep_layout = false;  // From the options.
  // Values of `source` and the tensors of `graph` that hold the same values,
  // except for rounding of sums and the changes of gpu_safe.
  std::vector<TensorMapping> mappings;
};

// Reads a .onnx file; an ncnn .param file with a .bin of the same stem; a
// Paddle .pdmodel or .json program with a .pdiparams of the same stem; or the
// one model that a directory holds (see source.h). kNotFound, kIo, kMalformed,
// kUnsupported (all unsupported operators are named at once); messages name the
// file.
Result<ImportedModel> Import(const std::string& path,
                             const ImportOptions& options);

// The same formats from memory.
Result<ImportedModel> ImportOnnx(std::span<const uint8_t> bytes,
                                 const ImportOptions& options);
Result<ImportedModel> ImportNcnn(std::string_view param,
                                 std::span<const uint8_t> bin,
                                 const ImportOptions& options);
Result<ImportedModel> ImportPaddle(std::span<const uint8_t> program,
                                   std::span<const uint8_t> parameters,
                                   const ImportOptions& options);

// Runs the source model with plain loops: the importer's own oracle. Tensors
// are given and returned in the order of axes that the graph has, so that both
// can be compared element by element.
Result<std::vector<Tensor>> RunReference(const ImportedModel& model,
                                         std::span<const Tensor> inputs);

// Runs it and shows every value that has a mapping as it is computed, its
// axes in the order of the graph's tensor.
Status VisitReference(
    const ImportedModel& model, std::span<const Tensor> inputs,
    const std::function<void(const TensorMapping&, const Tensor&)>& visit);

}  // namespace munja::importer

#endif  // MUNJA_IMPORT_IMPORT_H_
