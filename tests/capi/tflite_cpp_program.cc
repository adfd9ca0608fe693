// Checks the calls of a program for TensorFlow Lite's C++ library, and the
// helpers of custom operators. The model doubles a vector of floats.
#include <cmath>
#include <cstdio>
#include <memory>

#include "tensorflow/lite/interpreter.h"
#include "tensorflow/lite/kernels/internal/common.h"
#include "tensorflow/lite/kernels/internal/tensor.h"
#include "tensorflow/lite/kernels/kernel_util.h"
#include "tensorflow/lite/kernels/padding.h"
#include "tensorflow/lite/kernels/register.h"
#include "tensorflow/lite/model.h"
#include "tensorflow/lite/string_util.h"

#define CHECK(condition)                                           \
  do {                                                             \
    if (!(condition)) {                                            \
      std::fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
      return 1;                                                    \
    }                                                              \
  } while (0)

namespace {

TfLiteStatus AddPrepare(TfLiteContext* context, TfLiteNode* node) {
  TF_LITE_ENSURE_EQ(context, tflite::NumInputs(node), 2);
  const TfLiteTensor *a, *b;
  TfLiteTensor* out;
  TF_LITE_ENSURE_OK(context, tflite::GetInputSafe(context, node, 0, &a));
  TF_LITE_ENSURE_OK(context, tflite::GetInputSafe(context, node, 1, &b));
  TF_LITE_ENSURE_OK(context, tflite::GetOutputSafe(context, node, 0, &out));
  TF_LITE_ENSURE_TYPES_EQ(context, a->type, kTfLiteFloat32);
  TfLiteIntArray* shape = nullptr;
  TF_LITE_ENSURE_STATUS(
      tflite::CalculateShapeForBroadcast(context, a, b, &shape));
  return context->ResizeTensor(context, out, shape);
}

// Adds one more, to be told from the library's own.
TfLiteStatus AddInvoke(TfLiteContext* context, TfLiteNode* node) {
  const TfLiteTensor* a = tflite::GetInput(context, node, 0);
  TfLiteTensor* out = tflite::GetOutput(context, node, 0);
  const auto* in = tflite::GetTensorData<float>(a);
  auto* to = tflite::GetTensorData<float>(out);
  const int count = tflite::GetTensorShape(a).FlatSize();
  for (int i = 0; i < count; ++i) to[i] = in[i] + in[i] + 1;
  return kTfLiteOk;
}

int RunModel(const char* path, const tflite::OpResolver& resolver,
             float added) {
  const auto model = tflite::FlatBufferModel::BuildFromFile(path);
  CHECK(model != nullptr);
  std::unique_ptr<tflite::Interpreter> interpreter;
  CHECK(tflite::InterpreterBuilder(*model, resolver)(&interpreter, 2) ==
        kTfLiteOk);
  CHECK(interpreter->inputs().size() == 1);
  CHECK(interpreter->ResizeInputTensor(interpreter->inputs()[0], {3}) ==
        kTfLiteOk);
  // The sizes asked for stay; the rank cannot change where the model says it.
  CHECK(interpreter->SetNumThreads(-2) == kTfLiteError);
  CHECK(interpreter->SetNumThreads(3) == kTfLiteOk);
  CHECK(interpreter->ResizeInputTensorStrict(interpreter->inputs()[0],
                                             {3, 1}) == kTfLiteError);
  CHECK(interpreter->AllocateTensors() == kTfLiteOk);
  CHECK(interpreter->input_tensor(0)->dims->data[0] == 3);
  CHECK(interpreter->SetNumThreads(1) == kTfLiteError);
  CHECK(interpreter->typed_input_tensor<int>(0) == nullptr);
  float* in = interpreter->typed_input_tensor<float>(0);
  for (int i = 0; i < 3; ++i) in[i] = static_cast<float>(i);
  CHECK(interpreter->Invoke() == kTfLiteOk);
  const float* out = interpreter->typed_output_tensor<float>(0);
  for (int i = 0; i < 3; ++i)
    CHECK(out[i] == 2 * static_cast<float>(i) + added);
  tflite::SignatureRunner* runner =
      interpreter->GetSignatureRunner("serving_default");
  CHECK(runner != nullptr && runner->input_tensor("in") != nullptr);
  CHECK(interpreter->GetSignatureRunner("other") == nullptr);
  return 0;
}

int CheckHelpers() {
  // 0.75 = 0x60000000 * 2^-31.
  int32_t multiplier = 0;
  int shift = 0;
  tflite::QuantizeMultiplier(0.75, &multiplier, &shift);
  CHECK(multiplier == 0x60000000 && shift == 0);
  CHECK(tflite::MultiplyByQuantizedMultiplier(100, multiplier, shift) == 75);
  CHECK(tflite::MultiplyByQuantizedMultiplier(-2, 0x40000000, 0) == -1);
  tflite::QuantizeMultiplier(3, &multiplier, &shift);
  CHECK(tflite::MultiplyByQuantizedMultiplier(7, multiplier, shift) == 21);
  int height = 0, width = 0;
  const TfLitePaddingValues padding = tflite::ComputePaddingHeightWidth(
      2, 1, 1, 1, 5, 4, 3, 2, kTfLitePaddingSame, &height, &width);
  CHECK(height == 3 && width == 4);
  CHECK(padding.height == 1 && padding.height_offset == 0);
  CHECK(padding.width == 0 && padding.width_offset == 1);
  const tflite::RuntimeShape shape({2, 3, 4, 5});
  CHECK(tflite::Offset(shape, 1, 2, 3, 4) == 119 && shape.FlatSize() == 120);
  CHECK(tflite::RuntimeShape::ExtendedShape(6, shape).Dims(1) == 1);
  TfLiteTensor strings{};
  tflite::DynamicBuffer buffer;
  CHECK(buffer.AddString("abc", 3) == kTfLiteOk);
  CHECK(buffer.AddString("", 0) == kTfLiteOk);
  buffer.WriteToTensorAsVector(&strings);
  CHECK(tflite::GetStringCount(&strings) == 2);
  CHECK(tflite::GetString(&strings, 0).len == 3);
  TfLiteTensorFree(&strings);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CHECK(argc == 2);
  CHECK(CheckHelpers() == 0);
  tflite::ops::builtin::BuiltinOpResolver builtins;
  CHECK(RunModel(argv[1], builtins, 0) == 0);
  TfLiteRegistration add{};
  add.prepare = AddPrepare;
  add.invoke = AddInvoke;
  tflite::MutableOpResolver own;
  own.AddBuiltin(kTfLiteBuiltinAdd, &add, 1, 3);
  CHECK(RunModel(argv[1], own, 1) == 0);
  std::printf("ok\n");
  return 0;
}
