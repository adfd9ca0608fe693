/* Delegates as classes that know no layouts: like simple_delegate.h, but over
 * opaque tensors, nodes and contexts. In headers alone. */
#ifndef MUNJA_TFLITE_DELEGATES_UTILS_SIMPLE_OPAQUE_DELEGATE_H_
#define MUNJA_TFLITE_DELEGATES_UTILS_SIMPLE_OPAQUE_DELEGATE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tensorflow/lite/builtin_ops.h"
#include "tensorflow/lite/core/c/c_api_opaque.h"
#include "tensorflow/lite/core/c/common.h"
#include "tensorflow/lite/core/c/operator.h"

namespace tflite {

using TfLiteOpaqueDelegateUniquePtr =
    std::unique_ptr<TfLiteOpaqueDelegate, void (*)(TfLiteOpaqueDelegate*)>;

// Runs one group of nodes. One object for each group.
class SimpleOpaqueDelegateKernelInterface {
 public:
  virtual ~SimpleOpaqueDelegateKernelInterface() = default;
  virtual TfLiteStatus Init(TfLiteOpaqueContext* context,
                            const TfLiteOpaqueDelegateParams* params) = 0;
  virtual TfLiteStatus Prepare(TfLiteOpaqueContext* context,
                               TfLiteOpaqueNode* node) = 0;
  virtual TfLiteStatus Eval(TfLiteOpaqueContext* context,
                            TfLiteOpaqueNode* node) = 0;
};

class SimpleOpaqueDelegateInterface {
 public:
  virtual ~SimpleOpaqueDelegateInterface() = default;
  virtual bool IsNodeSupportedByDelegate(
      const TfLiteOperator* registration_external, const TfLiteOpaqueNode* node,
      TfLiteOpaqueContext* context) const = 0;
  // Before the nodes are looked at.
  virtual TfLiteStatus Initialize(TfLiteOpaqueContext* context) = 0;
  // Stays valid as long as the delegate.
  virtual const char* Name() const = 0;
  virtual std::unique_ptr<SimpleOpaqueDelegateKernelInterface>
  CreateDelegateKernelInterface() = 0;

  // For delegates that keep tensors in buffers of their own.
  virtual TfLiteStatus CopyFromBufferHandle(TfLiteOpaqueContext*,
                                            TfLiteBufferHandle,
                                            TfLiteOpaqueTensor*) {
    return kTfLiteError;
  }
  virtual TfLiteStatus CopyToBufferHandle(TfLiteOpaqueContext*,
                                          TfLiteBufferHandle,
                                          const TfLiteOpaqueTensor*) {
    return kTfLiteError;
  }
  virtual void FreeBufferHandle(TfLiteOpaqueContext*, TfLiteBufferHandle*) {}
};

// Each delegate made here owns its interface.
class TfLiteOpaqueDelegateFactory {
 public:
  static TfLiteOpaqueDelegateUniquePtr Create(
      std::unique_ptr<SimpleOpaqueDelegateInterface> simple_delegate) {
    return TfLiteOpaqueDelegateUniquePtr(
        CreateSimpleDelegate(std::move(simple_delegate)), DeleteSimpleDelegate);
  }
  static TfLiteOpaqueDelegate* CreateSimpleDelegate(
      std::unique_ptr<SimpleOpaqueDelegateInterface> simple_delegate,
      int64_t flags = kTfLiteDelegateFlagsNone) {
    if (simple_delegate == nullptr) return nullptr;
    TfLiteOpaqueDelegateBuilder builder{};
    builder.data = simple_delegate.get();
    builder.flags = flags;
    builder.Prepare = Prepare;
    builder.CopyFromBufferHandle =
        [](TfLiteOpaqueContext* context, TfLiteOpaqueDelegate*, void* data,
           TfLiteBufferHandle handle, TfLiteOpaqueTensor* tensor) {
          return Of(data)->CopyFromBufferHandle(context, handle, tensor);
        };
    builder.CopyToBufferHandle =
        [](TfLiteOpaqueContext* context, TfLiteOpaqueDelegate*, void* data,
           TfLiteBufferHandle handle, TfLiteOpaqueTensor* tensor) {
          return Of(data)->CopyToBufferHandle(context, handle, tensor);
        };
    builder.FreeBufferHandle = [](TfLiteOpaqueContext* context,
                                  TfLiteOpaqueDelegate*, void* data,
                                  TfLiteBufferHandle* handle) {
      Of(data)->FreeBufferHandle(context, handle);
    };
    TfLiteOpaqueDelegate* delegate = TfLiteOpaqueDelegateCreate(&builder);
    if (delegate != nullptr) static_cast<void>(simple_delegate.release());
    return delegate;
  }
  static void DeleteSimpleDelegate(TfLiteOpaqueDelegate* opaque_delegate) {
    if (opaque_delegate == nullptr) return;
    delete Of(TfLiteOpaqueDelegateGetData(opaque_delegate));
    TfLiteOpaqueDelegateDelete(opaque_delegate);
  }

 private:
  using Kernel = SimpleOpaqueDelegateKernelInterface;

  static SimpleOpaqueDelegateInterface* Of(void* data) {
    return static_cast<SimpleOpaqueDelegateInterface*>(data);
  }

  // The operator that a group of nodes becomes.
  static TfLiteOperator* MakeOperator(SimpleOpaqueDelegateInterface* self) {
    TfLiteOperator* made = TfLiteOperatorCreate(
        kTfLiteBuiltinDelegate, self->Name(), /*version=*/1, self);
    if (made == nullptr) return nullptr;
    TfLiteOperatorSetInitWithData(
        made,
        [](void* user_data, TfLiteOpaqueContext* context, const char* buffer,
           size_t) -> void* {
          const auto* params =
              reinterpret_cast<const TfLiteOpaqueDelegateParams*>(buffer);
          if (params == nullptr) return nullptr;
          auto kernel = Of(user_data)->CreateDelegateKernelInterface();
          if (kernel == nullptr || kernel->Init(context, params) != kTfLiteOk)
            return nullptr;
          return kernel.release();
        });
    TfLiteOperatorSetFreeWithData(
        made, [](void*, TfLiteOpaqueContext*, void* kernel) {
          delete static_cast<Kernel*>(kernel);
        });
    TfLiteOperatorSetPrepareWithData(
        made, [](void*, TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
          auto* kernel =
              static_cast<Kernel*>(TfLiteOpaqueNodeGetUserData(node));
          if (kernel != nullptr) return kernel->Prepare(context, node);
          TfLiteOpaqueContextReportError(
              context, "The delegate's kernel was not initialized.");
          return kTfLiteError;
        });
    TfLiteOperatorSetInvokeWithData(
        made, [](void*, TfLiteOpaqueContext* context, TfLiteOpaqueNode* node) {
          return static_cast<Kernel*>(TfLiteOpaqueNodeGetUserData(node))
              ->Eval(context, node);
        });
    return made;
  }

  static TfLiteStatus Prepare(TfLiteOpaqueContext* context,
                              TfLiteOpaqueDelegate* delegate, void* data) {
    SimpleOpaqueDelegateInterface* const self = Of(data);
    TfLiteStatus status = self->Initialize(context);
    if (status != kTfLiteOk) return status;
    TfLiteIntArray* plan = nullptr;
    status = TfLiteOpaqueContextGetExecutionPlan(context, &plan);
    if (status != kTfLiteOk) return status;
    const std::vector<int> ids(plan->data, plan->data + plan->size);
    std::vector<int> taken;
    for (const int id : ids) {
      TfLiteOpaqueNode* node = nullptr;
      TfLiteOperator* registration = nullptr;
      status = TfLiteOpaqueContextGetNodeAndRegistration(context, id, &node,
                                                         &registration);
      if (status != kTfLiteOk) return status;
      if (self->IsNodeSupportedByDelegate(registration, node, context))
        taken.push_back(id);
    }
    TfLiteIntArray* nodes =
        TfLiteIntArrayCreate(static_cast<int>(taken.size()));
    if (nodes == nullptr) return kTfLiteError;
    for (size_t i = 0; i < taken.size(); ++i) nodes->data[i] = taken[i];
    status = TfLiteOpaqueContextReplaceNodeSubsetsWithDelegateKernels(
        context, MakeOperator(self), nodes, delegate);
    TfLiteIntArrayFree(nodes);
    return status;
  }
};

}  // namespace tflite

#endif /* MUNJA_TFLITE_DELEGATES_UTILS_SIMPLE_OPAQUE_DELEGATE_H_ */
