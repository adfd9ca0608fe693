// Reading the arguments of the C interface.
#ifndef MUNJA_CAPI_RUNTIME_ARGUMENTS_H_
#define MUNJA_CAPI_RUNTIME_ARGUMENTS_H_

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "base/status.h"
#include "munja/types.h"

namespace munja::capi {

// All pointers are given.
template <class... Pointers>
Status RequireAll(const Pointers*... pointers) {
  if ((... && (pointers != nullptr))) return Status();
  return InvalidArgument("a pointer that must be given is NULL");
}

// Options of an older or newer caller: fields that it does not know are zero,
// fields that we do not know must be. NULL: all zero.
template <class Options>
Status ReadOptions(const Options* given, Options* options) {
  *options = Options{};
  if (given == nullptr) return Status();
  if (given->struct_size < sizeof(size_t))
    return InvalidArgument("struct_size of the options is not set");
  const auto* const bytes = reinterpret_cast<const unsigned char*>(given);
  for (size_t i = sizeof(Options); i < given->struct_size; ++i) {
    if (bytes[i] != 0)
      return Unsupported(
          "the caller sets an option that this older library does not have");
  }
  std::memcpy(options, given, std::min(given->struct_size, sizeof(Options)));
  options->struct_size = sizeof(Options);
  return Status();
}

// Fills a struct that the caller sized: never more than it has room for.
template <class Struct>
Status WriteStruct(Struct value, Struct* target) {
  if (target->struct_size < sizeof(size_t))
    return InvalidArgument("struct_size is not set");
  value.struct_size = std::min(target->struct_size, sizeof(Struct));
  std::memcpy(target, &value, value.struct_size);
  return Status();
}

// A copy for munja_free(). kOutOfMemory.
Status CopyText(std::string_view text, char** copy);

}  // namespace munja::capi

#endif  // MUNJA_CAPI_RUNTIME_ARGUMENTS_H_
