// Options of MediaPipe's operators on landmarks: FlexBuffers, which anybody can
// have written.
#ifndef MUNJA_TFLITE_DELEGATES_GPU_COMMON_MEDIAPIPE_OPTIONS_READER_H_
#define MUNJA_TFLITE_DELEGATES_GPU_COMMON_MEDIAPIPE_OPTIONS_READER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flatbuffers/flexbuffers.h"
#include "tensorflow/lite/delegates/gpu/common/shape.h"
#include "tensorflow/lite/delegates/gpu/common/types.h"

namespace tflite {
namespace gpu {

// Whether options could be read, and why not.
class OptionsStatus {
 public:
  OptionsStatus() = default;
  explicit OptionsStatus(std::string message) : message_(std::move(message)) {}

  bool ok() const { return message_.empty(); }
  std::string_view message() const { return message_; }

 private:
  std::string message_;
};

namespace mediapipe_internal {

class OptionsReader {
 public:
  OptionsReader(const void* data, size_t size) {
    const auto* bytes = static_cast<const uint8_t*>(data);
    std::vector<uint8_t> reused;
    if (bytes == nullptr || size < 3 ||
        !flexbuffers::VerifyBuffer(bytes, size, &reused))
      Fail("The options are damaged.");
    else
      map_ = flexbuffers::GetRoot(bytes, size);
    if (status_.ok() && !map_.IsMap()) Fail("The options are no map.");
  }

  bool Has(const char* key) const { return !Value(key).IsNull(); }
  int32_t Int(const char* key, int32_t fallback = 0) {
    const flexbuffers::Reference v = Value(key);
    return Number(v, key) ? v.AsInt32() : fallback;
  }
  float Float(const char* key, float fallback = 0) {
    const flexbuffers::Reference v = Value(key);
    return Number(v, key) ? v.AsFloat() : fallback;
  }
  std::string Text(const char* key) {
    const flexbuffers::Reference v = Value(key);
    if (v.IsNull()) return "";
    if (!v.IsString()) Fail(std::string(key) + " is no text.");
    return v.IsString() ? v.AsString().str() : "";
  }
  std::vector<int32_t> Ints(const char* key) {
    std::vector<int32_t> all;
    const flexbuffers::Reference v = Value(key);
    if (v.IsTypedVector()) {
      const flexbuffers::TypedVector list = v.AsTypedVector();
      for (size_t i = 0; i < list.size(); ++i) all.push_back(list[i].AsInt32());
    } else if (v.IsVector()) {
      const flexbuffers::Vector list = v.AsVector();
      for (size_t i = 0; i < list.size(); ++i) all.push_back(list[i].AsInt32());
    } else if (!v.IsNull()) {
      Fail(std::string(key) + " is no list.");
    }
    return all;
  }
  HW Size(const char* key) {
    const std::vector<int32_t> both = Ints(key);
    if (both.size() != 2) {
      Fail(std::string(key) + " is not two numbers.");
      return {};
    }
    return {both[0], both[1]};
  }
  // The last of an odd number is a pair with itself.
  std::vector<int2> Pairs(const char* key) {
    const std::vector<int32_t> all = Ints(key);
    std::vector<int2> pairs;
    for (size_t i = 0; i < all.size(); i += 2)
      pairs.emplace_back(all[i], all[i + 1 < all.size() ? i + 1 : i]);
    return pairs;
  }

  void Fail(std::string why) {
    if (status_.ok()) status_ = OptionsStatus(std::move(why));
  }
  const OptionsStatus& status() const { return status_; }

 private:
  flexbuffers::Reference Value(const char* key) const {
    return status_.ok() ? map_.AsMap()[key] : flexbuffers::Reference();
  }
  bool Number(const flexbuffers::Reference& v, const char* key) {
    if (v.IsNull()) return false;
    if (!v.IsNumeric()) Fail(std::string(key) + " is not numeric.");
    return v.IsNumeric();
  }

  flexbuffers::Reference map_;
  OptionsStatus status_;
};

}  // namespace mediapipe_internal
}  // namespace gpu
}  // namespace tflite

#endif  // MUNJA_TFLITE_DELEGATES_GPU_COMMON_MEDIAPIPE_OPTIONS_READER_H_
