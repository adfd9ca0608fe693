// Delegates and operators in shared libraries. Loading one runs its code: only
// what is trusted.
#ifndef MUNJA_TFLITE_API_PLUGIN_H_
#define MUNJA_TFLITE_API_PLUGIN_H_

#include <memory>
#include <span>
#include <string>

#include "base/shared_library.h"
#include "base/status.h"
#include "runtime/delegate.h"
#include "runtime/resolver.h"

namespace munja::compat {

// A delegate of a library that shows tflite_plugin_create_delegate and
// tflite_plugin_destroy_delegate, or a stable one (TFL_TheStableDelegate),
// which is made with settings of which none is set and takes no options; it
// goes by the library's name. kUnavailable: the library cannot be opened or is
// no such one; kInvalidArgument: it made no delegate (the message has what it
// reported).
Result<std::shared_ptr<runtime::Delegate>> LoadDelegate(
    const std::string& path, std::span<const runtime::DelegateOption> options);

// Adds the operators that a library shows by munja_plugin_operators (see
// munja_plugin.h). kUnavailable: it cannot be opened or is no such one;
// kInvalidArgument: an entry of its list makes no sense. Nothing is added
// then.
Status LoadOperators(const std::string& path, runtime::Resolver* resolver);
// The same for a library that is open.
Status AddOperators(const SharedLibrary& library, runtime::Resolver* resolver);

}  // namespace munja::compat

#endif  // MUNJA_TFLITE_API_PLUGIN_H_
