// Models with fewer filters.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "base/control.h"
#include "base/file.h"
#include "base/thread_pool.h"
#include "bundle/bundle.h"
#include "bundle/search.h"
#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/handles.h"
#include "capi/tools/input_files.h"
#include "compress/budget.h"
#include "compress/level.h"
#include "compress/prune.h"
#include "document/labels.h"
#include "graph/passes/half_storage.h"
#include "image/decode.h"
#include "image/resize.h"
#include "munja/tools/prune.h"
#include "reading/detector.h"
#include "reading/network_input.h"
#include "tflite/read.h"
#include "tflite/write.h"

using munja::InvalidArgument;
using munja::Result;
using munja::Status;
using munja::capi::ErrorOf;
using munja::capi::KeepError;
using munja::capi::LongGuard;
using munja::capi::ReadOptions;
using munja::capi::RequireAll;
using munja::compress::BoxedSample;
using munja::compress::Criterion;
using munja::compress::PruneOptions;
using munja::document::LabeledImage;

namespace {

using Json = nlohmann::ordered_json;

struct Pruning {
  PruneOptions options;
  munja::compress::Budget budget;  // A share of 0: by one level.
  std::string calibrate, bundle;
  int pictures = 1;  // The published method looks at one.
  munja_control* control = nullptr;
};

Result<Criterion> CriterionOf(munja_prune_criterion criterion) {
  switch (criterion) {
    case MUNJA_PRUNE_L1:
      return Criterion::kL1;
    case MUNJA_PRUNE_L2:
      return Criterion::kL2;
    case MUNJA_PRUNE_GEOMETRIC_MEDIAN:
      return Criterion::kGeometricMedian;
    case MUNJA_PRUNE_BATCH_NORM:
      return Criterion::kBatchNorm;
    case MUNJA_PRUNE_RANDOM:
      return Criterion::kRandom;
    case MUNJA_PRUNE_CLUSTERS:
      return Criterion::kClusters;
  }
  return InvalidArgument("unknown criterion " +
                         std::to_string(static_cast<int>(criterion)));
}

Result<Pruning> ReadPruning(const munja_prune_options* given) {
  munja_prune_options o;
  MUNJA_RETURN_IF_ERROR(ReadOptions(given, &o));
  Pruning job;
  if ((o.sparsity == nullptr) == (o.budget == 0))
    return InvalidArgument("either a sparsity or a budget must be given");
  if (!(o.budget >= 0 && o.budget <= 1))
    return InvalidArgument("budget must be above 0 and at most 1");
  job.budget.share = o.budget;
  if (o.sparsity != nullptr) {
    MUNJA_ASSIGN_OR_RETURN(job.options.level,
                           munja::compress::ParseLevel(o.sparsity));
  }
  if (o.profile != nullptr) job.budget.profile = o.profile;
  MUNJA_ASSIGN_OR_RETURN(job.options.criterion, CriterionOf(o.criterion));
  if (o.clusters < MUNJA_CLUSTERS_RATIO || o.clusters > MUNJA_CLUSTERS_KEPT)
    return InvalidArgument("unknown number of clusters " +
                           std::to_string(static_cast<int>(o.clusters)));
  if (o.clusters == MUNJA_CLUSTERS_KEPT)
    job.options.centers = munja::compress::Centers::kKept;
  if (o.calibrate != nullptr) job.calibrate = o.calibrate;
  if (o.model != nullptr) job.bundle = o.model;
  if (o.max_images < 0)
    return InvalidArgument("max_images must not be negative");
  if (o.max_images > 0) job.pictures = o.max_images;
  job.options.seed = o.seed;
  if (o.round_to < 0 || o.round_to > 1024)
    return InvalidArgument("round_to must be 0 to 1024");
  job.options.multiple = std::max(1, o.round_to);
  if (o.threads < 0 || o.threads > 1024)
    return InvalidArgument("threads must be 0 to 1024");
  job.options.pool = std::make_shared<munja::ThreadPool>(o.threads);
  job.control = o.control;
  return job;
}

// Of the sizes that the input has already.
Result<munja::ocr::DetectorInput> PlanInput(
    const munja::image::Image& picture, const munja::Shape& input,
    munja::ocr::DetectorContract contract) {
  if (input.rank() != 4 || input[3] != 3)
    return munja::Unsupported("the model's input is " + input.ToString() +
                              ", not a picture of three channels");
  // Stretched, so that places in the picture are places in the map.
  contract.fit = munja::ocr::InputFit::kStretch;
  auto plan = munja::ocr::PlanDetectorInput(picture.width(), picture.height(),
                                            contract);
  if (input[1] > 0) plan.height = input[1];
  if (input[2] > 0) plan.width = input[2];
  return plan;
}

Result<BoxedSample> ReadSample(const std::string& file,
                               const LabeledImage& label,
                               const munja::Shape& input,
                               const munja::ocr::DetectorContract& contract,
                               munja::ThreadPool* pool) {
  MUNJA_ASSIGN_OR_RETURN(const auto picture, munja::image::DecodeFile(file));
  MUNJA_ASSIGN_OR_RETURN(const auto plan, PlanInput(picture, input, contract));
  MUNJA_ASSIGN_OR_RETURN(auto resized,
                         munja::image::Image::Create(plan.width, plan.height));
  MUNJA_RETURN_IF_ERROR(munja::image::Resize(picture.view(), resized, pool));
  munja::Buffer buffer;
  MUNJA_ASSIGN_OR_RETURN(
      const auto view,
      munja::ocr::FillInput(resized.view(), plan.width, contract.normalization,
                            buffer, pool));
  BoxedSample sample;
  const float* data = view.as<float>();
  sample.sample.push_back(
      {view.shape, std::vector<float>(data, data + view.shape.elements())});
  for (const munja::document::LabeledLine& line : label.lines) {
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
Result<std::vector<BoxedSample>> ReadSamples(const munja::graph::Graph& graph,
                                             const Pruning& job) {
  std::vector<BoxedSample> samples;
  if (job.calibrate.empty()) return samples;
  const munja::graph::Subgraph& main = graph.main();
  if (main.inputs.size() != 1)
    return munja::Unsupported("the model has " +
                              std::to_string(main.inputs.size()) +
                              " inputs, not one picture");
  const munja::Shape& input =
      main.values[static_cast<size_t>(main.inputs[0])].shape;
  MUNJA_ASSIGN_OR_RETURN(auto files, munja::bundle::FindBundle(job.bundle));
  MUNJA_ASSIGN_OR_RETURN(const munja::bundle::Bundle bundle,
                         munja::bundle::LoadBundle(std::move(files)));
  MUNJA_ASSIGN_OR_RETURN(const auto labels,
                         munja::document::ReadLabels(job.calibrate));
  const auto root = std::filesystem::path(job.calibrate).parent_path() / "..";
  for (const LabeledImage& label : labels) {
    if (static_cast<int>(samples.size()) == job.pictures) break;
    MUNJA_RETURN_IF_ERROR(munja::CheckControl());
    MUNJA_ASSIGN_OR_RETURN(
        BoxedSample sample,
        ReadSample((root / label.image).lexically_normal().string(), label,
                   input, bundle.manifest.contract.detector,
                   job.options.pool.get()));
    if (!sample.boxes.empty()) samples.push_back(std::move(sample));
  }
  if (samples.empty())
    return InvalidArgument(job.calibrate + " has no picture with boxes");
  return samples;
}

bool HasHalves(const munja::graph::Graph& graph) {
  return std::any_of(graph.main().values.begin(), graph.main().values.end(),
                     [](const munja::graph::Value& value) {
                       return value.constant &&
                              value.type == munja::ElementType::kFloat16;
                     });
}

Json Report(const munja::compress::PruneReport& report, size_t source_bytes,
            size_t bytes) {
  Json json;
  json["parameters_before"] = report.parameters_before;
  json["parameters"] = report.parameters;
  json["source_bytes"] = source_bytes;
  json["file_bytes"] = bytes;
  json["groups"] = report.groups;
  Json layers = Json::array();
  for (const munja::compress::PrunedLayer& layer : report.layers)
    layers.push_back({{"layer", layer.name},
                      {"filters", layer.filters},
                      {"kept", layer.kept}});
  json["layers"] = std::move(layers);
  return json;
}

}  // namespace

extern "C" {

munja_status munja_prune(const char* model, const munja_prune_options* options,
                         const char* output, char** report) {
  return KeepError(
      ErrorOf(options), LongGuard([&]() -> Status {
        MUNJA_RETURN_IF_ERROR(RequireAll(model, output));
        MUNJA_ASSIGN_OR_RETURN(Pruning job, ReadPruning(options));
        const munja::ControlScope scope(munja::capi::ControlOf(job.control));
        std::vector<std::string> inputs = {model};
        if (!job.calibrate.empty()) inputs.push_back(job.calibrate);
        if (!job.budget.profile.empty()) inputs.push_back(job.budget.profile);
        MUNJA_RETURN_IF_ERROR(munja::capi::RefuseOverwriting(output, inputs));
        MUNJA_ASSIGN_OR_RETURN(const auto graph,
                               munja::tflite::ReadFile(model));
        const bool needs_samples =
            job.options.criterion == Criterion::kClusters ||
            job.budget.share > 0;
        std::vector<BoxedSample> samples;
        if (needs_samples) {
          MUNJA_ASSIGN_OR_RETURN(samples, ReadSamples(*graph, job));
        }
        if (job.budget.share > 0) {
          MUNJA_ASSIGN_OR_RETURN(job.options.levels,
                                 munja::compress::LevelsOfBudget(
                                     *graph, samples, job.options, job.budget));
        }
        MUNJA_ASSIGN_OR_RETURN(
            auto pruned, munja::compress::Prune(*graph, samples, job.options));
        if (HasHalves(*graph)) munja::graph::StoreAsHalf(&pruned.graph);
        MUNJA_ASSIGN_OR_RETURN(const auto bytes,
                               munja::tflite::Write(pruned.graph));
        MUNJA_RETURN_IF_ERROR(munja::WriteFile(output, bytes));
        if (report == nullptr) return Status();
        std::error_code error;
        const auto source = std::filesystem::file_size(model, error);
        const Json json =
            Report(pruned.report, error ? 0 : source, bytes.size());
        return munja::capi::CopyText(
            json.dump(-1, ' ', false, Json::error_handler_t::replace), report);
      }));
}

}  // extern "C"
