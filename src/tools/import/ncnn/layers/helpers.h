// Helpers that several families of operators share.
#ifndef MUNJA_IMPORT_NCNN_LAYERS_HELPERS_H_
#define MUNJA_IMPORT_NCNN_LAYERS_HELPERS_H_

#include "import/ncnn/context.h"
#include "import/ncnn/writer.h"

namespace munja::importer::ncnn {

inline Status Refuse(const Layer& layer, int id, const char* what) {
  MUNJA_ASSIGN_OR_RETURN(const int value, layer.Int(id, 0));
  if (value == 0) return {};
  return Unsupported(layer, ": ", what);
}

// Along rows that are the channels.
inline bool IsOneDimensional(const Layer& layer) {
  return layer.type.ends_with("1D");
}

// Rows as the one line of each channel, and back.
inline Result<ValueId> AsMap(Context& context, const Layer& layer,
                             ValueId rows) {
  graph::Attributes a;
  a.Set("axes", std::vector<int64_t>{2});
  return context.Step(layer, "lines", "Unsqueeze", {rows}, std::move(a));
}

inline ValueId Number(Context& context, const Layer& layer, double value) {
  return context.Constant(layer, "number", {}, {static_cast<float>(value)});
}

// The axis behind the batch: of a vector, its channels.
inline int64_t AxisOf(Writer& w, int axis) {
  return 1 + w.Axis(axis, w.in_rank());
}

inline constexpr int64_t kMaxOutputs = 1 << 16;

}  // namespace munja::importer::ncnn

#endif  // MUNJA_IMPORT_NCNN_LAYERS_HELPERS_H_
