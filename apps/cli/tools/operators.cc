// munja operators: what a program must have to run certain models.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/model_arguments.h"
#include "cli/output.h"
#include "cli/tool_commands.h"
#include "munja/munja.hpp"
#include "munja/tools/inspect.h"

namespace munja::cli {
namespace {

int PrintOperators(const std::vector<std::string>& paths) {
  std::vector<ModelHandle> models;
  std::vector<const munja_network*> pointers;
  for (const std::string& path : paths) {
    ModelHandle model;
    if (const int code = LoadModel(path, &model); code != kSuccess) return code;
    // One by one first: a failure is told with its file.
    char* names = nullptr;
    pointers.push_back(model.get());
    models.push_back(std::move(model));
    const munja_status one =
        munja_network_operators(&pointers.back(), 1, &names);
    if (one != MUNJA_OK) return Fail(one, Subject::kModel, path);
    munja_free(names);
  }
  char* names = nullptr;
  const munja_status status = munja_network_operators(
      pointers.data(), static_cast<int32_t>(pointers.size()), &names);
  if (status != MUNJA_OK) return Fail(status, Subject::kModel, "");
  Print(munja::TakeText(names));
  return FinishOutput();
}

}  // namespace

void AddOperators(CLI::App& app, Action* action) {
  auto paths = std::make_shared<std::vector<std::string>>();
  CLI::App* command = AddToolCommand(app, kOperatorsCommand);
  command
      ->add_option("MODEL", *paths, "A .tflite file, or - for standard input")
      ->required();
  command->footer(
      "Example:\n"
      "  munja operators det.tflite rec.tflite");
  command->callback([paths, action] {
    *action = [paths] { return PrintOperators(*paths); };
  });
}

}  // namespace munja::cli
