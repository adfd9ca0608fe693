/* Does what programs for TensorFlow Lite's C library do: loads a model, fills
 * its inputs, runs it, reads its outputs. The model doubles the two floats of
 * its input "x" and calls the result "y". */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tensorflow/lite/c/c_api.h"

static int reports = 0;

static void report(void* user_data, const char* format, va_list args) {
  ++reports;
  fprintf(stderr, "%s: ", (const char*)user_data);
  vfprintf(stderr, format, args);
  fprintf(stderr, "\n");
}

#define CHECK(condition)                                      \
  do {                                                        \
    if (!(condition)) {                                       \
      fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
      return 1;                                               \
    }                                                         \
  } while (0)

static int run_signature(TfLiteInterpreter* interpreter) {
  const float x[3] = {1.0f, 2.0f, 3.0f};
  const int dims[1] = {3};
  float y[3];
  CHECK(TfLiteInterpreterGetSignatureCount(interpreter) == 1);
  const char* key = TfLiteInterpreterGetSignatureKey(interpreter, 0);
  CHECK(strcmp(key, "serving_default") == 0);
  TfLiteSignatureRunner* runner =
      TfLiteInterpreterGetSignatureRunner(interpreter, key);
  CHECK(runner != NULL);
  CHECK(TfLiteSignatureRunnerGetInputCount(runner) == 1);
  CHECK(TfLiteSignatureRunnerResizeInputTensor(runner, "in", dims, 1) ==
        kTfLiteOk);
  CHECK(TfLiteSignatureRunnerAllocateTensors(runner) == kTfLiteOk);
  CHECK(TfLiteTensorCopyFromBuffer(
            TfLiteSignatureRunnerGetInputTensor(runner, "in"), x, sizeof(x)) ==
        kTfLiteOk);
  CHECK(TfLiteSignatureRunnerInvoke(runner) == kTfLiteOk);
  CHECK(TfLiteTensorCopyToBuffer(
            TfLiteSignatureRunnerGetOutputTensor(runner, "out"), y,
            sizeof(y)) == kTfLiteOk);
  CHECK(y[0] == 2.0f && y[1] == 4.0f && y[2] == 6.0f);
  TfLiteSignatureRunnerDelete(runner);
  return 0;
}

int main(int argc, char** argv) {
  const float x[2] = {1.5f, -4.0f};
  float y[2];
  CHECK(argc == 2);
  printf("TensorFlow Lite %s, schema %d\n", TfLiteVersion(),
         TfLiteSchemaVersion());
  TfLiteModel* model = TfLiteModelCreateFromFile(argv[1]);
  CHECK(model != NULL);
  TfLiteInterpreterOptions* options = TfLiteInterpreterOptionsCreate();
  TfLiteInterpreterOptionsSetNumThreads(options, 2);
  TfLiteInterpreterOptionsSetErrorReporter(options, report, "tflite");
  TfLiteInterpreter* interpreter = TfLiteInterpreterCreate(model, options);
  CHECK(interpreter != NULL);
  TfLiteInterpreterOptionsDelete(options);
  TfLiteModelDelete(model);

  CHECK(TfLiteInterpreterInvoke(interpreter) == kTfLiteError);
  CHECK(reports == 1);
  const int dims[1] = {2};
  CHECK(TfLiteInterpreterResizeInputTensor(interpreter, 0, dims, 1) ==
        kTfLiteOk);
  CHECK(TfLiteInterpreterAllocateTensors(interpreter) == kTfLiteOk);
  CHECK(TfLiteInterpreterGetInputTensorCount(interpreter) == 1);
  TfLiteTensor* input = TfLiteInterpreterGetInputTensor(interpreter, 0);
  CHECK(TfLiteTensorType(input) == kTfLiteFloat32);
  CHECK(TfLiteTensorNumDims(input) == 1 && TfLiteTensorDim(input, 0) == 2);
  CHECK(strcmp(TfLiteTensorName(input), "x") == 0);
  CHECK(TfLiteTensorQuantizationParams(input).scale == 0.0f);
  CHECK(TfLiteTensorCopyFromBuffer(input, x, 3) == kTfLiteError);
  CHECK(TfLiteTensorCopyFromBuffer(input, x, sizeof(x)) == kTfLiteOk);
  CHECK(TfLiteInterpreterInvoke(interpreter) == kTfLiteOk);
  const TfLiteTensor* output = TfLiteInterpreterGetOutputTensor(interpreter, 0);
  CHECK(TfLiteTensorCopyToBuffer(output, y, sizeof(y)) == kTfLiteOk);
  CHECK(y[0] == 3.0f && y[1] == -8.0f);
  CHECK(run_signature(interpreter) == 0);
  TfLiteInterpreterDelete(interpreter);
  printf("ok\n");
  return 0;
}
