#include "cli/executor_arguments.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "cli/exit_code.h"
#include "cli/program.h"

namespace munja::cli {
namespace {

// With the device that stands behind it: "nn:cpu".
bool IsKnown(const std::string& text) {
  const std::vector<std::string> known = munja::Delegate::Known();
  return std::find(known.begin(), known.end(),
                   text.substr(0, text.find(':'))) != known.end();
}

// The linker would look for a bare name in the system's folders.
std::string AsPath(const std::string& name) {
  return name.find('/') == std::string::npos ? "./" + name : name;
}

int Parse(const ExecutorArguments& arguments,
          std::vector<munja::Device>* delegates) {
  size_t option = 0;
  for (const bool is_delegate : arguments.order) {
    if (is_delegate) {
      delegates->push_back({arguments.delegates[delegates->size()], {}});
      continue;
    }
    const std::string& text = arguments.options[option++];
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      return UsageError("the option '" + text +
                        "' of a device is not of the form KEY=VALUE");
    if (delegates->empty())
      return UsageError("the option '" + text + "' comes before any device");
    delegates->back().options.emplace_back(text.substr(0, equals),
                                           text.substr(equals + 1));
  }
  return kSuccess;
}

// Where ":KEY=VALUE" begins in "nn:cpu:KEY=VALUE,KEY=VALUE"; npos: nowhere.
size_t OptionsIn(const std::string& device) {
  for (size_t at = device.find(':'); at != device.npos;
       at = device.find(':', at + 1)) {
    const size_t end = device.find_first_not_of(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-",
        at + 1);
    if (end != device.npos && end > at + 1 && device[end] == '=') return at;
  }
  return device.npos;
}

void AddDevice(const std::string& device, ExecutorArguments* arguments) {
  const size_t at = OptionsIn(device);
  arguments->delegates.push_back(device.substr(0, at));
  arguments->order.push_back(true);
  for (size_t start = at; start < device.size();) {
    const size_t end = std::min(device.find(',', start + 1), device.size());
    arguments->options.push_back(device.substr(start + 1, end - start - 1));
    arguments->order.push_back(false);
    start = end;
  }
}

}  // namespace

void AddDeviceOptions(CLI::App* command, ExecutorArguments* arguments,
                      const std::string& name, const std::string& group) {
  // Called for each value as it is read, so that the order is kept.
  command
      ->add_option_function<std::string>(
          name,
          [=](const std::string& value) {
            AddDevice(value, arguments);
            NeedTools();
          },
          "Offer the nodes to a device: nn:NAME as 'munja devices' lists, "
          "opencl, or a delegate's library; repeatable")
      ->trigger_on_parse()
      ->allow_extra_args(false)
      ->group(group);
  command
      ->add_option_function<std::string>(
          "--device-option",
          [=](const std::string& value) {
            arguments->options.push_back(value);
            arguments->order.push_back(false);
            NeedTools();
          },
          "Option of the " + name + " before it, for values with commas")
      ->trigger_on_parse()
      ->allow_extra_args(false)
      ->group(group);
  command
      ->add_option("--driver-path", arguments->drivers,
                   "Directories of drivers (default: $MUNJA_DRIVERS, else the "
                   "usual ones)")
      ->group(group);
}

void AddExecutorOptions(CLI::App* command, ExecutorArguments* arguments,
                        const std::string& name) {
  AddDeviceOptions(command, arguments, name, "Options");
  command
      ->add_option("--operators", arguments->operators,
                   "A shared library with custom operators")
      ->each([](const std::string&) { NeedTools(); });
}

int Executor::Add(const munja::Device& device) {
  munja::Result<munja::Delegate> made =
      IsKnown(device.name)
          ? munja::Delegate::Create(device)
          : munja::Delegate::Load({AsPath(device.name), device.options});
  if (made.code() == MUNJA_INVALID_ARGUMENT) return UsageError(made.message());
  if (!made.ok())
    return Fail(made.error(), Subject::kInput, "delegate " + device.name);
  pointers_.push_back(made->get());
  delegates_.push_back(*std::move(made));
  return kSuccess;
}

int Executor::Make(const ExecutorArguments& arguments) {
  precision_ = arguments.precision;
  std::vector<munja::Device> devices;
  if (const int code = Parse(arguments, &devices); code != kSuccess)
    return code;
  for (munja::Device& device : devices) {
    if (!arguments.drivers.empty() && device.name.starts_with("nn"))
      device.options.emplace_back("drivers", arguments.drivers);
    if (const int code = Add(device); code != kSuccess) return code;
  }
  if (arguments.operators.empty()) return kSuccess;
  const munja::Status status =
      resolver_.emplace().Load(AsPath(arguments.operators));
  return status.ok() ? static_cast<int>(kSuccess)
                     : Fail(status, Subject::kInput,
                            "--operators " + arguments.operators);
}

void Executor::Fill(munja::SessionOptions* options) const {
  options->resolver = resolver_ ? resolver_->get() : nullptr;
  options->precision = precision_.format;
  options->no_winograd = precision_.no_winograd;
  options->delegates = pointers_;
}

}  // namespace munja::cli
