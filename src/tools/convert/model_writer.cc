#include "convert/model_writer.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "base/control.h"
#include "compress/quantization/adopt.h"
#include "convert/not_finite.h"
#include "convert/parity.h"
#include "graph/graph.h"
#include "graph/passes/half_storage.h"
#include "runtime/program.h"
#include "runtime/resolver.h"
#include "runtime/session.h"
#include "samples/sample_inputs.h"
#include "tflite/read.h"
#include "tflite/write.h"
#ifdef MUNJA_HAS_IMPORT
#include "import/import.h"
#include "import/source.h"
#endif

namespace munja::tools {
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

// Free sizes of the report: a page where height and width are free, a line of
// text where the width is.
int32_t ReportSide(std::span<const runtime::TensorInfo> inputs) {
  int free = 0;
  for (const runtime::TensorInfo& input : inputs)
    for (int d = 1; d < input.shape.rank(); ++d)
      free += input.shape[d] == kDynamic;
  return free > 1 ? 640 : 320;
}

// As the file states it; of rank 0 where there is none.
Shape FirstInput(const graph::Graph& graph) {
  const graph::Subgraph& main = graph.main();
  return main.inputs.empty() ? Shape() : main.values[main.inputs[0]].shape;
}

// The shape of the report where the caller gives none: "" leaves it to the
// model's own.
std::string SampleShape(const graph::Graph& graph,
                        const ConvertSettings& settings) {
  if (!settings.report_shape.empty() || settings.sample_height == 0)
    return settings.report_shape;
  const Shape input = FirstInput(graph);
  if (graph.main().inputs.size() != 1 || input.rank() != 4) return "";
  const auto or_else = [](int32_t stated, int32_t otherwise) {
    return std::to_string(stated == kDynamic ? otherwise : stated);
  };
  return or_else(input[0], 1) + "x" +
         or_else(input[1], settings.sample_height) + "x" +
         or_else(input[2], settings.sample_width) + "x" + or_else(input[3], 3);
}

// Runs the written model once and counts.
Status CountMultiplyAccumulates(const graph::Graph& model,
                                runtime::Session& session,
                                const std::string& shape, Json* report) {
  MUNJA_ASSIGN_OR_RETURN(
      const std::vector<Shape> shapes,
      SampleShapes(session.inputs(), shape, ReportSide(session.inputs())));
  MUNJA_ASSIGN_OR_RETURN(const SampleInputs inputs,
                         SampleInputs::Create(session, shapes));
  session.ResetProfile();
  MUNJA_RETURN_IF_ERROR(
      RunOnSample(model, session, inputs.views()).TakeStatus());
  int64_t macs = 0;
  for (const runtime::NodeProfile& row : session.Profile())
    macs += row.multiply_accumulates;
  (*report)["multiply_accumulates"] = macs;
  (*report)["shape"] = ShapesText(session.inputs(), shapes);
  return Status();
}

#ifdef MUNJA_HAS_IMPORT
// Recognizers of text lines squeeze the height away and so run at one height
// only, which ncnn's format does not tell. Where the model does not run at a
// square, but at a height of the PP-OCR family, that height is fixed and the
// width stays free.
Status FixLineHeight(const std::string& source, importer::ImportOptions options,
                     importer::ImportedModel* model) {
  constexpr int32_t kLineHeights[] = {48, 32};
  const graph::Subgraph& main = model->graph.main();
  if (main.inputs.size() != 1 || options.keep_layout) return Status();
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
  if (runs_at(160, 160)) return Status();
  const auto* const height =
      std::find_if(std::begin(kLineHeights), std::end(kLineHeights),
                   [&](int32_t h) { return runs_at(h, 320); });
  if (height == std::end(kLineHeights)) return Status();
  options.input_shapes[input.name] = {1, *height, kDynamic, shape[3]};
  MUNJA_ASSIGN_OR_RETURN(*model, importer::Import(source, options));
  model->notes.push_back("the height is fixed at " + std::to_string(*height) +
                         ", where the model runs");
  return Status();
}
#endif

#ifdef MUNJA_HAS_IMPORT
Result<importer::ImportedModel> ImportModel(const std::string& source,
                                            const ConvertSettings& settings) {
  importer::ImportOptions options;
  options.gpu_safe = settings.gpu_safe;
  options.keep_layout = settings.keep_layout;
  MUNJA_ASSIGN_OR_RETURN(const auto shapes, ParseShapes(settings.shape));
  for (const auto& [name, shape] : shapes)
    options.input_shapes[name].assign(shape.dims().begin(), shape.dims().end());
  MUNJA_ASSIGN_OR_RETURN(options.input_values, ParseValues(settings.values));
  const bool paddle =
      HasExtension(source, ".json") || HasExtension(source, ".pdmodel");
  if (paddle && shapes.empty() && !settings.paddle_shape.empty()) {
    std::vector<int32_t> sizes = settings.paddle_shape;
    if (settings.keep_paddle_height) {
      MUNJA_ASSIGN_OR_RETURN(const auto stated,
                             importer::Import(source, options));
      const Shape shape = FirstInput(stated.graph);
      if (shape.rank() == 4 && shape[1] != kDynamic) sizes[1] = shape[1];
    }
    options.input_shapes[""] = std::move(sizes);
  }
  MUNJA_ASSIGN_OR_RETURN(auto model, importer::Import(source, options));
  MUNJA_RETURN_IF_ERROR(FixLineHeight(source, options, &model));
  return model;
}

// Describes the cost of asymmetric samples, from the parity report.
std::string ResizeCost(const Json& report) {
  double largest = 0, mean = 0;
  for (const Json& output : report["parity"]["outputs"]) {
    largest = std::max(largest, output["max_difference"].get<double>());
    mean = std::max(mean, output["mean_difference"].get<double>());
  }
  char text[160];
  std::snprintf(text, sizeof text,
                "asymmetric resizes move the outputs by up to %.3g, %.3g on "
                "average",
                largest, mean);
  return text;
}
#endif

// Sizes that a model computes from shapes become constants once these are
// fixed: nodes that read nothing but SHAPE and constants. `results` are what
// the values of `computed` are.
void FoldSizes(const std::vector<graph::ValueId>& computed,
               std::span<const TensorView> results, graph::Subgraph* main) {
  constexpr std::string_view kSizes[] = {"STRIDED_SLICE", "SLICE", "MUL",
                                         "ADD",           "SUB",   "PACK",
                                         "CONCATENATION", "GATHER"};
  std::map<graph::ValueId, const TensorView*> known;
  for (size_t i = 0; i < computed.size(); ++i) known[computed[i]] = &results[i];
  std::erase_if(main->nodes, [&](const graph::Node& node) {
    const bool shape = node.op == "SHAPE";
    if (node.is_custom || node.outputs.size() != 1 ||
        (!shape && std::find(std::begin(kSizes), std::end(kSizes), node.op) ==
                       std::end(kSizes)))
      return false;
    for (const graph::ValueId v : node.inputs)
      if (!shape && (v == graph::kNoValue || !main->values[v].constant))
        return false;
    const graph::ValueId out = node.outputs[0];
    graph::Value& value = main->values[out];
    const auto it = known.find(out);
    if (it == known.end() || it->second->bytes > 64 ||
        (value.type != ElementType::kInt32 &&
         value.type != ElementType::kInt64) ||
        std::find(main->outputs.begin(), main->outputs.end(), out) !=
            main->outputs.end())
      return false;
    const uint8_t* bytes = it->second->as<uint8_t>();
    value.constant = graph::MakeConstant(
        std::vector<uint8_t>(bytes, bytes + it->second->bytes));
    return true;
  });
}

// Fixes the inputs of a .tflite model, and with them all that is computed.
Status FixShapes(const std::string& text, graph::Graph* graph) {
  auto exposed = std::make_shared<graph::Graph>(*graph);
  exposed->signatures.clear();
  graph::Subgraph& inner = exposed->main();
  std::vector<graph::ValueId> computed;
  for (const graph::Node& node : inner.nodes)
    for (const graph::ValueId v : node.outputs)
      if (v != graph::kNoValue && !inner.values[v].is_variable &&
          inner.values[v].type != ElementType::kResource &&
          inner.values[v].type != ElementType::kVariant)
        computed.push_back(v);
  inner.outputs = computed;
  MUNJA_ASSIGN_OR_RETURN(const auto session,
                         runtime::CreateSession(exposed, {}));
  MUNJA_ASSIGN_OR_RETURN(const std::vector<Shape> shapes,
                         SampleShapes(session->inputs(), text, 1));
  MUNJA_ASSIGN_OR_RETURN(const SampleInputs inputs,
                         SampleInputs::Create(*session, shapes));
  MUNJA_ASSIGN_OR_RETURN(const auto results, session->Run(inputs.views()));
  graph::Subgraph& main = graph->main();
  for (size_t i = 0; i < shapes.size(); ++i)
    main.values[main.inputs[i]].shape = shapes[i];
  for (size_t i = 0; i < computed.size(); ++i)
    main.values[computed[i]].shape = results[i].shape;
  FoldSizes(computed, results, &main);
  return Status();
}

void AddNote(const std::string& note, Json* report) {
  if (!report->contains("notes")) (*report)["notes"] = Json::array();
  (*report)["notes"].push_back(note);
}

#ifdef MUNJA_HAS_IMPORT
// A network that was quantized in its source computes with the integers that it
// had there. Says whether there are any.
Result<bool> UseIntegers(graph::Graph* graph, std::vector<std::string>* notes) {
  MUNJA_ASSIGN_OR_RETURN(compress::Adopted adopted,
                         compress::AdoptPairs(*graph));
  if (!adopted.why_not.empty())
    notes->push_back(
        "quantized in the source, computed in float between its roundings: " +
        adopted.why_not);
  if (adopted.integer_nodes == 0) return false;
  notes->push_back(
      "quantized in the source: " + std::to_string(adopted.integer_nodes) +
      " operators compute with its integers, " +
      std::to_string(adopted.float_nodes) + " in float");
  *graph = std::move(adopted.graph);
  return true;
}
#endif

Status CheckAllOperators(const graph::Graph& graph) {
  std::vector<int> subgraphs(graph.subgraphs.size());
  std::iota(subgraphs.begin(), subgraphs.end(), 0);
  const Status status =
      runtime::CheckOperators(graph, subgraphs, runtime::Resolver());
  if (status.ok()) return Status();
  return Unsupported(std::string(status.message()) +
                     "; with allow_custom_ops the model is written all the "
                     "same, for a program that brings them");
}

}  // namespace

Result<ConvertedModel> ConvertModel(const std::string& given,
                                    const ConvertSettings& settings) {
  std::shared_ptr<graph::Graph> graph;
#ifdef MUNJA_HAS_IMPORT
  std::optional<importer::ImportedModel> imported;
  bool has_integers = false;
#endif
  std::string source = given;
#ifdef MUNJA_HAS_IMPORT
  MUNJA_ASSIGN_OR_RETURN(source, importer::FindModelFile(given));
#endif
  if (HasExtension(source, ".tflite")) {
    MUNJA_ASSIGN_OR_RETURN(graph, tflite::ReadFile(source));
    if (settings.gpu_safe)
      return Unsupported(source +
                         ": gpu_safe works on the model that a .tflite was "
                         "converted from, not on the .tflite");
    if (!settings.values.empty())
      return Unsupported(source +
                         ": numbers for inputs go into the model that a "
                         ".tflite is converted from, not into the .tflite");
    if (!settings.shape.empty())
      MUNJA_RETURN_IF_ERROR(
          FixShapes(settings.shape, graph.get()).With(source));
  } else {
#ifdef MUNJA_HAS_IMPORT
    MUNJA_ASSIGN_OR_RETURN(auto model, ImportModel(source, settings));
    graph = std::make_shared<graph::Graph>(std::move(model.graph));
    MUNJA_ASSIGN_OR_RETURN(has_integers,
                           UseIntegers(graph.get(), &model.notes));
    imported = std::move(model);
#else
    return Unavailable(
        source +
        ": this build reads no models of other formats; build it with "
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
  made.input = FirstInput(*written);
  Json& report = made.report;
  report["source"] = source;
  report["operators"] = CountOperators(*written);
  report["parameters"] = CountParameters(*written);
  report["file_bytes"] = made.bytes.size();
  for (const std::string& warning : DescribeNotFinite(*written))
    AddNote(warning, &report);

  runtime::SessionOptions options;
  options.profile = true;
  auto session = runtime::CreateSession(written, options);
  if (!session.ok()) {
    MUNJA_RETURN_IF_ERROR(CheckControl());  // No note, but the end.
    AddNote("this runtime cannot run the model: " +
                std::string(session.status().message()),
            &report);
#ifdef MUNJA_HAS_IMPORT
    if (imported && settings.compare) report["agrees"] = false;
#endif
    return made;
  }
  ReportProgress("running", 0, 0);
  const std::string shape = SampleShape(*written, settings);
  Status status = CountMultiplyAccumulates(*written, **session, shape, &report);
  MUNJA_RETURN_IF_ERROR(CheckControl());
  // A shape that the caller gave is the caller's mistake.
  if (status.code() == Code::kInvalidArgument && !settings.report_shape.empty())
    return std::move(status).With("report_shape");
  if (!status.ok())
    AddNote("not run: " + std::string(status.message()), &report);
#ifdef MUNJA_HAS_IMPORT
  if (imported) {
    for (const std::string& note : imported->notes) AddNote(note, &report);
    if (settings.compare) {
      ParitySettings parity;
      parity.shape = shape;
      parity.pictures = settings.pictures;
      if (settings.fp16) parity.tolerance = 1e-2;  // 11 bits of a weight.
      // Some steps of 256: sums that lie between two are stored as either.
      if (has_integers) parity.tolerance = 5e-2;
      // A model that timed out is not run again.
      if (status.code() != Code::kTimedOut)
        status = ReportParity(written, *imported, parity, &report);
      MUNJA_RETURN_IF_ERROR(CheckControl());
      // Pictures that cannot be read are the caller's mistake.
      if (!status.ok() && !settings.pictures.empty()) return status;
      // Where resizes were asked to sample elsewhere, numbers differ.
      report["agrees"] =
          status.ok() && (report["parity"]["first_difference"].is_null() ||
                          imported->simplified.resizes > 0);
      if (!status.ok())
        AddNote("not compared: " + std::string(status.message()), &report);
      else if (imported->simplified.resizes > 0)
        AddNote(ResizeCost(report), &report);
    }
  }
#endif
  return made;
}

}  // namespace munja::tools
