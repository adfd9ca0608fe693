#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "document.h"
#include "engine.h"
#include "munja/devices.h"
#include "options.h"

namespace munja_python {
namespace {

Engine Create(const std::string& model, int threads,
              const std::string& settings, const std::string& precision,
              const std::vector<DeviceOption>& devices,
              const std::string& words, const std::string& allowed_characters,
              const std::string& denied_characters,
              const std::string& languages, Control* control) {
  munja::EngineOptions options;
  options.model = model;
  options.threads = threads;
  options.settings = settings;
  options.precision = PrecisionOf(precision);
  options.devices = DevicesOf(devices);
  options.words = words;
  options.allowed_characters = allowed_characters;
  options.denied_characters = denied_characters;
  options.languages = languages;
  Call call(control);
  options.control = call.control();
  return Engine(std::make_shared<munja::Engine>(
      Unwrap(call.Run([&] { return munja::Engine::Create(options); }))));
}

using Corners = std::array<std::pair<float, float>, 4>;

Document Read(const Engine& self, const Image& image, const std::string& task,
              const std::vector<Corners>& boxes,
              std::optional<float> min_confidence,
              const std::optional<std::array<int, 4>>& region,
              const std::string& dump_directory, Control* control) {
  const std::shared_ptr<munja::Engine> engine = self.get();
  munja::ReadOptions options;
  options.min_confidence = min_confidence;
  options.dump_directory = dump_directory;
  if (region) {
    const auto [left, top, width, height] = *region;
    options.region = munja::Box{
        static_cast<float>(left), static_cast<float>(top),
        static_cast<float>(left + width), static_cast<float>(top + height)};
  }
  std::vector<munja::Polygon> polygons;
  for (const Corners& corners : boxes) {
    munja::Polygon& polygon = polygons.emplace_back();
    for (size_t i = 0; i < 4; ++i)
      polygon[i] = {corners[i].first, corners[i].second};
  }
  Call call(control);
  options.control = call.control();
  auto page = call.Run([&]() -> munja::Result<munja::Page> {
    if (task == "page") return engine->Read(image.image, options);
    if (task == "detect") return engine->Detect(image.image, options);
    if (task == "line") return engine->ReadLine(image.image, options);
    if (task == "boxes")
      return engine->ReadLines(image.image, polygons, options);
    return munja::Status(MUNJA_INVALID_ARGUMENT,
                         "task must be 'page', 'detect', 'line' or 'boxes'");
  });
  return {std::make_shared<const munja::Page>(Unwrap(std::move(page)))};
}

}  // namespace

munja_precision PrecisionOf(const std::string& name) {
  if (name.empty()) return MUNJA_PRECISION_DEFAULT;
  if (name == "fp32") return MUNJA_PRECISION_FLOAT32;
  if (name == "fp16") return MUNJA_PRECISION_FLOAT16;
  if (name == "mixed") return MUNJA_PRECISION_MIXED;
  Raise({MUNJA_INVALID_ARGUMENT,
         "precision must be 'fp32', 'fp16' or 'mixed', not '" + name + "'"});
}

std::vector<munja::Device> DevicesOf(const std::vector<DeviceOption>& devices) {
  std::vector<munja::Device> result;
  for (const auto& [name, options] : devices)
    result.push_back({name, {options.begin(), options.end()}});
  return result;
}

void BindEngine(nb::module_& m) {
  nb::class_<Engine>(m, "Engine")
      .def_static("create", Create, nb::arg("model"), nb::arg("threads"),
                  nb::arg("settings"), nb::arg("precision"), nb::arg("devices"),
                  nb::arg("words"), nb::arg("allowed_characters"),
                  nb::arg("denied_characters"), nb::arg("languages"),
                  nb::arg("control").none())
      .def("read", Read, nb::arg("image"), nb::arg("task"), nb::arg("boxes"),
           nb::arg("min_confidence").none(), nb::arg("region").none(),
           nb::arg("dump_directory"), nb::arg("control").none())
      .def_prop_ro("name",
                   [](const Engine& self) { return self.get()->name(); })
      .def_prop_ro("settings",
                   [](const Engine& self) { return self.get()->settings(); })
      .def_prop_ro("closed", &Engine::is_closed)
      .def("close", &Engine::Close);
  m.def("models", [] { return Unwrap(munja::Model::List()); });
  m.def("catalog", [] { return Unwrap(munja::Model::Catalog()); });
  m.def("system", [] { return Unwrap(munja::DescribeSystem()); });
  m.def("version", munja_version);
  m.def(
      "devices",
      [](const std::string& directories) {
        char* json = nullptr;
        Unwrap(munja::StatusOf(munja_devices(directories.c_str(), &json)));
        return TakeString(json);
      },
      nb::arg("directories") = "");
}

}  // namespace munja_python
