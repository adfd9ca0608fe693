#include "capi/runtime/session_tensors.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/tensor_info.h"
#include "munja/runtime.h"

using munja::InvalidArgument;
using munja::NotFound;
using munja::Result;
using munja::Status;
using munja::capi::FindInput;
using munja::capi::Guard;
using munja::capi::RequireAll;
using munja::capi::SessionUse;
using munja::graph::Signature;
using munja::graph::Subgraph;
using munja::runtime::TensorInfo;

namespace {

Status DescribeTensor(std::span<const TensorInfo> tensors, int32_t index,
                      munja_tensor_info* info) {
  if (index < 0 || static_cast<size_t>(index) >= tensors.size())
    return InvalidArgument("there is no tensor " + std::to_string(index));
  return munja::capi::WriteStruct(
      munja::capi::TensorInfoOf(tensors[static_cast<size_t>(index)]), info);
}

// The place of the tensor that the signature, or else the session, names so.
Result<int32_t> FindTensor(
    const munja_session& session, std::span<const TensorInfo> tensors,
    std::vector<munja::graph::ValueId> Subgraph::*ids,
    std::vector<std::pair<std::string, munja::graph::ValueId>> Signature::*
        names,
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

}  // namespace

Result<int32_t> munja::capi::FindInput(const munja_session& session,
                                       const char* name) {
  return FindTensor(session, session.session->inputs(), &Subgraph::inputs,
                    &Signature::inputs, name);
}

extern "C" {

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
    return DescribeTensor(session->session->inputs(), index, info);
  });
}

munja_status munja_session_output_info(const munja_session* session,
                                       int32_t index, munja_tensor_info* info) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(session, info));
    return DescribeTensor(session->session->outputs(), index, info);
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
        *index, FindTensor(*session, session->session->outputs(),
                           &Subgraph::outputs, &Signature::outputs, name));
    return Status();
  });
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

}  // extern "C"
