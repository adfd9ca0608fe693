#include "tflite_api/model.h"

#include <cstdint>
#include <memory>
#include <utility>

#include "tflite/read.h"
#include "tflite_api/guard.h"

namespace munja::compat {
namespace {

TfLiteModel* Wrap(Result<std::shared_ptr<graph::Graph>> graph,
                  const Reporter& reporter) {
  if (!graph.ok()) {
    reporter.Report(graph.status());
    return nullptr;
  }
  return new TfLiteModel{std::move(*graph), reporter};
}

TfLiteModel* FromBytes(const void* data, size_t size,
                       const Reporter& reporter) {
  return Guard<TfLiteModel*>(reporter, nullptr, [&]() -> TfLiteModel* {
    if (data == nullptr) {
      reporter.Report("The model has no bytes.");
      return nullptr;
    }
    // The bytes are the caller's and outlive the interpreters: an owner that
    // owns nothing says that they need no copy.
    const std::shared_ptr<const void> owner(data, [](const void*) {});
    return Wrap(tflite::Read({static_cast<const uint8_t*>(data), size}, owner),
                reporter);
  });
}

TfLiteModel* FromFile(const char* path, const Reporter& reporter) {
  return Guard<TfLiteModel*>(reporter, nullptr, [&]() -> TfLiteModel* {
    if (path == nullptr) {
      reporter.Report("The model has no path.");
      return nullptr;
    }
    return Wrap(tflite::ReadFile(path), reporter);
  });
}

}  // namespace
}  // namespace munja::compat

using munja::compat::FromBytes;
using munja::compat::FromFile;
using munja::compat::Reporter;

extern "C" {

const char* TfLiteVersion(void) { return "2.20.0"; }

const char* TfLiteExtensionApisVersion(void) { return "1.0.0"; }

int TfLiteSchemaVersion(void) { return 3; }

TfLiteModel* TfLiteModelCreate(const void* model_data, size_t model_size) {
  return FromBytes(model_data, model_size, Reporter());
}

TfLiteModel* TfLiteModelCreateWithErrorReporter(
    const void* model_data, size_t model_size,
    void (*reporter)(void* user_data, const char* format, va_list args),
    void* user_data) {
  return FromBytes(model_data, model_size, Reporter(reporter, user_data));
}

TfLiteModel* TfLiteModelCreateFromFile(const char* model_path) {
  return FromFile(model_path, Reporter());
}

TfLiteModel* TfLiteModelCreateFromFileWithErrorReporter(
    const char* model_path,
    void (*reporter)(void* user_data, const char* format, va_list args),
    void* user_data) {
  return FromFile(model_path, Reporter(reporter, user_data));
}

void TfLiteModelDelete(TfLiteModel* model) { delete model; }

}  // extern "C"
