// Threads that a program shares between interpreters. Here they belong to
// sessions; the object is kept and handed back.
#ifndef MUNJA_TFLITE_EXTERNAL_CPU_BACKEND_CONTEXT_H_
#define MUNJA_TFLITE_EXTERNAL_CPU_BACKEND_CONTEXT_H_

#include <memory>
#include <utility>

#include "tensorflow/lite/core/c/common.h"

namespace tflite {

class TfLiteInternalBackendContext {
 public:
  virtual ~TfLiteInternalBackendContext() = default;
  virtual void SetMaxNumThreads(int max_num_threads) = 0;
  virtual void ClearCaches() = 0;
};

class ExternalCpuBackendContext : public TfLiteExternalContext {
 public:
  ExternalCpuBackendContext() : TfLiteExternalContext() {
    type = kTfLiteCpuBackendContext;
    Refresh = [](TfLiteContext*) { return kTfLiteOk; };
  }
  ExternalCpuBackendContext(const ExternalCpuBackendContext&) = delete;
  ExternalCpuBackendContext& operator=(const ExternalCpuBackendContext&) =
      delete;

  void set_internal_backend_context(
      std::unique_ptr<TfLiteInternalBackendContext> context) {
    context_ = std::move(context);
  }
  TfLiteInternalBackendContext* internal_backend_context() const {
    return context_.get();
  }

 private:
  std::unique_ptr<TfLiteInternalBackendContext> context_;
};

}  // namespace tflite

#endif  // MUNJA_TFLITE_EXTERNAL_CPU_BACKEND_CONTEXT_H_
