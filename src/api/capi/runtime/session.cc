// Sessions: creation, planning, state and memory.
#include <memory>
#include <utility>
#include <vector>

#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/handles.h"
#include "capi/runtime/session_options.h"
#include "capi/runtime/tensor_args.h"
#include "munja/runtime.h"

using munja::InvalidArgument;
using munja::Shape;
using munja::Status;
using munja::TensorView;
using munja::capi::ErrorOf;
using munja::capi::Guard;
using munja::capi::KeepError;
using munja::capi::RequireAll;
using munja::capi::SessionUse;

extern "C" {

munja_status munja_session_create(const munja_network* model,
                                  const munja_session_options* options,
                                  munja_session** session) {
  return KeepError(
      ErrorOf(options), Guard([&]() -> Status {
        MUNJA_RETURN_IF_ERROR(RequireAll(model, session));
        MUNJA_ASSIGN_OR_RETURN(
            const munja::capi::SessionChoices choices,
            munja::capi::ReadSessionOptions(*model, options));
        const munja::ControlScope scope(
            munja::capi::ControlOf(choices.control));
        MUNJA_ASSIGN_OR_RETURN(auto inner, munja::runtime::CreateSession(
                                               model->graph, choices.options));
        *session = new munja_session{std::move(inner), model->graph,
                                     choices.signature, choices.control};
        return Status();
      }));
}

munja_status munja_session_fork(const munja_session* session, int32_t threads,
                                munja_session** fork) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(session, fork));
    MUNJA_ASSIGN_OR_RETURN(auto pool, munja::capi::PoolOf(threads));
    const munja::ControlScope scope(munja::capi::ControlOf(session->control));
    MUNJA_ASSIGN_OR_RETURN(auto inner, session->session->Fork(std::move(pool)));
    *fork = new munja_session{std::move(inner), session->graph,
                              session->signature, session->control};
    return Status();
  });
}

void munja_session_free(munja_session* session) {
  if (session == nullptr) return;
  // One that a thread is using stays for that thread. In a child it may be a
  // thread that is not there, which left it in the middle of its work.
  const munja_status status = Guard([&]() -> Status {
    return SessionUse(session->users, SessionUse::kChange).status();
  });
  if (status == MUNJA_OK) delete session;
}

munja_status munja_session_plan(munja_session* session,
                                const munja_tensor* inputs, int32_t count) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(session, inputs));
    if (count < 0) return InvalidArgument("count is negative");
    const SessionUse use(session->users, SessionUse::kChange);
    MUNJA_RETURN_IF_ERROR(use.status());
    MUNJA_ASSIGN_OR_RETURN(
        const auto views,
        munja::capi::ViewsOf({inputs, static_cast<size_t>(count)}));
    const munja::ControlScope scope(munja::capi::ControlOf(session->control));
    std::vector<Shape> shapes;
    for (const TensorView& view : views) shapes.push_back(view.shape);
    return session->session->Plan(shapes).TakeStatus();
  });
}

munja_status munja_session_reset_variables(munja_session* session) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(session));
    const SessionUse use(session->users, SessionUse::kChange);
    MUNJA_RETURN_IF_ERROR(use.status());
    session->session->ResetVariables();
    return Status();
  });
}

munja_status munja_session_memory(const munja_session* session,
                                  munja_memory_use* use) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(session, use));
    const SessionUse reading(session->users, SessionUse::kRead);
    MUNJA_RETURN_IF_ERROR(reading.status());
    const munja::runtime::MemoryUse memory = session->session->memory();
    return munja::capi::WriteStruct(
        munja_memory_use{0, memory.arena, memory.packed_weights}, use);
  });
}

}  // extern "C"
