// Shared libraries that are opened while the program runs.
#ifndef MUNJA_BASE_SHARED_LIBRARY_H_
#define MUNJA_BASE_SHARED_LIBRARY_H_

#include <string>
#include <utility>

#include "base/status.h"

namespace munja {

// Never closed: external code may leave threads, handlers and pointers behind.
class SharedLibrary {
 public:
  // As dlopen: a path without a slash is looked for in the system's folders.
  // kUnavailable tells what the loader said.
  static Result<SharedLibrary> Open(const std::string& path);

  // Null when the library does not show it.
  void* Find(const char* symbol) const;
  // kUnavailable names path and symbol.
  template <class Function>
  Status Require(const char* symbol, Function** function) const {
    *function = reinterpret_cast<Function*>(Find(symbol));
    if (*function != nullptr) return Status();
    return Unavailable("'" + path_ + "' has no function " + symbol);
  }
  const std::string& path() const { return path_; }
  // "foo" for "/lib/libfoo.so.1".
  std::string name() const;

 private:
  SharedLibrary(std::string path, void* handle)
      : path_(std::move(path)), handle_(handle) {}

  std::string path_;
  void* handle_;
};

}  // namespace munja

#endif  // MUNJA_BASE_SHARED_LIBRARY_H_
