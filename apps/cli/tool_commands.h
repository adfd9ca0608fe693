// The commands that munja-tools has and munja forwards: both programs list them
// with these words.
#ifndef MUNJA_CLI_TOOL_COMMANDS_H_
#define MUNJA_CLI_TOOL_COMMANDS_H_

#include "cli/help.h"

namespace munja::cli {

struct ToolCommand {
  const char *name, *summary, *group;
};
inline constexpr ToolCommand kConvertCommand = {
    "convert",
    "Convert a Paddle, ONNX or ncnn network to .tflite, or make a bundle",
    kNetworks};
inline constexpr ToolCommand kQuantizeCommand = {
    "quantize", "Quantize a model or a network to int8", kNetworks};
inline constexpr ToolCommand kPruneCommand = {
    "prune", "Remove filters from the layers of a float model", kNetworks};
inline constexpr ToolCommand kOperatorsCommand = {
    "operators", "List the operators that networks need", kNetworks};
inline constexpr ToolCommand kDevicesCommand = {
    "devices", "List devices and their drivers", kDevices};
inline constexpr ToolCommand kNnTestCommand = {
    "nn-test", "Run test cases on a driver of an accelerator", kDevices};
inline constexpr ToolCommand kNnBenchCommand = {
    "nn-bench", "Compare devices of drivers with the CPU", kDevices};
inline constexpr ToolCommand kCompletionCommand = {
    "completion", "Print completions for a shell", kShell};
inline constexpr ToolCommand kManCommand = {
    "man", "Print or write manual pages", kShell};

inline CLI::App* AddToolCommand(CLI::App& app, const ToolCommand& command) {
  CLI::App* const added = app.add_subcommand(command.name, command.summary);
  added->group(command.group);
  return added;
}

}  // namespace munja::cli

#endif  // MUNJA_CLI_TOOL_COMMANDS_H_
