// Operators that a C++ program adds.
#ifndef MUNJA_TFLITE_MUTABLE_OP_RESOLVER_H_
#define MUNJA_TFLITE_MUTABLE_OP_RESOLVER_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tensorflow/lite/core/builtin_operator_names.h"
#include "tensorflow/lite/core/c/c_api_experimental.h"

namespace tflite {

class OpResolver {
 public:
  virtual ~OpResolver() = default;
  // Null when there is none.
  virtual const TfLiteRegistration* FindOp(BuiltinOperator op,
                                           int version) const = 0;
  virtual const TfLiteRegistration* FindOp(const char* op,
                                           int version) const = 0;
  // The operators of the library stand behind those that were added.
  virtual bool HasBuiltins() const { return false; }
  // For the options of the C API, which keep what they need.
  virtual void AddTo(TfLiteInterpreterOptions* options) const = 0;
};

// The last operator added under a number or name counts.
class MutableOpResolver : public OpResolver {
 public:
  const TfLiteRegistration* FindOp(BuiltinOperator op,
                                   int version) const override {
    const auto it = builtins_.find({op, version});
    return it == builtins_.end() ? nullptr : &it->second;
  }
  const TfLiteRegistration* FindOp(const char* op, int version) const override {
    const auto it = customs_.find({op, version});
    return it == customs_.end() ? nullptr : &it->second;
  }
  void AddBuiltin(BuiltinOperator op, const TfLiteRegistration* registration,
                  int version = 1) {
    AddBuiltin(op, registration, version, version);
  }
  void AddBuiltin(BuiltinOperator op, const TfLiteRegistration* registration,
                  int min_version, int max_version) {
    for (int version = min_version; version <= max_version; ++version) {
      TfLiteRegistration& added = builtins_[{op, version}];
      added = *registration;
      added.builtin_code = op;
      added.version = version;
    }
  }
  void AddCustom(const char* name, const TfLiteRegistration* registration,
                 int version = 1) {
    AddCustom(name, registration, version, version);
  }
  void AddCustom(const char* name, const TfLiteRegistration* registration,
                 int min_version, int max_version) {
    for (int version = min_version; version <= max_version; ++version) {
      const auto it =
          customs_.insert_or_assign({name, version}, *registration).first;
      it->second.builtin_code = kTfLiteBuiltinCustom;
      it->second.custom_name = it->first.first.c_str();
      it->second.version = version;
    }
  }
  void AddAll(const MutableOpResolver& other) {
    for (const auto& [key, registration] : other.builtins_)
      AddBuiltin(key.first, &registration, key.second);
    for (const auto& [key, registration] : other.customs_)
      AddCustom(key.first.c_str(), &registration, key.second);
  }
  void AddTo(TfLiteInterpreterOptions* options) const override {
    for (const auto& [key, registration] : builtins_)
      TfLiteInterpreterOptionsAddBuiltinOp(options, key.first, &registration,
                                           key.second, key.second);
    for (const auto& [key, registration] : customs_)
      TfLiteInterpreterOptionsAddCustomOp(
          options, key.first.c_str(), &registration, key.second, key.second);
  }

 private:
  std::map<std::pair<BuiltinOperator, int>, TfLiteRegistration> builtins_;
  std::map<std::pair<std::string, int>, TfLiteRegistration> customs_;
};

}  // namespace tflite

#endif  // MUNJA_TFLITE_MUTABLE_OP_RESOLVER_H_
