#include "base/shared_library.h"

#include <dlfcn.h>

#include <utility>

namespace munja {

Result<SharedLibrary> SharedLibrary::Open(const std::string& path) {
  if (path.empty()) return InvalidArgument("the library has no path");
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const reason = dlerror();
    return Unavailable("cannot open '" + path +
                       "': " + (reason != nullptr ? reason : "unknown reason"));
  }
  return SharedLibrary(path, handle);
}

void* SharedLibrary::Find(const char* symbol) const {
  return dlsym(handle_, symbol);
}

std::string SharedLibrary::name() const {
  std::string name = path_.substr(path_.find_last_of('/') + 1);
  name = name.substr(0, name.find('.'));
  return name.starts_with("lib") ? name.substr(3) : name;
}

}  // namespace munja
