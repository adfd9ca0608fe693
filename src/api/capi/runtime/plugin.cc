// Shared libraries that bring operators or a delegate.
#include <string>
#include <utility>

#include "base/shared_library.h"
#include "capi/runtime/arguments.h"
#include "capi/runtime/delegate_args.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/handles.h"
#include "capi/runtime/linked.h"
#include "capi/runtime/op_context.h"
#include "munja/delegates.h"
#include "munja/operators.h"

using munja::InvalidArgument;
using munja::SharedLibrary;
using munja::Status;
using munja::Unsupported;
using munja::capi::Guard;
using munja::capi::RequireAll;

namespace {

// The name of our own convention; the other is that of munja_plugin.h.
constexpr char kRegister[] = "munja_register_operators";
using Register = munja_status(munja_resolver*);

Status LoadOperators(const char* path, munja_resolver* resolver) {
  MUNJA_ASSIGN_OR_RETURN(const SharedLibrary library,
                         SharedLibrary::Open(path));
  const auto add_operators = munja::capi::Linked().add_operators;
  if (library.Find(kRegister) == nullptr && add_operators != nullptr)
    return add_operators(library, &resolver->resolver);
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
    const auto load = munja::capi::Linked().load_delegate;
    if (load == nullptr)
      return Unsupported("this library loads no delegates of others");
    MUNJA_ASSIGN_OR_RETURN(auto loaded, load(path, options));
    *delegate = new munja_delegate{std::move(loaded)};
    return Status();
  });
}

}  // extern "C"
