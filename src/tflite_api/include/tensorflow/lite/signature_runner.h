// SignatureRunner: a named entry point of a model, for C++ programs.
#ifndef MUNJA_TFLITE_SIGNATURE_RUNNER_H_
#define MUNJA_TFLITE_SIGNATURE_RUNNER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tensorflow/lite/core/c/c_api.h"

namespace tflite {

// Made by Interpreter::GetSignatureRunner, which keeps it.
class SignatureRunner {
 public:
  explicit SignatureRunner(TfLiteSignatureRunner* runner) : runner_(runner) {
    for (size_t i = 0; i < input_size(); ++i)
      input_names_.push_back(
          TfLiteSignatureRunnerGetInputName(runner_, static_cast<int32_t>(i)));
    for (size_t i = 0; i < output_size(); ++i)
      output_names_.push_back(
          TfLiteSignatureRunnerGetOutputName(runner_, static_cast<int32_t>(i)));
  }
  ~SignatureRunner() { TfLiteSignatureRunnerDelete(runner_); }
  SignatureRunner(const SignatureRunner&) = delete;
  SignatureRunner& operator=(const SignatureRunner&) = delete;

  size_t input_size() const {
    return TfLiteSignatureRunnerGetInputCount(runner_);
  }
  size_t output_size() const {
    return TfLiteSignatureRunnerGetOutputCount(runner_);
  }
  const std::vector<const char*>& input_names() const { return input_names_; }
  const std::vector<const char*>& output_names() const { return output_names_; }
  // Null when there is no such name.
  TfLiteTensor* input_tensor(const char* name) {
    return TfLiteSignatureRunnerGetInputTensor(runner_, name);
  }
  const TfLiteTensor* output_tensor(const char* name) const {
    return TfLiteSignatureRunnerGetOutputTensor(runner_, name);
  }
  TfLiteStatus ResizeInputTensor(const char* name,
                                 const std::vector<int>& size) {
    return TfLiteSignatureRunnerResizeInputTensor(
        runner_, name, size.data(), static_cast<int32_t>(size.size()));
  }
  TfLiteStatus AllocateTensors() {
    return TfLiteSignatureRunnerAllocateTensors(runner_);
  }
  TfLiteStatus Invoke() { return TfLiteSignatureRunnerInvoke(runner_); }

 private:
  TfLiteSignatureRunner* runner_;
  std::vector<const char*> input_names_, output_names_;
};

}  // namespace tflite

#endif  // MUNJA_TFLITE_SIGNATURE_RUNNER_H_
