// A stable delegate in a shared library that takes ABS and adds 20 to each
// result.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>

#include "tensorflow/lite/c/c_api.h"
#include "tensorflow/lite/delegates/utils/experimental/stable_delegate/stable_delegate_interface.h"
#include "tensorflow/lite/delegates/utils/simple_opaque_delegate.h"

#ifndef PLUGIN_ABI
#define PLUGIN_ABI TFL_STABLE_DELEGATE_ABI_VERSION
#endif

namespace {

class Kernel : public tflite::SimpleOpaqueDelegateKernelInterface {
 public:
  TfLiteStatus Init(TfLiteOpaqueContext*,
                    const TfLiteOpaqueDelegateParams*) override {
    return kTfLiteOk;
  }
  TfLiteStatus Prepare(TfLiteOpaqueContext*, TfLiteOpaqueNode*) override {
    return kTfLiteOk;
  }
  TfLiteStatus Eval(TfLiteOpaqueContext* context,
                    TfLiteOpaqueNode* node) override {
    const TfLiteOpaqueTensor* from = TfLiteOpaqueNodeGetInput(context, node, 0);
    TfLiteOpaqueTensor* to = TfLiteOpaqueNodeGetOutput(context, node, 0);
    if (from == nullptr || to == nullptr) return kTfLiteError;
    const auto* x = static_cast<const float*>(TfLiteOpaqueTensorData(from));
    auto* y = static_cast<float*>(TfLiteOpaqueTensorData(to));
    const size_t count = TfLiteOpaqueTensorByteSize(from) / sizeof(float);
    for (size_t i = 0; i < count; ++i) y[i] = std::fabs(x[i]) + 20;
    return kTfLiteOk;
  }
};

class Delegate : public tflite::SimpleOpaqueDelegateInterface {
 public:
  bool IsNodeSupportedByDelegate(const TfLiteOperator* op,
                                 const TfLiteOpaqueNode*,
                                 TfLiteOpaqueContext*) const override {
    return TfLiteOperatorGetBuiltInCode(op) == kTfLiteBuiltinAbs;
  }
  TfLiteStatus Initialize(TfLiteOpaqueContext*) override { return kTfLiteOk; }
  const char* Name() const override { return "stable"; }
  std::unique_ptr<tflite::SimpleOpaqueDelegateKernelInterface>
  CreateDelegateKernelInterface() override {
    return std::make_unique<Kernel>();
  }
};

// Settings are a table of FlatBuffers, which says first where its fields are
// listed: none is set.
bool AreEmpty(const void* settings) {
  if (settings == nullptr) return false;
  int32_t back;
  uint16_t list;
  std::memcpy(&back, settings, sizeof back);
  std::memcpy(&list, static_cast<const char*>(settings) - back, sizeof list);
  return list == 2 * sizeof(uint16_t);
}

TfLiteOpaqueDelegate* Create(const void* settings) {
  if (!AreEmpty(settings)) return nullptr;
  return tflite::TfLiteOpaqueDelegateFactory::CreateSimpleDelegate(
      std::make_unique<Delegate>());
}

void Destroy(TfLiteOpaqueDelegate* delegate) {
  tflite::TfLiteOpaqueDelegateFactory::DeleteSimpleDelegate(delegate);
}

int Error(TfLiteOpaqueDelegate*) { return 0; }

const TfLiteOpaqueDelegatePlugin kPlugin = {Create, Destroy, Error};

}  // namespace

extern "C" const TfLiteStableDelegate TFL_TheStableDelegate = {
    PLUGIN_ABI, "stable", "1.0.0", &kPlugin};
