// Resolvers.
#include "munja/operators.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/op_context.h"

using munja::NotFound;
using munja::Status;
using munja::capi::Guard;
using munja::capi::RequireAll;
using munja::runtime::Resolver;

namespace {

munja_status CreateResolver(Resolver resolver, munja_resolver** created) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(created));
    *created = new munja_resolver{std::move(resolver)};
    return Status();
  });
}

const munja::ops::OpImpl* FindNothing(std::string_view) { return nullptr; }

}  // namespace

extern "C" {

munja_status munja_resolver_create(munja_resolver** resolver) {
  return CreateResolver(Resolver(), resolver);
}

munja_status munja_resolver_create_empty(munja_resolver** resolver) {
  return CreateResolver(Resolver(FindNothing), resolver);
}

void munja_resolver_free(munja_resolver* resolver) { delete resolver; }

munja_status munja_resolver_add(munja_resolver* resolver,
                                const munja_operator* op) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(resolver, op));
    munja_operator given;
    MUNJA_RETURN_IF_ERROR(munja::capi::ReadOptions(op, &given));
    MUNJA_ASSIGN_OR_RETURN(Resolver::Operator entry,
                           munja::capi::WrapOperator(given));
    resolver->resolver.Add(given.name, given.is_builtin == 0, std::move(entry));
    return Status();
  });
}

munja_status munja_resolver_add_builtin(munja_resolver* resolver,
                                        const char* name) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(resolver, name));
    const munja::ops::OpImpl* const row = munja::ops::FindOp(name);
    if (row == nullptr)
      return NotFound("the library has no operator " + std::string(name));
    const bool is_custom =
        std::any_of(row->name.begin(), row->name.end(),
                    [](char c) { return c >= 'a' && c <= 'z'; });
    resolver->resolver.Add(
        name, is_custom,
        {row->min_version, row->max_version, row->make, false});
    return Status();
  });
}

}  // extern "C"
