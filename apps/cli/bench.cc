// munja bench: how fast a model runs, and where the time goes.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
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
#include "cli/model_arguments.h"
#include "cli/op_profile.h"
#include "cli/output.h"
#include "cli/precision.h"
#include "cli/report.h"
#include "cli/system_memory.h"
#include "cli/trace.h"
#include "cli/usage.h"
#include "munja/munja.hpp"
#include "munja/tools/tools.hpp"

namespace munja::cli {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

struct BenchArguments {
  std::string model;
  std::vector<std::string> shapes;
  int threads = 0;
  int runs = 20;
  bool json = false, op_profile = false, top_k = false;
  ExecutorArguments executor;
};

double Milliseconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

struct Times {
  double create = 0, plan = 0, first_run = 0;
  std::vector<double> warm;  // Sorted.
  double At(double part) const {
    const double place = part * static_cast<double>(warm.size() - 1);
    return warm[static_cast<size_t>(place + 0.5)];
  }
};

int CreateSession(const munja::Network& model, const BenchArguments& a,
                  const Executor& executor, bool profile,
                  std::optional<munja::Session>* session) {
  munja::SessionOptions options = {
      .threads = a.threads, .profile = profile, .top_k = a.top_k ? 1 : 0};
  executor.Fill(&options);
  munja::Result<munja::Session> made = munja::Session::Create(model, options);
  if (!made.ok()) return Fail(made.error(), Subject::kModel, a.model);
  *session = *std::move(made);
  return kSuccess;
}

// Reports that the model refused the shapes; without --shape they are its own.
int RefusedShape(const munja::Status& status, const BenchArguments& a) {
  if (a.shapes.empty()) return Fail(status, Subject::kModel, a.model);
  return UsageError("--shape: " + InOwnWords(status.message()));
}

// The run itself; a shape that the model refuses is the user's.
int RunOnce(munja::Session& session, const InputData& inputs,
            const BenchArguments& a) {
  const munja::Status status = session.Run(inputs.tensors()).error();
  if (status.code() == MUNJA_INVALID_ARGUMENT) return RefusedShape(status, a);
  return status.ok() ? static_cast<int>(kSuccess)
                     : Fail(status, Subject::kModel, a.model);
}

void PrintTable(const Json& r) {
  Printf("model          %s\n", r["model"].get<std::string>().c_str());
  for (const auto& input : r["inputs"])
    Printf("input          %s %s %s\n",
           input["name"].get<std::string>().c_str(),
           input["type"].get<std::string>().c_str(),
           input["shape"].get<std::string>().c_str());
  Printf("threads        %d\n", r["threads"].get<int>());
  Printf("SIMD           %s\n", r["simd"].get<std::string>().c_str());
  Printf("precision      %s\n", r["precision"].get<std::string>().c_str());
  const auto& cold = r["cold_ms"];
  Printf("cold           %.2f ms (create %.2f, plan %.2f, first run %.2f)\n",
         cold["total"].get<double>(), cold["create"].get<double>(),
         cold["plan"].get<double>(), cold["first_run"].get<double>());
  const auto& warm = r["warm_ms"];
  Printf("warm, %4d runs median %.3f ms, min %.3f, max %.3f, spread %.1f %%\n",
         r["runs"].get<int>(), warm["median"].get<double>(),
         warm["min"].get<double>(), warm["max"].get<double>(),
         100 * warm["spread"].get<double>());
  const auto& memory = r["memory"];
  Printf("memory         peak %.1f MB, arena %.1f MB, packed weights %.1f MB\n",
         memory["peak_bytes"].get<double>() / 1e6,
         memory["arena_bytes"].get<double>() / 1e6,
         memory["packed_weight_bytes"].get<double>() / 1e6);
  PrintOperators(r);
}

Json Report(const BenchArguments& a,
            const std::vector<munja::TensorInfo>& infos,
            const std::vector<munja::Tensor>& tensors, const Times& times,
            const munja_memory_use& memory, int64_t peak) {
  Json r;
  r["schema_version"] = 1;
  r["model"] = a.model;
  r["threads"] = a.threads;
  r["simd"] = munja::SimdName();
  r["precision"] = PrecisionText(a.executor.precision);
  r["runs"] = a.runs;
  r["inputs"] = Json::array();
  for (size_t i = 0; i < infos.size(); ++i)
    r["inputs"].push_back({{"name", infos[i].name},
                           {"type", munja::NameOf(infos[i].type)},
                           {"shape", ShapeText(tensors[i].dims())}});
  r["cold_ms"] = {{"create", times.create},
                  {"plan", times.plan},
                  {"first_run", times.first_run},
                  {"total", times.create + times.plan + times.first_run}};
  // Spread: the middle eight tenths of the runs, as a part of the median.
  r["warm_ms"] = {{"median", times.At(0.5)},
                  {"min", times.warm.front()},
                  {"max", times.warm.back()},
                  {"p10", times.At(0.1)},
                  {"p90", times.At(0.9)},
                  {"spread", (times.At(0.9) - times.At(0.1)) / times.At(0.5)}};
  r["memory"] = {{"peak_bytes", peak},
                 {"arena_bytes", memory.arena},
                 {"packed_weight_bytes", memory.packed_weights}};
  return r;
}

int Bench(const BenchArguments& a) {
  std::optional<munja::Network> model;
  if (const int code = LoadModel(a.model, &model); code != kSuccess)
    return code;
  Executor executor;
  if (const int code = executor.Make(a.executor); code != kSuccess) return code;
  Times times;
  std::optional<munja::Session> session;
  const auto start = Clock::now();
  if (const int code = CreateSession(*model, a, executor, false, &session);
      code != kSuccess)
    return code;
  times.create = Milliseconds(start, Clock::now());
  const std::vector<munja::TensorInfo> infos = session->inputs();
  InputData data;
  if (const int code = data.Make(infos, a.shapes); code != kSuccess)
    return code;

  const auto planning = Clock::now();
  const munja::Status status = session->Plan(data.tensors());
  if (status.code() == MUNJA_INVALID_ARGUMENT) return RefusedShape(status, a);
  // Such a model runs node by node.
  if (!status.ok() && status.code() != MUNJA_NEEDS_VALUES)
    return Fail(status, Subject::kModel, a.model);
  times.plan = Milliseconds(planning, Clock::now());
  if (const int code = data.Fill(); code != kSuccess) return code;
  const auto first = Clock::now();
  if (const int code = RunOnce(*session, data, a); code != kSuccess)
    return code;
  times.first_run = Milliseconds(first, Clock::now());
  for (int i = 0; i < a.runs; ++i) {
    const auto from = Clock::now();
    if (const int code = RunOnce(*session, data, a); code != kSuccess)
      return code;
    times.warm.push_back(Milliseconds(from, Clock::now()));
  }
  std::sort(times.warm.begin(), times.warm.end());
  Json report = Report(a, infos, data.tensors(), times, session->memory(),
                       PeakResidentBytes());
  // The table comes from a session of its own: counting costs time, too.
  std::optional<munja::Session> profiled;
  if (const int code = CreateSession(*model, a, executor, true, &profiled);
      code != kSuccess)
    return code;
  for (int i = 0; i < std::min(a.runs, 10) + 1; ++i) {
    if (i == 1) profiled->ResetProfile();
    if (const int code = RunOnce(*profiled, data, a); code != kSuccess)
      return code;
  }
  if (a.op_profile) {
    Roofline roofline;
    if (const int code = roofline.Measure(a.threads); code != kSuccess)
      return code;
    report["machine"] = roofline.AsJson();
    report["operators"] = OperatorTable(*profiled, &roofline);
    report["nodes"] = NodeTable(*profiled, roofline);
  } else {
    report["operators"] = OperatorTable(*profiled, nullptr);
  }
  if (a.json) {
    Print(Dump(report));
  } else {
    PrintTable(report);
  }
  return FinishOutput();
}

}  // namespace

void AddBench(CLI::App& app, Action* action) {
  auto a = std::make_shared<BenchArguments>();
  CLI::App* command = app.add_subcommand(
      "bench", "Measure a model: cold and warm times, memory, operators");
  command
      ->add_option("MODEL", a->model, "A .tflite file, or - for standard input")
      ->required();
  command
      ->add_option("--shape", a->shapes,
                   "Shape of an input with dynamic sizes: NAME=1x640x640x3")
      ->take_all();
  AddTraceOption(*command);
  command
      ->add_option("-t,--threads", a->threads,
                   "Number of threads (default: one per core)")
      ->check(Between(0, 1024));
  command->add_option("--runs", a->runs, "Number of warm runs (default: 20)")
      ->check(Between(1, 1000000));
  command->add_flag(
      "--op-profile", a->op_profile,
      "Also print one row per operator of the graph, with its share of "
      "the machine's peak");
  command->add_flag(
      "--best-classes", a->top_k,
      "Return the best class of each row and its value, which is what text is "
      "decoded from");
  AddExecutorOptions(command, &a->executor);
  AddPrecisionOption(*command, &a->executor.precision, false);
  command->add_flag("-j,--json", a->json, "Print JSON");
  command->footer(
      "Examples:\n"
      "  munja bench det.tflite --shape x=1x640x640x3 --threads 2 --runs 50\n"
      "  munja bench det.tflite --shape x=1x640x640x3 --op-profile \\\n"
      "    --device opencl:max_partitions=2");
  command->callback([a, action] { *action = [a] { return Bench(*a); }; });
}

}  // namespace munja::cli
