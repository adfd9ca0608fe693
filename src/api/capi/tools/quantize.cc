#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/thread_pool.h"
#include "bundle/bundle.h"
#include "bundle/search.h"
#include "bundle/staged_folder.h"
#include "bundle/write.h"
#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/handles.h"
#include "capi/tools/calibration.h"
#include "capi/tools/input_files.h"
#include "capi/tools/sample_files.h"
#include "compress/check_samples.h"
#include "compress/cost.h"
#include "compress/prepare.h"
#include "compress/quantize.h"
#include "munja/tools/quantize.h"
#include "runtime/float_io.h"
#include "runtime/session.h"
#include "tflite/read.h"
#include "tflite/write.h"

using munja::InvalidArgument;
using munja::Result;
using munja::Status;
using munja::capi::CalibrationData;
using munja::capi::CopyText;
using munja::capi::ErrorOf;
using munja::capi::KeepError;
using munja::capi::LongGuard;
using munja::capi::ReadOptions;
using munja::capi::RequireAll;
using munja::compress::Precision;
using munja::compress::QuantizeOptions;
using munja::compress::RangeMethod;
using munja::compress::Sample;

namespace {

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
// In the order of the enumerations of munja/tools/quantize.h.
constexpr Precision kModes[] = {Precision::kInt8, Precision::kInt16,
                                Precision::kDynamic, Precision::kWeights};
constexpr RangeMethod kRanges[] = {RangeMethod::kMse, RangeMethod::kMinMax,
                                   RangeMethod::kPercentile,
                                   RangeMethod::kEntropy};
constexpr Precision kFallbacks[] = {Precision::kFloat, Precision::kDynamic,
                                    Precision::kInt16};

const char* NameOf(Precision precision) {
  for (const auto& row : kPrecisions)
    if (row.value == precision) return row.name;
  return "";
}

template <class T, size_t n>
Result<T> At(const T (&values)[n], int index, const char* what) {
  if (index >= 0 && static_cast<size_t>(index) < n)
    return T(values[static_cast<size_t>(index)]);
  return InvalidArgument(std::string("unknown ") + what + " " +
                         std::to_string(index));
}

struct Job {
  QuantizeOptions options;
  bool allow_noise = false;
  bool keep_float = false;
  bool are_arrays = false;  // Of which noise may be what the model is for.
  double max_changed = 0.1;
  munja_control* control = nullptr;
};

Result<Job> ReadJob(const munja_quantize_options* given) {
  munja_quantize_options o;
  MUNJA_RETURN_IF_ERROR(ReadOptions(given, &o));
  Job job;
  QuantizeOptions& q = job.options;
  MUNJA_ASSIGN_OR_RETURN(q.mode, At(kModes, o.mode, "mode"));
  MUNJA_ASSIGN_OR_RETURN(q.range.method, At(kRanges, o.range, "range"));
  if (!(o.percentile >= 0 && o.percentile <= 100))
    return InvalidArgument("percentile must be 0 to 100");
  if (o.percentile > 0) q.range.percentile = o.percentile;
  if (!std::isfinite(o.max_loss) || o.max_loss < 0)
    return InvalidArgument("max_loss must not be negative");
  if (o.max_loss > 0) q.max_loss = o.max_loss;
  if (!(o.max_changed >= 0 && o.max_changed <= 1))
    return InvalidArgument("max_changed must be 0 to 1");
  if (o.max_changed > 0) job.max_changed = o.max_changed;
  if (o.exclude_count < 0 || (o.exclude_count > 0 && o.exclude == nullptr))
    return InvalidArgument("exclude_count does not fit the names");
  for (int32_t i = 0; i < o.exclude_count; ++i)
    q.keep.emplace_back(o.exclude[i]);
  MUNJA_ASSIGN_OR_RETURN(q.kept, At(kFallbacks, o.fallback, "fallback"));
  q.equalize = o.skip_equalization == 0;
  q.rounding.error_feedback = o.nearest_rounding == 0;
  q.tune_bias = o.skip_bias_tuning == 0;
  q.rounding.correct_bias = o.skip_bias_correction == 0;
  q.integer_io = o.integer_io != 0;
  q.float_logits = o.integer_logits == 0;
  job.allow_noise = o.allow_noise != 0;
  job.keep_float = o.keep_float != 0;
  job.control = o.control;
  if (o.threads < 0 || o.threads > 1024)
    return InvalidArgument("threads must be 0 to 1024");
  q.pool = std::make_shared<munja::ThreadPool>(o.threads);
  return job;
}

Result<CalibrationData> ReadCalibration(const munja::bundle::Bundle& bundle,
                                        const munja_calibration* given,
                                        const Job& job) {
  if (given == nullptr) {
    if (job.options.mode == Precision::kInt8 ||
        job.options.mode == Precision::kInt16)
      return InvalidArgument("integer activations need calibration pictures");
    return CalibrationData{};
  }
  munja_calibration c;
  MUNJA_RETURN_IF_ERROR(ReadOptions(given, &c));
  if (c.image_count < 0 || (c.image_count > 0 && c.images == nullptr) ||
      c.max_pages < 0 || c.max_lines < 0)
    return InvalidArgument("the counts of the calibration do not fit");
  munja::capi::CalibrationPictures pictures;
  pictures.files.assign(c.images, c.images + c.image_count);
  pictures.are_lines = c.are_lines != 0;
  if (c.max_pages > 0) pictures.max_pages = static_cast<size_t>(c.max_pages);
  if (c.max_lines > 0) pictures.max_lines = static_cast<size_t>(c.max_lines);
  return munja::capi::Calibrate(bundle, pictures, job.options.pool);
}

Json Report(const munja::compress::QuantizeReport& r,
            const munja::compress::SampleCheck& check, size_t samples,
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
    const munja::graph::Graph& first, const munja::graph::Graph& second,
    const Sample& sample, const std::shared_ptr<munja::ThreadPool>& pool,
    int runs) {
  using Clock = std::chrono::steady_clock;
  const std::vector<munja::TensorView> inputs =
      munja::compress::ViewsOf(sample);
  std::unique_ptr<munja::runtime::Session> sessions[2];
  const munja::graph::Graph* graphs[] = {&first, &second};
  for (int i = 0; i < 2; ++i) {
    munja::runtime::SessionOptions options;
    options.pool = pool;
    MUNJA_ASSIGN_OR_RETURN(
        auto session,
        munja::runtime::CreateSession(
            std::make_shared<const munja::graph::Graph>(*graphs[i]), options));
    sessions[i] = munja::runtime::WithFloatIo(std::move(session));
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

Status AddSpeed(const munja::graph::Graph& before,
                const munja::graph::Graph& after, const Sample& sample,
                const std::shared_ptr<munja::ThreadPool>& pool, Json* report) {
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
  munja::compress::Quantized quantized;
  std::string mode;
  std::string reason;  // Why it is not what was asked for, or empty.
};

// The int8 network with as few of its first layers in int16x8 as keep its
// decisions. False: not even all of them suffice.
Result<bool> Widen(const munja::compress::Calibration& calibration,
                   const std::vector<Sample>& samples, const Job& job,
                   int layers, int* wide, munja::compress::Quantized* out) {
  QuantizeOptions options = job.options;
  int too_few = 0;
  *wide = layers;
  for (int next = layers; next > too_few; next = (too_few + *wide) / 2) {
    options.wide_layers = next;
    MUNJA_ASSIGN_OR_RETURN(
        munja::compress::Quantized tried,
        munja::compress::Quantize(calibration, samples, options));
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
Result<Choice> ChooseMode(const munja::graph::Graph& model,
                          const std::vector<Sample>& samples, const Job& job) {
  const Precision mode = job.options.mode;
  Choice choice;
  choice.mode = NameOf(mode);
  MUNJA_ASSIGN_OR_RETURN(
      const munja::compress::Calibration calibration,
      munja::compress::Calibrate(model, samples, job.options));
  MUNJA_ASSIGN_OR_RETURN(
      choice.quantized,
      munja::compress::Quantize(calibration, samples, job.options));
  const munja::compress::QuantizeReport& report = choice.quantized.report;
  if (mode == Precision::kWeights || report.decisions <= job.max_changed)
    return choice;
  choice.reason =
      Text("with mode %s %.1f %% of decisions change: ", choice.mode.c_str(),
           100 * report.decisions);
  QuantizeOptions options = job.options;
  options.mode = Precision::kWeights;
  MUNJA_ASSIGN_OR_RETURN(munja::compress::Quantized weights,
                         munja::compress::Quantize(model, samples, options));
  choice.mode = NameOf(Precision::kWeights);
  if (mode == Precision::kInt8) {
    const int layers = report.layers;
    int wide = 0;
    munja::compress::Quantized mixed;
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
          munja::compress::CountCost(mixed.graph, samples[0], nullptr));
      MUNJA_ASSIGN_OR_RETURN(
          const auto as_weights,
          munja::compress::CountCost(weights.graph, samples[0], nullptr));
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

Result<Written> QuantizeOne(const munja::graph::Graph& model,
                            const std::vector<Sample>& samples,
                            const Job& job) {
  const auto check = munja::compress::CheckSamples(samples);
  std::vector<std::string> warnings;
  if (!samples.empty() && !job.are_arrays) {
    Status noise = munja::compress::RefuseNoise(check);
    if (!noise.ok() && !job.allow_noise) return noise;
    if (!noise.ok()) warnings.emplace_back(noise.message());
  }
  MUNJA_ASSIGN_OR_RETURN(Choice choice, ChooseMode(model, samples, job));
  munja::compress::Quantized& quantized = choice.quantized;
  if (!choice.reason.empty()) warnings.push_back(std::move(choice.reason));
  auto& all = quantized.report.warnings;
  all.insert(all.begin(), warnings.begin(), warnings.end());
  Written written;
  MUNJA_ASSIGN_OR_RETURN(written.bytes, munja::tflite::Write(quantized.graph));
  // The same nodes in float: constants as the model stores them.
  MUNJA_ASSIGN_OR_RETURN(const munja::graph::Graph prepared,
                         munja::compress::Prepare(model));
  MUNJA_ASSIGN_OR_RETURN(const auto source, munja::tflite::Write(prepared));
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
  const std::shared_ptr<const munja::graph::Graph>& graph;
  const std::vector<Sample>& samples;
  munja::compress::DecisionThreshold threshold;
};

Result<Written> QuantizeNetwork(const Network& network, const Job& job) {
  const bool needs_samples = job.options.mode == Precision::kInt8 ||
                             job.options.mode == Precision::kInt16;
  if (needs_samples && network.samples.empty())
    return InvalidArgument(
        std::string("the ") + network.role +
        " was given nothing while the calibration pictures were read: they "
        "show no text to it");
  Job own = job;
  own.options.decision_threshold = network.threshold;
  return QuantizeOne(*network.graph, network.samples, own).With(network.role);
}

std::vector<Network> NetworksOf(const munja::bundle::Bundle& bundle,
                                const CalibrationData& data) {
  // Decisions as reading makes them: which pixels are text, which letters they
  // are, which lines are turned.
  const munja::ocr::Contract& contract = bundle.manifest.contract;
  std::vector<Network> networks = {
      {"detector", bundle.detector, data.detector, contract.detector.threshold},
      {"recognizer", bundle.recognizer, data.recognizer, {}}};
  if (bundle.classifier) {
    networks.push_back({"classifier", bundle.classifier, data.classifier,
                        contract.classifier.threshold});
  }
  return networks;
}

Result<munja::bundle::Bundle> OpenBundle(const char* name) {
  MUNJA_ASSIGN_OR_RETURN(auto files, munja::bundle::FindBundle(name));
  return munja::bundle::LoadBundle(std::move(files));
}

// The files of the networks as they are.
Status CopyNetworks(const munja::bundle::Bundle& bundle,
                    munja::bundle::NetworkFiles* copies) {
  const munja::bundle::Manifest& m = bundle.manifest;
  const auto copy = [&](const munja::bundle::FileEntry& entry,
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

// What a quantization reads: the files of the bundle and the pictures.
std::vector<std::string> Inputs(const munja::bundle::Bundle& bundle,
                                const munja_calibration* calibration) {
  const std::string folder = bundle.files->place() + "/";
  std::vector<std::string> inputs = {folder + munja::bundle::kManifestFile};
  for (const munja::bundle::FileEntry* entry : bundle.manifest.files())
    inputs.push_back(folder + entry->file);
  munja_calibration c;
  // Counts that do not fit are said by whoever reads the pictures.
  if (calibration == nullptr || !ReadOptions(calibration, &c).ok() ||
      c.images == nullptr)
    return inputs;
  for (int32_t i = 0; i < c.image_count; ++i) inputs.emplace_back(c.images[i]);
  return inputs;
}

Status Describe(const Json& report, char** text);

// A model that is no network of a bundle, calibrated on the tensors in files.
Status QuantizeAlone(const char* model, const munja_calibration* calibration,
                     const Job& job, const char* output, char** report) {
  munja_calibration c = {};
  if (calibration != nullptr)
    MUNJA_RETURN_IF_ERROR(ReadOptions(calibration, &c));
  if (c.image_count < 0 || (c.image_count > 0 && c.images == nullptr))
    return InvalidArgument("the counts of the calibration do not fit");
  const std::vector<std::string> files(c.images, c.images + c.image_count);
  std::vector<std::string> inputs = files;
  inputs.emplace_back(model);
  MUNJA_RETURN_IF_ERROR(munja::capi::RefuseOverwriting(output, inputs));
  MUNJA_ASSIGN_OR_RETURN(const auto graph, munja::tflite::ReadFile(model));
  MUNJA_ASSIGN_OR_RETURN(const std::vector<Sample> samples,
                         munja::capi::ReadSamples(*graph, files));
  if (samples.empty() && (job.options.mode == Precision::kInt8 ||
                          job.options.mode == Precision::kInt16))
    return InvalidArgument("integer activations need calibration data");
  Job own = job;
  own.are_arrays = true;
  MUNJA_ASSIGN_OR_RETURN(Written written, QuantizeOne(*graph, samples, own));
  MUNJA_RETURN_IF_ERROR(munja::WriteFile(output, written.bytes));
  return Describe(written.report, report);
}

Status Describe(const Json& report, char** text) {
  if (text == nullptr) return Status();
  return CopyText(report.dump(-1, ' ', false, Json::error_handler_t::replace),
                  text);
}

Status AddPictures(const CalibrationData& data, Json* report) {
  (*report)["calibration_lines"] = data.lines;
  if (!data.unreadable.empty()) (*report)["unreadable"] = data.unreadable;
  return Status();
}

}  // namespace

extern "C" {

munja_status munja_quantize(const char* bundle_name, const char* role,
                            const char* model,
                            const munja_calibration* calibration,
                            const munja_quantize_options* options,
                            const char* output, char** report) {
  return KeepError(
      ErrorOf(options), LongGuard([&]() -> Status {
        MUNJA_RETURN_IF_ERROR(RequireAll(output));
        if (role == nullptr) MUNJA_RETURN_IF_ERROR(RequireAll(model));
        MUNJA_ASSIGN_OR_RETURN(const Job job, ReadJob(options));
        if (job.keep_float)
          return InvalidArgument(
              "keep_float is for bundles: a single network is written alone");
        const munja::ControlScope scope(munja::capi::ControlOf(job.control));
        if (role == nullptr)
          return QuantizeAlone(model, calibration, job, output, report);
        MUNJA_ASSIGN_OR_RETURN(
            const munja::bundle::Bundle bundle,
            OpenBundle(bundle_name != nullptr ? bundle_name : ""));
        // Before the long work.
        std::vector<std::string> inputs = Inputs(bundle, calibration);
        if (model != nullptr) inputs.emplace_back(model);
        MUNJA_RETURN_IF_ERROR(munja::capi::RefuseOverwriting(output, inputs));
        MUNJA_ASSIGN_OR_RETURN(const CalibrationData data,
                               ReadCalibration(bundle, calibration, job));
        for (const Network& network : NetworksOf(bundle, data)) {
          if (network.role != std::string(role)) continue;
          std::shared_ptr<const munja::graph::Graph> graph = network.graph;
          if (model != nullptr) {
            MUNJA_ASSIGN_OR_RETURN(graph, munja::tflite::ReadFile(model));
          }
          MUNJA_ASSIGN_OR_RETURN(
              Written written,
              QuantizeNetwork(
                  {network.role, graph, network.samples, network.threshold},
                  job));
          MUNJA_RETURN_IF_ERROR(munja::WriteFile(output, written.bytes));
          MUNJA_RETURN_IF_ERROR(AddPictures(data, &written.report));
          return Describe(written.report, report);
        }
        return InvalidArgument(std::string("the bundle has no network '") +
                               role + "'");
      }));
}

munja_status munja_model_quantize(const char* bundle_name,
                                  const munja_calibration* calibration,
                                  const munja_quantize_options* options,
                                  const char* folder, char** report) {
  return KeepError(
      ErrorOf(options), LongGuard([&]() -> Status {
        MUNJA_RETURN_IF_ERROR(RequireAll(folder));
        MUNJA_ASSIGN_OR_RETURN(const Job job, ReadJob(options));
        const munja::ControlScope scope(munja::capi::ControlOf(job.control));
        if (job.options.integer_io)
          return InvalidArgument(
              "networks of a bundle take and give floats: integer_io is for "
              "single "
              "models");
        munja::bundle::BundleParts parts;
        MUNJA_ASSIGN_OR_RETURN(parts.name,
                               munja::bundle::BundleName(folder, ""));
        MUNJA_ASSIGN_OR_RETURN(
            const munja::bundle::Bundle bundle,
            OpenBundle(bundle_name != nullptr ? bundle_name : ""));
        // Before the long work.
        MUNJA_RETURN_IF_ERROR(
            munja::capi::RefuseReplacing(folder, Inputs(bundle, calibration)));
        MUNJA_RETURN_IF_ERROR(munja::bundle::CheckReplaceable(folder));
        parts.description = bundle.manifest.description;
        parts.contract = bundle.manifest.contract;
        parts.dictionary.assign(bundle.dictionary.begin(),
                                bundle.dictionary.end());
        MUNJA_RETURN_IF_ERROR(munja::bundle::CopyLanguages(
            bundle.manifest, *bundle.files, &parts));
        munja::bundle::NetworkFiles* made = &parts;
        if (job.keep_float) {
          MUNJA_RETURN_IF_ERROR(CopyNetworks(bundle, &parts));
          made = &parts.integer.emplace();
        }
        MUNJA_ASSIGN_OR_RETURN(const CalibrationData data,
                               ReadCalibration(bundle, calibration, job));
        Json all;
        for (const Network& network : NetworksOf(bundle, data)) {
          MUNJA_ASSIGN_OR_RETURN(Written written,
                                 QuantizeNetwork(network, job));
          all[network.role] = std::move(written.report);
          if (network.graph == bundle.detector) {
            made->detector = std::move(written.bytes);
          } else if (network.graph == bundle.recognizer) {
            made->recognizer = std::move(written.bytes);
          } else {
            made->classifier = std::move(written.bytes);
          }
        }
        MUNJA_RETURN_IF_ERROR(AddPictures(data, &all));
        MUNJA_RETURN_IF_ERROR(munja::bundle::WriteBundle(folder, parts));
        return Describe(all, report);
      }));
}

}  // extern "C"
