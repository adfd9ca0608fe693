// Resolvers, and operators whose kernels are callbacks.
#include "munja/operators.h"

#include <algorithm>
#include <climits>
#include <utility>

#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/op_context.h"
#include "graph/graph.h"

using munja::InvalidArgument;
using munja::NotFound;
using munja::Result;
using munja::Status;
using munja::capi::Guard;
using munja::capi::RequireAll;
using munja::ops::Kernel;
using munja::runtime::Resolver;

namespace munja::capi {
namespace {

class CallbackKernel final : public Kernel {
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

std::unique_ptr<Kernel> WrapKernel(const munja_operator& op, int outputs) {
  auto kernel = std::make_unique<CallbackKernel>(op);
  kernel->Adopt(outputs);
  return kernel;
}

Result<Resolver::Operator> WrapOperator(const munja_operator& op) {
  if (op.name == nullptr || op.name[0] == 0)
    return InvalidArgument("the operator has no name");
  if (op.eval == nullptr)
    return InvalidArgument(std::string(op.name) + " has no eval");
  if (op.max_version < 0)
    return InvalidArgument(std::string(op.name) + ": max_version is negative");
  Resolver::Operator entry;
  entry.max_version = op.max_version > 0 ? op.max_version : INT_MAX;
  entry.is_stateful = true;
  entry.make =
      [op](const ops::NodeInfo& info) -> Result<std::unique_ptr<Kernel>> {
    auto kernel = std::make_unique<CallbackKernel>(op);
    MUNJA_RETURN_IF_ERROR(kernel->Init(info));
    return std::unique_ptr<Kernel>(std::move(kernel));
  };
  return entry;
}

namespace {

munja_status Create(Resolver resolver, munja_resolver** created) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(created));
    *created = new munja_resolver{std::move(resolver)};
    return Status();
  });
}

const ops::OpImpl* FindNothing(std::string_view) { return nullptr; }

}  // namespace
}  // namespace munja::capi

extern "C" {

munja_status munja_resolver_create(munja_resolver** resolver) {
  return munja::capi::Create(Resolver(), resolver);
}

munja_status munja_resolver_create_empty(munja_resolver** resolver) {
  return munja::capi::Create(Resolver(munja::capi::FindNothing), resolver);
}

void munja_resolver_free(munja_resolver* resolver) { delete resolver; }

munja_status munja_resolver_add(munja_resolver* resolver,
                                const munja_operator* op) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(resolver, op));
    munja_operator given;
    MUNJA_RETURN_IF_ERROR(munja::capi::ReadOptions(op, &given));
    MUNJA_ASSIGN_OR_RETURN(Resolver::Operator entry,
                           munja::capi::WrapOperator(given));
    resolver->resolver.Add(given.name, given.is_builtin == 0, std::move(entry));
    return Status();
  });
}

munja_status munja_resolver_add_builtin(munja_resolver* resolver,
                                        const char* name) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(resolver, name));
    const munja::ops::OpImpl* const row = munja::ops::FindOp(name);
    if (row == nullptr)
      return NotFound("the library has no operator " + std::string(name));
    const bool is_custom =
        std::any_of(row->name.begin(), row->name.end(),
                    [](char c) { return c >= 'a' && c <= 'z'; });
    resolver->resolver.Add(
        name, is_custom,
        {row->min_version, row->max_version, row->make, false});
    return Status();
  });
}

}  // extern "C"
