#include "import/import.h"

#include <utility>

#include "base/file.h"
#include "import/lowering.h"
#include "import/ncnn/translate.h"
#include "import/onnx/translate.h"
#include "import/paddle/translate.h"
#include "import/reference/executor.h"
#include "import/simplify.h"
#include "import/source.h"

namespace munja::foreign {
namespace {

// The given shapes with the channels in second place.
Result<std::map<std::string, Dims>> ChannelsFirst(
    const ImportOptions& options) {
  std::map<std::string, Dims> shapes;
  for (const auto& [name, given] : options.input_shapes) {
    Dims dims(given.begin(), given.end());
    for (int64_t& d : dims) {
      if (d == 0 || d < -1)
        return InvalidArgument("the shape given for input '" + name +
                               "' holds " + std::to_string(d));
    }
    if (dims.size() == 4) dims = {dims[0], dims[3], dims[1], dims[2]};
    shapes[name] = std::move(dims);
  }
  return shapes;
}

Result<ImportedModel> Convert(Model source, Format format,
                              const ImportOptions& options) {
  for (const auto& [name, shape] : options.input_shapes) {
    bool found = false;
    for (const ValueId v : source.inputs)
      found = found || source.values[v].name == name;
    if (!found) return NotFound("the model has no input '" + name + "'");
  }
  ImportedModel model;
  model.format = format;
  Model simple = source;
  MUNJA_RETURN_IF_ERROR(Simplify(&simple));
  MUNJA_ASSIGN_OR_RETURN(model.graph, Lower(simple));
  for (const ValueId v : source.inputs)
    model.notes.push_back("input '" + source.values[v].name +
                          "': " + ToString(source.values[v].shape) +
                          " in the source (batch, channels, ...)");
  model.source = std::move(source);
  return model;
}

Result<Tensor> Permute(Tensor t, std::vector<int64_t> perm) {
  if (t.shape.size() != 4) return t;
  Node node;
  node.op = "Transpose";
  node.attributes.Set("perm", std::move(perm));
  const Tensor* input = &t;
  MUNJA_ASSIGN_OR_RETURN(
      std::vector<Tensor> turned,
      RunNode(node, std::span<const Tensor* const>(&input, 1)));
  return std::move(turned[0]);
}

bool EndsWith(const std::string& text, std::string_view end) {
  return text.size() >= end.size() &&
         std::string_view(text).substr(text.size() - end.size()) == end;
}

}  // namespace

Result<ImportedModel> ImportOnnx(std::span<const uint8_t> bytes,
                                 const ImportOptions& options) {
  onnx::TranslateOptions translate;
  MUNJA_ASSIGN_OR_RETURN(translate.input_shapes, ChannelsFirst(options));
  translate.dynamic_batch = options.dynamic_batch;
  MUNJA_ASSIGN_OR_RETURN(Model source, onnx::Translate(bytes, translate));
  return Convert(std::move(source), Format::kOnnx, options);
}

Result<ImportedModel> ImportNcnn(std::string_view param,
                                 std::span<const uint8_t> bin,
                                 const ImportOptions& options) {
  MUNJA_ASSIGN_OR_RETURN(const auto shapes, ChannelsFirst(options));
  MUNJA_ASSIGN_OR_RETURN(Model source, ncnn::Translate(param, bin, shapes));
  return Convert(std::move(source), Format::kNcnn, options);
}

Result<ImportedModel> ImportPaddle(std::span<const uint8_t> program,
                                   std::span<const uint8_t> parameters,
                                   const ImportOptions& options) {
  paddle::TranslateOptions translate;
  MUNJA_ASSIGN_OR_RETURN(translate.input_shapes, ChannelsFirst(options));
  translate.dynamic_batch = options.dynamic_batch;
  MUNJA_ASSIGN_OR_RETURN(Model source,
                         paddle::Translate(program, parameters, translate));
  return Convert(std::move(source), Format::kPaddle, options);
}

Result<ImportedModel> Import(const std::string& path,
                             const ImportOptions& options) {
  MUNJA_ASSIGN_OR_RETURN(const std::string name, FindModelFile(path));
  MUNJA_ASSIGN_OR_RETURN(const auto file, MappedFile::Open(name));
  const std::span<const uint8_t> bytes = file->bytes();
  if (EndsWith(name, ".onnx")) return ImportOnnx(bytes, options).With(name);
  const bool ncnn = EndsWith(name, ".param");
  if (!ncnn && !EndsWith(name, ".json") && !EndsWith(name, ".pdmodel"))
    return Unsupported(name +
                       ": not .onnx, .param (ncnn), .json or .pdmodel "
                       "(Paddle)");
  const std::string stem = name.substr(0, name.rfind('.'));
  MUNJA_ASSIGN_OR_RETURN(
      const auto weights,
      MappedFile::Open(stem + (ncnn ? ".bin" : ".pdiparams")));
  if (!ncnn) return ImportPaddle(bytes, weights->bytes(), options).With(name);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()),
                              bytes.size());
  return ImportNcnn(text, weights->bytes(), options).With(name);
}

Result<std::vector<Tensor>> RunReference(const ImportedModel& model,
                                         std::span<const Tensor> inputs) {
  std::vector<Tensor> turned;
  for (const Tensor& t : inputs) {
    MUNJA_ASSIGN_OR_RETURN(Tensor x, Permute(t, {0, 3, 1, 2}));
    turned.push_back(std::move(x));
  }
  MUNJA_ASSIGN_OR_RETURN(std::vector<Tensor> outputs,
                         RunModel(model.source, turned));
  for (Tensor& t : outputs) {
    MUNJA_ASSIGN_OR_RETURN(t, Permute(std::move(t), {0, 2, 3, 1}));
  }
  return outputs;
}

}  // namespace munja::foreign
