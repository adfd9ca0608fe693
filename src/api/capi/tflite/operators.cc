// Operators given as TfLiteRegistration.
#include "munja/tools/tflite.h"

#include <string>

#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/op_context.h"
#include "tflite_api/external_operator.h"

using munja::InvalidArgument;
using munja::Status;
using munja::capi::Guard;
using munja::capi::RequireAll;

extern "C" {

munja_status munja_resolver_add_tflite(munja_resolver* resolver,
                                       const char* name, int32_t is_builtin,
                                       const void* registration) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(
        RequireAll(resolver, name, static_cast<const char*>(registration)));
    if (name[0] == 0) return InvalidArgument("the operator has no name");
    const auto* const given =
        static_cast<const TfLiteRegistration*>(registration);
    if (given->invoke == nullptr)
      return InvalidArgument(std::string(name) + " has no invoke");
    resolver->resolver.Add(name, is_builtin == 0,
                           munja::compat::WrapRegistration(*given));
    return Status();
  });
}

}  // extern "C"
