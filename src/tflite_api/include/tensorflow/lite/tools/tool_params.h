// Named settings of programs, each int32_t, float, bool or std::string.
#ifndef MUNJA_TFLITE_TOOLS_TOOL_PARAMS_H_
#define MUNJA_TFLITE_TOOLS_TOOL_PARAMS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "tensorflow/lite/tools/logging.h"

namespace tflite {
namespace tools {

template <class T>
class TypedToolParam;

// A setting: its value, whether it was given, and where on the command line.
class ToolParam {
 protected:
  enum class ParamType { TYPE_INT32, TYPE_FLOAT, TYPE_BOOL, TYPE_STRING };

  template <class T>
  static constexpr ParamType GetValueType() {
    static_assert(std::is_same_v<T, int32_t> || std::is_same_v<T, float> ||
                  std::is_same_v<T, bool> || std::is_same_v<T, std::string>);
    if constexpr (std::is_same_v<T, int32_t>) return ParamType::TYPE_INT32;
    if constexpr (std::is_same_v<T, float>) return ParamType::TYPE_FLOAT;
    if constexpr (std::is_same_v<T, bool>) return ParamType::TYPE_BOOL;
    return ParamType::TYPE_STRING;
  }

 public:
  explicit ToolParam(ParamType type) : type_(type) {}
  virtual ~ToolParam() = default;

  template <class T>
  static std::unique_ptr<ToolParam> Create(const T& default_value,
                                           int position = 0) {
    auto param = std::make_unique<TypedToolParam<T>>(default_value);
    param->SetPosition(position);
    return param;
  }

  // Another type than that of the setting ends the program.
  template <class T>
  TypedToolParam<T>* AsTyped() {
    NeedType(GetValueType<T>());
    return static_cast<TypedToolParam<T>*>(this);
  }
  template <class T>
  const TypedToolParam<T>* AsConstTyped() const {
    NeedType(GetValueType<T>());
    return static_cast<const TypedToolParam<T>*>(this);
  }

  bool HasValueSet() const { return has_value_set_; }
  int GetPosition() const { return position_; }
  void SetPosition(int position) { position_ = position; }
  virtual void Set(const ToolParam& other) { (void)other; }
  virtual std::unique_ptr<ToolParam> Clone() const = 0;

 protected:
  bool has_value_set_ = false;
  int position_ = 0;

 private:
  void NeedType(ParamType type) const {
    TFLITE_TOOLS_CHECK(type == type_) << "A setting is of another type.";
  }

  const ParamType type_;
};

template <class T>
class TypedToolParam : public ToolParam {
 public:
  explicit TypedToolParam(const T& value)
      : ToolParam(GetValueType<T>()), value_(value) {}

  const T& Get() const { return value_; }
  void Set(const T& value) {
    value_ = value;
    has_value_set_ = true;
  }
  void Set(const ToolParam& other) override {
    Set(other.AsConstTyped<T>()->Get());
    SetPosition(other.GetPosition());
  }
  // As if its value had not been given yet.
  std::unique_ptr<ToolParam> Clone() const override {
    return Create<T>(value_, position_);
  }

 private:
  T value_;
};

// Reading or setting what was never added ends the program.
class ToolParams {
 public:
  void AddParam(const std::string& name, std::unique_ptr<ToolParam> value) {
    params_[name] = std::move(value);
  }
  void RemoveParam(const std::string& name) { params_.erase(name); }
  bool HasParam(const std::string& name) const {
    return params_.count(name) > 0;
  }
  bool Empty() const { return params_.empty(); }
  // Null when there is none.
  const ToolParam* GetParam(const std::string& name) const {
    const auto it = params_.find(name);
    return it != params_.end() ? it->second.get() : nullptr;
  }

  template <class T>
  void Set(const std::string& name, const T& value, int position = 0) {
    Need(name);
    TypedToolParam<T>* param = params_.at(name)->AsTyped<T>();
    param->Set(value);
    param->SetPosition(position);
  }
  template <class T>
  bool HasValueSet(const std::string& name) const {
    return Need(name).AsConstTyped<T>()->HasValueSet();
  }
  template <class T>
  int GetPosition(const std::string& name) const {
    return Need(name).AsConstTyped<T>()->GetPosition();
  }
  template <class T>
  T Get(const std::string& name) const {
    return Need(name).AsConstTyped<T>()->Get();
  }

  // The values of those that both have.
  void Set(const ToolParams& other) {
    for (const auto& [name, param] : params_)
      if (const ToolParam* given = other.GetParam(name)) param->Set(*given);
  }
  // Also adds those that only the other has; `overwrite`: and takes the values
  // of those that both have.
  void Merge(const ToolParams& other, bool overwrite = false) {
    for (const auto& [name, param] : other.params_) {
      const auto it = params_.find(name);
      if (it == params_.end())
        AddParam(name, param->Clone());
      else if (overwrite)
        it->second->Set(*param);
    }
  }

 private:
  const ToolParam& Need(const std::string& name) const {
    const ToolParam* param = GetParam(name);
    TFLITE_TOOLS_CHECK(param != nullptr) << "There is no setting " << name;
    return *param;
  }

  std::unordered_map<std::string, std::unique_ptr<ToolParam>> params_;
};

#define LOG_TOOL_PARAM(params, type, name, description, verbose)          \
  do {                                                                    \
    TFLITE_MAY_LOG(INFO, (verbose) || (params).HasValueSet<type>((name))) \
        << (description) << ": [" << (params).Get<type>((name)) << "]";   \
  } while (0)

}  // namespace tools
}  // namespace tflite

#endif  // MUNJA_TFLITE_TOOLS_TOOL_PARAMS_H_
