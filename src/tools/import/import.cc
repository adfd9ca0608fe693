#include "import/import.h"

#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "base/file.h"
#include "import/lower/lowering.h"
#include "import/ncnn/translate.h"
#include "import/onnx/translate.h"
#include "import/paddle/translate.h"
#include "import/reference/executor.h"
#include "import/source.h"

namespace munja::importer {
namespace {

// The given shapes in the order of the source.
Result<std::map<std::string, Dims>> SourceShapes(const ImportOptions& options) {
  std::map<std::string, Dims> shapes;
  for (const auto& [name, given] : options.input_shapes) {
    Dims dims(given.begin(), given.end());
    for (int64_t& d : dims) {
      if (d == 0 || d < -1)
        return InvalidArgument("the shape given for input '", name, "' holds ",
                               d);
    }
    if (dims.size() == 4 && !options.keep_layout)
      dims = {dims[0], dims[3], dims[1], dims[2]};
    shapes[name] = std::move(dims);
  }
  return shapes;
}

Result<ImportedModel> Convert(Model source, Format format,
                              const ImportOptions& options) {
  for (const auto& [name, shape] : options.input_shapes) {
    bool found = name.empty() && source.inputs.size() == 1;
    if (name.empty() && !found)
      return InvalidArgument("the model has ", source.inputs.size(),
                             " inputs: name the one that a shape is for");
    for (const ValueId v : source.inputs)
      found = found || source.values[v].name == name;
    if (!found) return NotFound("the model has no input '", name, "'");
  }
  ImportedModel model;
  model.format = format;
  Model simple = source;
  SimplifyOptions simplify;
  simplify.gpu_safe = options.gpu_safe;
  MUNJA_ASSIGN_OR_RETURN(const Simplification done,
                         Simplify(&simple, simplify));
  MUNJA_ASSIGN_OR_RETURN(model.graph,
                         Lower(simple, &model.mappings, options.keep_layout));
  model.keep_layout = options.keep_layout;
  // Values that simplifying added are not the source's.
  std::erase_if(model.mappings, [&](const TensorMapping& c) {
    return c.value >= static_cast<ValueId>(source.values.size());
  });
  for (const ValueId v : source.inputs)
    model.notes.push_back("input '" + source.values[v].name +
                          "': " + ToString(source.values[v].shape) +
                          " in the source (batch, channels, ...)");
  const auto note = [&](int count, const char* what) {
    if (count > 0) model.notes.push_back(std::to_string(count) + what);
  };
  note(done.merged_branches, " parallel branches merged into convolutions");
  note(done.hard_sigmoids, " hard sigmoids written with RELU6");
  note(done.resizes, " resizes sample asymmetrically, not as in the source");
  note(done.transposed,
       " transposed convolutions written as convolution and DEPTH_TO_SPACE");
  for (const graph::Node& node : model.graph.main().nodes) {
    if (!node.op.ends_with("_SEQUENCE_LSTM")) continue;
    model.notes.push_back(
        "recurrent: its variables keep the state of the run before; reset "
        "them before each line");
    break;
  }
  model.simplified = done;
  model.source = std::move(source);
  return model;
}

Result<Tensor> Permute(const Tensor& t, std::vector<int64_t> perm) {
  Node node;
  node.op = "Transpose";
  node.attributes.Set("perm", std::move(perm));
  const Tensor* input = &t;
  MUNJA_ASSIGN_OR_RETURN(
      std::vector<Tensor> turned,
      RunNode(node, std::span<const Tensor* const>(&input, 1)));
  return std::move(turned[0]);
}

// Inputs and outputs of rank 4 change their order of axes.
Result<Tensor> PermuteImage(Tensor t, std::vector<int64_t> perm) {
  if (t.shape.size() != 4) return t;
  return Permute(t, std::move(perm));
}

Result<std::vector<Tensor>> RunSource(const ImportedModel& model,
                                      std::span<const Tensor> inputs,
                                      const Visitor& visit) {
  if (model.keep_layout) return RunModel(model.source, inputs, visit);
  std::vector<Tensor> turned;
  for (const Tensor& t : inputs) {
    MUNJA_ASSIGN_OR_RETURN(Tensor x, PermuteImage(t, {0, 3, 1, 2}));
    turned.push_back(std::move(x));
  }
  return RunModel(model.source, turned, visit);
}

Result<ImportedModel> TranslateOnnx(std::span<const uint8_t> bytes,
                                    onnx::ExternalData external,
                                    const ImportOptions& options) {
  onnx::TranslateOptions translate;
  MUNJA_ASSIGN_OR_RETURN(translate.input_shapes, SourceShapes(options));
  translate.input_values = options.input_values;
  translate.dynamic_batch = options.dynamic_batch;
  translate.external = std::move(external);
  MUNJA_ASSIGN_OR_RETURN(Model source, onnx::Translate(bytes, translate));
  return Convert(std::move(source), Format::kOnnx, options);
}

// The files that an ONNX model names: in its directory or below, nowhere else.
class NeighborFiles {
 public:
  explicit NeighborFiles(const std::string& model)
      : folder_(std::filesystem::path(model).parent_path()) {}

  Result<std::span<const uint8_t>> Open(const std::string& location) {
    const std::filesystem::path path(location);
    bool inside = path.is_relative();
    for (const std::filesystem::path& part : path) inside &= part != "..";
    if (!inside)
      return Unsupported("data in '", location,
                         "', which is not in the folder of the model");
    std::shared_ptr<const MappedFile>& file = files_[location];
    if (file == nullptr) {
      MUNJA_ASSIGN_OR_RETURN(file, MappedFile::Open(folder_ / path));
    }
    return file->bytes();
  }

 private:
  std::filesystem::path folder_;
  std::map<std::string, std::shared_ptr<const MappedFile>> files_;
};

bool EndsWith(const std::string& text, std::string_view end) {
  return text.size() >= end.size() &&
         std::string_view(text).substr(text.size() - end.size()) == end;
}

}  // namespace

Result<ImportedModel> ImportOnnx(std::span<const uint8_t> bytes,
                                 const ImportOptions& options) {
  return TranslateOnnx(bytes, {}, options);
}

Result<ImportedModel> ImportNcnn(std::string_view param,
                                 std::span<const uint8_t> bin,
                                 const ImportOptions& options) {
  if (!options.input_values.empty())
    return Unsupported("constants for inputs of an ncnn model");
  MUNJA_ASSIGN_OR_RETURN(const auto shapes, SourceShapes(options));
  MUNJA_ASSIGN_OR_RETURN(Model source, ncnn::Translate(param, bin, shapes));
  return Convert(std::move(source), Format::kNcnn, options);
}

Result<ImportedModel> ImportPaddle(std::span<const uint8_t> program,
                                   std::span<const uint8_t> parameters,
                                   const ImportOptions& options) {
  paddle::TranslateOptions translate;
  MUNJA_ASSIGN_OR_RETURN(translate.input_shapes, SourceShapes(options));
  translate.input_values = options.input_values;
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
  if (EndsWith(name, ".onnx")) {
    NeighborFiles files(name);
    return TranslateOnnx(
               bytes, [&](const std::string& at) { return files.Open(at); },
               options)
        .With(name);
  }
  const bool ncnn = EndsWith(name, ".param");
  if (!ncnn && !EndsWith(name, ".json") && !EndsWith(name, ".pdmodel"))
    return Unsupported(name,
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
  MUNJA_ASSIGN_OR_RETURN(std::vector<Tensor> outputs,
                         RunSource(model, inputs, {}));
  if (model.keep_layout) return outputs;
  for (Tensor& t : outputs) {
    MUNJA_ASSIGN_OR_RETURN(t, PermuteImage(std::move(t), {0, 2, 3, 1}));
  }
  return outputs;
}

Status VisitReference(
    const ImportedModel& model, std::span<const Tensor> inputs,
    const std::function<void(const TensorMapping&, const Tensor&)>& visit) {
  std::map<ValueId, const TensorMapping*> wanted;
  for (const TensorMapping& c : model.mappings) wanted[c.value] = &c;
  Status failed;
  const auto show = [&](ValueId value, const Tensor& t) {
    const auto it = wanted.find(value);
    if (it == wanted.end() || !failed.ok()) return;
    const std::vector<int>& layout = it->second->layout;
    if (layout.size() != t.shape.size()) return;
    Result<Tensor> turned = Permute(t, {layout.begin(), layout.end()});
    if (!turned.ok()) {
      failed = std::move(turned).TakeStatus();
      return;
    }
    visit(*it->second, *turned);
  };
  MUNJA_RETURN_IF_ERROR(RunSource(model, inputs, show).TakeStatus());
  return failed;
}

}  // namespace munja::importer
