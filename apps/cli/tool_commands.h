// The commands that munja-tools has and munja forwards: both programs list them
// with these words.
#ifndef MUNJA_CLI_TOOL_COMMANDS_H_
#define MUNJA_CLI_TOOL_COMMANDS_H_

#include "cli/commands.h"

namespace munja::cli {

struct ToolCommand {
  const char *name, *summary;
};
inline constexpr ToolCommand kServeCommand = {
    "serve", "Read images that come over HTTP"};
inline constexpr ToolCommand kConvertCommand = {
    "convert",
    "Convert a Paddle, ONNX or ncnn network to .tflite, or make a bundle"};
inline constexpr ToolCommand kQuantizeCommand = {
    "quantize", "Quantize a model or a network to int8"};
inline constexpr ToolCommand kPruneCommand = {
    "prune", "Remove filters from the layers of a float model"};
inline constexpr ToolCommand kOperatorsCommand = {
    "operators", "List the operators that networks need"};
inline constexpr ToolCommand kDevicesCommand = {
    "devices", "List devices and their drivers"};
inline constexpr ToolCommand kNnTestCommand = {
    "nn-test", "Run test cases on a driver of an accelerator"};
inline constexpr ToolCommand kNnBenchCommand = {
    "nn-bench", "Compare devices of drivers with the CPU"};
inline constexpr ToolCommand kCompletionCommand = {
    "completion", "Print completions for a shell"};
inline constexpr ToolCommand kManCommand = {"man",
                                            "Print or write manual pages"};

// Adds it by these words; the arguments are the caller's to add.
CLI::App* AddToolCommand(CLI::App& app, const ToolCommand& command);

}  // namespace munja::cli

#endif  // MUNJA_CLI_TOOL_COMMANDS_H_
