// The C++20 interface of munja/tools, header-only over the C interface. Its
// functions are those of libmunja-tools and may change from version to version;
// programs that only read and run networks need munja/munja.hpp alone.
#ifndef MUNJA_TOOLS_TOOLS_HPP_
#define MUNJA_TOOLS_TOOLS_HPP_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "munja/munja.hpp"
#include "munja/tools/array.h"
#include "munja/tools/convert.h"
#include "munja/tools/driver_test.h"
#include "munja/tools/evaluate.h"
#include "munja/tools/file.h"
#include "munja/tools/inspect.h"
#include "munja/tools/machine.h"
#include "munja/tools/prune.h"
#include "munja/tools/quantize.h"

namespace munja {
inline namespace v0 {

// ---- Files ------------------------------------------------------------------

// Replaces a file as a whole; see munja_write_file().
inline Status WriteFile(const std::string& path, std::string_view bytes) {
  return StatusOf(munja_write_file(path.c_str(), bytes.data(), bytes.size()));
}

// The same in parts. Without Commit() the old file stays.
class OutputFile {
 public:
  static Result<OutputFile> Open(const std::string& path) {
    munja_output_file* file = nullptr;
    const Status status = StatusOf(munja_output_file_open(path.c_str(), &file));
    if (!status.ok()) return status;
    return OutputFile(file);
  }
  Status Write(std::string_view bytes) {
    return StatusOf(
        munja_output_file_write(handle_.get(), bytes.data(), bytes.size()));
  }
  Status Commit() { return StatusOf(munja_output_file_commit(handle_.get())); }

 private:
  explicit OutputFile(munja_output_file* file) : handle_(file) {}
  Handle<munja_output_file, munja_output_file_free> handle_;
};

// An array in a file of NumPy's .npy format.
class Array {
 public:
  static Result<Array> Load(const std::string& path) {
    munja_array* array = nullptr;
    const Status status = StatusOf(munja_array_load(path.c_str(), &array));
    if (!status.ok()) return status;
    return Array(array);
  }
  static Status Save(const std::string& path, const Tensor& tensor) {
    return StatusOf(munja_array_save(path.c_str(), &tensor.get()));
  }
  // Valid as long as the array.
  Tensor tensor() const {
    munja_tensor tensor = {};
    Check(munja_array_tensor(handle_.get(), &tensor));
    return Tensor(tensor);
  }

 private:
  explicit Array(munja_array* array) : handle_(array) {}
  Handle<munja_array, munja_array_free> handle_;
};

// ---- Looking inside networks ------------------------------------------------

// A listing for people.
inline Result<std::string> ToText(const Network& network) {
  return internal::TextOf(
      [&](char** text) { return munja_network_to_text(network.get(), text); });
}
// The graph for Graphviz.
inline Result<std::string> ToDot(const Network& network) {
  return internal::TextOf(
      [&](char** dot) { return munja_network_to_dot(network.get(), dot); });
}
// The operators that a program needs for these networks, one name per line; see
// munja_network_operators().
inline Result<std::string> OperatorsOf(std::span<const Network> networks) {
  std::vector<const munja_network*> pointers;
  for (const Network& network : networks) pointers.push_back(network.get());
  return internal::TextOf([&](char** names) {
    return munja_network_operators(
        pointers.data(), static_cast<int32_t>(pointers.size()), names);
  });
}
// A copy whose outputs are all tensors of the main subgraph, in the order of
// execution; see munja_network_expose_all().
inline Result<Network> ExposeAll(const Network& network) {
  munja_network* exposed = nullptr;
  const Status status =
      StatusOf(munja_network_expose_all(network.get(), &exposed));
  if (!status.ok()) return status;
  return Network(exposed);
}
struct Producer {
  int node = 0;
  std::string op;
};
// The node of the main subgraph that computes an output.
inline Result<Producer> ProducerOf(const Network& network, int output) {
  int32_t node = 0;
  const char* op = "";
  const Status status =
      StatusOf(munja_network_producer(network.get(), output, &node, &op));
  if (!status.ok()) return status;
  return Producer{node, op};
}
// Whether an output depends on floats that are quantized during the run; see
// munja_network_output_is_hybrid().
inline bool IsHybrid(const Network& network, int output) {
  return munja_network_output_is_hybrid(network.get(), output) != 0;
}

// ---- This machine -----------------------------------------------------------

// The vector instructions in use: "avx2" ...
inline std::string SimdName() { return munja_simd_name(); }
// Uses others; "": the best. See munja_simd_select().
inline Status SelectSimd(const std::string& name) {
  return StatusOf(munja_simd_select(name.c_str()));
}
// Takes about a tenth of a second; threads 0: one per processor.
inline Result<munja_machine_speed> MeasureMachine(int threads = 0) {
  munja_machine_speed speed = {};
  speed.struct_size = sizeof speed;
  const Status status = StatusOf(munja_measure_machine(threads, &speed));
  if (!status.ok()) return status;
  return speed;
}

// ---- Evaluation -------------------------------------------------------------

// Scores pages against labels; see munja/tools/evaluate.h. Entries are numbered
// from 0.
class Evaluation {
 public:
  static Result<Evaluation> Create(const std::string& labels) {
    munja_evaluation* evaluation = nullptr;
    const Status status =
        StatusOf(munja_evaluation_create(labels.c_str(), &evaluation));
    if (!status.ok()) return status;
    return Evaluation(evaluation);
  }
  int count() const { return munja_evaluation_count(get()); }
  std::string image(int entry) const {
    const char* const path = munja_evaluation_image(get(), entry);
    return path != nullptr ? path : "";
  }
  // The entry is an image of a single line.
  bool is_crop(int entry) const {
    return munja_evaluation_is_crop(get(), entry) != 0;
  }
  Status IgnoreText(const std::string& text) {
    return StatusOf(munja_evaluation_ignore_text(get(), text.c_str()));
  }
  Status LoadResults(const std::string& path) {
    return StatusOf(munja_evaluation_load_results(get(), path.c_str()));
  }
  // The loaded result for an entry, if there is one.
  Result<std::optional<Page>> LoadedResult(int entry) const {
    munja_document* document = nullptr;
    const Status status =
        StatusOf(munja_evaluation_result(get(), entry, &document));
    if (!status.ok()) return status;
    std::optional<Page> page;
    if (document != nullptr) page.emplace(document);
    return page;
  }
  // Scores an entry; null: no text.
  Status Add(int entry, const Page* page) {
    return StatusOf(munja_evaluation_add(get(), entry, Native(page)));
  }
  // Compares a page with the labels of an entry, as JSON.
  Result<std::string> Compare(int entry, const Page* page) const {
    return internal::TextOf([&](char** json) {
      return munja_evaluation_compare(get(), entry, Native(page), json);
    });
  }
  // The scores so far, as JSON.
  Result<std::string> Figures() const {
    return internal::TextOf(
        [&](char** json) { return munja_evaluation_figures(get(), json); });
  }
  munja_evaluation* get() const { return handle_.get(); }

 private:
  explicit Evaluation(munja_evaluation* evaluation) : handle_(evaluation) {}
  static const munja_document* Native(const Page* page) {
    return page != nullptr ? page->get() : nullptr;
  }
  Handle<munja_evaluation, munja_evaluation_free> handle_;
};

// ---- Converting, pruning and quantizing -------------------------------------

// Options are those of the C structs; an empty text or list leaves one out.
// Each function returns a report, as JSON.

namespace internal {

inline std::vector<const char*> Pointers(
    const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  return pointers;
}

}  // namespace internal

struct ConvertOptions {
  bool fp16 = false;
  std::string dictionary = {}, shape = {}, report_shape = {}, constants = {};
  bool skip_comparison = false, allow_custom_ops = false, gpu_safe = false;
  bool keep_layout = false;
  std::vector<std::string> images = {};
  const Control* control = nullptr;
};

// Converts a network of another format to .tflite; see munja_convert().
inline Result<std::string> Convert(const std::string& source,
                                   const std::string& output,
                                   const ConvertOptions& options = {}) {
  const std::vector<const char*> images = internal::Pointers(options.images);
  munja_convert_options o = {};
  o.struct_size = sizeof o;
  o.fp16 = options.fp16 ? 1 : 0;
  o.dictionary = internal::OrNull(options.dictionary);
  o.shape = internal::OrNull(options.shape);
  o.skip_comparison = options.skip_comparison ? 1 : 0;
  o.allow_custom_ops = options.allow_custom_ops ? 1 : 0;
  o.gpu_safe = options.gpu_safe ? 1 : 0;
  o.images = images.data();
  o.image_count = static_cast<int32_t>(images.size());
  o.report_shape = internal::OrNull(options.report_shape);
  o.control = internal::Get(options.control);
  o.keep_layout = options.keep_layout ? 1 : 0;
  o.constants = internal::OrNull(options.constants);
  return internal::TextOf([&](char** report) {
    return munja_convert(source.c_str(), output.c_str(), &o, report);
  });
}

struct CreateModelOptions {
  std::string detector = {}, recognizer = {}, classifier = {};
  std::string dictionary = {};
  std::vector<std::string> configs = {};
  std::string name = {}, description = {};
  bool fp16 = false, skip_comparison = false, gpu_safe = false;
  std::vector<std::string> images = {};
  std::vector<std::string> languages = {};
  bool no_languages = false;
  const Control* control = nullptr;
};

// Makes a model of networks of any format; see munja_model_create().
inline Result<std::string> CreateModel(const std::string& directory,
                                       const CreateModelOptions& options) {
  const std::vector<const char*> configs = internal::Pointers(options.configs);
  const std::vector<const char*> images = internal::Pointers(options.images);
  const std::vector<const char*> languages =
      internal::Pointers(options.languages);
  munja_model_create_options o = {};
  o.struct_size = sizeof o;
  o.detector = internal::OrNull(options.detector);
  o.recognizer = internal::OrNull(options.recognizer);
  o.classifier = internal::OrNull(options.classifier);
  o.dictionary = internal::OrNull(options.dictionary);
  o.configs = configs.data();
  o.config_count = static_cast<int32_t>(configs.size());
  o.name = internal::OrNull(options.name);
  o.description = internal::OrNull(options.description);
  o.fp16 = options.fp16 ? 1 : 0;
  o.skip_comparison = options.skip_comparison ? 1 : 0;
  o.gpu_safe = options.gpu_safe ? 1 : 0;
  o.images = images.data();
  o.image_count = static_cast<int32_t>(images.size());
  o.control = internal::Get(options.control);
  o.languages = languages.data();
  o.language_count = static_cast<int32_t>(languages.size());
  o.no_languages = options.no_languages ? 1 : 0;
  return internal::TextOf([&](char** report) {
    return munja_model_create(directory.c_str(), &o, report);
  });
}

struct PruneOptions {
  std::string sparsity = {};
  munja_prune_criterion criterion = MUNJA_PRUNE_L1;
  munja_prune_clusters clusters = MUNJA_CLUSTERS_RATIO;
  std::string calibrate = {};
  int max_images = 0;
  std::string model = {};
  uint64_t seed = 0;
  int threads = 0;
  double budget = 0;
  std::string profile = {};
  int round_to = 0;
  const Control* control = nullptr;
};

// Removes filters of a network; see munja_prune().
inline Result<std::string> Prune(const std::string& network,
                                 const std::string& output,
                                 const PruneOptions& options) {
  munja_prune_options o = {};
  o.struct_size = sizeof o;
  o.sparsity = internal::OrNull(options.sparsity);
  o.criterion = options.criterion;
  o.clusters = options.clusters;
  o.calibrate = internal::OrNull(options.calibrate);
  o.max_images = options.max_images;
  o.model = internal::OrNull(options.model);
  o.seed = options.seed;
  o.threads = options.threads;
  o.control = internal::Get(options.control);
  o.budget = options.budget;
  o.profile = internal::OrNull(options.profile);
  o.round_to = options.round_to;
  return internal::TextOf([&](char** report) {
    return munja_prune(network.c_str(), &o, output.c_str(), report);
  });
}

struct QuantizeOptions {
  // Images to calibrate on, or files for the inputs of a network without a
  // model; the next three are for images: see munja_calibration.
  std::vector<std::string> calibration = {};
  bool are_lines = false;
  int max_pages = 0, max_lines = 0;
  munja_quantize_mode mode = MUNJA_QUANTIZE_INT8;
  munja_quantize_range range = MUNJA_RANGE_MSE;
  double percentile = 0;
  bool skip_equalization = false, nearest_rounding = false;
  bool skip_bias_correction = false, skip_bias_tuning = false;
  bool integer_io = false, integer_logits = false;
  std::vector<std::string> exclude = {};
  munja_quantize_fallback fallback = MUNJA_FALLBACK_FLOAT;
  double max_loss = 0, max_changed = 0;
  bool allow_noise = false;
  int threads = 0;
  bool keep_float = false;
  const Control* control = nullptr;
};

namespace internal {

// Calls `quantize(calibration, options, report)` with the C structs.
template <class Quantize>
Result<std::string> WithNative(const QuantizeOptions& options,
                               const Quantize& quantize) {
  const std::vector<const char*> files = Pointers(options.calibration);
  const std::vector<const char*> exclude = Pointers(options.exclude);
  munja_calibration calibration = {};
  calibration.struct_size = sizeof calibration;
  calibration.images = files.data();
  calibration.image_count = static_cast<int32_t>(files.size());
  calibration.are_lines = options.are_lines ? 1 : 0;
  calibration.max_pages = options.max_pages;
  calibration.max_lines = options.max_lines;
  munja_quantize_options o = {};
  o.struct_size = sizeof o;
  o.mode = options.mode;
  o.range = options.range;
  o.percentile = options.percentile;
  o.skip_equalization = options.skip_equalization ? 1 : 0;
  o.nearest_rounding = options.nearest_rounding ? 1 : 0;
  o.skip_bias_correction = options.skip_bias_correction ? 1 : 0;
  o.skip_bias_tuning = options.skip_bias_tuning ? 1 : 0;
  o.integer_io = options.integer_io ? 1 : 0;
  o.integer_logits = options.integer_logits ? 1 : 0;
  o.exclude = exclude.data();
  o.exclude_count = static_cast<int32_t>(exclude.size());
  o.fallback = options.fallback;
  o.max_loss = options.max_loss;
  o.max_changed = options.max_changed;
  o.allow_noise = options.allow_noise ? 1 : 0;
  o.threads = options.threads;
  o.control = Get(options.control);
  o.keep_float = options.keep_float ? 1 : 0;
  return TextOf([&](char** report) {
    return quantize(files.empty() ? nullptr : &calibration, &o, report);
  });
}

}  // namespace internal

// Quantizes one network. `role` "": `network` alone, without a model; `network`
// "": that of the model. See munja_quantize().
inline Result<std::string> Quantize(const std::string& model,
                                    const std::string& role,
                                    const std::string& network,
                                    const std::string& output,
                                    const QuantizeOptions& options = {}) {
  return internal::WithNative(
      options, [&](auto* calibration, auto* native, char** report) {
        return munja_quantize(internal::OrNull(model), internal::OrNull(role),
                              internal::OrNull(network), calibration, native,
                              output.c_str(), report);
      });
}

// Quantizes all networks of a model; see munja_model_quantize().
inline Result<std::string> QuantizeModel(const std::string& model,
                                         const std::string& directory,
                                         const QuantizeOptions& options = {}) {
  return internal::WithNative(
      options, [&](auto* calibration, auto* native, char** report) {
        return munja_model_quantize(internal::OrNull(model), calibration,
                                    native, directory.c_str(), report);
      });
}

// ---- Models of the catalog --------------------------------------------------

// See munja_model_get_options.
struct GetModelOptions {
  std::string from = {}, directory = {};
  bool fp16 = false, skip_comparison = false, classifier = false;
  const Control* control = nullptr;
  // Quantizes the networks as it says; its control is not used.
  std::optional<QuantizeOptions> quantize = {};
};

struct GotModel {
  std::string path;    // Its directory.
  std::string report;  // JSON; "{}" where the model was there already.
};

// Downloads and converts a model; see munja_model_get().
inline Result<GotModel> GetModel(const std::string& name,
                                 const GetModelOptions& options = {}) {
  munja_model_get_options o = {};
  o.struct_size = sizeof o;
  o.from = internal::OrNull(options.from);
  o.directory = internal::OrNull(options.directory);
  o.fp16 = options.fp16 ? 1 : 0;
  o.skip_comparison = options.skip_comparison ? 1 : 0;
  o.classifier = options.classifier ? 1 : 0;
  o.control = internal::Get(options.control);
  char* path = nullptr;
  const auto get = [&](auto* calibration, auto* quantize, char** report) {
    o.calibration = calibration;
    o.quantize = quantize;
    return munja_model_get(name.c_str(), &o, &path, report);
  };
  const Result<std::string> report =
      options.quantize
          ? internal::WithNative(*options.quantize, get)
          : internal::TextOf([&](char** text) {
              return get(static_cast<const munja_calibration*>(nullptr),
                         static_cast<const munja_quantize_options*>(nullptr),
                         text);
            });
  if (!report.ok()) return report.error();
  return GotModel{TakeText(path), *report};
}

// ---- Drivers ----------------------------------------------------------------

struct DriverTestOptions {
  std::string driver = "reference", modes = "sync";
  bool isolated = false;
  const Control* control = nullptr;
};

// Runs test cases of operations on a driver; see munja_driver_test().
inline Result<std::string> TestDriver(const std::vector<std::string>& paths,
                                      const DriverTestOptions& options = {}) {
  const std::vector<const char*> pointers = internal::Pointers(paths);
  munja_driver_test_options o = {};
  o.struct_size = sizeof o;
  o.driver = options.driver.c_str();
  o.isolated = options.isolated ? 1 : 0;
  o.control = internal::Get(options.control);
  o.modes = options.modes.c_str();
  return internal::TextOf([&](char** report) {
    return munja_driver_test(pointers.data(),
                             static_cast<int32_t>(pointers.size()), &o, report);
  });
}

}  // namespace v0
}  // namespace munja

#endif  // MUNJA_TOOLS_TOOLS_HPP_
