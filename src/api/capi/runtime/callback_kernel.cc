// Kernels that call the callbacks of custom operators.
#include <climits>
#include <memory>
#include <string>
#include <utility>

#include "capi/runtime/op_context.h"
#include "munja/operators.h"

namespace munja::capi {
namespace {

class CallbackKernel final : public ops::Kernel {
 public:
  explicit CallbackKernel(const munja_operator& op) : op_(op) {}
  ~CallbackKernel() override {
    if (is_initialized_ && op_.free != nullptr) op_.free(op_.user, node_);
  }
  CallbackKernel(const CallbackKernel&) = delete;
  CallbackKernel& operator=(const CallbackKernel&) = delete;

  // Instead of Init: op.user is what the callbacks get.
  void Adopt(int outputs) {
    node_ = op_.user;
    outputs_ = outputs;
    is_initialized_ = true;
  }
  Status Init(const ops::NodeInfo& info) {
    outputs_ = info.outputs();
    node_ = op_.user;
    if (op_.init == nullptr) return Status();
    munja_op_context context{.info = &info, .outputs = outputs_};
    MUNJA_RETURN_IF_ERROR(
        StatusOf(op_.init(op_.user, &context, &node_), context.reason));
    is_initialized_ = true;
    return Status();
  }
  Status Prepare(ops::PrepareContext& prepare) const override {
    if (op_.prepare == nullptr) {
      if (outputs_ > 0 && !prepare.has_input(0))
        return Malformed("there is no input 0");
      for (int i = 0; i < outputs_; ++i)
        MUNJA_RETURN_IF_ERROR(
            prepare.SetOutputShape(i, prepare.input(0).shape));
      return Status();
    }
    munja_op_context context{.prepare = &prepare, .outputs = outputs_};
    return StatusOf(op_.prepare(node_, &context), context.reason);
  }
  Status Eval(ops::EvalContext& eval) const override {
    munja_op_context context{.eval = &eval, .outputs = outputs_};
    return StatusOf(op_.eval(node_, &context), context.reason);
  }

 private:
  munja_operator op_;  // Its name is not used.
  void* node_ = nullptr;
  int outputs_ = 0;
  bool is_initialized_ = false;
};

}  // namespace

Status StatusOf(munja_status status, std::string& reason) {
  const int number = static_cast<int>(status);
  if (number == MUNJA_OK) return Status();
  if (number < MUNJA_OK || number > MUNJA_NEEDS_VALUES)
    return Internal("the operator gave the unknown status " +
                    std::to_string(number));
  if (reason.empty()) reason = "the operator gave no reason";
  return Status(static_cast<Code>(number), std::move(reason));
}

std::unique_ptr<ops::Kernel> WrapKernel(const munja_operator& op, int outputs) {
  auto kernel = std::make_unique<CallbackKernel>(op);
  kernel->Adopt(outputs);
  return kernel;
}

Result<runtime::Resolver::Operator> WrapOperator(const munja_operator& op) {
  if (op.name == nullptr || op.name[0] == 0)
    return InvalidArgument("the operator has no name");
  if (op.eval == nullptr)
    return InvalidArgument(std::string(op.name) + " has no eval");
  if (op.max_version < 0)
    return InvalidArgument(std::string(op.name) + ": max_version is negative");
  runtime::Resolver::Operator entry;
  entry.max_version = op.max_version > 0 ? op.max_version : INT_MAX;
  entry.is_stateful = true;
  entry.make =
      [op](const ops::NodeInfo& info) -> Result<std::unique_ptr<ops::Kernel>> {
    auto kernel = std::make_unique<CallbackKernel>(op);
    MUNJA_RETURN_IF_ERROR(kernel->Init(info));
    return std::unique_ptr<ops::Kernel>(std::move(kernel));
  };
  return entry;
}

}  // namespace munja::capi
