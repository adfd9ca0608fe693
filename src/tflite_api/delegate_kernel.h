// DelegateKernel: what an external delegate runs for a partition.
#ifndef MUNJA_TFLITE_API_DELEGATE_KERNEL_H_
#define MUNJA_TFLITE_API_DELEGATE_KERNEL_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "runtime/delegate.h"
#include "runtime/shape_inference.h"
#include "tensor/shape.h"
#include "tensorflow/lite/c/common.h"
#include "tflite_api/external_kernel.h"

namespace munja::compat {

// For messages.
std::string KernelName(const TfLiteRegistration& registration);

class DelegateKernel final : public ExternalKernel {
 public:
  // `node` has been initialized with the shapes that the tensors have now.
  DelegateKernel(std::shared_ptr<GraphContext> context,
                 std::unique_ptr<ExternalNode> node,
                 const runtime::Partition& partition, TfLiteDelegate* delegate,
                 std::shared_ptr<const void> kept);

 protected:
  Status TakeShapes() const override;
  bool KnowsShape(int tensor) const override;
  Status BeforeInvoke() const override;
  Status AfterInvoke() const override;

 private:
  using Shapes = std::vector<Shape>;

  Shapes InputShapes() const;
  bool KnowsAll() const;
  Status InferShapes(const Shapes& inputs) const;
  Status StartAnew() const;

  const std::vector<int> nodes_;
  TfLiteDelegate* const delegate_;
  const bool is_static_;  // The delegate takes other shapes by starting anew.
  mutable runtime::ShapeInference inference_;
  mutable Shapes started_for_;  // Inputs with which the node was initialized.
  mutable Shapes inferred_for_;
};

}  // namespace munja::compat

#endif  // MUNJA_TFLITE_API_DELEGATE_KERNEL_H_
