// Shared libraries that bring operators or a delegate.
#include "tflite_api/plugin.h"

#include <string>
#include <utility>

#include "capi/arguments.h"
#include "capi/delegate_args.h"
#include "capi/guard.h"
#include "capi/handles.h"
#include "capi/op_context.h"
#include "tflite_api/shared_library.h"
#include "munja/delegates.h"
#include "munja/operators.h"

using munja::InvalidArgument;
using munja::Status;
using munja::capi::Guard;
using munja::capi::RequireAll;
using munja::compat::SharedLibrary;

namespace {

// The name of our own convention; the other is that of munja_plugin.h.
constexpr char kRegister[] = "munja_register_operators";
using Register = munja_status(munja_resolver*);

Status LoadOperators(const char* path, munja_resolver* resolver) {
  MUNJA_ASSIGN_OR_RETURN(const SharedLibrary library,
                         SharedLibrary::Open(path));
  if (library.Find(kRegister) == nullptr)
    return munja::compat::AddOperators(library, &resolver->resolver);
  Register* add = nullptr;
  MUNJA_RETURN_IF_ERROR(library.Require(kRegister, &add));
  const munja_status status = add(resolver);
  if (status == MUNJA_OK) return Status();
  return InvalidArgument("'" + library.path() + "': " + kRegister +
                         " gave: " + munja_status_name(status));
}

}  // namespace

extern "C" {

munja_status munja_resolver_load(munja_resolver* resolver, const char* path) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(resolver, path));
    return LoadOperators(path, resolver);
  });
}

munja_status munja_delegate_load(const char* path, const char* const* keys,
                                 const char* const* values, int32_t count,
                                 munja_delegate** delegate) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(path, delegate));
    MUNJA_ASSIGN_OR_RETURN(const auto options,
                           munja::capi::ReadPairs(keys, values, count));
    MUNJA_ASSIGN_OR_RETURN(auto loaded,
                           munja::compat::LoadDelegate(path, options));
    *delegate = new munja_delegate{std::move(loaded)};
    return Status();
  });
}

}  // extern "C"
