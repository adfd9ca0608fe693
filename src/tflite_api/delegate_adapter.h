// Delegates written against the TensorFlow Lite C API, for our sessions.
#ifndef MUNJA_TFLITE_API_DELEGATE_ADAPTER_H_
#define MUNJA_TFLITE_API_DELEGATE_ADAPTER_H_

#include <memory>
#include <string>

#include "base/status.h"
#include "runtime/delegate.h"
#include "tensorflow/lite/c/common.h"
#include "tflite_api/shared_state.h"

namespace munja::compat {

// `delegate` stays the caller's and outlives every session that uses it.
// `name` is for reports; "tflite" when it is empty. kInvalidArgument: null, or
// neither it nor its builder has a Prepare. `shared`: with the operators of the
// session.
//
// As in TensorFlow Lite:
// - Prepare is called once for each subgraph of a session, and again for a
//   fork; its kernels start while it replaces nodes. What is reported then is
//   in the message of the failure.
// - A delegate without kTfLiteDelegateFlagsAllowDynamicTensors is refused for
//   subgraphs with shapes that only the run finds out, and its kernels start
//   anew (free, init, prepare) when the shapes change. Others are prepared
//   again; with kTfLiteDelegateFlagsRequirePropagatedShapes the tensors inside
//   have their shapes by then.
// - An output that the delegate left in a buffer of its own (data_is_stale) is
//   copied by CopyFromBufferHandle after each invoke. An input to which the
//   delegate gave a buffer is copied there by CopyToBufferHandle before it.
//   FreeBufferHandle is called for every handle when the kernels are gone.
Result<std::shared_ptr<runtime::Delegate>> WrapDelegate(
    TfLiteDelegate* delegate, std::string name = std::string(),
    std::shared_ptr<SharedState> shared = nullptr);

// The same for a delegate that is given up: it is kept, and freed as its
// deleter says, when neither wrapper nor kernels need it.
Result<std::shared_ptr<runtime::Delegate>> WrapDelegate(
    std::shared_ptr<TfLiteDelegate> delegate, std::string name,
    std::shared_ptr<SharedState> shared = nullptr);

}  // namespace munja::compat

#endif  // MUNJA_TFLITE_API_DELEGATE_ADAPTER_H_
