#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "document.h"
#include "munja/tools/tools.hpp"

namespace munja_python {
namespace {

using Text = std::optional<std::string>;
using Texts = std::vector<std::string>;

// The pointers that the C interface takes; the texts must outlive it.
class Pointers {
 public:
  explicit Pointers(const Texts& texts) {
    for (const std::string& text : texts) pointers_.push_back(text.c_str());
  }
  const char* const* data() const { return pointers_.data(); }
  int32_t size() const { return static_cast<int32_t>(pointers_.size()); }

 private:
  std::vector<const char*> pointers_;
};

// Calls f(&report) and returns the report, JSON.
template <class F>
nb::str Report(Call* call, F f) {
  char* report = nullptr;
  Unwrap(call->Run([&] { return munja::StatusOf(f(&report)); }));
  return TakeString(report);
}

nb::str Convert(const std::string& source, const std::string& output, bool fp16,
                const Text& dictionary, const Text& shape, bool compare,
                bool allow_custom_ops, bool gpu_safe, const Texts& images,
                bool keep_layout, const Text& constants, Control* control) {
  Call call(control);
  const Pointers image_paths(images);
  munja_convert_options o = {};
  o.struct_size = sizeof o;
  o.fp16 = fp16;
  o.dictionary = OrNull(dictionary);
  o.shape = OrNull(shape);
  o.skip_comparison = !compare;
  o.allow_custom_ops = allow_custom_ops;
  o.gpu_safe = gpu_safe;
  o.images = image_paths.data();
  o.image_count = image_paths.size();
  o.keep_layout = keep_layout;
  o.constants = OrNull(constants);
  o.control = call.control()->get();
  return Report(&call, [&](char** report) {
    return munja_convert(source.c_str(), output.c_str(), &o, report);
  });
}

nb::str CreateModel(const std::string& directory, const std::string& detector,
                    const std::string& recognizer, const Text& classifier,
                    const Text& dictionary, const Texts& configs,
                    const Text& name, const Text& description, bool fp16,
                    bool compare, const Texts& images, Control* control) {
  Call call(control);
  const Pointers config_names(configs), image_paths(images);
  munja_model_create_options o = {};
  o.struct_size = sizeof o;
  o.detector = detector.c_str();
  o.recognizer = recognizer.c_str();
  o.classifier = OrNull(classifier);
  o.dictionary = OrNull(dictionary);
  o.configs = config_names.data();
  o.config_count = config_names.size();
  o.name = OrNull(name);
  o.description = OrNull(description);
  o.fp16 = fp16;
  o.skip_comparison = !compare;
  o.images = image_paths.data();
  o.image_count = image_paths.size();
  o.control = call.control()->get();
  return Report(&call, [&](char** report) {
    return munja_model_create(directory.c_str(), &o, report);
  });
}

std::string GetModel(const std::string& name, const Text& source,
                     const Text& directory, bool fp16, bool compare,
                     bool classifier, int quantize, const Texts& calibration,
                     Control* control) {
  munja::GetModelOptions options;
  options.from = source.value_or("");
  options.directory = directory.value_or("");
  options.fp16 = fp16;
  options.skip_comparison = !compare;
  options.classifier = classifier;
  if (quantize >= 0)
    options.quantize = {.calibration = calibration,
                        .mode = static_cast<munja_quantize_mode>(quantize)};
  Call call(control);
  options.control = call.control();
  return Unwrap(call.Run([&] { return munja::GetModel(name, options); })).path;
}

nb::str Quantize(const std::string& network, const std::string& output,
                 const Text& model, const Text& role, const Texts& calibration,
                 bool are_lines, int mode, int range, double percentile,
                 bool integer_io, const Texts& exclude, int fallback,
                 double max_loss, double max_changed, bool keep_float,
                 int threads, Control* control) {
  Call call(control);
  const Pointers images(calibration), excluded(exclude);
  munja_calibration c = {};
  c.struct_size = sizeof c;
  c.images = images.data();
  c.image_count = images.size();
  c.are_lines = are_lines;
  munja_quantize_options o = {};
  o.struct_size = sizeof o;
  o.mode = static_cast<munja_quantize_mode>(mode);
  o.range = static_cast<munja_quantize_range>(range);
  o.percentile = percentile;
  o.integer_io = integer_io;
  o.exclude = excluded.data();
  o.exclude_count = excluded.size();
  o.fallback = static_cast<munja_quantize_fallback>(fallback);
  o.max_loss = max_loss;
  o.max_changed = max_changed;
  o.keep_float = keep_float;
  o.threads = threads;
  o.control = call.control()->get();
  const munja_calibration* const given = calibration.empty() ? nullptr : &c;
  return Report(&call, [&](char** report) {
    if (network.empty() && !role)
      return munja_model_quantize(OrNull(model), given, &o, output.c_str(),
                                  report);
    return munja_quantize(OrNull(model), OrNull(role),
                          network.empty() ? nullptr : network.c_str(), given,
                          &o, output.c_str(), report);
  });
}

nb::str Prune(const std::string& network, const std::string& output,
              const Text& sparsity, double budget, int criterion,
              const Text& calibration, const Text& model, const Text& profile,
              int round_to, uint64_t seed, int threads, Control* control) {
  Call call(control);
  munja_prune_options o = {};
  o.struct_size = sizeof o;
  o.sparsity = OrNull(sparsity);
  o.budget = budget;
  o.criterion = static_cast<munja_prune_criterion>(criterion);
  o.calibrate = OrNull(calibration);
  o.model = OrNull(model);
  o.profile = OrNull(profile);
  o.round_to = round_to;
  o.seed = seed;
  o.threads = threads;
  o.control = call.control()->get();
  return Report(&call, [&](char** report) {
    return munja_prune(network.c_str(), &o, output.c_str(), report);
  });
}

// Scores of documents against labels.
class Evaluation {
 public:
  explicit Evaluation(const std::string& labels) {
    munja_evaluation* evaluation = nullptr;
    Unwrap(
        munja::StatusOf(munja_evaluation_create(labels.c_str(), &evaluation)));
    handle_.reset(evaluation);
  }
  munja_evaluation* get() const { return handle_.get(); }

 private:
  munja::Handle<munja_evaluation, munja_evaluation_free> handle_;
};

}  // namespace

void BindTools(nb::module_& m) {
  m.def("convert", Convert, nb::arg("source"), nb::arg("output"),
        nb::arg("fp16"), nb::arg("dictionary").none(), nb::arg("shape").none(),
        nb::arg("compare"), nb::arg("allow_custom_ops"), nb::arg("gpu_safe"),
        nb::arg("images"), nb::arg("keep_layout"), nb::arg("constants").none(),
        nb::arg("control").none());
  m.def("create_model", CreateModel, nb::arg("directory"), nb::arg("detector"),
        nb::arg("recognizer"), nb::arg("classifier").none(),
        nb::arg("dictionary").none(), nb::arg("configs"),
        nb::arg("name").none(), nb::arg("description").none(), nb::arg("fp16"),
        nb::arg("compare"), nb::arg("images"), nb::arg("control").none());
  m.def("get_model", GetModel, nb::arg("name"), nb::arg("source").none(),
        nb::arg("directory").none(), nb::arg("fp16"), nb::arg("compare"),
        nb::arg("classifier"), nb::arg("quantize"), nb::arg("calibration"),
        nb::arg("control").none());
  m.def("quantize", Quantize, nb::arg("network"), nb::arg("output"),
        nb::arg("model").none(), nb::arg("role").none(), nb::arg("calibration"),
        nb::arg("are_lines"), nb::arg("mode"), nb::arg("range"),
        nb::arg("percentile"), nb::arg("integer_io"), nb::arg("exclude"),
        nb::arg("fallback"), nb::arg("max_loss"), nb::arg("max_changed"),
        nb::arg("keep_float"), nb::arg("threads"), nb::arg("control").none());
  m.def("prune", Prune, nb::arg("network"), nb::arg("output"),
        nb::arg("sparsity").none(), nb::arg("budget"), nb::arg("criterion"),
        nb::arg("calibration").none(), nb::arg("model").none(),
        nb::arg("profile").none(), nb::arg("round_to"), nb::arg("seed"),
        nb::arg("threads"), nb::arg("control").none());
  nb::class_<Evaluation>(m, "Evaluation")
      .def(nb::init<const std::string&>(), nb::arg("labels"))
      .def(
          "ignore_text",
          [](const Evaluation& self, const std::string& text) {
            Unwrap(munja::StatusOf(
                munja_evaluation_ignore_text(self.get(), text.c_str())));
          },
          nb::arg("text"))
      .def("__len__",
           [](const Evaluation& self) {
             return munja_evaluation_count(self.get());
           })
      .def(
          "image",
          [](const Evaluation& self, int index) {
            const char* const path = munja_evaluation_image(self.get(), index);
            if (path == nullptr) throw nb::index_error();
            return std::string(path);
          },
          nb::arg("index"))
      .def(
          "is_line",
          [](const Evaluation& self, int index) {
            return munja_evaluation_is_crop(self.get(), index) != 0;
          },
          nb::arg("index"))
      .def(
          "add",
          [](const Evaluation& self, int index, const Document& document) {
            Unwrap(munja::StatusOf(
                munja_evaluation_add(self.get(), index, document.page->get())));
          },
          nb::arg("index"), nb::arg("document"))
      .def("figures", [](const Evaluation& self) {
        char* json = nullptr;
        Unwrap(munja::StatusOf(munja_evaluation_figures(self.get(), &json)));
        return TakeString(json);
      });
}

}  // namespace munja_python
