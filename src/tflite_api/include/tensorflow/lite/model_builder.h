// FlatBufferModel: a model in memory, for C++ programs.
#ifndef MUNJA_TFLITE_MODEL_BUILDER_H_
#define MUNJA_TFLITE_MODEL_BUILDER_H_

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tensorflow/lite/core/api/error_reporter.h"
#include "tensorflow/lite/core/c/c_api.h"
#include "tensorflow/lite/stderr_reporter.h"

namespace tflite {

struct Model;  // See schema/schema_generated.h.

namespace internal {

// A reporter of the C API that calls the object given.
inline void Report(void* reporter, const char* format, va_list args) {
  static_cast<ErrorReporter*>(reporter)->Report(format, args);
}

}  // namespace internal

// Null instead of an object when the bytes are not a model: they are always
// verified. The reporter outlives the model and its interpreters.
class FlatBufferModel {
 public:
  static std::unique_ptr<FlatBufferModel> BuildFromFile(
      const char* filename,
      ErrorReporter* error_reporter = DefaultErrorReporter()) {
    auto model = Wrap(TfLiteModelCreateFromFileWithErrorReporter(
                          filename, internal::Report, error_reporter),
                      error_reporter);
    if (model != nullptr) model->filename_ = filename;
    return model;
  }
  static std::unique_ptr<FlatBufferModel> VerifyAndBuildFromFile(
      const char* filename, void* /*extra_verifier*/ = nullptr,
      ErrorReporter* error_reporter = DefaultErrorReporter()) {
    return BuildFromFile(filename, error_reporter);
  }
  // The bytes outlive the model and its interpreters.
  static std::unique_ptr<FlatBufferModel> BuildFromBuffer(
      const char* buffer, size_t buffer_size,
      ErrorReporter* error_reporter = DefaultErrorReporter()) {
    auto model =
        Wrap(TfLiteModelCreateWithErrorReporter(
                 buffer, buffer_size, internal::Report, error_reporter),
             error_reporter);
    if (model != nullptr) model->buffer_ = buffer;
    return model;
  }
  static std::unique_ptr<FlatBufferModel> VerifyAndBuildFromBuffer(
      const char* buffer, size_t buffer_size,
      void* /*extra_verifier*/ = nullptr,
      ErrorReporter* error_reporter = DefaultErrorReporter()) {
    return BuildFromBuffer(buffer, buffer_size, error_reporter);
  }
  ~FlatBufferModel() {
    {
      const std::lock_guard<std::mutex> lock(Shown().mutex);
      auto& models = Shown().models;
      for (auto it = models.begin(); it != models.end();)
        it = it->second == this ? models.erase(it) : std::next(it);
    }
    TfLiteModelDelete(model_);
  }
  FlatBufferModel(const FlatBufferModel&) = delete;
  FlatBufferModel& operator=(const FlatBufferModel&) = delete;

  bool initialized() const { return model_ != nullptr; }
  ErrorReporter* error_reporter() const { return error_reporter_; }
  const TfLiteModel* c_model() const { return model_; }
  // The bytes as the schema's accessors read them. Of a file: read once more,
  // when this is first called; null when that fails.
  const Model* GetModel() const {
    if (buffer_ == nullptr) {
      std::ifstream file(filename_, std::ios::binary);
      bytes_.assign(std::istreambuf_iterator<char>(file), {});
      if (bytes_.size() < sizeof(uint32_t)) return nullptr;
      buffer_ = bytes_.data();
    }
    uint32_t root = 0;  // Where the table begins.
    std::memcpy(&root, buffer_, sizeof root);
    const auto* model = reinterpret_cast<const Model*>(buffer_ + root);
    const std::lock_guard<std::mutex> lock(Shown().mutex);
    Shown().models[model] = this;
    return model;
  }
  // Whose GetModel gave this; null when there is none any more.
  static const FlatBufferModel* Showing(const Model* model) {
    const std::lock_guard<std::mutex> lock(Shown().mutex);
    const auto found = Shown().models.find(model);
    return found != Shown().models.end() ? found->second : nullptr;
  }
  const Model* operator->() const { return GetModel(); }

 private:
  struct ShownModels {
    std::mutex mutex;
    std::map<const Model*, const FlatBufferModel*> models;
  };
  static ShownModels& Shown() {
    static ShownModels shown;
    return shown;
  }

  FlatBufferModel(TfLiteModel* model, ErrorReporter* error_reporter)
      : model_(model), error_reporter_(error_reporter) {}
  static std::unique_ptr<FlatBufferModel> Wrap(TfLiteModel* model,
                                               ErrorReporter* reporter) {
    if (model == nullptr) return nullptr;
    return std::unique_ptr<FlatBufferModel>(
        new FlatBufferModel(model, reporter));
  }

  TfLiteModel* model_;
  ErrorReporter* error_reporter_;
  std::string filename_;
  mutable std::vector<char> bytes_;
  mutable const char* buffer_ = nullptr;
};

}  // namespace tflite

#endif  // MUNJA_TFLITE_MODEL_BUILDER_H_
