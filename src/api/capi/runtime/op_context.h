// The types behind munja_op_context and munja_resolver.
#ifndef MUNJA_CAPI_RUNTIME_OP_CONTEXT_H_
#define MUNJA_CAPI_RUNTIME_OP_CONTEXT_H_

#include <memory>
#include <string>

#include "base/status.h"
#include "munja/operators.h"
#include "ops/op.h"
#include "runtime/resolver.h"

// One of info, prepare and eval is set: the callback that runs.
struct munja_op_context {
  const munja::ops::NodeInfo* info = nullptr;
  munja::ops::PrepareContext* prepare = nullptr;
  munja::ops::EvalContext* eval = nullptr;
  int outputs = 0;
  std::string reason = {};  // Set by munja_op_fail.
};

struct munja_resolver {
  munja::runtime::Resolver resolver;
};

namespace munja::capi {

// Converts the result of a callback, with the reason that it left behind.
Status StatusOf(munja_status status, std::string& reason);

// The resolver's entry for callbacks. kInvalidArgument: no name or no eval.
Result<runtime::Resolver::Operator> WrapOperator(const munja_operator& op);

// A kernel with `outputs` outputs that calls op.prepare and op.eval on op.user,
// which op.free then gets.
std::unique_ptr<ops::Kernel> WrapKernel(const munja_operator& op, int outputs);

// The state that munja_op_set_state() stores in a plan.
class ForeignState final : public ops::State {
 public:
  ForeignState(void* state, void (*free)(void*)) : state_(state), free_(free) {}
  ~ForeignState() override {
    if (free_ != nullptr) free_(state_);
  }
  ForeignState(const ForeignState&) = delete;
  ForeignState& operator=(const ForeignState&) = delete;
  void* get() const { return state_; }

 private:
  void* state_;
  void (*free_)(void*);
};

}  // namespace munja::capi

#endif  // MUNJA_CAPI_RUNTIME_OP_CONTEXT_H_
