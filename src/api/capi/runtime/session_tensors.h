// Inputs and outputs of a session by name.
#ifndef MUNJA_CAPI_RUNTIME_SESSION_TENSORS_H_
#define MUNJA_CAPI_RUNTIME_SESSION_TENSORS_H_

#include <cstdint>

#include "base/status.h"
#include "capi/runtime/handles.h"

namespace munja::capi {

// The index of the input that the signature, or else the session, names so.
Result<int32_t> FindInput(const munja_session& session, const char* name);

}  // namespace munja::capi

#endif  // MUNJA_CAPI_RUNTIME_SESSION_TENSORS_H_
