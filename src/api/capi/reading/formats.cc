// Output formats.
#include "munja/writer.h"

#include <string>

#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "document/writers/writer.h"

using munja::InvalidArgument;
using munja::Status;
using munja::capi::Guard;
using munja::capi::RequireAll;

extern "C" {

int32_t munja_format_count(void) {
  return static_cast<int32_t>(munja::document::AllWriters().size());
}

munja_status munja_format_get(int32_t index, munja_format* format) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(format));
    const auto writers = munja::document::AllWriters();
    if (index < 0 || static_cast<size_t>(index) >= writers.size())
      return InvalidArgument("there is no format " + std::to_string(index));
    // The rows are made of string literals.
    const munja::document::Writer& writer = writers[static_cast<size_t>(index)];
    return munja::capi::WriteStruct(
        munja_format{0, writer.name.data(), writer.extension.data(),
                     writer.mime_type.data()},
        format);
  });
}

}  // extern "C"
