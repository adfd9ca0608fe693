#include "import/ncnn/translate.h"

#include <set>
#include <utility>
#include <vector>

#include "import/compose/source_attributes.h"
#include "import/ncnn/context.h"

namespace munja::importer::ncnn {
namespace {

// All layer types without a handler, with how often they occur.
Status CheckTypes(const ParamFile& file) {
  std::map<std::string, int> missing;
  for (const Layer& layer : file.layers)
    if (layer.type != "Input" && FindHandler(layer.type) == nullptr)
      ++missing[layer.type];
  return RefuseMissing("these ncnn layers cannot be imported:", missing);
}

// ncnn files may omit the input's shape; the first convolution that reads it,
// perhaps through a Split, knows the channels. kUnknown if none does.
int64_t FindChannels(const ParamFile& file, const std::string& input) {
  std::set<std::string> names = {input};
  for (const Layer& layer : file.layers) {
    if (layer.inputs.size() != 1 || !names.contains(layer.inputs[0])) continue;
    if (layer.type == "Split")
      names.insert(layer.outputs.begin(), layer.outputs.end());
    if (layer.type != "Convolution" && layer.type != "ConvolutionDepthWise")
      continue;
    const int filters = layer.Int(0, 0).ok() ? *layer.Int(0, 0) : 0;
    const int kw = layer.Int(1, 0).ok() ? *layer.Int(1, 0) : 0;
    const int kh = layer.Int(11, kw).ok() ? *layer.Int(11, kw) : 0;
    const int weights = layer.Int(6, 0).ok() ? *layer.Int(6, 0) : 0;
    const int group = layer.Int(7, 1).ok() ? *layer.Int(7, 1) : 0;
    if (filters < 1 || kw < 1 || kh < 1 || weights < 1 || group < 1) continue;
    return static_cast<int64_t>(weights) / filters / kw / kh * group;
  }
  return kUnknown;
}

Status AddInput(Context& context, const ParamFile& file, const Layer& layer,
                const std::map<std::string, Dims>& given) {
  if (!layer.inputs.empty() || layer.outputs.size() != 1)
    return Malformed(layer, ": an input has one output blob");
  const std::string& name = layer.outputs[0];
  MUNJA_ASSIGN_OR_RETURN(const int w, layer.Int(0, 0));
  MUNJA_ASSIGN_OR_RETURN(const int h, layer.Int(1, 0));
  MUNJA_ASSIGN_OR_RETURN(const int c, layer.Int(2, 0));
  const auto size = [](int n) { return n > 0 ? int64_t{n} : kUnknown; };
  Dims shape = {1, size(c), size(h), size(w)};
  if (shape[1] < 0) shape[1] = FindChannels(file, name);
  if (const Dims* wanted = FindShape(given, name)) shape = *wanted;
  if (shape.size() != 4 || shape[0] != 1)
    return InvalidArgument("input '", name,
                           "' of an ncnn model needs a "
                           "four-dimensional shape with batch 1, not ",
                           ToString(shape));
  if (shape[1] < 1)
    return InvalidArgument("the number of channels of input '", name,
                           "' is not in the file; give the input's shape");
  const ValueId value = context.builder.AddInput(name, shape, false);
  return context.Set(layer, 0, {value, 3});
}

Status CheckCount(const Layer& layer, size_t have, int want, const char* what) {
  if (want < 0 ? have >= 1 : have == static_cast<size_t>(want)) return {};
  return Unsupported(layer, ": ", have, " ", what);
}

}  // namespace

Result<Model> Translate(std::string_view param, std::span<const uint8_t> bin,
                        const std::map<std::string, Dims>& input_shapes) {
  MUNJA_ASSIGN_OR_RETURN(const ParamFile file, ParseParam(param));
  MUNJA_RETURN_IF_ERROR(CheckTypes(file));
  ModelBuilder builder("ncnn");
  WeightReader weights(bin);
  Context context(&builder, &weights);
  std::set<std::string> read;
  for (const Layer& layer : file.layers) {
    for (const std::string& name : layer.inputs) {
      if (!context.blobs.contains(name))
        return Malformed(layer, " reads blob '", name,
                         "', which no layer before it writes");
      read.insert(name);
    }
    if (layer.type == "Input") {
      MUNJA_RETURN_IF_ERROR(AddInput(context, file, layer, input_shapes));
      continue;
    }
    const HandlerRow& row = *FindHandler(layer.type);
    MUNJA_RETURN_IF_ERROR(
        CheckCount(layer, layer.inputs.size(), row.inputs, "inputs"));
    MUNJA_RETURN_IF_ERROR(
        CheckCount(layer, layer.outputs.size(), row.outputs, "outputs"));
    const AttributeLog::Scope scope(layer.type);
    MUNJA_RETURN_IF_ERROR(row.handler(context, layer));
  }
  if (weights.remaining() >= 4)
    return Malformed("the weights hold ", weights.remaining(),
                     " bytes more than the layers read");
  std::vector<ValueId> outputs;
  for (const Layer& layer : file.layers) {
    for (const std::string& name : layer.outputs) {
      if (read.contains(name)) continue;
      Blob blob = context.blobs.at(name);
      if (layer.type == "Input" || builder.constant(blob.value) != nullptr)
        continue;
      if (blob.rank == 1) {
        builder.Rename(blob.value, name + "/channels");
        graph::Attributes a;
        a.Set("axes", std::vector<int64_t>{2, 3});
        MUNJA_ASSIGN_OR_RETURN(blob.value, builder.Add("Squeeze", {blob.value},
                                                       std::move(a), name));
      }
      outputs.push_back(blob.value);
    }
  }
  if (outputs.empty()) return Malformed("the model has no output");
  return builder.Finish(std::move(outputs));
}

}  // namespace munja::importer::ncnn
