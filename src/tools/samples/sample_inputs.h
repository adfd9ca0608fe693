// Inputs for trying a model out: shapes with the free sizes filled in, and
// numbers like those of normalized pictures.
#ifndef MUNJA_TOOLS_SAMPLES_SAMPLE_INPUTS_H_
#define MUNJA_TOOLS_SAMPLES_SAMPLE_INPUTS_H_

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "base/status.h"
#include "runtime/session.h"
#include "tensor/view.h"

namespace munja::tools {

// "NAME=1x640x640x3,OTHER=1x2" by name; a shape without a name has "".
// kInvalidArgument.
Result<std::map<std::string, Shape>> ParseShapes(const std::string& text);

// "NAME=0,OTHER=1.5" by name. kInvalidArgument.
Result<std::map<std::string, double>> ParseValues(const std::string& text);

// For each input its own shape, free sizes filled in: 1 for the first axis,
// `side` for others. `given` (as ParseShapes() reads it, or empty) replaces
// some. kInvalidArgument when it is no shape or names no input.
Result<std::vector<Shape>> SampleShapes(
    std::span<const runtime::TensorInfo> inputs, const std::string& given,
    int32_t side);

// "[1, 640, 640, 3]", with names where there are several.
std::string ShapesText(std::span<const runtime::TensorInfo> inputs,
                       std::span<const Shape> shapes);

// Dense float32 tensors in [-1, 1), the same on every call.
class SampleInputs {
 public:
  // Plans the session first. kUnsupported for inputs that are not float32.
  static Result<SampleInputs> Create(runtime::Session& session,
                                     std::span<const Shape> shapes);
  std::span<const TensorView> views() const { return views_; }

 private:
  std::vector<Buffer> buffers_;
  std::vector<TensorView> views_;
};

// Runs a model on made-up numbers, with which a loop may never end: one that
// has loops gets some seconds. kTimedOut, also when the caller's own time is
// over.
Result<std::span<const TensorView>> RunOnSample(
    const graph::Graph& model, runtime::Session& session,
    std::span<const TensorView> inputs);

}  // namespace munja::tools

#endif  // MUNJA_TOOLS_SAMPLES_SAMPLE_INPUTS_H_
