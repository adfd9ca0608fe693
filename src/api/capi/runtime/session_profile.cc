// Profiles of sessions.
#include <string>

#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/handles.h"
#include "munja/runtime.h"

using munja::InvalidArgument;
using munja::Result;
using munja::Status;
using munja::capi::Guard;
using munja::capi::RequireAll;
using munja::capi::SessionUse;
using munja::runtime::NodeProfile;

namespace {

Result<const NodeProfile*> ProfileRow(const munja_session* session,
                                      int32_t index) {
  if (index < 0 || static_cast<size_t>(index) >= session->profile.size())
    return InvalidArgument("the profile has no row " + std::to_string(index));
  return &session->profile[static_cast<size_t>(index)];
}

}  // namespace

extern "C" {

int32_t munja_session_profile(munja_session* session) {
  if (session == nullptr) return 0;
  const munja_status status = Guard([&]() -> Status {
    const SessionUse use(session->users, SessionUse::kChange);
    MUNJA_RETURN_IF_ERROR(use.status());
    session->profile = session->session->Profile();
    return Status();
  });
  return status == MUNJA_OK ? static_cast<int32_t>(session->profile.size()) : 0;
}

munja_status munja_session_profile_row(const munja_session* session,
                                       int32_t index, munja_node_profile* row) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(session, row));
    const SessionUse use(session->users, SessionUse::kRead);
    MUNJA_RETURN_IF_ERROR(use.status());
    MUNJA_ASSIGN_OR_RETURN(const NodeProfile* p, ProfileRow(session, index));
    return munja::capi::WriteStruct(
        munja_node_profile{0, p->op.c_str(), p->name.c_str(), p->shapes.c_str(),
                           p->milliseconds, p->multiply_accumulates, p->runs,
                           static_cast<munja_element_type>(p->computes_in),
                           p->bytes},
        row);
  });
}

void munja_session_profile_reset(munja_session* session) {
  if (session == nullptr) return;
  (void)Guard([&]() -> Status {
    const SessionUse use(session->users, SessionUse::kChange);
    MUNJA_RETURN_IF_ERROR(use.status());
    session->session->ResetProfile();
    return Status();
  });
}

}  // extern "C"
