#include "munja/types.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "tensor/element_type.h"

namespace munja::capi {
namespace {

// Long enough for a list of operators; the rest of a longer message is cut.
thread_local char last_error[4096] = "";

}  // namespace

munja_status SetLastError(Code code, std::string_view message) noexcept {
  const size_t size = std::min(message.size(), sizeof last_error - 1);
  std::memcpy(last_error, message.data(), size);
  last_error[size] = 0;
  return static_cast<munja_status>(code);
}

munja_status KeepError(munja_error* error, munja_status status) noexcept {
  if (status == MUNJA_OK || error == nullptr) return status;
  const size_t head = offsetof(munja_error, message);
  if (error->struct_size <= head) return status;
  error->status = status;
  const size_t room = std::min(error->struct_size, sizeof(munja_error)) - head;
  const size_t size = std::min(std::strlen(last_error), room - 1);
  std::memcpy(error->message, last_error, size);
  error->message[size] = 0;
  return status;
}

Status CopyText(std::string_view text, char** copy) {
  char* memory = static_cast<char*>(std::malloc(text.size() + 1));
  if (memory == nullptr) return OutOfMemory("no memory for text");
  if (!text.empty()) std::memcpy(memory, text.data(), text.size());
  memory[text.size()] = 0;
  *copy = memory;
  return Status();
}

static_assert(MUNJA_INVALID_ARGUMENT ==
              static_cast<int>(Code::kInvalidArgument));
static_assert(MUNJA_MALFORMED == static_cast<int>(Code::kMalformed));
static_assert(MUNJA_UNSUPPORTED == static_cast<int>(Code::kUnsupported));
static_assert(MUNJA_OUT_OF_MEMORY == static_cast<int>(Code::kOutOfMemory));
static_assert(MUNJA_IO == static_cast<int>(Code::kIo));
static_assert(MUNJA_NOT_FOUND == static_cast<int>(Code::kNotFound));
static_assert(MUNJA_UNAVAILABLE == static_cast<int>(Code::kUnavailable));
static_assert(MUNJA_CANCELLED == static_cast<int>(Code::kCancelled));
static_assert(MUNJA_INTERNAL == static_cast<int>(Code::kInternal));
static_assert(MUNJA_TIMED_OUT == static_cast<int>(Code::kTimedOut));
static_assert(MUNJA_NEEDS_VALUES == static_cast<int>(Code::kNeedsValues));

}  // namespace munja::capi

extern "C" {

const char* munja_status_name(munja_status status) {
  const int number = static_cast<int>(status);
  if (number < MUNJA_OK || number > MUNJA_NEEDS_VALUES) return "unknown";
  return munja::CodeName(static_cast<munja::Code>(number));
}

const char* munja_last_error(void) { return munja::capi::last_error; }

const char* munja_version(void) { return MUNJA_VERSION_TEXT; }

void munja_free(void* memory) { std::free(memory); }

const char* munja_element_type_name(munja_element_type type) {
  const int number = static_cast<int>(type);
  if (!munja::IsKnownElementType(number)) return "unknown";
  return munja::ElementTypeName(static_cast<munja::ElementType>(number));
}

}  // extern "C"
