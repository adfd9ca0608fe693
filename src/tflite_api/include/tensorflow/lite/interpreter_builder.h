// InterpreterBuilder: an interpreter from a model and operators.
#ifndef MUNJA_TFLITE_INTERPRETER_BUILDER_H_
#define MUNJA_TFLITE_INTERPRETER_BUILDER_H_

#include <memory>

#include "tensorflow/lite/interpreter.h"
#include "tensorflow/lite/model_builder.h"
#include "tensorflow/lite/mutable_op_resolver.h"

namespace tflite {

namespace internal {

// A model with the bytes that it reads.
struct WrittenModel {
  std::shared_ptr<void> bytes;
  std::unique_ptr<FlatBufferModel> model;
  const FlatBufferModel* shown =
      nullptr;  // `model`, or one that another object owns.

  // `pack` is M::Pack: names of FlatBuffers are its arguments' alone.
  template <class M, class Offset, class Builder, class Object, class Function>
  static std::shared_ptr<WrittenModel> Of(const M* model,
                                          Offset (*)(Builder&, const Object*,
                                                     Function),
                                          ErrorReporter* reporter) {
    auto written = std::make_shared<WrittenModel>();
    if (model == nullptr) return written;
    auto builder = std::make_shared<Builder>();
    const std::unique_ptr<Object> object(model->UnPack());
    builder->Finish(M::Pack(*builder, object.get(), nullptr), "TFL3");
    written->model = FlatBufferModel::BuildFromBuffer(
        reinterpret_cast<const char*>(builder->GetBufferPointer()),
        builder->GetSize(), reporter);
    written->bytes = std::move(builder);
    written->shown = written->model.get();
    return written;
  }
};

// `M` is complete where the schema's accessors are included.
template <class M, class = typename M::NativeTableType>
std::shared_ptr<WrittenModel> Written(const M* model, ErrorReporter* reporter,
                                      int) {
  return WrittenModel::Of(model, &M::Pack, reporter);
}
template <class M>
std::shared_ptr<WrittenModel> Written(const M* model, ErrorReporter* reporter,
                                      long) {
  auto written = std::make_shared<WrittenModel>();
  written->shown = FlatBufferModel::Showing(model);
  if (written->shown == nullptr && reporter != nullptr)
    reporter->Report("The model is not one that a FlatBufferModel shows.");
  return written;
}

}  // namespace internal

// Model and operators outlive the builder; the model also outlives interpreters
// whose number of threads is set.
class InterpreterBuilder {
 public:
  InterpreterBuilder(const FlatBufferModel& model, const OpResolver& operators)
      : model_(&model), operators_(operators) {}
  // A model as the schema's accessors read it: one from
  // FlatBufferModel::GetModel while its FlatBufferModel is alive or, where
  // schema/schema_generated.h is included, any: it is serialized again. Others,
  // and none: no interpreter.
  template <class M>
  InterpreterBuilder(const M* model, const OpResolver& operators,
                     ErrorReporter* error_reporter = DefaultErrorReporter())
      : InterpreterBuilder(internal::Written(model, error_reporter, 0),
                           operators) {}
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
    if (model_ == nullptr) return kTfLiteError;
    TfLiteInterpreterOptions* options = TfLiteInterpreterOptionsCopy(options_);
    TfLiteInterpreterOptionsSetErrorReporter(options, internal::Report,
                                             model_->error_reporter());
    operators_.AddTo(options);
    const Interpreter::Origin origin = {model_->c_model(), options,
                                        operators_.HasBuiltins(),
                                        model_->error_reporter(), kept_};
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
  InterpreterBuilder(std::shared_ptr<internal::WrittenModel> written,
                     const OpResolver& operators)
      : kept_(written), model_(written->shown), operators_(operators) {}

  std::shared_ptr<void> kept_;
  const FlatBufferModel* model_;  // Null: it could not be read.
  const OpResolver& operators_;
  TfLiteInterpreterOptions* options_ = TfLiteInterpreterOptionsCreate();
};

}  // namespace tflite

#endif  // MUNJA_TFLITE_INTERPRETER_BUILDER_H_
