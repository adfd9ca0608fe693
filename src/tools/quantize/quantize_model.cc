#include "quantize/quantize_model.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/thread_pool.h"
#include "bundle/bundle.h"
#include "bundle/search.h"
#include "bundle/staged_folder.h"
#include "bundle/write.h"
#include "compress/calibration/check_samples.h"
#include "compress/quantization/cost.h"
#include "compress/quantization/prepare.h"
#include "compress/quantization/quantize.h"
#include "convert/input_files.h"
#include "runtime/float_io.h"
#include "runtime/session.h"
#include "samples/sample_files.h"
#include "tflite/read.h"
#include "tflite/write.h"

namespace munja::tools {
namespace {

using compress::Precision;
using compress::QuantizeOptions;
using compress::Sample;
using Json = nlohmann::ordered_json;

template <class T>
struct Named {
  const char* name;
  T value;
};
constexpr Named<Precision> kPrecisions[] = {{"int8", Precision::kInt8},
                                            {"int16x8", Precision::kInt16},
                                            {"dynamic", Precision::kDynamic},
                                            {"weights", Precision::kWeights},
                                            {"float", Precision::kFloat}};
const char* NameOf(Precision precision) {
  for (const auto& row : kPrecisions)
    if (row.value == precision) return row.name;
  return "";
}

bool NeedsSamples(const QuantizeJob& job) {
  return job.options.mode == Precision::kInt8 ||
         job.options.mode == Precision::kInt16;
}

Result<CalibrationData> ReadCalibration(const bundle::Bundle& bundle,
                                        const QuantizeJob& job) {
  if (job.calibration)
    return Calibrate(bundle, *job.calibration, job.options.pool);
  MUNJA_RETURN_IF_ERROR(CheckJob(job));
  return CalibrationData{};
}

Json Report(const compress::QuantizeReport& r,
            const compress::SampleCheck& check, size_t samples,
            size_t source_bytes, size_t bytes) {
  Json json;
  json["samples"] = samples;
  if (samples > 0) json["neighbor_correlation"] = check.neighbor_correlation;
  json["nodes"] = r.nodes;
  json["integer_nodes"] = r.integer_nodes;
  json["equalized_groups"] = r.equalization.groups;
  json["source_bytes"] = source_bytes;
  json["file_bytes"] = bytes;
  if (samples > 0) {
    json["relative_error"] = r.loss;
    json["changed_decisions"] = r.decisions;
  }
  if (!r.sensitivity.empty()) {
    json["relative_error_all_integer"] = r.loss_before_keeping;
    Json rows = Json::array();
    for (const auto& row : r.sensitivity)
      rows.push_back({{"layer", row.name},
                      {"operator", row.op},
                      {"relative_error_without", row.loss},
                      {"multiply_accumulates", row.multiply_accumulates},
                      {"kept", row.is_kept}});
    json["sensitivity"] = std::move(rows);
  }
  if (!r.warnings.empty()) json["warnings"] = r.warnings;
  return json;
}

// Milliseconds of one run of each of two graphs, the least of `runs` in turn.
Result<std::array<double, 2>> TimeInTurn(
    const graph::Graph& first, const graph::Graph& second, const Sample& sample,
    const std::shared_ptr<ThreadPool>& pool, int runs) {
  using Clock = std::chrono::steady_clock;
  const std::vector<TensorView> inputs = compress::ViewsOf(sample);
  std::unique_ptr<runtime::Session> sessions[2];
  const graph::Graph* graphs[] = {&first, &second};
  for (int i = 0; i < 2; ++i) {
    runtime::SessionOptions options;
    options.pool = pool;
    MUNJA_ASSIGN_OR_RETURN(
        auto session,
        runtime::CreateSession(std::make_shared<const graph::Graph>(*graphs[i]),
                               options));
    sessions[i] = runtime::WithFloatIo(std::move(session));
  }
  std::array<double, 2> least = {INFINITY, INFINITY};
  for (int run = 0; run < runs; ++run) {
    for (size_t i = 0; i < 2; ++i) {
      const auto start = Clock::now();
      MUNJA_RETURN_IF_ERROR(sessions[i]->Run(inputs).TakeStatus());
      const std::chrono::duration<double, std::milli> ms = Clock::now() - start;
      least[i] = std::min(least[i], ms.count());
    }
  }
  return least;
}

Status AddSpeed(const graph::Graph& before, const graph::Graph& after,
                const Sample& sample, const std::shared_ptr<ThreadPool>& pool,
                Json* report) {
  MUNJA_ASSIGN_OR_RETURN(const auto least,
                         TimeInTurn(before, after, sample, pool, 10));
  (*report)["shape"] = sample.empty() ? "" : sample[0].shape.ToString();
  (*report)["milliseconds_before"] = least[0];
  (*report)["milliseconds"] = least[1];
  return Status();
}

template <class... Values>
std::string Text(const char* format, Values... values) {
  char text[200];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

struct Choice {
  compress::Quantized quantized;
  std::string mode;
  std::string reason;  // Why it is not what was asked for, or empty.
};

// The int8 network with as few of its first layers in int16x8 as keep its
// decisions. False: not even all of them suffice.
Result<bool> Widen(const compress::Calibration& calibration,
                   const std::vector<Sample>& samples, const QuantizeJob& job,
                   int layers, int* wide, compress::Quantized* out) {
  QuantizeOptions options = job.options;
  int too_few = 0;
  *wide = layers;
  for (int next = layers; next > too_few; next = (too_few + *wide) / 2) {
    options.wide_layers = next;
    MUNJA_ASSIGN_OR_RETURN(compress::Quantized tried,
                           compress::Quantize(calibration, samples, options));
    const bool is_enough = tried.report.decisions <= job.max_changed;
    if (is_enough || next == layers) *out = std::move(tried);
    if (!is_enough && next == layers) return false;
    (is_enough ? *wide : too_few) = next;
    // A layer more or less is nothing that another try is worth.
    if (*wide - too_few <= 1 + layers / 16) break;
  }
  return true;
}

// The network in the mode asked for; if too many of its decisions change, in
// the faster one of two that keep them.
Result<Choice> ChooseMode(const graph::Graph& model,
                          const std::vector<Sample>& samples,
                          const QuantizeJob& job) {
  const Precision mode = job.options.mode;
  Choice choice;
  choice.mode = NameOf(mode);
  MUNJA_ASSIGN_OR_RETURN(const compress::Calibration calibration,
                         compress::Calibrate(model, samples, job.options));
  MUNJA_ASSIGN_OR_RETURN(choice.quantized,
                         compress::Quantize(calibration, samples, job.options));
  const compress::QuantizeReport& report = choice.quantized.report;
  if (mode == Precision::kWeights || report.decisions <= job.max_changed)
    return choice;
  choice.reason =
      Text("with mode %s %.1f %% of decisions change: ", choice.mode.c_str(),
           100 * report.decisions);
  QuantizeOptions options = job.options;
  options.mode = Precision::kWeights;
  MUNJA_ASSIGN_OR_RETURN(compress::Quantized weights,
                         compress::Quantize(model, samples, options));
  choice.mode = NameOf(Precision::kWeights);
  if (mode == Precision::kInt8) {
    const int layers = report.layers;
    int wide = 0;
    compress::Quantized mixed;
    MUNJA_ASSIGN_OR_RETURN(
        const bool is_enough,
        Widen(calibration, samples, job, layers, &wide, &mixed));
    choice.reason +=
        Text("with the first %d of %d layers in int16x8 %.1f %% do, ", wide,
             layers, 100 * mixed.report.decisions);
    if (is_enough) {
      // Counted: a clock may say one thing now and another tomorrow.
      MUNJA_ASSIGN_OR_RETURN(
          const auto as_mixed,
          compress::CountCost(mixed.graph, samples[0], nullptr));
      MUNJA_ASSIGN_OR_RETURN(
          const auto as_weights,
          compress::CountCost(weights.graph, samples[0], nullptr));
      const bool is_mixed = as_mixed.total < 0.95 * as_weights.total;
      choice.reason += Text(
          "which should take %.2f of the time that int8 weights alone "
          "take, and it is the %s",
          as_mixed.total / as_weights.total, is_mixed ? "former" : "latter");
      if (is_mixed)
        choice.mode = wide < layers ? "mixed" : NameOf(Precision::kInt16);
      choice.quantized = std::move(is_mixed ? mixed : weights);
      return choice;
    }
    choice.reason += "and ";
  }
  choice.reason += "its weights alone are int8";
  choice.quantized = std::move(weights);
  return choice;
}

struct Written {
  std::vector<uint8_t> bytes;
  Json report;
};

// `are_arrays`: data from files, which may be noise by their nature.
Result<Written> QuantizeOne(const graph::Graph& model,
                            const std::vector<Sample>& samples,
                            const QuantizeJob& job, bool are_arrays) {
  const auto check = compress::CheckSamples(samples);
  std::vector<std::string> warnings;
  if (!samples.empty() && !are_arrays) {
    Status noise = compress::RefuseNoise(check);
    if (!noise.ok() && !job.allow_noise) return noise;
    if (!noise.ok()) warnings.emplace_back(noise.message());
  }
  MUNJA_ASSIGN_OR_RETURN(Choice choice, ChooseMode(model, samples, job));
  compress::Quantized& quantized = choice.quantized;
  if (!choice.reason.empty()) warnings.push_back(std::move(choice.reason));
  auto& all = quantized.report.warnings;
  all.insert(all.begin(), warnings.begin(), warnings.end());
  Written written;
  MUNJA_ASSIGN_OR_RETURN(written.bytes, tflite::Write(quantized.graph));
  // The same nodes in float: constants as the model stores them.
  MUNJA_ASSIGN_OR_RETURN(const graph::Graph prepared, compress::Prepare(model));
  MUNJA_ASSIGN_OR_RETURN(const auto source, tflite::Write(prepared));
  written.report = Report(quantized.report, check, samples.size(),
                          source.size(), written.bytes.size());
  written.report["mode"] = choice.mode;
  if (!samples.empty())
    MUNJA_RETURN_IF_ERROR(AddSpeed(model, quantized.graph, samples[0],
                                   job.options.pool, &written.report));
  return written;
}

struct Network {
  const char* role;
  const std::shared_ptr<const graph::Graph>& graph;
  const std::vector<Sample>& samples;
  compress::DecisionThreshold threshold;
};

Result<Written> QuantizeNetwork(const Network& network,
                                const QuantizeJob& job) {
  const bool needs_samples = job.options.mode == Precision::kInt8 ||
                             job.options.mode == Precision::kInt16;
  if (needs_samples && network.samples.empty())
    return InvalidArgument(
        std::string("the ") + network.role +
        " was given nothing while the calibration pictures were read: they "
        "show no text to it");
  QuantizeJob own = job;
  own.options.decision_threshold = network.threshold;
  return QuantizeOne(*network.graph, network.samples, own, false)
      .With(network.role);
}

std::vector<Network> NetworksOf(const bundle::Bundle& bundle,
                                const CalibrationData& data) {
  // Decisions as reading makes them: which pixels are text, which letters they
  // are, which lines are turned.
  const ocr::Config& config = bundle.manifest.config;
  std::vector<Network> networks = {
      {"detector", bundle.detector, data.detector, config.detector.threshold},
      {"recognizer", bundle.recognizer, data.recognizer, {}}};
  if (bundle.classifier) {
    networks.push_back({"classifier", bundle.classifier, data.classifier,
                        config.classifier.threshold});
  }
  return networks;
}

Result<bundle::Bundle> OpenBundle(const std::string& name) {
  MUNJA_ASSIGN_OR_RETURN(auto files, bundle::FindBundle(name));
  return bundle::LoadBundle(std::move(files));
}

// The files of the networks as they are.
Status CopyNetworks(const bundle::Bundle& bundle,
                    bundle::NetworkFiles* copies) {
  const bundle::Manifest& m = bundle.manifest;
  const auto copy = [&](const bundle::FileEntry& entry,
                        std::vector<uint8_t>* bytes) -> Status {
    MUNJA_ASSIGN_OR_RETURN(const auto file, bundle.files->Open(entry.file));
    bytes->assign(file.bytes.begin(), file.bytes.end());
    return Status();
  };
  MUNJA_RETURN_IF_ERROR(copy(m.detector, &copies->detector));
  MUNJA_RETURN_IF_ERROR(copy(m.recognizer, &copies->recognizer));
  if (!m.classifier) return Status();
  return copy(*m.classifier, &copies->classifier.emplace());
}

// The files that a quantization reads: those of the model and the images.
std::vector<std::string> Inputs(const bundle::Bundle& bundle,
                                const QuantizeJob& job) {
  const std::string folder = bundle.files->place() + "/";
  std::vector<std::string> inputs = {folder + bundle::kManifestFile};
  for (const bundle::FileEntry* entry : bundle.manifest.files())
    inputs.push_back(folder + entry->file);
  if (job.calibration)
    inputs.insert(inputs.end(), job.calibration->files.begin(),
                  job.calibration->files.end());
  return inputs;
}

void AddPictures(const CalibrationData& data, Json* report) {
  (*report)["calibration_lines"] = data.lines;
  if (!data.unreadable.empty()) (*report)["unreadable"] = data.unreadable;
}

}  // namespace

Status CheckJob(const QuantizeJob& job) {
  if (job.calibration || !NeedsSamples(job)) return Status();
  return InvalidArgument("integer activations need calibration pictures");
}

Result<Json> QuantizeFile(const std::string& network, const QuantizeJob& job,
                          const std::string& output) {
  std::vector<std::string> files;
  if (job.calibration) files = job.calibration->files;
  std::vector<std::string> inputs = files;
  inputs.push_back(network);
  MUNJA_RETURN_IF_ERROR(RefuseOverwriting(output, inputs));
  MUNJA_ASSIGN_OR_RETURN(const auto graph, tflite::ReadFile(network));
  MUNJA_ASSIGN_OR_RETURN(const std::vector<Sample> samples,
                         ReadSamples(*graph, files));
  if (samples.empty() && NeedsSamples(job))
    return InvalidArgument("integer activations need calibration data");
  MUNJA_ASSIGN_OR_RETURN(Written written,
                         QuantizeOne(*graph, samples, job, true));
  MUNJA_RETURN_IF_ERROR(WriteFile(output, written.bytes));
  return std::move(written.report);
}

Result<Json> QuantizeRole(const std::string& model, const std::string& role,
                          const std::string& network, const QuantizeJob& job,
                          const std::string& output) {
  MUNJA_ASSIGN_OR_RETURN(const bundle::Bundle bundle, OpenBundle(model));
  // Before the long work.
  std::vector<std::string> inputs = Inputs(bundle, job);
  if (!network.empty()) inputs.push_back(network);
  MUNJA_RETURN_IF_ERROR(RefuseOverwriting(output, inputs));
  MUNJA_ASSIGN_OR_RETURN(const CalibrationData data,
                         ReadCalibration(bundle, job));
  for (const Network& own : NetworksOf(bundle, data)) {
    if (own.role != role) continue;
    std::shared_ptr<const graph::Graph> graph = own.graph;
    if (!network.empty()) {
      MUNJA_ASSIGN_OR_RETURN(graph, tflite::ReadFile(network));
    }
    MUNJA_ASSIGN_OR_RETURN(
        Written written,
        QuantizeNetwork({own.role, graph, own.samples, own.threshold}, job));
    MUNJA_RETURN_IF_ERROR(WriteFile(output, written.bytes));
    AddPictures(data, &written.report);
    return std::move(written.report);
  }
  return InvalidArgument("the bundle has no network '" + role + "'");
}

Result<Json> QuantizeModel(const std::string& model, const QuantizeJob& job,
                           const std::string& directory) {
  bundle::BundleParts parts;
  MUNJA_ASSIGN_OR_RETURN(parts.name, bundle::BundleName(directory, ""));
  MUNJA_ASSIGN_OR_RETURN(const bundle::Bundle bundle, OpenBundle(model));
  // Before the long work.
  MUNJA_RETURN_IF_ERROR(RefuseReplacing(directory, Inputs(bundle, job)));
  MUNJA_RETURN_IF_ERROR(bundle::CheckReplaceable(directory));
  parts.description = bundle.manifest.description;
  parts.config = bundle.manifest.config;
  parts.dictionary.assign(bundle.dictionary.begin(), bundle.dictionary.end());
  MUNJA_RETURN_IF_ERROR(
      bundle::CopyLanguages(bundle.manifest, *bundle.files, &parts));
  bundle::NetworkFiles* made = &parts;
  if (job.keep_float) {
    MUNJA_RETURN_IF_ERROR(CopyNetworks(bundle, &parts));
    made = &parts.integer.emplace();
  }
  MUNJA_ASSIGN_OR_RETURN(const CalibrationData data,
                         ReadCalibration(bundle, job));
  Json all;
  for (const Network& network : NetworksOf(bundle, data)) {
    MUNJA_ASSIGN_OR_RETURN(Written written, QuantizeNetwork(network, job));
    all[network.role] = std::move(written.report);
    if (network.graph == bundle.detector) {
      made->detector = std::move(written.bytes);
    } else if (network.graph == bundle.recognizer) {
      made->recognizer = std::move(written.bytes);
    } else {
      made->classifier = std::move(written.bytes);
    }
  }
  AddPictures(data, &all);
  MUNJA_RETURN_IF_ERROR(bundle::WriteBundle(directory, parts));
  return all;
}

}  // namespace munja::tools
