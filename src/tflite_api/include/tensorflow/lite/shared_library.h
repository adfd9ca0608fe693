// Shared libraries and their symbols.
#ifndef MUNJA_TFLITE_SHARED_LIBRARY_H_
#define MUNJA_TFLITE_SHARED_LIBRARY_H_

#include <dlfcn.h>

namespace tflite {

// Functions of the system's loader, null where something is not found.
class SharedLibrary {
 public:
  static void* LoadLibrary(const char* lib) {
    return dlopen(lib, RTLD_LAZY | RTLD_LOCAL);
  }
  static void* GetLibrarySymbol(void* handle, const char* symbol) {
    return dlsym(handle, symbol);
  }
  // A symbol of the program or of a library that it was linked with.
  static void* GetSymbol(const char* symbol) {
    return dlsym(RTLD_DEFAULT, symbol);
  }
  static int UnLoadLibrary(void* handle) { return dlclose(handle); }
  static const char* GetError() { return dlerror(); }
};

}  // namespace tflite

#endif  // MUNJA_TFLITE_SHARED_LIBRARY_H_
