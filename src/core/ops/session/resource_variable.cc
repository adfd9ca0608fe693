// VAR_HANDLE, READ_VARIABLE, ASSIGN_VARIABLE: tensors that a session keeps
// from run to run, by name.
#include <cstring>
#include <string>
#include <utility>

#include "base/buffer.h"
#include "ops/op.h"
#include "ops/support/operands.h"
#include "ops/support/resource.h"

namespace munja::ops::resource_variable {
namespace {

struct Variable : State {
  bool is_assigned = false;
  ElementType type = ElementType::kFloat32;
  Shape shape;
  size_t bytes = 0;
  Buffer data;  // May be larger.
};

class VarHandleKernel final : public HandleKernel {
 public:
  using HandleKernel::HandleKernel;
  VarHandleKernel(const std::string& container, const std::string& name,
                  Shape shape)
      : HandleKernel("variable/" + container + "/" + name, shape) {}

 private:
  std::unique_ptr<State> MakeContent() const override {
    return std::make_unique<Variable>();
  }
};

class ReadKernel final : public Kernel {
 public:
  bool needs_host() const override { return true; }
  Status Prepare(PrepareContext& context) const override {
    MUNJA_RETURN_IF_ERROR(CheckResource(context.input(0)));
    context.DeferOutputShape(0);
    return Status();
  }
  Status Eval(EvalContext& context) const override {
    MUNJA_ASSIGN_OR_RETURN(const Variable* const variable,
                           FindResource<Variable>(context, 0, "variable"));
    if (!variable->is_assigned)
      return InvalidArgument("reads a variable that was given no value");
    if (variable->type != context.output(0).type) {
      return Malformed(std::string("reads a variable of type ") +
                       ElementTypeName(variable->type) + " as " +
                       ElementTypeName(context.output(0).type));
    }
    MUNJA_RETURN_IF_ERROR(
        context.ResizeOutput(0, variable->shape, variable->bytes));
    if (variable->bytes > 0)
      std::memcpy(context.output(0).data, variable->data.data(),
                  variable->bytes);
    return Status();
  }
};

class AssignKernel final : public Kernel {
 public:
  bool needs_host() const override { return true; }
  Status Prepare(PrepareContext& context) const override {
    return CheckResource(context.input(0));
  }
  Status Eval(EvalContext& context) const override {
    MUNJA_ASSIGN_OR_RETURN(Variable* const variable,
                           FindResource<Variable>(context, 0, "variable"));
    const TensorView& value = context.input(1);
    if (value.bytes > variable->data.size()) {
      variable->is_assigned = false;
      variable->data = Buffer();
      MUNJA_ASSIGN_OR_RETURN(variable->data, Buffer::Allocate(value.bytes));
    }
    if (value.bytes > 0)
      std::memcpy(variable->data.data(), value.data, value.bytes);
    variable->type = value.type;
    variable->shape = value.shape;
    variable->bytes = value.bytes;
    variable->is_assigned = true;
    return Status();
  }
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  if (info.node().op == "READ_VARIABLE") {
    MUNJA_RETURN_IF_ERROR(info.CheckArity(1, 1, 1));
    return std::unique_ptr<Kernel>(std::make_unique<ReadKernel>());
  }
  if (info.node().op == "ASSIGN_VARIABLE") {
    MUNJA_RETURN_IF_ERROR(info.CheckArity(2, 2, 0));
    return std::unique_ptr<Kernel>(std::make_unique<AssignKernel>());
  }
  MUNJA_RETURN_IF_ERROR(info.CheckArity(0, 0, 1));
  MUNJA_ASSIGN_OR_RETURN(const std::string container,
                         info.attributes().Text("container", ""));
  MUNJA_ASSIGN_OR_RETURN(const std::string name,
                         info.attributes().Text("shared_name", ""));
  return std::unique_ptr<Kernel>(std::make_unique<VarHandleKernel>(
      container, name, OneElementShape(info, Shape())));
}

}  // namespace munja::ops::resource_variable
