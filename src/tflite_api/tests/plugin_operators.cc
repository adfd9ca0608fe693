// Two operators in a shared library: a custom one, and one that takes the place
// of NEG.
#include <cmath>

#include "munja_plugin.h"
#include "tensorflow/lite/kernels/kernel_util.h"

namespace {

TfLiteStatus Prepare(TfLiteContext* context, TfLiteNode* node) {
  TF_LITE_ENSURE_EQ(context, tflite::NumInputs(node), 1);
  return context->ResizeTensor(
      context, tflite::GetOutput(context, node, 0),
      TfLiteIntArrayCopy(tflite::GetInput(context, node, 0)->dims));
}

template <class Function>
TfLiteStatus ForEach(TfLiteContext* context, TfLiteNode* node, Function f) {
  const TfLiteTensor* in = tflite::GetInput(context, node, 0);
  TfLiteTensor* out = tflite::GetOutput(context, node, 0);
  for (int64_t i = 0; i < tflite::NumElements(in); ++i)
    out->data.f[i] = f(in->data.f[i]);
  return kTfLiteOk;
}

TfLiteStatus Sin(TfLiteContext* context, TfLiteNode* node) {
  return ForEach(context, node, [](float x) { return std::sin(x); });
}

// Off by one hundred, so that it is not taken for ours.
TfLiteStatus Neg(TfLiteContext* context, TfLiteNode* node) {
  return ForEach(context, node, [](float x) { return 100 - x; });
}

TfLiteRegistration Make(TfLiteStatus (*invoke)(TfLiteContext*, TfLiteNode*)) {
  TfLiteRegistration registration{};
  registration.prepare = Prepare;
  registration.invoke = invoke;
  return registration;
}

}  // namespace

MUNJA_PLUGIN_EXPORT const munja_plugin_operator* munja_plugin_operators(
    size_t* count) {
  static const TfLiteRegistration sin = Make(Sin), neg = Make(Neg);
  static const munja_plugin_operator operators[] = {
      {sizeof(TfLiteRegistration), "Sin", 0, &sin},
      {sizeof(TfLiteRegistration), "NEG", 1, &neg}};
  *count = 2;
  return operators;
}
