// InterpreterBuilder: an interpreter from a model and operators.
#ifndef MUNJA_TFLITE_INTERPRETER_BUILDER_H_
#define MUNJA_TFLITE_INTERPRETER_BUILDER_H_

#include <memory>

#include "tensorflow/lite/interpreter.h"
#include "tensorflow/lite/model_builder.h"
#include "tensorflow/lite/mutable_op_resolver.h"

namespace tflite {

// Model and operators outlive the builder; the model also outlives interpreters
// whose number of threads is set.
class InterpreterBuilder {
 public:
  InterpreterBuilder(const FlatBufferModel& model, const OpResolver& operators)
      : model_(model), operators_(operators) {}
  ~InterpreterBuilder() { TfLiteInterpreterOptionsDelete(options_); }
  InterpreterBuilder(const InterpreterBuilder&) = delete;
  InterpreterBuilder& operator=(const InterpreterBuilder&) = delete;

  // kTfLiteError: less than -1.
  TfLiteStatus SetNumThreads(int num_threads) {
    if (num_threads < -1) return kTfLiteError;
    TfLiteInterpreterOptionsSetNumThreads(options_, num_threads);
    return kTfLiteOk;
  }
  void AddDelegate(TfLiteDelegate* delegate) {
    TfLiteInterpreterOptionsAddDelegate(options_, delegate);
  }
  TfLiteStatus operator()(std::unique_ptr<Interpreter>* interpreter) {
    if (interpreter == nullptr || options_ == nullptr) return kTfLiteError;
    interpreter->reset();
    TfLiteInterpreterOptions* options = TfLiteInterpreterOptionsCopy(options_);
    TfLiteInterpreterOptionsSetErrorReporter(options, internal::Report,
                                             model_.error_reporter());
    operators_.AddTo(options);
    const Interpreter::Origin origin = {model_.c_model(), options,
                                        operators_.HasBuiltins()};
    TfLiteInterpreter* made = origin.Make();
    if (made == nullptr) {
      TfLiteInterpreterOptionsDelete(options);
      return kTfLiteError;
    }
    *interpreter = std::make_unique<Interpreter>(made, origin);
    return kTfLiteOk;
  }
  TfLiteStatus operator()(std::unique_ptr<Interpreter>* interpreter,
                          int num_threads) {
    const TfLiteStatus status = SetNumThreads(num_threads);
    return status == kTfLiteOk ? (*this)(interpreter) : status;
  }

 private:
  const FlatBufferModel& model_;
  const OpResolver& operators_;
  TfLiteInterpreterOptions* options_ = TfLiteInterpreterOptionsCreate();
};

}  // namespace tflite

#endif  // MUNJA_TFLITE_INTERPRETER_BUILDER_H_
