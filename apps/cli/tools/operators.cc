// munja operators: what a program must have to run certain models.
#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/model_arguments.h"
#include "cli/output.h"
#include "cli/tool_commands.h"
#include "munja/munja.hpp"
#include "munja/tools/tools.hpp"

namespace munja::cli {
namespace {

int PrintOperators(const std::vector<std::string>& paths) {
  std::vector<munja::Network> networks;
  for (const std::string& path : paths) {
    std::optional<munja::Network> network;
    if (const int code = LoadModel(path, &network); code != kSuccess)
      return code;
    networks.push_back(*std::move(network));
    // One by one first: a failure is told with its file.
    const auto one = munja::OperatorsOf({&networks.back(), 1});
    if (!one.ok()) return Fail(one.error(), Subject::kModel, path);
  }
  const munja::Result<std::string> names = munja::OperatorsOf(networks);
  if (!names.ok()) return Fail(names.error(), Subject::kModel, "");
  Print(*names);
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
