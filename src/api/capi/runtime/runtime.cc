#include "munja/runtime.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/handles.h"
#include "capi/runtime/session_options.h"
#include "capi/runtime/tensor_args.h"
#include "capi/runtime/tensor_info.h"
#include "tflite/read.h"

using munja::InvalidArgument;
using munja::NotFound;
using munja::Result;
using munja::Shape;
using munja::Status;
using munja::TensorView;
using munja::capi::ErrorOf;
using munja::capi::Guard;
using munja::capi::KeepError;
using munja::capi::ReadOptions;
using munja::capi::RequireAll;
using munja::capi::SessionUse;
using munja::graph::Graph;
using munja::graph::Signature;
using munja::graph::Subgraph;
using munja::runtime::NodeProfile;
using munja::runtime::TensorInfo;

namespace {

Status Describe(std::span<const TensorInfo> tensors, int32_t index,
                munja_tensor_info* info) {
  if (index < 0 || static_cast<size_t>(index) >= tensors.size())
    return InvalidArgument("there is no tensor " + std::to_string(index));
  return munja::capi::WriteStruct(
      munja::capi::TensorInfoOf(tensors[static_cast<size_t>(index)]), info);
}

Status Keep(Result<std::shared_ptr<Graph>> graph, munja_network** model) {
  if (!graph.ok()) return std::move(graph).TakeStatus();
  *model = new munja_network{std::move(graph.value())};
  return Status();
}

Result<const NodeProfile*> ProfileRow(const munja_session* session,
                                      int32_t index) {
  if (index < 0 || static_cast<size_t>(index) >= session->profile.size())
    return InvalidArgument("the profile has no row " + std::to_string(index));
  return &session->profile[static_cast<size_t>(index)];
}

// The place of the tensor that the signature, or else the session, names so.
Result<int32_t> Find(const munja_session& session,
                     std::span<const TensorInfo> tensors,
                     std::vector<munja::graph::ValueId> Subgraph::*ids,
                     std::vector<std::pair<std::string, munja::graph::ValueId>>
                         Signature::*names,
                     std::string_view name) {
  if (session.signature != nullptr) {
    const Subgraph& subgraph =
        session.graph
            ->subgraphs[static_cast<size_t>(session.signature->subgraph)];
    for (const auto& [text, value] : session.signature->*names) {
      if (text != name) continue;
      const auto& list = subgraph.*ids;
      const auto at = std::find(list.begin(), list.end(), value);
      if (at != list.end()) return static_cast<int32_t>(at - list.begin());
    }
  }
  for (size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].name == name) return static_cast<int32_t>(i);
  return NotFound("the model has no tensor '" + std::string(name) + "' there");
}

Result<int32_t> FindInput(const munja_session& session, const char* name) {
  return Find(session, session.session->inputs(), &Subgraph::inputs,
              &Signature::inputs, name);
}

}  // namespace

extern "C" {

munja_status munja_network_load(const char* path, munja_network** model) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(path, model));
    MUNJA_RETURN_IF_ERROR(munja::CheckControl());
    return Keep(munja::tflite::ReadFile(path), model);
  });
}

munja_status munja_network_load_bytes(const void* data, size_t size,
                                      munja_network** model) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(model));
    // Nothing, wherever it lies, is no model: the reader says so.
    if (data == nullptr && size > 0) return InvalidArgument("data is NULL");
    MUNJA_RETURN_IF_ERROR(munja::CheckControl());
    // Without an owner the reader copies what it keeps.
    return Keep(
        munja::tflite::Read({static_cast<const uint8_t*>(data), size}, nullptr),
        model);
  });
}

munja_status munja_network_load_fd(int32_t fd, int64_t offset, int64_t size,
                                   munja_network** network) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(network));
    MUNJA_RETURN_IF_ERROR(munja::CheckControl());
    MUNJA_ASSIGN_OR_RETURN(auto read, munja::ReadDescriptor(fd, offset, size));
    auto bytes = std::make_shared<const std::vector<uint8_t>>(std::move(read));
    return Keep(munja::tflite::Read(*bytes, bytes), network);
  });
}

void munja_network_free(munja_network* model) { delete model; }

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

int32_t munja_session_input_count(const munja_session* session) {
  return session ? static_cast<int32_t>(session->session->inputs().size()) : 0;
}

int32_t munja_session_output_count(const munja_session* session) {
  return session ? static_cast<int32_t>(session->session->outputs().size()) : 0;
}

munja_status munja_session_input_info(const munja_session* session,
                                      int32_t index, munja_tensor_info* info) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(session, info));
    return Describe(session->session->inputs(), index, info);
  });
}

munja_status munja_session_output_info(const munja_session* session,
                                       int32_t index, munja_tensor_info* info) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(session, info));
    return Describe(session->session->outputs(), index, info);
  });
}

munja_status munja_session_find_input(const munja_session* session,
                                      const char* name, int32_t* index) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(session, name, index));
    MUNJA_ASSIGN_OR_RETURN(*index, FindInput(*session, name));
    return Status();
  });
}

munja_status munja_session_find_output(const munja_session* session,
                                       const char* name, int32_t* index) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(session, name, index));
    MUNJA_ASSIGN_OR_RETURN(
        *index, Find(*session, session->session->outputs(), &Subgraph::outputs,
                     &Signature::outputs, name));
    return Status();
  });
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

munja_status munja_session_output_tensor(const munja_session* session,
                                         int32_t index, munja_tensor* tensor) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(session, tensor));
    const SessionUse use(session->users, SessionUse::kRead);
    MUNJA_RETURN_IF_ERROR(use.status());
    if (index < 0 || static_cast<size_t>(index) >= session->results.size())
      return InvalidArgument("the last run has no output " +
                             std::to_string(index));
    *tensor =
        munja::capi::TensorOf(session->results[static_cast<size_t>(index)]);
    return Status();
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
