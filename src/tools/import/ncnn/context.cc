#include "import/ncnn/context.h"

namespace munja::importer::ncnn {

const HandlerRow* FindHandler(const std::string& type) {
  static constexpr HandlerRow kRows[] = {
#define NCNN_LAYER(type, inputs, outputs, function) \
  {#type, inputs, outputs, function},
#include "import/ncnn/layers.def"
#undef NCNN_LAYER
  };
  for (const HandlerRow& row : kRows)
    if (type == row.type) return &row;
  return nullptr;
}

Result<int64_t> Positive(const Layer& layer, int64_t value, const char* what) {
  if (value >= 1) return value;
  return Malformed(layer, ": ", what, " is ", value);
}

Result<int64_t> Channels(const Context& context, const Layer& layer) {
  const Blob in = context.In(layer);
  if (in.rank != 3) return Unsupported(layer, ": a flat input");
  const int64_t channels = context.ShapeOf(in)[1];
  if (channels < 1)
    return Unsupported(layer, ": an unknown number of channels");
  return channels;
}

Status Context::Set(const Layer& layer, size_t i, Blob blob) {
  if (!blobs.emplace(layer.outputs[i], blob).second)
    return Malformed(layer, ": blob '", layer.outputs[i], "' is written twice");
  return {};
}

Status Context::Emit(const Layer& layer, std::string op,
                     std::vector<ValueId> inputs, graph::Attributes attributes,
                     int rank) {
  MUNJA_ASSIGN_OR_RETURN(const ValueId value,
                         builder
                             .Add(std::move(op), std::move(inputs),
                                  std::move(attributes), layer.outputs[0])
                             .With(layer));
  return Set(layer, 0, {value, rank});
}

Result<ValueId> Context::Step(const Layer& layer, const char* what,
                              std::string op, std::vector<ValueId> inputs,
                              graph::Attributes attributes) {
  return builder
      .Add(std::move(op), std::move(inputs), std::move(attributes),
           layer.outputs[0] + "/" + what)
      .With(layer);
}

Status Context::Finish(const Layer& layer, ValueId value, int rank) {
  MUNJA_ASSIGN_OR_RETURN(const int type, layer.Int(9, 0));
  MUNJA_ASSIGN_OR_RETURN(const std::vector<double> p, layer.Floats(10));
  const auto parameter = [&](size_t i, double fallback) {
    return i < p.size() ? p[i] : fallback;
  };
  graph::Attributes a;
  const char* op = nullptr;
  switch (type) {
    case 0:
      builder.Rename(value, layer.outputs[0]);
      return Set(layer, 0, {value, rank});
    case 1:
      op = "Relu";
      break;
    case 2:
      op = "LeakyRelu";
      a.Set("alpha", parameter(0, 0));
      break;
    case 3:
      op = "Clip";
      a.Set("min", parameter(0, 0));
      a.Set("max", parameter(1, 0));
      break;
    case 4:
      op = "Sigmoid";
      break;
    case 6:
      op = "HardSwish";
      a.Set("alpha", parameter(0, 0.2));
      a.Set("beta", parameter(1, 0.5));
      break;
    default:
      return Unsupported(layer, ": fused activation ", type);
  }
  return Emit(layer, op, {value}, std::move(a), rank);
}

}  // namespace munja::importer::ncnn
