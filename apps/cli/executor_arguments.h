// Who runs a model: delegates and custom operators from the command line.
#ifndef MUNJA_CLI_EXECUTOR_ARGUMENTS_H_
#define MUNJA_CLI_EXECUTOR_ARGUMENTS_H_

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/precision.h"
#include "munja/munja.hpp"

namespace munja::cli {

struct ExecutorArguments {
  // --device and its options in the order of the command line: an option
  // belongs to the device before it.
  std::vector<std::string> delegates, options;
  std::string drivers;      // Directories of drivers; "": the usual ones.
  std::vector<bool> order;  // true: a delegate; false: an option.
  std::string operators;    // A plugin; "": none.
  Precision precision;
};

// Adds --device (or `name`), --device-option and --driver-path to a group of a
// command's options. The arguments live as long as the command.
void AddDeviceOptions(CLI::App* command, ExecutorArguments* arguments,
                      const std::string& name, const std::string& group);
// The same and --operators.
void AddExecutorOptions(CLI::App* command, ExecutorArguments* arguments,
                        const std::string& name = "--device");

// Delegates and resolver, made once for a command.
class Executor {
 public:
  // On failure a message and an exit code.
  int Make(const ExecutorArguments& arguments);
  // The delegate of this name, or in this shared library. On failure a message
  // and an exit code.
  int Add(const munja::Device& device);
  // The options point into this object.
  void Fill(munja::SessionOptions* options) const;
  const std::vector<munja_delegate*>& delegates() const { return pointers_; }

 private:
  std::vector<munja::Delegate> delegates_;
  std::vector<munja_delegate*> pointers_;
  std::optional<munja::Resolver> resolver_;
  Precision precision_;
};

}  // namespace munja::cli

#endif  // MUNJA_CLI_EXECUTOR_ARGUMENTS_H_
