// The types behind the opaque handles of the runtime's C interface.
#ifndef MUNJA_CAPI_RUNTIME_HANDLES_H_
#define MUNJA_CAPI_RUNTIME_HANDLES_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/control.h"
#include "base/thread_pool.h"
#include "capi/runtime/session_use.h"
#include "graph/graph.h"
#include "runtime/delegate.h"
#include "runtime/session.h"
#include "tensor/npy.h"

struct munja_control {
  munja::Control control;
  munja_control(const munja::Control::Limits& limits,
                munja::Control::Progress progress)
      : control(limits, std::move(progress)) {}
};

struct munja_network {
  std::shared_ptr<const munja::graph::Graph> graph;
};

struct munja_session {
  std::unique_ptr<munja::runtime::Session> session;
  std::shared_ptr<const munja::graph::Graph> graph;
  // One of the graph's, or null: the names are those of the tensors.
  const munja::graph::Signature* signature = nullptr;
  munja_control* control = nullptr;  // Used for plans and runs; may be null.
  std::vector<munja::TensorView> results = {};  // Outputs of the last run.
  std::vector<munja::runtime::NodeProfile> profile = {};  // The last snapshot.
  mutable munja::capi::Users users{0};
};

struct munja_delegate {
  std::shared_ptr<munja::runtime::Delegate> delegate;
};

struct munja_thread_pool {
  std::shared_ptr<munja::ThreadPool> pool;  // Null: the caller's thread alone.
};

struct munja_array {
  munja::NpyArray array;
};

namespace munja::capi {

// For ControlScope: what a caller gave in its options, else what holds anyway.
inline Control* ControlOf(munja_control* given) {
  return given != nullptr ? &given->control : CurrentControl();
}

}  // namespace munja::capi

#endif  // MUNJA_CAPI_RUNTIME_HANDLES_H_
