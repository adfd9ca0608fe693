#include "hal/manager/manager.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "base/environment.h"
#include "base/file.h"
#include "base/folder.h"
#include "hal/manager/vlog.h"

namespace munja::hal {
namespace {

// "npu" of "/usr/lib/libnpu.so", "" of what is no library.
std::string LibraryName(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  if (!name.ends_with(".so")) return "";
  name.remove_suffix(3);
  if (name.starts_with("lib")) name.remove_prefix(3);
  return std::string(name);
}

}  // namespace

Status ManagedDevice::CheckUsable(Clock::time_point now) const {
  const std::lock_guard lock(mutex_);
  if (failures_ == 0 || now >= usable_from_) return Status();
  return Unavailable("device " + name_ +
                     " is left alone after a failure: " + reason_);
}

void ManagedDevice::Report(const Status& status, Clock::time_point now) {
  if (status.code() == Code::kInvalidArgument ||
      status.code() == Code::kUnsupported)
    return;
  const std::lock_guard lock(mutex_);
  if (status.ok()) {
    failures_ = 0;
    return;
  }
  // Requests that were already in flight count as one failure.
  if (failures_ > 0 && now < usable_from_) return;
  failures_ = std::min(failures_ + 1, 30);
  reason_ = std::string(status.message());
  std::chrono::seconds wait = kFirstBackOff;
  for (int i = 1; i < failures_ && wait < kLongestBackOff; ++i) wait *= 2;
  usable_from_ = now + std::min(wait, kLongestBackOff);
  Vlog(Subject::kManager, [&] {
    return name_ + ": left alone after failure " + std::to_string(failures_) +
           ": " + reason_;
  });
}

std::string Manager::FolderList() {
  const std::string given = Environment("MUNJA_DRIVERS");
  if (!given.empty()) return given;
  std::string data = Environment("XDG_DATA_HOME");
  if (data.empty() && !Environment("HOME").empty())
    data = Environment("HOME") + "/.local/share";
  const std::string system =
      "/usr/local/lib/munja/drivers:/usr/lib/munja/drivers";
  return data.empty() ? system : data + "/munja/drivers:" + system;
}

std::vector<Manager::Library> Manager::Libraries(const std::string& folders) {
  std::vector<Library> libraries;
  std::stringstream list(folders.empty() ? FolderList() : folders);
  for (std::string folder; std::getline(list, folder, ':');) {
    const auto names = NamesIn(folder);
    if (!names.ok()) continue;
    for (const std::string& file : *names)
      if (const std::string name = LibraryName(file); !name.empty())
        libraries.push_back({name, folder + "/" + file});
  }
  return libraries;
}

std::shared_ptr<ManagedDevice> Manager::Kept(const std::string& key) {
  std::erase_if(opened_, [](const Entry& e) { return e.device.expired(); });
  for (const Entry& entry : opened_)
    if (entry.key == key) return entry.device.lock();
  return nullptr;
}

Result<std::shared_ptr<ManagedDevice>> Manager::Open(
    const BuiltInDriver& driver) {
  const std::string name(driver.name);
  const auto lock = mutex_.Lock();
  if (auto kept = Kept(name)) return kept;
  MUNJA_ASSIGN_OR_RETURN(
      auto device, Device::Open(driver.open(driver.name, nullptr), nullptr,
                                Keeper::kDevice));
  auto made =
      std::make_shared<ManagedDevice>(name, "built in", std::move(device));
  opened_.push_back({name, made});
  return made;
}

Result<std::shared_ptr<ManagedDevice>> Manager::Open(const std::string& name,
                                                     const std::string& path) {
  const auto lock = mutex_.Lock();
  if (auto kept = Kept(path)) return kept;
  MUNJA_ASSIGN_OR_RETURN(auto device, LoadDriver(path));
  auto made = std::make_shared<ManagedDevice>(name, path, std::move(device));
  opened_.push_back({path, made});
  Vlog(Subject::kManager, [&] { return name + ": opened " + path; });
  return made;
}

Manager::Found Manager::All(const std::string& folders) {
  Found found;
  const auto add = [&](Result<std::shared_ptr<ManagedDevice>> device) {
    if (device.ok())
      found.devices.push_back(std::move(device).value());
    else
      found.problems.emplace_back(device.status().message());
  };
  for (const BuiltInDriver& driver : built_in_)
    if (driver.is_listed) add(Open(driver));
  for (const Library& library : Libraries(folders))
    add(Open(library.name, library.path));
  return found;
}

Result<std::shared_ptr<ManagedDevice>> Manager::OpenIsolated(
    const std::string& name, const std::string& driver) {
  if (isolate_ == nullptr)
    return Unavailable("device " + name +
                       ": this build has no processes for drivers");
  const std::string key = "isolated " + driver;
  const auto lock = mutex_.Lock();
  if (auto kept = Kept(key)) return kept;
  MUNJA_ASSIGN_OR_RETURN(munja_nn_device * table, isolate_(driver));
  MUNJA_ASSIGN_OR_RETURN(auto device, Device::Open(table, nullptr));
  auto made = std::make_shared<ManagedDevice>(
      name, driver + ", in a process of its own", std::move(device));
  opened_.push_back({key, made});
  return made;
}

Result<std::shared_ptr<ManagedDevice>> Manager::Get(const std::string& name,
                                                    const std::string& folders,
                                                    bool is_isolated) {
  if (name.starts_with("unix:")) return OpenIsolated(name, name);
  if (name.find('/') != name.npos) {
    const std::string library = LibraryName(name.substr(0, name.rfind('#')));
    const std::string& shown = library.empty() ? name : library;
    return is_isolated ? OpenIsolated(shown, name) : Open(shown, name);
  }
  for (const BuiltInDriver& driver : built_in_)
    if (name == driver.name)
      return is_isolated ? OpenIsolated(name, name) : Open(driver);
  for (const Library& library : Libraries(folders))
    if (name == library.name)
      return is_isolated ? OpenIsolated(library.name, library.path)
                         : Open(library.name, library.path);
  const Found found = All(folders);
  std::string known;
  for (const auto& device : found.devices) {
    if (device->device().name() == name)
      return is_isolated ? Get(device->name(), folders, true) : device;
    known += (known.empty() ? "" : ", ") + device->name();
  }
  std::string message = "there is no device '" + name + "', only " + known;
  for (const std::string& problem : found.problems) message += "; " + problem;
  return NotFound(message);
}

}  // namespace munja::hal
