// Access to what ops::Resources keeps, by operands of type resource.
#ifndef MUNJA_OPS_SUPPORT_RESOURCE_H_
#define MUNJA_OPS_SUPPORT_RESOURCE_H_

#include <memory>
#include <string>
#include <string_view>

#include "ops/op.h"
#include "ops/support/operands.h"

namespace munja::ops {

inline Status CheckResource(const TensorView& view) {
  MUNJA_RETURN_IF_ERROR(
      CheckType(view, "the handle", {ElementType::kResource}));
  if (view.shape.elements() != 1) return Malformed("the handle is no scalar");
  return Status();
}

// The resource of input i, which another node made. kInvalidArgument when it is
// no `what`: models may compute such numbers.
template <class T>
Result<T*> FindResource(const EvalContext& context, int i,
                        std::string_view what) {
  std::unique_ptr<State>* const slot =
      context.host()->resources().Find(*context.input(i).as<int32_t>());
  T* const found = slot == nullptr ? nullptr : dynamic_cast<T*>(slot->get());
  if (found == nullptr)
    return InvalidArgument("the handle is no " + std::string(what));
  return found;
}

// Makes a handle: the one output of a node.
class HandleKernel : public Kernel {
 public:
  bool needs_host() const final { return true; }
  Status Prepare(PrepareContext& context) const final {
    MUNJA_RETURN_IF_ERROR(
        CheckType(context.output(0), "the handle", {ElementType::kResource}));
    return context.SetOutputShape(0, shape_);
  }
  Status Eval(EvalContext& context) const final {
    Resources& resources = context.host()->resources();
    const int32_t id = resources.Id(name_);
    std::unique_ptr<State>& content = *resources.Find(id);
    if (content == nullptr) content = MakeContent();
    *context.output(0).mutable_as<int32_t>() = id;
    return Status();
  }

 protected:
  HandleKernel(std::string name, Shape shape)
      : name_(std::move(name)), shape_(shape) {}
  virtual std::unique_ptr<State> MakeContent() const = 0;

 private:
  std::string name_;
  Shape shape_;
};

// The shape that the model gives an output of one element.
inline Shape OneElementShape(const NodeInfo& info, const Shape& otherwise) {
  const graph::Value& value = info.output(0);
  return value.has_shape && value.shape.elements() == 1 ? value.shape
                                                        : otherwise;
}

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_RESOURCE_H_
