// Running sessions.
#include <string>
#include <vector>

#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/handles.h"
#include "capi/runtime/session_tensors.h"
#include "capi/runtime/tensor_args.h"
#include "munja/runtime.h"

using munja::InvalidArgument;
using munja::Status;
using munja::TensorView;
using munja::capi::FindInput;
using munja::capi::Guard;
using munja::capi::RequireAll;
using munja::capi::SessionUse;

extern "C" {

munja_status munja_session_run(munja_session* session,
                               const munja_tensor* inputs, int32_t count) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(session));
    if (count < 0 || (count > 0 && inputs == nullptr))
      return InvalidArgument("count does not fit the inputs");
    const SessionUse use(session->users, SessionUse::kChange);
    MUNJA_RETURN_IF_ERROR(use.status());
    session->results.clear();
    MUNJA_ASSIGN_OR_RETURN(
        const auto views,
        munja::capi::ViewsOf({inputs, static_cast<size_t>(count)}));
    for (const TensorView& view : views) {
      if (view.data == nullptr && view.shape.elements() > 0)
        return InvalidArgument("an input has no data");
    }
    const munja::ControlScope scope(munja::capi::ControlOf(session->control));
    MUNJA_ASSIGN_OR_RETURN(const auto results, session->session->Run(views));
    session->results.assign(results.begin(), results.end());
    return Status();
  });
}

munja_status munja_session_run_named(munja_session* session,
                                     const char* const* names,
                                     const munja_tensor* inputs,
                                     int32_t count) {
  std::vector<munja_tensor> ordered;
  const munja_status status = Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(session));
    if (count < 0 || (count > 0 && (inputs == nullptr || names == nullptr)))
      return InvalidArgument("count does not fit the inputs");
    const size_t wanted = session->session->inputs().size();
    if (static_cast<size_t>(count) != wanted)
      return InvalidArgument("the model has " + std::to_string(wanted) +
                             " inputs, " + std::to_string(count) +
                             " were given");
    ordered.resize(wanted);
    std::vector<bool> is_given(wanted);
    for (int32_t i = 0; i < count; ++i) {
      MUNJA_RETURN_IF_ERROR(RequireAll(names[i]));
      MUNJA_ASSIGN_OR_RETURN(const int32_t at, FindInput(*session, names[i]));
      if (is_given[at])
        return InvalidArgument("input '" + std::string(names[i]) +
                               "' is given twice");
      is_given[at] = true;
      ordered[at] = inputs[i];
    }
    return Status();
  });
  if (status != MUNJA_OK) return status;
  return munja_session_run(session, ordered.data(), count);
}

}  // extern "C"
