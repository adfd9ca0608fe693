// An operator as others write it: nothing here knows this project.
#include <cmath>

#include "tensorflow/lite/c/common.h"
#include "tensorflow/lite/kernels/internal/tensor_ctypes.h"
#include "tensorflow/lite/kernels/kernel_util.h"

namespace tflite {
namespace ops {
namespace custom {
namespace sine {

TfLiteStatus Prepare(TfLiteContext* context, TfLiteNode* node) {
  TF_LITE_ENSURE_EQ(context, NumInputs(node), 1);
  const TfLiteTensor* input;
  TF_LITE_ENSURE_OK(context, GetInputSafe(context, node, 0, &input));
  TfLiteTensor* output;
  TF_LITE_ENSURE_OK(context, GetOutputSafe(context, node, 0, &output));
  TF_LITE_ENSURE_TYPES_EQ(context, input->type, kTfLiteFloat32);
  return context->ResizeTensor(context, output,
                               TfLiteIntArrayCopy(input->dims));
}

TfLiteStatus Eval(TfLiteContext* context, TfLiteNode* node) {
  const TfLiteTensor* input = GetInput(context, node, 0);
  const float* from = GetTensorData<float>(input);
  float* to = GetTensorData<float>(GetOutput(context, node, 0));
  for (int i = 0; i < GetTensorShape(input).FlatSize(); ++i)
    to[i] = std::sin(from[i]);
  return kTfLiteOk;
}

}  // namespace sine

TfLiteRegistration* Register_SINE() {
  static TfLiteRegistration r = {nullptr, nullptr, sine::Prepare, sine::Eval};
  return &r;
}

}  // namespace custom
}  // namespace ops
}  // namespace tflite
