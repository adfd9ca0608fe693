// munja run: any model on NumPy arrays.
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/compare.h"
#include "cli/executor_arguments.h"
#include "cli/exit_code.h"
#include "cli/model_arguments.h"
#include "cli/output.h"
#include "cli/precision.h"
#include "munja/munja.hpp"
#include "munja/workshop.h"

namespace munja::cli {
namespace {

struct Arguments {
  std::string model, output_dir;
  std::vector<std::string> inputs;
  int threads = 0;
  bool reference = false;
  ExecutorArguments executor;
  std::string compare_with;
  double tolerance = 1e-4;
};

using ArrayHandle = api::Handle<munja_array, munja_array_free>;

// A file name from a tensor's name: what could be a path is replaced.
std::string FileName(const std::string& tensor, int32_t index,
                     std::set<std::string>* used) {
  std::string name;
  for (const char c : tensor) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       (c >= '0' && c <= '9') || c == '_' || c == '-' ||
                       c == '.';
    name += plain ? c : '_';
  }
  if (name.empty() || name[0] == '.') name = "output" + std::to_string(index);
  name.resize(std::min<size_t>(name.size(), 100));
  if (!used->insert(name).second) {
    name += "-" + std::to_string(index);
    used->insert(name);
  }
  return name + ".npy";
}

int WriteOutputs(const munja_session* session, const Arguments& a) {
  std::error_code error;
  std::filesystem::create_directories(a.output_dir, error);
  if (error) {
    PrintError(a.output_dir, "cannot make the folder: " + error.message());
    return kCannotWrite;
  }
  std::set<std::string> used;
  for (int32_t i = 0; i < munja_session_output_count(session); ++i) {
    munja_tensor_info info;
    munja_tensor tensor;
    munja_status status = munja_session_output(session, i, &info);
    if (status == MUNJA_OK) status = munja_session_result(session, i, &tensor);
    if (status != MUNJA_OK) return Fail(status, Subject::kModel, a.model);
    const std::string path = a.output_dir + "/" + FileName(info.name, i, &used);
    status = munja_array_save(path.c_str(), &tensor);
    if (status != MUNJA_OK) return Fail(status, Subject::kOutput, path);
    Printf("%s\t%s\t%s\t%s\n", info.name, munja_element_type_name(tensor.type),
           ShapeText(tensor.rank, tensor.dims).c_str(), path.c_str());
  }
  return FinishOutput();
}

int RunAndWrite(munja_session* session, const std::vector<munja_tensor>& inputs,
                const Arguments& a) {
  const munja_status status = munja_session_run(
      session, inputs.data(), static_cast<int32_t>(inputs.size()));
  if (status == MUNJA_INVALID_ARGUMENT)  // The arrays do not fit the model.
    return Fail(MUNJA_MALFORMED, Subject::kInput, a.model);
  if (status != MUNJA_OK) return Fail(status, Subject::kModel, a.model);
  return WriteOutputs(session, a);
}

// The executor that --compare-with names.
int SecondExecutor(const Arguments& a, const munja_session_options& first,
                   Executor* executor, Comparison* comparison) {
  comparison->first_options = first;
  comparison->second_options = first;
  comparison->tolerance = a.tolerance;
  comparison->first = a.reference ? "reference" : "cpu";
  for (const std::string& delegate : a.executor.delegates)
    comparison->first =
        (&delegate == &a.executor.delegates[0] ? "" : comparison->first + "+") +
        delegate;
  comparison->second = a.compare_with;
  munja_session_options* const second = &comparison->second_options;
  second->delegates = nullptr;
  second->delegate_count = 0;
  second->precision = MUNJA_PRECISION_FLOAT32;
  second->use_reference = a.compare_with == "reference";
  if (a.compare_with == "reference" || a.compare_with == "cpu") return kSuccess;
  DelegateHandle delegate;
  if (const int code = MakeDelegate({a.compare_with, {}}, &delegate);
      code != kSuccess)
    return code;
  executor->Add(std::move(delegate));
  const munja_resolver* const resolver = second->resolver;
  executor->Fill(second);
  second->resolver = resolver;
  return kSuccess;
}

int Run(const Arguments& a) {
  if (a.output_dir.empty() && a.compare_with.empty())
    return UsageError("run needs --output-dir or --compare-with");
  munja_model* raw_model = nullptr;
  munja_status status = munja_model_load(a.model.c_str(), &raw_model);
  if (status != MUNJA_OK) return Fail(status, Subject::kModel, a.model);
  const ModelHandle model(raw_model);
  munja_session_options options = {};
  options.struct_size = sizeof options;
  options.threads = a.threads;
  options.use_reference = a.reference;
  Executor executor, second;
  if (const int code = executor.Make(a.executor); code != kSuccess) return code;
  executor.Fill(&options);
  munja_session* raw_session = nullptr;
  status = munja_session_create(model.get(), &options, &raw_session);
  if (status != MUNJA_OK) return Fail(status, Subject::kModel, a.model);
  const SessionHandle session(raw_session);

  const std::vector<munja_tensor_info> infos = InputsOf(session.get());
  std::vector<std::string> files;
  if (const int code = AssignToInputs(infos, a.inputs, "--input", &files);
      code != kSuccess)
    return code;
  std::vector<ArrayHandle> arrays;
  std::vector<munja_tensor> tensors;
  for (size_t i = 0; i < infos.size(); ++i) {
    if (files[i].empty())
      return UsageError("the model's input '" + std::string(infos[i].name) +
                        "' (" + munja_element_type_name(infos[i].type) + " " +
                        ShapeText(infos[i].rank, infos[i].dims) +
                        ") needs --input " + infos[i].name + "=FILE.npy");
    munja_array* array = nullptr;
    status = munja_array_load(files[i].c_str(), &array);
    if (status != MUNJA_OK) return Fail(status, Subject::kInput, files[i]);
    arrays.emplace_back(array);
    tensors.emplace_back();
    munja_array_tensor(array, &tensors.back());
  }
  if (!a.compare_with.empty()) {
    Comparison comparison;
    if (const int code = SecondExecutor(a, options, &second, &comparison);
        code != kSuccess)
      return code;
    const int code =
        CompareExecutors(model.get(), a.model, comparison, tensors);
    if (a.output_dir.empty() || (code != kSuccess && code != kSomeFailed))
      return code;
    const int written = RunAndWrite(session.get(), tensors, a);
    return written == kSuccess ? code : written;
  }
  return RunAndWrite(session.get(), tensors, a);
}

}  // namespace

void AddRun(CLI::App& app, Action* action) {
  auto a = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("run", "Run a model on NumPy arrays (.npy)");
  command->add_option("MODEL", a->model, "A .tflite file")->required();
  command
      ->add_option("--input", a->inputs,
                   "NAME=FILE.npy for each input (FILE.npy alone where there "
                   "is one)")
      ->take_all();
  command->add_option("--output-dir", a->output_dir,
                      "Folder that gets each output as NAME.npy");
  command->add_option("--threads", a->threads, "Threads (default: all)")
      ->check(CLI::Range(0, 1024));
  command->add_flag("--reference", a->reference,
                    "Use the slow reference kernels");
  AddExecutorOptions(command, &a->executor);
  AddPrecisionOption(*command, &a->executor.precision);
  command
      ->add_option("--compare-with", a->compare_with,
                   "Run a second executor, too (reference, cpu or a delegate), "
                   "and name the first tensor that differs: exit code 1")
      ->allow_extra_args(false);
  command
      ->add_option("--tolerance", a->tolerance,
                   "What floats may differ by, as a part of the tensor's "
                   "largest value (default: 0.0001)")
      ->check(CLI::Range(0.0, 1.0));
  command->footer(
      "Examples:\n"
      "  munja run det.tflite --input x=page.npy --output-dir out\n"
      "  munja run det.tflite --input x=page.npy --delegate sample \\\n"
      "    --compare-with reference");
  command->callback([a, action] { *action = [a] { return Run(*a); }; });
}

}  // namespace munja::cli
