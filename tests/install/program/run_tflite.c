/* The same through the TensorFlow Lite C API. */
#include <stdio.h>

#include "tensorflow/lite/c/c_api.h"

int main(int argc, char** argv) {
  const int dims[] = {3};
  float values[64];
  TfLiteModel* model = argc == 2 ? TfLiteModelCreateFromFile(argv[1]) : NULL;
  TfLiteInterpreter* interpreter =
      model != NULL ? TfLiteInterpreterCreate(model, NULL) : NULL;
  if (interpreter == NULL ||
      TfLiteInterpreterResizeInputTensor(interpreter, 0, dims, 1) !=
          kTfLiteOk ||
      TfLiteInterpreterAllocateTensors(interpreter) != kTfLiteOk)
    return 1;
  TfLiteTensor* input = TfLiteInterpreterGetInputTensor(interpreter, 0);
  size_t bytes = TfLiteTensorByteSize(input);
  if (bytes > sizeof values) return 3;
  for (size_t i = 0; i < bytes / sizeof(float); ++i) values[i] = (float)(i + 1);
  if (TfLiteTensorCopyFromBuffer(input, values, bytes) != kTfLiteOk ||
      TfLiteInterpreterInvoke(interpreter) != kTfLiteOk)
    return 1;
  const TfLiteTensor* output = TfLiteInterpreterGetOutputTensor(interpreter, 0);
  bytes = TfLiteTensorByteSize(output);
  if (bytes > sizeof values ||
      TfLiteTensorCopyToBuffer(output, values, bytes) != kTfLiteOk)
    return 1;
  for (size_t i = 0; i < bytes / sizeof(float); ++i) printf("%g\n", values[i]);
  TfLiteInterpreterDelete(interpreter);
  TfLiteModelDelete(model);
  return 0;
}
