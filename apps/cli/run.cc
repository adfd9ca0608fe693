// munja run: any model on NumPy arrays.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
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
#include "cli/program.h"
#include "cli/trace.h"
#include "cli/usage.h"
#include "munja/munja.hpp"
#include "munja/tools/tools.hpp"

namespace munja::cli {
namespace {

struct RunArguments {
  std::string model, output_dir, signature;
  std::vector<std::string> inputs;
  int threads = 0;
  bool reference = false;
  ExecutorArguments executor;
  std::string compare_with;
  double tolerance = -1;  // The default of a comparison.
};

// Inputs and outputs as the command line and the files call them: by the
// signature's names where there is one, else by those of the tensors.
struct Names {
  std::vector<munja::TensorInfo> inputs, outputs;
};

// A file name from a tensor's name: what could be a path is replaced.
std::string FileName(const std::string& tensor, size_t index,
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

Names NamesOf(const munja::Session& session,
              const munja::Signature* signature) {
  Names names = {session.inputs(), session.outputs()};
  if (signature == nullptr) return names;
  for (const munja::TensorInfo& input : signature->inputs)
    if (const auto at = session.FindInput(input.name); at.ok())
      names.inputs[static_cast<size_t>(*at)].name = input.name;
  for (const munja::TensorInfo& output : signature->outputs)
    if (const auto at = session.FindOutput(output.name); at.ok())
      names.outputs[static_cast<size_t>(*at)].name = output.name;
  return names;
}

int WriteOutputs(const std::vector<munja::Tensor>& outputs, const Names& names,
                 const RunArguments& a) {
  std::error_code error;
  std::filesystem::create_directories(a.output_dir, error);
  if (error) {
    PrintError(a.output_dir, "cannot make the folder: " + error.message());
    return kCannotWrite;
  }
  std::set<std::string> used;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const munja::Tensor& tensor = outputs[i];
    const std::string& name = names.outputs[i].name;
    const std::string path = a.output_dir + "/" + FileName(name, i, &used);
    const munja::Status status = munja::Array::Save(path, tensor);
    if (!status.ok()) return Fail(status, Subject::kOutput, path);
    Printf("%s\t%s\t%s\t%s\n", name.c_str(),
           munja::NameOf(tensor.type()).c_str(),
           ShapeText(tensor.dims()).c_str(), path.c_str());
  }
  return FinishOutput();
}

int RunAndWrite(munja::Session& session,
                const std::vector<munja::Tensor>& inputs, const Names& names,
                const RunArguments& a) {
  const munja::Result<std::vector<munja::Tensor>> outputs = session.Run(inputs);
  if (!outputs.ok()) return Fail(outputs.error(), Subject::kModel, a.model);
  return WriteOutputs(*outputs, names, a);
}

// The arrays must fit the model, whatever it makes of them.
int CheckArrays(munja::Session& session,
                const std::vector<munja::Tensor>& inputs,
                const std::vector<munja::TensorInfo>& infos,
                const std::vector<std::string>& files,
                const std::string& model) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].type() == infos[i].type) continue;
    PrintError(files[i], "the array is " + munja::NameOf(inputs[i].type()) +
                             ", the input '" + infos[i].name +
                             "' of the model takes " +
                             munja::NameOf(infos[i].type));
    return kBadInput;
  }
  const munja::Status status = session.Plan(inputs);
  if (status.code() != MUNJA_INVALID_ARGUMENT) return kSuccess;
  // "input 1 'mask' wants shape 1x4, given 1x5"
  const std::string& message = status.message();
  size_t number = files.size();
  if (message.starts_with("input "))
    number = std::strtoul(message.c_str() + 6, nullptr, 10);
  const std::string& file = number < files.size() ? files[number] : model;
  return Fail({MUNJA_MALFORMED, message}, Subject::kInput, file);
}

// The executor that --compare-with names.
int SecondExecutor(const RunArguments& a, const munja::SessionOptions& first,
                   Executor* executor, Comparison* comparison) {
  comparison->first_options = first;
  comparison->second_options = first;
  if (a.tolerance >= 0) comparison->tolerance = a.tolerance;
  comparison->first = a.reference ? "reference" : "cpu";
  for (const std::string& delegate : a.executor.delegates)
    comparison->first =
        (&delegate == &a.executor.delegates[0] ? "" : comparison->first + "+") +
        delegate;
  comparison->second = a.compare_with;
  munja::SessionOptions* const second = &comparison->second_options;
  second->delegates.clear();
  second->precision = MUNJA_PRECISION_FLOAT32;
  second->no_winograd = false;
  second->reference_kernels = a.compare_with == "reference";
  if (a.compare_with == "reference" || a.compare_with == "cpu") return kSuccess;
  if (const int code = executor->Add({a.compare_with}); code != kSuccess)
    return code;
  const munja_resolver* const resolver = second->resolver;
  executor->Fill(second);
  second->resolver = resolver;
  return kSuccess;
}

int Run(const RunArguments& a) {
  if (a.output_dir.empty() && a.compare_with.empty())
    return UsageError(
        "run needs --output DIR or --compare-with reference, cpu or a device");
  if (a.tolerance >= 0 && a.compare_with.empty())
    return UsageError("--tolerance needs --compare-with");
  std::optional<munja::Network> model;
  if (const int code = LoadModel(a.model, &model); code != kSuccess)
    return code;
  const std::vector<munja::Signature> signatures = model->signatures();
  const auto found =
      std::find_if(signatures.begin(), signatures.end(),
                   [&](const auto& one) { return one.key == a.signature; });
  const munja::Signature* const signature =
      found != signatures.end() ? &*found : nullptr;
  if (!a.signature.empty() && signature != nullptr &&
      signature->subgraph != 0 && !a.compare_with.empty())
    return UsageError("--compare-with compares the main subgraph; '" +
                      a.signature + "' is another one");
  munja::SessionOptions options = {.threads = a.threads,
                                   .signature = a.signature,
                                   .reference_kernels = a.reference};
  Executor executor, second;
  if (const int code = executor.Make(a.executor); code != kSuccess) return code;
  executor.Fill(&options);
  munja::Result<munja::Session> session =
      munja::Session::Create(*model, options);
  if (session.code() == MUNJA_NOT_FOUND && !a.signature.empty() &&
      signature == nullptr)
    return UsageError("--signature: " + InOwnWords(session.message()));
  if (!session.ok()) return Fail(session.error(), Subject::kModel, a.model);

  const Names names = NamesOf(*session, signature);
  const std::vector<munja::TensorInfo>& infos = names.inputs;
  std::vector<std::string> files;
  if (const int code = AssignToInputs(infos, a.inputs, "--input", &files);
      code != kSuccess)
    return code;
  std::vector<munja::Array> arrays;
  std::vector<munja::Tensor> tensors;
  for (size_t i = 0; i < infos.size(); ++i) {
    if (files[i].empty())
      return UsageError(
          "input " + std::to_string(i) + " of the model is missing: give " +
          (infos[i].name.empty() ? "--input FILE.npy for each, in order"
                                 : "--input " + infos[i].name + "=FILE.npy") +
          "; the model's inputs are, in order, " + InputsText(infos));
    munja::Result<munja::Array> array = munja::Array::Load(files[i]);
    if (!array.ok()) return Fail(array.error(), Subject::kInput, files[i]);
    tensors.push_back(array->tensor());
    arrays.push_back(*std::move(array));
  }
  if (const int code = CheckArrays(*session, tensors, infos, files, a.model);
      code != kSuccess)
    return code;
  if (!a.compare_with.empty()) {
    options.signature.clear();  // The main subgraph, by its own order.
    Comparison comparison;
    if (const int code = SecondExecutor(a, options, &second, &comparison);
        code != kSuccess)
      return code;
    const int code = CompareExecutors(*model, a.model, comparison, tensors);
    if (a.output_dir.empty() || (code != kSuccess && code != kSomeFailed))
      return code;
    const int written = RunAndWrite(*session, tensors, names, a);
    return written == kSuccess ? code : written;
  }
  return RunAndWrite(*session, tensors, names, a);
}

}  // namespace

void AddRun(CLI::App& app, Action* action) {
  auto a = std::make_shared<RunArguments>();
  CLI::App* command =
      app.add_subcommand("run", "Run a network on NumPy arrays (.npy)");
  command
      ->add_option("MODEL", a->model, "A .tflite file, or - for standard input")
      ->required();
  command
      ->add_option("--input", a->inputs,
                   "NAME=FILE.npy for each input, or FILE.npy in their order")
      ->take_all();
  command->add_option("--signature", a->signature,
                      "Run this signature of the model (default: its main "
                      "subgraph); inputs and outputs have its names");
  command
      ->add_option("-o,--output", a->output_dir,
                   "Directory for the outputs, each as NAME.npy")
      ->type_name("DIR");
  AddTraceOption(*command);
  command
      ->add_option("-t,--threads", a->threads,
                   "Number of threads (default: one per core)")
      ->check(Between(0, 1024));
  command->add_flag("--reference", a->reference, "Use the reference kernels");
  AddExecutorOptions(command, &a->executor);
  AddPrecisionOption(*command, &a->executor.precision, false);
  command
      ->add_option("--compare-with", a->compare_with,
                   "Also run reference, cpu or a device, and print the first "
                   "tensor that differs (exit code 1)")
      ->each([](const std::string& name) {
        if (name != "reference" && name != "cpu") NeedTools();
      })
      ->allow_extra_args(false);
  command
      ->add_option("--tolerance", a->tolerance,
                   "Allowed difference of floats relative to the tensor's "
                   "largest value (default: 0.0001; 1/127 after dynamically "
                   "quantized activations)")
      ->check(Between(0.0, 1.0));
  command->footer(
      "Examples:\n"
      "  munja run det.tflite --input x=page.npy --output out\n"
      "  munja run det.tflite --input x=page.npy --device opencl \\\n"
      "    --compare-with reference");
  command->callback([a, action] { *action = [a] { return Run(*a); }; });
}

}  // namespace munja::cli
