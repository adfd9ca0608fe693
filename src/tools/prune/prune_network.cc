#include "prune/prune_network.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "base/control.h"
#include "base/file.h"
#include "base/thread_pool.h"
#include "bundle/bundle.h"
#include "bundle/search.h"
#include "compress/pruning/budget.h"
#include "compress/pruning/level.h"
#include "compress/pruning/prune.h"
#include "convert/input_files.h"
#include "document/labels.h"
#include "graph/passes/half_storage.h"
#include "image/decode.h"
#include "image/resize.h"
#include "reading/find/detector.h"
#include "reading/network/network_input.h"
#include "tflite/read.h"
#include "tflite/write.h"

namespace munja::tools {
namespace {

using compress::BoxedSample;
using compress::Criterion;
using document::LabeledImage;
using Json = nlohmann::ordered_json;

// Plans the detector's input with the sizes that the model's input fixes.
Result<ocr::DetectorInput> PlanInput(const image::Image& picture,
                                     const Shape& input,
                                     ocr::DetectorConfig config) {
  if (input.rank() != 4 || input[3] != 3)
    return Unsupported("the model's input is " + input.ToString() +
                       ", not a picture of three channels");
  // Stretched, so that places in the picture are places in the map.
  config.fit = ocr::InputFit::kStretch;
  auto plan = ocr::PlanDetectorInput(picture.width(), picture.height(), config);
  if (input[1] > 0) plan.height = input[1];
  if (input[2] > 0) plan.width = input[2];
  return plan;
}

Result<BoxedSample> ReadSample(const std::string& file,
                               const LabeledImage& label, const Shape& input,
                               const ocr::DetectorConfig& config,
                               ThreadPool* pool) {
  MUNJA_ASSIGN_OR_RETURN(const auto picture, image::DecodeFile(file));
  MUNJA_ASSIGN_OR_RETURN(const auto plan, PlanInput(picture, input, config));
  MUNJA_ASSIGN_OR_RETURN(auto resized,
                         image::Image::Create(plan.width, plan.height));
  MUNJA_RETURN_IF_ERROR(image::Resize(picture.view(), resized, pool));
  Buffer buffer;
  MUNJA_ASSIGN_OR_RETURN(const auto view,
                         ocr::FillInput(resized.view(), plan.width,
                                        config.normalization, buffer, pool));
  BoxedSample sample;
  const float* data = view.as<float>();
  sample.sample.push_back(
      {view.shape, std::vector<float>(data, data + view.shape.elements())});
  for (const document::LabeledLine& line : label.lines) {
    if (line.polygon.empty()) continue;
    const auto& p = line.polygon;
    const auto [left, right] = std::minmax_element(
        p.begin(), p.end(), [](auto a, auto b) { return a.x < b.x; });
    const auto [top, bottom] = std::minmax_element(
        p.begin(), p.end(), [](auto a, auto b) { return a.y < b.y; });
    const double width = picture.width(), height = picture.height();
    sample.boxes.push_back({left->x / width, top->y / height, right->x / width,
                            bottom->y / height});
  }
  return sample;
}

// The first labeled pictures with boxes.
Result<std::vector<compress::BoxedSample>> ReadSamples(
    const graph::Graph& graph, const Pruning& job) {
  std::vector<BoxedSample> samples;
  if (job.calibrate.empty()) return samples;
  const graph::Subgraph& main = graph.main();
  if (main.inputs.size() != 1)
    return Unsupported("the model has " + std::to_string(main.inputs.size()) +
                       " inputs, not one picture");
  const Shape& input = main.values[static_cast<size_t>(main.inputs[0])].shape;
  MUNJA_ASSIGN_OR_RETURN(auto files, bundle::FindBundle(job.bundle));
  MUNJA_ASSIGN_OR_RETURN(const bundle::Bundle bundle,
                         bundle::LoadBundle(std::move(files)));
  MUNJA_ASSIGN_OR_RETURN(const auto labels,
                         document::ReadLabels(job.calibrate));
  const auto root = std::filesystem::path(job.calibrate).parent_path() / "..";
  for (const LabeledImage& label : labels) {
    if (static_cast<int>(samples.size()) == job.pictures) break;
    MUNJA_RETURN_IF_ERROR(CheckControl());
    MUNJA_ASSIGN_OR_RETURN(
        BoxedSample sample,
        ReadSample((root / label.image).lexically_normal().string(), label,
                   input, bundle.manifest.config.detector,
                   job.options.pool.get()));
    if (!sample.boxes.empty()) samples.push_back(std::move(sample));
  }
  if (samples.empty())
    return InvalidArgument(job.calibrate + " has no picture with boxes");
  return samples;
}

bool HasHalves(const graph::Graph& graph) {
  return std::any_of(graph.main().values.begin(), graph.main().values.end(),
                     [](const graph::Value& value) {
                       return value.constant &&
                              value.type == ElementType::kFloat16;
                     });
}

Json Report(const compress::PruneReport& report, size_t source_bytes,
            size_t bytes) {
  Json json;
  json["parameters_before"] = report.parameters_before;
  json["parameters"] = report.parameters;
  json["source_bytes"] = source_bytes;
  json["file_bytes"] = bytes;
  json["groups"] = report.groups;
  Json layers = Json::array();
  for (const compress::PrunedLayer& layer : report.layers)
    layers.push_back({{"layer", layer.name},
                      {"filters", layer.filters},
                      {"kept", layer.kept}});
  json["layers"] = std::move(layers);
  return json;
}

}  // namespace

Result<Json> PruneNetwork(const std::string& network, Pruning job,
                          const std::string& output) {
  std::vector<std::string> inputs = {network};
  if (!job.calibrate.empty()) inputs.push_back(job.calibrate);
  if (!job.budget.profile.empty()) inputs.push_back(job.budget.profile);
  MUNJA_RETURN_IF_ERROR(RefuseOverwriting(output, inputs));
  MUNJA_ASSIGN_OR_RETURN(const auto graph, tflite::ReadFile(network));
  std::vector<BoxedSample> samples;
  if (job.options.criterion == Criterion::kClusters || job.budget.share > 0) {
    MUNJA_ASSIGN_OR_RETURN(samples, ReadSamples(*graph, job));
  }
  if (job.budget.share > 0) {
    MUNJA_ASSIGN_OR_RETURN(
        job.options.levels,
        compress::LevelsOfBudget(*graph, samples, job.options, job.budget));
  }
  MUNJA_ASSIGN_OR_RETURN(auto pruned,
                         compress::Prune(*graph, samples, job.options));
  if (HasHalves(*graph)) graph::StoreAsHalf(&pruned.graph);
  MUNJA_ASSIGN_OR_RETURN(const auto bytes, tflite::Write(pruned.graph));
  MUNJA_RETURN_IF_ERROR(WriteFile(output, bytes));
  std::error_code error;
  const auto source = std::filesystem::file_size(network, error);
  return Report(pruned.report, error ? 0 : source, bytes.size());
}

}  // namespace munja::tools
