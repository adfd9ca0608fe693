// State of the translation of ncnn layers.
#ifndef MUNJA_IMPORT_NCNN_CONTEXT_H_
#define MUNJA_IMPORT_NCNN_CONTEXT_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "import/ir/builder.h"
#include "import/ncnn/param.h"
#include "import/ncnn/weights.h"

namespace munja::importer::ncnn {

// A blob of ncnn has 1 to 3 dimensions and no batch. As a neutral tensor:
//   rank 3 (c, h, w) -> [1, c, h, w]
//   rank 2 (h, w)    -> [1, h, w]
//   rank 1 (w)       -> [1, w, 1, 1]: a vector is one value for each channel
//                       nearly always, so that broadcasting and 1x1
//                       convolutions need no reshape.
struct Blob {
  ValueId value = kNoValue;
  int rank = 3;
};

class Context {
 public:
  Context(ModelBuilder* model, WeightReader* bin)
      : builder(*model), weights(*bin) {}

  ModelBuilder& builder;
  WeightReader& weights;
  std::map<std::string, Blob> blobs;

  const Blob& In(const Layer& layer, size_t i = 0) const {
    return blobs.at(layer.inputs[i]);
  }
  const Dims& ShapeOf(const Blob& blob) const {
    return builder.value(blob.value).shape;
  }
  // kMalformed when the name is taken.
  Status Set(const Layer& layer, size_t i, Blob blob);

  // Adds a node whose result becomes output 0 of the layer.
  Status Emit(const Layer& layer, std::string op, std::vector<ValueId> inputs,
              graph::Attributes attributes, int rank);
  // Adds a node in the middle of a layer.
  Result<ValueId> Step(const Layer& layer, const char* what, std::string op,
                       std::vector<ValueId> inputs,
                       graph::Attributes attributes = {});
  ValueId Constant(const Layer& layer, const char* what, Dims shape,
                   std::vector<float> values) {
    return builder.AddConstant(
        layer.name + "/" + what,
        Tensor::Floats(std::move(shape), std::move(values)));
  }
  // The fused activation (parameters 9 and 10), then output 0 of the layer.
  Status Finish(const Layer& layer, ValueId value, int rank);
};

// A count from the file as a size: kMalformed unless 1 <= value.
Result<int64_t> Positive(const Layer& layer, int64_t value, const char* what);
// The channel count of the layer's input, which must be static.
Result<int64_t> Channels(const Context& context, const Layer& layer);
// The layer's only weights: one value per channel of its input, counted by
// parameter 0. what: that parameter, for messages.
Result<ValueId> PerChannel(Context& context, const Layer& layer,
                           const char* name, const char* what);

using Handler = Status (*)(Context&, const Layer&);
struct HandlerRow {
  const char* type;
  int inputs, outputs;  // -1: one or more.
  Handler handler;
};
// Null when the layer type is not supported.
const HandlerRow* FindHandler(const std::string& type);

// Functions of several layers are declared once for each: that is allowed.
#define NCNN_LAYER(type, inputs, outputs, function) \
  Status function(Context&, const Layer&);
#include "import/ncnn/layers.def"
#undef NCNN_LAYER

}  // namespace munja::importer::ncnn

#endif  // MUNJA_IMPORT_NCNN_CONTEXT_H_
