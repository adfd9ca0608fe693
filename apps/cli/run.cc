// munja run: any model on NumPy arrays.
#include <CLI/CLI.hpp>
#include <cstdlib>
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
#include "cli/program.h"
#include "cli/trace.h"
#include "cli/usage.h"
#include "munja/munja.hpp"
#include "munja/tools/array.h"

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
  std::vector<munja_tensor_info> inputs, outputs;
};

using ArrayHandle = munja::Handle<munja_array, munja_array_free>;

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

Names NamesOf(const munja_network* model, const munja_session* session,
              const std::string& signature) {
  Names names;
  names.inputs = InputsOf(session);
  names.outputs.resize(
      static_cast<size_t>(munja_session_output_count(session)));
  for (size_t i = 0; i < names.outputs.size(); ++i) {
    names.outputs[i].struct_size = sizeof names.outputs[i];
    munja_session_output_info(session, static_cast<int32_t>(i),
                              &names.outputs[i]);
  }
  munja_signature found = {};
  found.struct_size = sizeof found;
  for (int32_t s = 0; s < munja_network_signature_count(model); ++s) {
    if (munja_network_signature(model, s, &found) != MUNJA_OK ||
        found.key != signature)
      continue;
    const char* name = nullptr;
    munja_tensor_info info = {};
    info.struct_size = sizeof info;
    int32_t at = 0;
    for (int32_t i = 0; i < found.input_count; ++i)
      if (munja_network_signature_input(model, s, i, &name, &info) ==
              MUNJA_OK &&
          munja_session_find_input(session, name, &at) == MUNJA_OK)
        names.inputs[static_cast<size_t>(at)].name = name;
    for (int32_t i = 0; i < found.output_count; ++i)
      if (munja_network_signature_output(model, s, i, &name, &info) ==
              MUNJA_OK &&
          munja_session_find_output(session, name, &at) == MUNJA_OK)
        names.outputs[static_cast<size_t>(at)].name = name;
  }
  return names;
}

// The subgraph of a signature; -1 when there is none of that name.
int32_t SubgraphOf(const munja_network* model, const std::string& signature) {
  munja_signature found = {};
  found.struct_size = sizeof found;
  for (int32_t s = 0; s < munja_network_signature_count(model); ++s)
    if (munja_network_signature(model, s, &found) == MUNJA_OK &&
        found.key == signature)
      return found.subgraph;
  return -1;
}

int WriteOutputs(const munja_session* session, const Names& names,
                 const RunArguments& a) {
  std::error_code error;
  std::filesystem::create_directories(a.output_dir, error);
  if (error) {
    PrintError(a.output_dir, "cannot make the folder: " + error.message());
    return kCannotWrite;
  }
  std::set<std::string> used;
  for (int32_t i = 0; i < munja_session_output_count(session); ++i) {
    const munja_tensor_info& info = names.outputs[static_cast<size_t>(i)];
    munja_tensor tensor;
    munja_status status = munja_session_output_tensor(session, i, &tensor);
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
                const Names& names, const RunArguments& a) {
  const munja_status status = munja_session_run(
      session, inputs.data(), static_cast<int32_t>(inputs.size()));
  if (status != MUNJA_OK) return Fail(status, Subject::kModel, a.model);
  return WriteOutputs(session, names, a);
}

// The arrays must fit the model, whatever it makes of them.
int CheckArrays(munja_session* session, const std::vector<munja_tensor>& inputs,
                const std::vector<munja_tensor_info>& infos,
                const std::vector<std::string>& files,
                const std::string& model) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].type == infos[i].type) continue;
    PrintError(files[i], std::string("the array is ") +
                             munja_element_type_name(inputs[i].type) +
                             ", the input '" + infos[i].name +
                             "' of the model takes " +
                             munja_element_type_name(infos[i].type));
    return kBadInput;
  }
  const munja_status status = munja_session_plan(
      session, inputs.data(), static_cast<int32_t>(inputs.size()));
  if (status != MUNJA_INVALID_ARGUMENT) return kSuccess;
  // "input 1 'mask' wants shape 1x4, given 1x5"
  const std::string message = LastError();
  size_t number = files.size();
  if (message.starts_with("input "))
    number = std::strtoul(message.c_str() + 6, nullptr, 10);
  const std::string& file = number < files.size() ? files[number] : model;
  return Fail(MUNJA_MALFORMED, Subject::kInput, file);
}

// The executor that --compare-with names.
int SecondExecutor(const RunArguments& a, const munja_session_options& first,
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
  munja_session_options* const second = &comparison->second_options;
  second->delegates = nullptr;
  second->delegate_count = 0;
  second->precision = MUNJA_PRECISION_FLOAT32;
  second->no_winograd = 0;
  second->reference_kernels = a.compare_with == "reference";
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

int Run(const RunArguments& a) {
  if (a.output_dir.empty() && a.compare_with.empty())
    return UsageError(
        "run needs --output DIR or --compare-with reference, cpu or a device");
  if (a.tolerance >= 0 && a.compare_with.empty())
    return UsageError("--tolerance needs --compare-with");
  ModelHandle model;
  if (const int code = LoadModel(a.model, &model); code != kSuccess)
    return code;
  const int32_t subgraph =
      a.signature.empty() ? 0 : SubgraphOf(model.get(), a.signature);
  if (subgraph != 0 && subgraph != -1 && !a.compare_with.empty())
    return UsageError("--compare-with compares the main subgraph; '" +
                      a.signature + "' is another one");
  munja_session_options options = {};
  options.struct_size = sizeof options;
  options.threads = a.threads;
  options.reference_kernels = a.reference;
  if (!a.signature.empty()) options.signature = a.signature.c_str();
  Executor executor, second;
  if (const int code = executor.Make(a.executor); code != kSuccess) return code;
  executor.Fill(&options);
  munja_session* raw_session = nullptr;
  munja_status status =
      munja_session_create(model.get(), &options, &raw_session);
  if (status == MUNJA_NOT_FOUND && subgraph == -1)
    return UsageError("--signature: " + LastError());
  if (status != MUNJA_OK) return Fail(status, Subject::kModel, a.model);
  const SessionHandle session(raw_session);

  const Names names = NamesOf(model.get(), session.get(), a.signature);
  const std::vector<munja_tensor_info>& infos = names.inputs;
  std::vector<std::string> files;
  if (const int code = AssignToInputs(infos, a.inputs, "--input", &files);
      code != kSuccess)
    return code;
  std::vector<ArrayHandle> arrays;
  std::vector<munja_tensor> tensors;
  tensors.reserve(infos.size() + 1);  // A pointer, also where there is none.
  for (size_t i = 0; i < infos.size(); ++i) {
    if (files[i].empty())
      return UsageError(
          "input " + std::to_string(i) + " of the model is missing: give " +
          (infos[i].name[0] != 0
               ? "--input " + std::string(infos[i].name) + "=FILE.npy"
               : std::string("--input FILE.npy for each, in order")) +
          "; the model's inputs are, in order, " + InputsText(infos));
    munja_array* array = nullptr;
    status = munja_array_load(files[i].c_str(), &array);
    if (status != MUNJA_OK) return Fail(status, Subject::kInput, files[i]);
    arrays.emplace_back(array);
    tensors.emplace_back();
    munja_array_tensor(array, &tensors.back());
  }
  if (const int code =
          CheckArrays(session.get(), tensors, infos, files, a.model);
      code != kSuccess)
    return code;
  if (!a.compare_with.empty()) {
    options.signature = nullptr;  // The main subgraph, by its own order.
    Comparison comparison;
    if (const int code = SecondExecutor(a, options, &second, &comparison);
        code != kSuccess)
      return code;
    const int code =
        CompareExecutors(model.get(), a.model, comparison, tensors);
    if (a.output_dir.empty() || (code != kSuccess && code != kSomeFailed))
      return code;
    const int written = RunAndWrite(session.get(), tensors, names, a);
    return written == kSuccess ? code : written;
  }
  return RunAndWrite(session.get(), tensors, names, a);
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
