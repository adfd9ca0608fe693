// Tables from numbers to strings or back.
#ifndef MUNJA_TFLITE_EXPERIMENTAL_RESOURCE_LOOKUP_INTERFACES_H_
#define MUNJA_TFLITE_EXPERIMENTAL_RESOURCE_LOOKUP_INTERFACES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_map>

#include "tensorflow/lite/core/c/common.h"
#include "tensorflow/lite/experimental/resource/resource_base.h"
#include "tensorflow/lite/kernels/kernel_util.h"
#include "tensorflow/lite/string_util.h"

namespace tflite {
namespace resource {

class LookupInterface : public ResourceBase {
 public:
  ResourceType GetResourceType() const override {
    return ResourceType::kHashTable;
  }
  // The first element of `default_value` where a key is not there.
  virtual TfLiteStatus Lookup(TfLiteContext* context, const TfLiteTensor* keys,
                              TfLiteTensor* values,
                              const TfLiteTensor* default_value) = 0;
  // Fills the table; the second time does nothing.
  virtual TfLiteStatus Import(TfLiteContext* context, const TfLiteTensor* keys,
                              const TfLiteTensor* values) = 0;
  virtual size_t Size() = 0;
  virtual TfLiteType GetKeyType() const = 0;
  virtual TfLiteType GetValueType() const = 0;
  virtual TfLiteStatus CheckKeyAndValueTypes(TfLiteContext* context,
                                             const TfLiteTensor* keys,
                                             const TfLiteTensor* values) = 0;
};

namespace internal {

template <class T>
T ElementAt(const TfLiteTensor* tensor, int i) {
  if constexpr (std::is_same_v<T, std::string>) {
    const StringRef text = GetString(tensor, i);
    return std::string(text.str, static_cast<size_t>(text.len));
  } else {
    return static_cast<const T*>(tensor->data.data)[i];
  }
}

template <class Key, class Value>
class Table final : public LookupInterface {
 public:
  Table(TfLiteType key, TfLiteType value) : key_(key), value_(value) {}

  TfLiteStatus Lookup(TfLiteContext* context, const TfLiteTensor* keys,
                      TfLiteTensor* values,
                      const TfLiteTensor* default_value) override {
    TF_LITE_ENSURE(context, is_filled_);
    const int64_t count = NumElements(keys);
    TF_LITE_ENSURE_EQ(context, count, NumElements(values));
    TF_LITE_ENSURE(context, NumElements(default_value) >= 1);
    const Value other = ElementAt<Value>(default_value, 0);
    [[maybe_unused]] DynamicBuffer texts;
    for (int i = 0; i < count; ++i) {
      const auto found = entries_.find(ElementAt<Key>(keys, i));
      const Value& value = found != entries_.end() ? found->second : other;
      if constexpr (std::is_same_v<Value, std::string>) {
        texts.AddString(value.data(), value.size());
      } else {
        static_cast<Value*>(values->data.data)[i] = value;
      }
    }
    if constexpr (std::is_same_v<Value, std::string>)
      texts.WriteToTensor(values, nullptr);
    return kTfLiteOk;
  }
  TfLiteStatus Import(TfLiteContext* context, const TfLiteTensor* keys,
                      const TfLiteTensor* values) override {
    if (is_filled_) return kTfLiteOk;
    const int64_t count = NumElements(keys);
    TF_LITE_ENSURE_EQ(context, count, NumElements(values));
    for (int i = 0; i < count; ++i)  // The first of equal keys counts.
      entries_.emplace(ElementAt<Key>(keys, i), ElementAt<Value>(values, i));
    is_filled_ = true;
    return kTfLiteOk;
  }
  size_t Size() override { return entries_.size(); }
  TfLiteType GetKeyType() const override { return key_; }
  TfLiteType GetValueType() const override { return value_; }
  TfLiteStatus CheckKeyAndValueTypes(TfLiteContext* context,
                                     const TfLiteTensor* keys,
                                     const TfLiteTensor* values) override {
    TF_LITE_ENSURE_EQ(context, keys->type, key_);
    TF_LITE_ENSURE_EQ(context, values->type, value_);
    return kTfLiteOk;
  }
  bool IsInitialized() override { return is_filled_; }
  size_t GetMemoryUsage() override { return entries_.size() * sizeof(Value); }

 private:
  TfLiteType key_, value_;
  std::unordered_map<Key, Value> entries_;
  bool is_filled_ = false;
};

}  // namespace internal

// kTfLiteError: other types than int64 to string and string to int64.
inline TfLiteStatus CreateHashtableResourceIfNotAvailable(
    ResourceMap* resources, int id, TfLiteType key, TfLiteType value) {
  return CreateTypedResourceIfNotAvailable(
      resources, id, ResourceBase::ResourceType::kHashTable,
      [key, value]() -> std::unique_ptr<ResourceBase> {
        if (key == kTfLiteInt64 && value == kTfLiteString)
          return std::make_unique<internal::Table<int64_t, std::string>>(key,
                                                                         value);
        if (key == kTfLiteString && value == kTfLiteInt64)
          return std::make_unique<internal::Table<std::string, int64_t>>(key,
                                                                         value);
        return nullptr;
      });
}

inline LookupInterface* GetHashtableResource(ResourceMap* resources, int id) {
  return GetTypedResource<LookupInterface>(
      resources, id, ResourceBase::ResourceType::kHashTable);
}

}  // namespace resource
}  // namespace tflite

#endif  // MUNJA_TFLITE_EXPERIMENTAL_RESOURCE_LOOKUP_INTERFACES_H_
