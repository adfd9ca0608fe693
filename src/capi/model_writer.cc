#include "capi/model_writer.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "capi/sample_inputs.h"
#include "graph/graph.h"
#include "graph/passes/half_storage.h"
#include "runtime/program.h"
#include "runtime/resolver.h"
#include "runtime/session.h"
#include "tflite/read.h"
#include "tflite/write.h"
#ifdef MUNJA_HAS_IMPORT
#include "import/import.h"
#endif

namespace munja::capi {
namespace {

using Json = nlohmann::ordered_json;

bool HasExtension(const std::string& path, std::string_view extension) {
  return path.size() > extension.size() && path.ends_with(extension);
}

int64_t CountParameters(const graph::Graph& graph) {
  int64_t count = 0;
  for (const graph::Subgraph& subgraph : graph.subgraphs) {
    for (const graph::Value& value : subgraph.values) {
      const bool is_weight = value.type == ElementType::kFloat32 ||
                             value.type == ElementType::kFloat16 ||
                             value.quantization.is_quantized();
      if (value.constant && is_weight)
        count += std::max<int64_t>(value.shape.elements(), 0);
    }
  }
  return count;
}

// How often each operator occurs, by name.
Json CountOperators(const graph::Graph& graph) {
  std::map<std::string, int64_t> counts;
  for (const graph::Subgraph& subgraph : graph.subgraphs)
    for (const graph::Node& node : subgraph.nodes) ++counts[node.op];
  Json json = Json::object();
  for (const auto& [op, count] : counts) json[op] = count;
  return json;
}

std::string ShapesText(std::span<const runtime::TensorInfo> inputs,
                       std::span<const Shape> shapes) {
  std::string text;
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (i > 0) text += ", ";
    if (shapes.size() > 1) text += inputs[i].name + "=";
    text += shapes[i].ToString();
  }
  return text;
}

// Free sizes of the report: a page where height and width are free, a line of
// text where the width is.
int32_t ReportSide(std::span<const runtime::TensorInfo> inputs) {
  int free = 0;
  for (const runtime::TensorInfo& input : inputs)
    for (int d = 1; d < input.shape.rank(); ++d)
      free += input.shape[d] == kDynamic;
  return free > 1 ? 640 : 320;
}

// Runs the written model once and counts.
Status CountMultiplyAccumulates(runtime::Session& session,
                                const ConvertSettings& settings, Json* report) {
  MUNJA_ASSIGN_OR_RETURN(const std::vector<Shape> shapes,
                         SampleShapes(session.inputs(), settings.shape,
                                      ReportSide(session.inputs())));
  MUNJA_ASSIGN_OR_RETURN(const SampleInputs inputs,
                         SampleInputs::Create(session.inputs(), shapes));
  session.ResetProfile();
  MUNJA_RETURN_IF_ERROR(session.Run(inputs.views()).TakeStatus());
  int64_t macs = 0;
  for (const runtime::NodeProfile& row : session.Profile())
    macs += row.multiply_accumulates;
  (*report)["multiply_accumulates"] = macs;
  (*report)["shape"] = ShapesText(session.inputs(), shapes);
  return Status();
}

#ifdef MUNJA_HAS_IMPORT
foreign::Tensor ForeignTensor(const TensorView& view) {
  foreign::Dims dims(view.shape.dims().begin(), view.shape.dims().end());
  const float* values = view.as<float>();
  return foreign::Tensor::Floats(
      std::move(dims),
      std::vector<float>(values, values + view.bytes / sizeof(float)));
}

// The largest difference between what the source's own definition gives and
// what the written model gives here, over all outputs.
Status Compare(runtime::Session& session, const foreign::ImportedModel& source,
               const ConvertSettings& settings, Json* report) {
  // The definition runs in plain loops: a small input by default.
  MUNJA_ASSIGN_OR_RETURN(const std::vector<Shape> shapes,
                         SampleShapes(session.inputs(), settings.shape, 160));
  MUNJA_ASSIGN_OR_RETURN(const SampleInputs inputs,
                         SampleInputs::Create(session.inputs(), shapes));
  std::vector<foreign::Tensor> given;
  for (const TensorView& view : inputs.views())
    given.push_back(ForeignTensor(view));
  MUNJA_ASSIGN_OR_RETURN(const std::vector<foreign::Tensor> expected,
                         foreign::RunReference(source, given));
  MUNJA_ASSIGN_OR_RETURN(const auto got, session.Run(inputs.views()));
  if (got.size() != expected.size())
    return Internal("the converted model has another number of outputs");
  double largest = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    if (got[i].type != ElementType::kFloat32 || expected[i].is_integer)
      continue;
    if (got[i].bytes != expected[i].floats.size() * sizeof(float))
      return Internal("output " + std::to_string(i) + " has shape " +
                      got[i].shape.ToString() + ", the source gives " +
                      foreign::ToString(expected[i].shape));
    const float* values = got[i].as<float>();
    for (size_t k = 0; k < expected[i].floats.size(); ++k) {
      const double difference =
          std::abs(static_cast<double>(values[k]) -
                   static_cast<double>(expected[i].floats[k]));
      // A NaN on one side is the largest difference of all.
      if (!(difference <= largest)) largest = difference;
    }
  }
  (*report)["max_difference"] = largest;
  (*report)["compared_shape"] = ShapesText(session.inputs(), shapes);
  return Status();
}
#endif

#ifdef MUNJA_HAS_IMPORT
// Recognizers of text lines squeeze the height away and so run at one height
// only, which ncnn's format does not tell. Where the model does not run at a
// square, but at the height of the PP-OCR family, that height is fixed and the
// width stays free.
Status FixLineHeight(const std::string& source, foreign::ImportedModel* model) {
  constexpr int32_t kLineHeight = 48;
  const graph::Subgraph& main = model->graph.main();
  if (main.inputs.size() != 1) return Status();
  const graph::Value& input = main.values[main.inputs[0]];
  const Shape& shape = input.shape;
  if (shape.rank() != 4 || shape[1] != kDynamic || shape[2] != kDynamic ||
      shape[3] == kDynamic)
    return Status();
  auto session =
      runtime::CreateSession(std::make_shared<graph::Graph>(model->graph), {});
  if (!session.ok()) return Status();  // The report will say why.
  const auto runs_at = [&](int32_t height, int32_t width) {
    const Shape given{1, height, width, shape[3]};
    return (*session)->Plan({&given, 1}).ok();
  };
  if (runs_at(160, 160) || !runs_at(kLineHeight, 320)) return Status();
  foreign::ImportOptions options;
  options.input_shapes[input.name] = {1, kLineHeight, kDynamic, shape[3]};
  MUNJA_ASSIGN_OR_RETURN(*model, foreign::Import(source, options));
  model->notes.push_back("the height is fixed at 48, where the model runs");
  return Status();
}
#endif

void AddNote(const std::string& note, Json* report) {
  if (!report->contains("notes")) (*report)["notes"] = Json::array();
  (*report)["notes"].push_back(note);
}

Status CheckAllOperators(const graph::Graph& graph) {
  std::vector<int> subgraphs(graph.subgraphs.size());
  std::iota(subgraphs.begin(), subgraphs.end(), 0);
  const Status status =
      runtime::CheckOperators(graph, subgraphs, runtime::Resolver());
  if (status.ok()) return Status();
  return Unsupported(std::string(status.message()) +
                     "; --allow-custom-ops writes the model all the same, for "
                     "a program that brings them");
}

}  // namespace

Result<ConvertedModel> ConvertModel(const std::string& source,
                                    const ConvertSettings& settings) {
  std::shared_ptr<graph::Graph> graph;
#ifdef MUNJA_HAS_IMPORT
  std::optional<foreign::ImportedModel> imported;
#endif
  if (HasExtension(source, ".tflite")) {
    MUNJA_ASSIGN_OR_RETURN(graph, tflite::ReadFile(source));
  } else {
#ifdef MUNJA_HAS_IMPORT
    MUNJA_ASSIGN_OR_RETURN(auto model, foreign::Import(source, {}));
    MUNJA_RETURN_IF_ERROR(FixLineHeight(source, &model));
    graph = std::make_shared<graph::Graph>(std::move(model.graph));
    imported = std::move(model);
#else
    return Unavailable(source +
                       ": this build reads no foreign models; build it with "
                       "MUNJA_IMPORT");
#endif
  }
  if (!settings.allow_custom_ops)
    MUNJA_RETURN_IF_ERROR(CheckAllOperators(*graph).With(source));
  if (!settings.dictionary_name.empty())
    graph->associated_files[settings.dictionary_name] = settings.dictionary;
  if (settings.fp16) graph::StoreAsHalf(graph.get());

  ConvertedModel made;
  MUNJA_ASSIGN_OR_RETURN(made.bytes, tflite::Write(*graph));
  // From here on with what was written, not with what was meant.
  MUNJA_ASSIGN_OR_RETURN(const std::shared_ptr<graph::Graph> written,
                         tflite::Read(made.bytes, nullptr));
  Json& report = made.report;
  report["source"] = source;
  report["operators"] = CountOperators(*written);
  report["parameters"] = CountParameters(*written);
  report["file_bytes"] = made.bytes.size();

  runtime::SessionOptions options;
  options.profile = true;
  auto session = runtime::CreateSession(written, options);
  if (!session.ok()) {
    AddNote("this runtime cannot run the model: " +
                std::string(session.status().message()),
            &report);
    return made;
  }
  Status status = CountMultiplyAccumulates(**session, settings, &report);
  if (status.code() == Code::kInvalidArgument) return status;
  if (!status.ok())
    AddNote("not run: " + std::string(status.message()), &report);
#ifdef MUNJA_HAS_IMPORT
  if (imported) {
    for (const std::string& note : imported->notes) AddNote(note, &report);
    if (settings.compare) {
      status = Compare(**session, *imported, settings, &report);
      if (!status.ok())
        AddNote("not compared: " + std::string(status.message()), &report);
    }
  }
#endif
  return made;
}

}  // namespace munja::capi
