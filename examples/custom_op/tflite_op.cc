// The same with an operator that was written for TensorFlow Lite: the part
// between the lines is as it would be there.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "munja/compiled_model.hpp"
#include "munja/tools/tflite.h"
// -----------------------------------------------------------------------------
#include "tensorflow/lite/c/common.h"
#include "tensorflow/lite/kernels/kernel_util.h"

namespace {

TfLiteStatus SinPrepare(TfLiteContext* context, TfLiteNode* node) {
  TF_LITE_ENSURE_EQ(context, tflite::NumInputs(node), 1);
  TF_LITE_ENSURE_EQ(context, tflite::NumOutputs(node), 1);
  const TfLiteTensor* input = tflite::GetInput(context, node, 0);
  TfLiteTensor* output = tflite::GetOutput(context, node, 0);
  TF_LITE_ENSURE_TYPES_EQ(context, input->type, kTfLiteFloat32);
  TF_LITE_ENSURE_TYPES_EQ(context, output->type, kTfLiteFloat32);
  return context->ResizeTensor(context, output,
                               TfLiteIntArrayCopy(input->dims));
}

TfLiteStatus SinEval(TfLiteContext* context, TfLiteNode* node) {
  const TfLiteTensor* input = tflite::GetInput(context, node, 0);
  TfLiteTensor* output = tflite::GetOutput(context, node, 0);
  const int64_t count = tflite::NumElements(input);
  for (int64_t i = 0; i < count; ++i)
    output->data.f[i] = std::sin(input->data.f[i]);
  return kTfLiteOk;
}

TfLiteRegistration* Register_SIN() {
  static TfLiteRegistration r = {nullptr, nullptr, SinPrepare, SinEval};
  return &r;
}

}  // namespace
// -----------------------------------------------------------------------------

using munja::CompiledModel;
using munja::Environment;
using munja::Status;
using munja::TensorBuffer;

int main(int argc, char** argv) {
  const auto fail = [](const Status& failure) {
    std::fprintf(stderr, "tflite_op: %s\n", failure.message().c_str());
    return 1;
  };
  if (argc < 3) {
    std::fprintf(stderr, "usage: tflite_op MODEL NUMBER ...\n");
    return 2;
  }
  std::vector<float> numbers;
  for (int i = 2; i < argc; ++i) {
    char* end = nullptr;
    numbers.push_back(std::strtof(argv[i], &end));
    if (end != argv[i] && *end == 0) continue;
    std::fprintf(stderr, "tflite_op: '%s' is not a number\n", argv[i]);
    return 2;
  }

  auto environment = Environment::Create();
  if (!environment) return fail(environment.error());
  const Status added = munja::StatusOf(munja_resolver_add_tflite(
      environment->resolver(), "Sin", /*is_builtin=*/0, Register_SIN()));
  if (!added.ok()) return fail(added);
  auto model = CompiledModel::Create(*environment, argv[1]);
  if (!model) return fail(model.error());

  const int32_t dims[] = {static_cast<int32_t>(numbers.size())};
  auto input = TensorBuffer::Wrap(MUNJA_TYPE_FLOAT32, dims, numbers.data(),
                                  numbers.size() * sizeof(float));
  if (!input) return fail(input.error());
  std::vector<TensorBuffer> outputs = model->CreateOutputBuffers();
  if (outputs.size() != 1)
    return fail(Status(MUNJA_UNSUPPORTED, "the model has not one output"));
  if (Status f = model->Run({&*input, 1}, outputs); !f.ok()) return fail(f);
  const auto results = outputs[0].Read<float>();
  if (!results) return fail(results.error());
  for (const float y : *results) std::printf("%.6f\n", y);
  return 0;
}
