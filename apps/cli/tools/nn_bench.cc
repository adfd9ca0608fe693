// munja nn-bench: how fast and how exact drivers of accelerators run models,
// beside the processor.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/executor_arguments.h"
#include "cli/exit_code.h"
#include "cli/input_data.h"
#include "cli/limits.h"
#include "cli/model_arguments.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/tool_commands.h"
#include "cli/tools/nn_bench_page.h"
#include "cli/usage.h"
#include "munja/tools/tools.hpp"

namespace munja::cli {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

struct NnBenchArguments {
  std::vector<std::string> models, shapes, drivers;
  std::string folders, page;
  int threads = 0, runs = 50, samples = 4;
  bool json = false;
};

// The numbers of a tensor; nothing of texts and other types that are none.
std::optional<std::vector<double>> ValuesOf(const munja::Tensor& t) {
  const size_t size = ElementBytes(t.type());
  if (size == 0) return std::nullopt;
  std::vector<double> values(t.bytes() / size);
  const uint8_t* const bytes = t.data<uint8_t>().data();
  const auto read = [&]<class T>(T) {
    for (size_t i = 0; i < values.size(); ++i) {
      T value;
      std::memcpy(&value, bytes + i * size, sizeof value);
      values[i] = static_cast<double>(value);
    }
  };
  switch (t.type()) {
    case MUNJA_TYPE_FLOAT32:
      read(float());
      break;
    case MUNJA_TYPE_FLOAT64:
      read(double());
      break;
    case MUNJA_TYPE_INT8:
      read(int8_t());
      break;
    case MUNJA_TYPE_UINT8:
      read(uint8_t());
      break;
    case MUNJA_TYPE_INT16:
      read(int16_t());
      break;
    case MUNJA_TYPE_INT32:
      read(int32_t());
      break;
    case MUNJA_TYPE_INT64:
      read(int64_t());
      break;
    default:
      return std::nullopt;
  }
  return values;
}

struct Output {
  std::string name;
  munja_element_type type = MUNJA_TYPE_FLOAT32;
  size_t row = 0;  // Numbers of the last dimension.
  std::vector<double> values;
};

// The difference of an output from that of the processor, over all samples.
class Accuracy {
 public:
  void Add(const Output& got, const Output& want) {
    if (got.values.size() != want.values.size()) {
      is_of_other_shape_ = true;
      return;
    }
    for (size_t i = 0; i < want.values.size(); ++i) {
      const double a = got.values[i], b = want.values[i];
      // Two numbers that are none agree.
      if (std::isnan(a) && std::isnan(b)) continue;
      const double error = a == b ? 0.0 : std::abs(a - b);
      worst_ = std::isnan(error) ? error : std::max(worst_, error);
      squares_ += error * error;
      largest_ = std::max(largest_, std::abs(b));
    }
    count_ += want.values.size();
    for (size_t at = 0; want.row > 1 && at + want.row <= want.values.size();
         at += want.row) {
      const auto best = [&](const std::vector<double>& v) {
        const auto begin = v.begin() + static_cast<ptrdiff_t>(at);
        return std::max_element(begin,
                                begin + static_cast<ptrdiff_t>(want.row)) -
               begin;
      };
      ++rows_;
      agreeing_ += best(got.values) == best(want.values);
    }
  }
  Json AsJson(const Output& of) const {
    Json r;
    r["name"] = of.name;
    r["type"] = munja::NameOf(of.type);
    if (is_of_other_shape_) {
      r["problem"] = "another shape";
      return r;
    }
    r["max_error"] = worst_;
    r["mean_squared_error"] =
        count_ > 0 ? squares_ / static_cast<double>(count_) : 0.0;
    r["largest"] = largest_;
    if (rows_ > 0)
      r["same_best"] =
          static_cast<double>(agreeing_) / static_cast<double>(rows_);
    return r;
  }

 private:
  double worst_ = 0, squares_ = 0, largest_ = 0;
  size_t count_ = 0, rows_ = 0, agreeing_ = 0;
  bool is_of_other_shape_ = false;
};

// A session on the processor, or on one device.
struct Contestant {
  std::string name;
  munja::Status status;  // The first failure.
  std::optional<munja::Delegate> delegate;
  std::optional<munja::Session> session;
  double prepare_ms = 0;
  std::vector<double> times;
  std::vector<Accuracy> accuracy;
  std::vector<munja::Tensor> results;  // Outputs of the last run.
  std::vector<Output> outputs;         // The outputs of the last sample.
};

double MillisecondsSince(Clock::time_point from) {
  return std::chrono::duration<double, std::milli>(Clock::now() - from).count();
}

void Prepare(const munja::Network& model, const NnBenchArguments& a,
             Contestant* c) {
  const auto from = Clock::now();
  munja::SessionOptions options = {.threads = a.threads};
  if (c->name != "CPU") {
    munja::Device device = {"nn:" + c->name};
    if (!a.folders.empty()) device.options.emplace_back("drivers", a.folders);
    munja::Result<munja::Delegate> delegate = munja::Delegate::Create(device);
    c->status = delegate.error();
    if (!c->status.ok()) return;
    c->delegate = *std::move(delegate);
    options.delegates = {c->delegate->get()};
  }
  munja::Result<munja::Session> session =
      munja::Session::Create(model, options);
  c->status = session.error();
  if (session.ok()) c->session = *std::move(session);
  c->prepare_ms = MillisecondsSince(from);
}

// False: a problem is noted.
bool RunOnce(const InputData& inputs, Contestant* c) {
  if (!c->status.ok()) return false;
  munja::Result<std::vector<munja::Tensor>> run =
      c->session->Run(inputs.tensors());
  c->status = run.error();
  if (run.ok()) c->results = *std::move(run);
  return c->status.ok();
}

// Reports a failure of the processor, without which nothing can be compared.
int ReportProblem(const std::string& path, const Contestant& cpu) {
  const std::string problem = InOwnWords(cpu.status.message());
  if (cpu.status.code() == MUNJA_INVALID_ARGUMENT)
    return UsageError("--shape: " + problem);
  PrintError(path, problem);
  return ExitCodeOf(cpu.status.code(), Subject::kModel);
}

void TakeOutputs(Contestant* c) {
  c->outputs.clear();
  const std::vector<munja::TensorInfo> infos = c->session->outputs();
  for (size_t i = 0; i < infos.size(); ++i) {
    const munja::Tensor& tensor = c->results[i];
    Output output;
    output.name = infos[i].name;
    output.type = tensor.type();
    if (auto values = ValuesOf(tensor)) output.values = std::move(*values);
    if (!tensor.dims().empty())
      output.row = static_cast<size_t>(std::max(0, tensor.dims().back()));
    c->outputs.push_back(std::move(output));
  }
}

Json TimesOf(std::vector<double> times) {
  if (times.empty()) return nullptr;
  std::sort(times.begin(), times.end());
  const auto at = [&](double part) {
    return times[static_cast<size_t>(
        part * static_cast<double>(times.size() - 1) + 0.5)];
  };
  return {{"min", times.front()}, {"p10", at(0.1)},  {"median", at(0.5)},
          {"p90", at(0.9)},       {"p99", at(0.99)}, {"max", times.back()}};
}

Json ReportOf(const Contestant& c) {
  Json r;
  r["driver"] = c.name;
  if (!c.status.ok()) {
    r["problem"] = InOwnWords(c.status.message());
    return r;
  }
  r["prepare_ms"] = c.prepare_ms;
  r["latency_ms"] = TimesOf(c.times);
  r["runs_ms"] = c.times;
  r["outputs"] = Json::array();
  for (size_t i = 0; i < c.accuracy.size(); ++i)
    r["outputs"].push_back(c.accuracy[i].AsJson(c.outputs[i]));
  return r;
}

// On failure of the model or of the processor's run a message and a code.
int BenchModel(const std::string& path, const NnBenchArguments& a,
               Json* report) {
  std::optional<munja::Network> model;
  if (const int code = LoadModel(path, &model); code != kSuccess) return code;
  std::vector<Contestant> contestants(1);
  contestants[0].name = "CPU";
  for (const std::string& driver : a.drivers) {
    contestants.emplace_back();
    contestants.back().name = driver;
  }
  for (Contestant& c : contestants) Prepare(*model, a, &c);
  Contestant& cpu = contestants[0];
  if (!cpu.status.ok()) return ReportProblem(path, cpu);
  InputData data;
  const std::vector<munja::TensorInfo> infos = cpu.session->inputs();
  if (const int code = data.Make(infos, a.shapes); code != kSuccess)
    return code;
  for (int sample = 0; sample < a.samples; ++sample) {
    if (const int code = data.Fill(); code != kSuccess) return code;
    if (!RunOnce(data, &cpu)) return ReportProblem(path, cpu);
    TakeOutputs(&cpu);
    for (Contestant& c : contestants) {
      if (&c == &cpu || !RunOnce(data, &c)) continue;
      TakeOutputs(&c);
      c.accuracy.resize(std::min(c.outputs.size(), cpu.outputs.size()));
      for (size_t i = 0; i < c.accuracy.size(); ++i)
        c.accuracy[i].Add(c.outputs[i], cpu.outputs[i]);
    }
  }
  // In turns: a machine that becomes slower does so for all.
  for (int run = 0; run < a.runs; ++run) {
    for (Contestant& c : contestants) {
      if (const munja::Status status = CheckLimits(); !status.ok())
        return Fail(status, Subject::kInput, path);
      const auto from = Clock::now();
      if (RunOnce(data, &c)) c.times.push_back(MillisecondsSince(from));
    }
  }
  Json& r = *report;
  r["model"] = path;
  r["inputs"] = Json::array();
  for (size_t i = 0; i < infos.size(); ++i)
    r["inputs"].push_back({{"name", infos[i].name},
                           {"type", munja::NameOf(infos[i].type)},
                           {"shape", ShapeText(data.tensors()[i].dims())}});
  r["results"] = Json::array();
  for (const Contestant& c : contestants) r["results"].push_back(ReportOf(c));
  return kSuccess;
}

// Finds the drivers that `munja devices` lists.
int FindDrivers(NnBenchArguments* a) {
  const munja::Result<std::string> text = munja::Devices(a->folders);
  if (!text.ok()) return Fail(text.error(), Subject::kInput, "devices");
  const Json all = Json::parse(*text, nullptr, false);
  if (!all.is_object() || !all.contains("devices")) return kBug;
  for (const Json& device : all["devices"])
    a->drivers.push_back(TextOf(device, "name"));
  return kSuccess;
}

void PrintModel(const Json& model) {
  Printf("%s\n", TextOf(model, "model").c_str());
  Printf("  %-16s %10s %10s %10s %12s %12s %10s\n", "driver", "median ms",
         "p90 ms", "prepare ms", "max error", "of largest", "same best");
  for (const Json& r : model["results"]) {
    const std::string name = TextOf(r, "driver");
    if (r.contains("problem")) {
      Printf("  %-16s %s\n", name.c_str(), TextOf(r, "problem").c_str());
      continue;
    }
    const Json& latency = r["latency_ms"];
    double worst = 0, largest = 0, same = 1;
    for (const Json& output : r["outputs"]) {
      worst = std::max(worst, NumberOf(output, "max_error"));
      largest = std::max(largest, NumberOf(output, "largest"));
      same = std::min(same, NumberOf(output, "same_best", 1));
    }
    Printf("  %-16s %10.3f %10.3f %10.2f %12.3g %12.3g %9.1f%%\n", name.c_str(),
           NumberOf(latency, "median"), NumberOf(latency, "p90"),
           NumberOf(r, "prepare_ms"), worst,
           largest > 0 ? worst / largest : 0.0, 100 * same);
  }
}

int NnBench(NnBenchArguments a) {
  if (a.drivers.empty())
    if (const int code = FindDrivers(&a); code != kSuccess) return code;
  Json report;
  report["schema_version"] = 1;
  report["simd"] = munja::SimdName();
  report["threads"] = a.threads;
  report["runs"] = a.runs;
  report["samples"] = a.samples;
  report["models"] = Json::array();
  int result = kSuccess;
  for (const std::string& path : a.models) {
    Json model;
    const int code = BenchModel(path, a, &model);
    if (code != kSuccess) {
      // One of several leaves the others.
      if (a.models.size() == 1 || !CheckLimits().ok()) return code;
      result = kSomeFailed;
      continue;
    }
    for (const Json& r : model["results"])
      if (r.contains("problem")) result = kSomeFailed;
    if (!a.json) PrintModel(model);
    report["models"].push_back(std::move(model));
  }
  if (a.json) Print(Dump(report));
  if (!a.page.empty()) {
    const munja::Status status = munja::WriteFile(a.page, NnBenchPage(report));
    if (!status.ok()) return Fail(status, Subject::kOutput, a.page);
  }
  return FinishWith(result);
}

}  // namespace

void AddNnBench(CLI::App& app, Action* action) {
  auto a = std::make_shared<NnBenchArguments>();
  CLI::App* command = AddToolCommand(app, kNnBenchCommand);
  command->add_option("MODEL", a->models, ".tflite files")->required();
  command
      ->add_option("--driver", a->drivers,
                   "A device that 'munja devices' lists (repeatable; "
                   "default: all of them)")
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--driver-path", a->folders,
                      "Directories of drivers (default: $MUNJA_DRIVERS, else "
                      "the usual ones)");
  command
      ->add_option("--shape", a->shapes,
                   "Shape of an input with dynamic sizes: NAME=1x640x640x3")
      ->take_all()
      ->allow_extra_args(false);
  command
      ->add_option("-t,--threads", a->threads,
                   "Number of threads (default: one per core)")
      ->check(Between(0, 1024));
  command->add_option("--runs", a->runs, "Number of timed runs (default: 50)")
      ->check(Between(1, 1000000));
  command
      ->add_option("--samples", a->samples,
                   "Number of inputs whose outputs are compared (default: 4)")
      ->check(Between(1, 10000));
  command->add_option("-o,--output", a->page,
                      "Write a page of HTML with plots to this file");
  command->add_flag("-j,--json", a->json,
                    "Print JSON, with the time of each run");
  command->footer(
      "Example:\n"
      "  munja nn-bench -o drivers.html --driver cpu det.tflite \\\n"
      "    --shape x=1x640x640x3");
  command->callback([a, action] { *action = [a] { return NnBench(*a); }; });
}

}  // namespace munja::cli
