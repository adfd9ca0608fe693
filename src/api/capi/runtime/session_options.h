// munja_session_options -> SessionOptions.
#ifndef MUNJA_CAPI_RUNTIME_SESSION_OPTIONS_H_
#define MUNJA_CAPI_RUNTIME_SESSION_OPTIONS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.h"
#include "base/thread_pool.h"
#include "graph/graph.h"
#include "munja/runtime.h"
#include "runtime/session.h"

namespace munja::capi {

struct SessionChoices {
  runtime::SessionOptions options;
  const graph::Signature* signature = nullptr;  // The model's; null: none.
  munja_control* control = nullptr;
};

// kInvalidArgument: the count does not fit, one is NULL.
Result<std::vector<std::shared_ptr<runtime::Delegate>>> ReadDelegates(
    munja_delegate* const* delegates, int32_t count);

// `options` may be null.
Result<SessionChoices> ReadSessionOptions(const munja_network& model,
                                          const munja_session_options* options);

// kInvalidArgument for numbers that are no precision.
Result<runtime::Precision> PrecisionOf(munja_precision precision,
                                       bool no_winograd);

// 0: a thread for each processor; 1: null, the caller's.
Result<std::shared_ptr<ThreadPool>> PoolOf(int32_t threads);

}  // namespace munja::capi

#endif  // MUNJA_CAPI_RUNTIME_SESSION_OPTIONS_H_
