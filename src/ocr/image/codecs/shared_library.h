// Libraries that are opened when they are needed: with what they bring they
// would take milliseconds at every start of a program.
#ifndef MUNJA_IMAGE_CODECS_SHARED_LIBRARY_H_
#define MUNJA_IMAGE_CODECS_SHARED_LIBRARY_H_

#include <dlfcn.h>

#include <memory>

#include "base/fork.h"

namespace munja::image::codecs {

// Looks functions up in a library, which is never closed.
class SharedLibrary {
 public:
  explicit SharedLibrary(const char* file)
      : file_(dlopen(file, RTLD_NOW | RTLD_LOCAL)) {}

  template <class Function>
  void Find(const char* name, Function** function) {
    if (file_ == nullptr) return;
    *function = reinterpret_cast<Function*>(dlsym(file_, name));
    has_all_ = has_all_ && *function != nullptr;
  }
  bool is_usable() const { return file_ != nullptr && has_all_; }

 private:
  void* file_;
  bool has_all_ = true;
};

}  // namespace munja::image::codecs

// Defines `struct Library` with a pointer for each of the functions that
// FUNCTIONS(F) lists as F(name), and Library::Open(), which returns null where
// the file is not installed or lacks one.
#define MUNJA_SHARED_LIBRARY(file, FUNCTIONS)                        \
  struct Library {                                                   \
    FUNCTIONS(MUNJA_SHARED_POINTER)                                  \
    bool is_usable = false;                                          \
    static std::unique_ptr<const Library> Make() {                   \
      auto made = std::make_unique<Library>();                       \
      ::munja::image::codecs::SharedLibrary library(file);           \
      FUNCTIONS(MUNJA_SHARED_FIND)                                   \
      made->is_usable = library.is_usable();                         \
      return made;                                                   \
    }                                                                \
    static const Library* Open() {                                   \
      const Library& library = *::munja::MadeOnce<&Library::Make>(); \
      return library.is_usable ? &library : nullptr;                 \
    }                                                                \
  };
// The name of a member takes no parentheses.
// NOLINTNEXTLINE(bugprone-macro-parentheses)
#define MUNJA_SHARED_POINTER(name) decltype(&::name) name = nullptr;
#define MUNJA_SHARED_FIND(name) library.Find(#name, &made->name);

#endif  // MUNJA_IMAGE_CODECS_SHARED_LIBRARY_H_
