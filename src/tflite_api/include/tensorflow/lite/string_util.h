// Tensors of strings: an int32 count, count + 1 int32 offsets from the start of
// the buffer, then the bytes.
#ifndef MUNJA_TFLITE_STRING_UTIL_H_
#define MUNJA_TFLITE_STRING_UTIL_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tensorflow/lite/core/c/common.h"
#include "tensorflow/lite/string_type.h"
#include "tensorflow/lite/util.h"

namespace tflite {

// Bytes in a tensor, or elsewhere; not zero-terminated.
struct StringRef {
  const char* str;
  size_t len;
};

inline int GetStringCount(const void* raw_buffer) {
  int32_t count = 0;
  if (raw_buffer != nullptr) std::memcpy(&count, raw_buffer, sizeof(count));
  return count;
}
inline int GetStringCount(const TfLiteTensor* tensor) {
  return GetStringCount(tensor->data.raw_const);
}

// `string_index` is below the count.
inline StringRef GetString(const void* raw_buffer, int string_index) {
  int32_t range[2];
  const auto* bytes = static_cast<const char*>(raw_buffer);
  std::memcpy(range, bytes + sizeof(int32_t) * (string_index + 1),
              sizeof(range));
  return {bytes + range[0], static_cast<size_t>(range[1] - range[0])};
}
inline StringRef GetString(const TfLiteTensor* tensor, int string_index) {
  return GetString(tensor->data.raw_const, string_index);
}

// Collects strings for a tensor.
class DynamicBuffer {
 public:
  explicit DynamicBuffer(
      size_t max_length = std::numeric_limits<int32_t>::max())
      : max_length_(max_length) {}

  TfLiteStatus AddString(const char* str, size_t len) {
    if (len > max_length_ || data_.size() > max_length_ - len)
      return kTfLiteError;
    data_.insert(data_.end(), str, str + len);
    ends_.push_back(data_.size());
    return kTfLiteOk;
  }
  TfLiteStatus AddString(const StringRef& text) {
    return AddString(text.str, text.len);
  }
  // The strings as one, with `separator` between them.
  void AddJoinedString(const std::vector<StringRef>& strings,
                       StringRef separator) {
    for (size_t i = 0; i < strings.size(); ++i) {
      if (i > 0)
        data_.insert(data_.end(), separator.str, separator.str + separator.len);
      data_.insert(data_.end(), strings[i].str,
                   strings[i].str + strings[i].len);
    }
    ends_.push_back(data_.size());
  }
  void AddJoinedString(const std::vector<StringRef>& strings, char separator) {
    AddJoinedString(strings, StringRef{&separator, 1});
  }

  // Into memory that the caller frees with free(); its size, or a negative
  // number when there is no memory.
  int WriteToBuffer(char** buffer) const {
    const size_t header = sizeof(int32_t) * (ends_.size() + 2);
    if (data_.size() > std::numeric_limits<int32_t>::max() - header) return -1;
    auto* out = static_cast<char*>(std::malloc(header + data_.size()));
    if (out == nullptr) return -1;
    std::vector<int32_t> words = {static_cast<int32_t>(ends_.size()),
                                  static_cast<int32_t>(header)};
    for (const size_t end : ends_)
      words.push_back(static_cast<int32_t>(header + end));
    std::memcpy(out, words.data(), header);
    if (!data_.empty()) std::memcpy(out + header, data_.data(), data_.size());
    *buffer = out;
    return static_cast<int>(header + data_.size());
  }

  // The tensor becomes dynamic and owns the memory. Takes ownership of
  // `new_shape`; null: the shape stays what it is.
  void WriteToTensor(TfLiteTensor* tensor, TfLiteIntArray* new_shape) {
    char* buffer = nullptr;
    const int bytes = WriteToBuffer(&buffer);
    TfLiteTensorDataFree(tensor);
    if (new_shape != nullptr) {
      TfLiteIntArrayFree(tensor->dims);
      tensor->dims = new_shape;
    }
    tensor->type = kTfLiteString;
    tensor->allocation_type = kTfLiteDynamic;
    tensor->data.raw = buffer;
    tensor->bytes = bytes < 0 ? 0 : static_cast<size_t>(bytes);
  }
  // A vector of the number of strings.
  void WriteToTensorAsVector(TfLiteTensor* tensor) {
    WriteToTensor(tensor,
                  BuildTfLiteArray({static_cast<int>(ends_.size())}).release());
  }

 private:
  size_t max_length_;
  std::vector<char> data_;
  std::vector<size_t> ends_;  // End of each string in data_.
};

}  // namespace tflite

#endif  // MUNJA_TFLITE_STRING_UTIL_H_
