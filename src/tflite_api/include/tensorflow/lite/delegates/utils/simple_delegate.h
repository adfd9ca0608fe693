/* Delegates as classes: which nodes, and how a group of them runs. The rest of
 * TfLiteDelegate is here. In headers alone. */
#ifndef MUNJA_TFLITE_DELEGATES_UTILS_SIMPLE_DELEGATE_H_
#define MUNJA_TFLITE_DELEGATES_UTILS_SIMPLE_DELEGATE_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "tensorflow/lite/builtin_ops.h"
#include "tensorflow/lite/core/c/common.h"

namespace tflite {

// Runs one group of nodes. One object for each group.
class SimpleDelegateKernelInterface {
 public:
  virtual ~SimpleDelegateKernelInterface() = default;
  virtual TfLiteStatus Init(TfLiteContext* context,
                            const TfLiteDelegateParams* params) = 0;
  virtual TfLiteStatus Prepare(TfLiteContext* context, TfLiteNode* node) = 0;
  virtual TfLiteStatus Eval(TfLiteContext* context, TfLiteNode* node) = 0;
};

class SimpleDelegateInterface {
 public:
  struct Options {
    int max_delegated_partitions = 0;  // The largest ones; 0: all.
    int min_nodes_per_partition = 0;
  };

  virtual ~SimpleDelegateInterface() = default;
  virtual bool IsNodeSupportedByDelegate(const TfLiteRegistration* registration,
                                         const TfLiteNode* node,
                                         TfLiteContext* context) const = 0;
  // Before the nodes are looked at.
  virtual TfLiteStatus Initialize(TfLiteContext* context) = 0;
  // Stays valid as long as the delegate.
  virtual const char* Name() const = 0;
  virtual std::unique_ptr<SimpleDelegateKernelInterface>
  CreateDelegateKernelInterface() = 0;
  virtual Options DelegateOptions() const = 0;

  // For delegates that keep tensors in buffers of their own.
  virtual TfLiteStatus CopyFromBufferHandle(TfLiteContext*, TfLiteBufferHandle,
                                            TfLiteTensor*) {
    return kTfLiteError;
  }
  virtual TfLiteStatus CopyToBufferHandle(TfLiteContext*, TfLiteBufferHandle,
                                          const TfLiteTensor*) {
    return kTfLiteError;
  }
  virtual void FreeBufferHandle(TfLiteContext*, TfLiteBufferHandle*) {}
};

// Each delegate made here owns its interface.
class TfLiteDelegateFactory {
 public:
  using TfLiteDelegatePtr =
      std::unique_ptr<TfLiteDelegate, std::function<void(TfLiteDelegate*)>>;

  static TfLiteDelegatePtr Create(
      std::unique_ptr<SimpleDelegateInterface> simple_delegate) {
    return TfLiteDelegatePtr(CreateSimpleDelegate(std::move(simple_delegate)),
                             DeleteSimpleDelegate);
  }
  static TfLiteDelegate* CreateSimpleDelegate(
      std::unique_ptr<SimpleDelegateInterface> simple_delegate,
      int64_t flag = kTfLiteDelegateFlagsNone) {
    if (simple_delegate == nullptr) return nullptr;
    auto* delegate = new TfLiteDelegate{};
    delegate->flags = flag;
    delegate->data_ = simple_delegate.release();
    delegate->Prepare = Prepare;
    delegate->CopyFromBufferHandle =
        [](TfLiteContext* context, TfLiteDelegate* self,
           TfLiteBufferHandle handle, TfLiteTensor* tensor) {
          return Of(self)->CopyFromBufferHandle(context, handle, tensor);
        };
    delegate->CopyToBufferHandle =
        [](TfLiteContext* context, TfLiteDelegate* self,
           TfLiteBufferHandle handle, TfLiteTensor* tensor) {
          return Of(self)->CopyToBufferHandle(context, handle, tensor);
        };
    delegate->FreeBufferHandle = [](TfLiteContext* context,
                                    TfLiteDelegate* self,
                                    TfLiteBufferHandle* handle) {
      Of(self)->FreeBufferHandle(context, handle);
    };
    return delegate;
  }
  static void DeleteSimpleDelegate(TfLiteDelegate* delegate) {
    if (delegate == nullptr) return;
    delete Of(delegate);
    delete delegate;
  }

 private:
  using Kernel = SimpleDelegateKernelInterface;

  static SimpleDelegateInterface* Of(TfLiteDelegate* delegate) {
    return static_cast<SimpleDelegateInterface*>(delegate->data_);
  }

  static TfLiteRegistration Registration(const SimpleDelegateInterface& self) {
    TfLiteRegistration registration{};
    registration.builtin_code = kTfLiteBuiltinDelegate;
    registration.custom_name = self.Name();
    registration.version = 1;
    registration.init = [](TfLiteContext* context, const char* buffer,
                           size_t) -> void* {
      const auto* params =
          reinterpret_cast<const TfLiteDelegateParams*>(buffer);
      if (params == nullptr) return nullptr;
      auto kernel = Of(params->delegate)->CreateDelegateKernelInterface();
      // Prepare says so: null needs no library function that marks failures.
      if (kernel == nullptr || kernel->Init(context, params) != kTfLiteOk)
        return nullptr;
      return kernel.release();
    };
    registration.free = [](TfLiteContext*, void* data) {
      delete static_cast<Kernel*>(data);
    };
    registration.prepare = [](TfLiteContext* context, TfLiteNode* node) {
      auto* kernel = static_cast<Kernel*>(node->user_data);
      TF_LITE_ENSURE_MSG(context, kernel != nullptr,
                         "The delegate's kernel was not initialized.");
      return kernel->Prepare(context, node);
    };
    registration.invoke = [](TfLiteContext* context, TfLiteNode* node) {
      return static_cast<Kernel*>(node->user_data)->Eval(context, node);
    };
    return registration;
  }

  static TfLiteIntArray* ArrayOf(const std::vector<int>& nodes) {
    TfLiteIntArray* array =
        TfLiteIntArrayCreate(static_cast<int>(nodes.size()));
    if (array != nullptr) std::copy(nodes.begin(), nodes.end(), array->data);
    return array;
  }

  // The nodes of the groups that the options leave.
  static TfLiteStatus Choose(TfLiteContext* context,
                             const SimpleDelegateInterface::Options& options,
                             std::vector<int>* nodes) {
    TfLiteIntArray* wanted = ArrayOf(*nodes);
    TfLiteDelegateParams* groups = nullptr;
    int count = 0;
    const TfLiteStatus status =
        context->PreviewDelegatePartitioning(context, wanted, &groups, &count);
    TfLiteIntArrayFree(wanted);
    if (status != kTfLiteOk) return status;
    std::vector<const TfLiteIntArray*> kept;
    for (int i = 0; i < count; ++i)
      if (groups[i].nodes_to_replace->size >= options.min_nodes_per_partition)
        kept.push_back(groups[i].nodes_to_replace);
    std::stable_sort(kept.begin(), kept.end(),
                     [](const TfLiteIntArray* a, const TfLiteIntArray* b) {
                       return a->size > b->size;
                     });
    const auto limit = static_cast<size_t>(options.max_delegated_partitions);
    if (options.max_delegated_partitions > 0 && kept.size() > limit)
      kept.resize(limit);
    nodes->clear();
    for (const TfLiteIntArray* group : kept)
      nodes->insert(nodes->end(), group->data, group->data + group->size);
    return kTfLiteOk;
  }

  static TfLiteStatus Prepare(TfLiteContext* context,
                              TfLiteDelegate* delegate) {
    SimpleDelegateInterface* const self = Of(delegate);
    TF_LITE_ENSURE_STATUS(self->Initialize(context));
    TfLiteIntArray* plan = nullptr;
    TF_LITE_ENSURE_STATUS(context->GetExecutionPlan(context, &plan));
    std::vector<int> nodes;
    for (int i = 0; i < plan->size; ++i) {
      TfLiteNode* node = nullptr;
      TfLiteRegistration* registration = nullptr;
      TF_LITE_ENSURE_STATUS(context->GetNodeAndRegistration(
          context, plan->data[i], &node, &registration));
      if (self->IsNodeSupportedByDelegate(registration, node, context))
        nodes.push_back(plan->data[i]);
    }
    TF_LITE_ENSURE_STATUS(Choose(context, self->DelegateOptions(), &nodes));
    TfLiteIntArray* chosen = ArrayOf(nodes);
    const TfLiteStatus status = context->ReplaceNodeSubsetsWithDelegateKernels(
        context, Registration(*self), chosen, delegate);
    TfLiteIntArrayFree(chosen);
    return status;
  }
};

}  // namespace tflite

#endif /* MUNJA_TFLITE_DELEGATES_UTILS_SIMPLE_DELEGATE_H_ */
