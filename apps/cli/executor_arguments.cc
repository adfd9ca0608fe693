#include "cli/executor_arguments.h"

#include <algorithm>
#include <string_view>

#include "cli/exit_code.h"
#include "cli/program.h"

namespace munja::cli {
namespace {

// With the device that stands behind it: "nn:cpu".
bool IsKnown(const std::string& text) {
  const std::string name = text.substr(0, text.find(':'));
  for (int32_t i = 0; munja_delegate_known(i) != nullptr; ++i)
    if (name == munja_delegate_known(i)) return true;
  return false;
}

// The linker would look for a bare name in the system's folders.
std::string AsPath(const std::string& name) {
  return name.find('/') == std::string::npos ? "./" + name : name;
}

int Parse(const ExecutorArguments& arguments,
          std::vector<DelegateArgument>* delegates) {
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

int MakeDelegate(const DelegateArgument& argument, DelegateHandle* delegate) {
  std::vector<const char*> keys, values;
  for (const auto& [key, value] : argument.options) {
    keys.push_back(key.c_str());
    values.push_back(value.c_str());
  }
  const auto count = static_cast<int32_t>(keys.size());
  munja_delegate* made = nullptr;
  const munja_status status =
      IsKnown(argument.name)
          ? munja_delegate_create(argument.name.c_str(), keys.data(),
                                  values.data(), count, &made)
          : munja_delegate_load(AsPath(argument.name).c_str(), keys.data(),
                                values.data(), count, &made);
  if (status == MUNJA_INVALID_ARGUMENT) return UsageError(munja_last_error());
  if (status != MUNJA_OK)
    return Fail(status, Subject::kInput, "delegate " + argument.name);
  delegate->reset(made);
  return kSuccess;
}

int Executor::Make(const ExecutorArguments& arguments) {
  precision_ = arguments.precision;
  std::vector<DelegateArgument> delegates;
  if (const int code = Parse(arguments, &delegates); code != kSuccess)
    return code;
  for (DelegateArgument& argument : delegates) {
    if (!arguments.drivers.empty() && argument.name.starts_with("nn"))
      argument.options.emplace_back("drivers", arguments.drivers);
    DelegateHandle delegate;
    if (const int code = MakeDelegate(argument, &delegate); code != kSuccess)
      return code;
    Add(std::move(delegate));
  }
  if (arguments.operators.empty()) return kSuccess;
  munja_resolver* made = nullptr;
  munja_status status = munja_resolver_create(&made);
  if (status == MUNJA_OK) {
    resolver_.reset(made);
    status = munja_resolver_load(made, AsPath(arguments.operators).c_str());
  }
  return status == MUNJA_OK ? static_cast<int>(kSuccess)
                            : Fail(status, Subject::kInput,
                                   "--operators " + arguments.operators);
}

void Executor::Add(DelegateHandle delegate) {
  pointers_.push_back(delegate.get());
  delegates_.push_back(std::move(delegate));
}

void Executor::Fill(munja_session_options* options) const {
  options->resolver = resolver_.get();
  options->precision = precision_.format;
  options->no_winograd = precision_.no_winograd ? 1 : 0;
  options->delegates = pointers_.data();
  options->delegate_count = static_cast<int32_t>(pointers_.size());
}

}  // namespace munja::cli
