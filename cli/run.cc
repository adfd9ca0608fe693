// munja run: any model on NumPy arrays.
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/model_arguments.h"
#include "cli/output.h"
#include "munja/munja.hpp"
#include "munja/workshop.h"

namespace munja::cli {
namespace {

struct Arguments {
  std::string model, output_dir;
  std::vector<std::string> inputs;
  int threads = 0;
  bool reference = false;
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

int Run(const Arguments& a) {
  munja_model* raw_model = nullptr;
  munja_status status = munja_model_load(a.model.c_str(), &raw_model);
  if (status != MUNJA_OK) return Fail(status, Subject::kModel, a.model);
  const ModelHandle model(raw_model);
  munja_session_options options = {};
  options.struct_size = sizeof options;
  options.threads = a.threads;
  options.use_reference = a.reference;
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
  status = munja_session_run(session.get(), tensors.data(),
                             static_cast<int32_t>(tensors.size()));
  if (status == MUNJA_INVALID_ARGUMENT)  // The arrays do not fit the model.
    return Fail(MUNJA_MALFORMED, Subject::kInput, a.model);
  if (status != MUNJA_OK) return Fail(status, Subject::kModel, a.model);
  return WriteOutputs(session.get(), a);
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
  command
      ->add_option("--output-dir", a->output_dir,
                   "Folder that gets each output as NAME.npy")
      ->required();
  command->add_option("--threads", a->threads, "Threads (default: all)")
      ->check(CLI::Range(0, 1024));
  command->add_flag("--reference", a->reference,
                    "Use the slow reference kernels");
  command->footer(
      "Example:\n"
      "  munja run det.tflite --input x=page.npy --output-dir out");
  command->callback([a, action] { *action = [a] { return Run(*a); }; });
}

}  // namespace munja::cli
