// What the two sides of a driver's socket say, as bytes. Everything is read
// from a copy that nobody else can change, and a Reader never reads beyond it.
#ifndef MUNJA_TRANSPORT_WIRE_H_
#define MUNJA_TRANSPORT_WIRE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "base/status.h"
#include "hal/model.h"
#include "munja/driver.h"

namespace munja::nn {

// Changes whenever anything below does: both sides are of one build.
inline constexpr uint32_t kProtocolVersion = 1;

enum class MessageType : uint16_t {
  // To the host. Each with a serial number not 0 gets one kAnswer.
  kHello = 1,
  kStatus,
  kSupported,
  kPrepare,
  kPrepareFromCache,
  kAllocate,
  kCopyTo,
  kCopyFrom,
  kIdle,
  kExecute,
  kExecuteFenced,
  kCreateBurst,
  kForgetSlot,
  kMemory,        // A piece of shared memory gets a number.
  kForgetMemory,  // No more requests with it follow.
  kRelease,
  kSync,     // Everything before has been seen.
  kGoodbye,  // Nothing follows.
  // To the client.
  kAnswer = 64,
  kLog,
};

enum class ObjectKind : uint32_t { kModel = 1, kBuffer, kBurst };

class Writer {
 public:
  template <class T>
  void Put(T value) {
    static_assert(std::is_arithmetic_v<T>);
    const size_t at = bytes_.size();
    bytes_.resize(at + sizeof value);
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }
  void PutBytes(const void* data, size_t size);  // With their number.
  void PutText(const std::string& text) { PutBytes(text.data(), text.size()); }
  template <class T>
  void PutList(const std::vector<T>& values) {
    PutBytes(values.data(), values.size() * sizeof(T));
  }
  std::vector<uint8_t> Take() { return std::move(bytes_); }
  const std::vector<uint8_t>& bytes() const { return bytes_; }

 private:
  std::vector<uint8_t> bytes_;
};

// After the first thing that is not there everything reads as zero and empty,
// and ok() is false.
class Reader {
 public:
  explicit Reader(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  bool ok() const { return is_ok_; }
  // All was there, and nothing is left.
  bool IsDone() const { return is_ok_ && at_ == bytes_.size(); }
  void Fail() { is_ok_ = false; }

  template <class T>
  T Get() {
    static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>);
    T value = {};
    if (const uint8_t* from = Next(sizeof value); from != nullptr)
      std::memcpy(&value, from, sizeof value);
    return value;
  }
  bool GetFlag();  // 0 or 1; others fail.
  std::string GetText();
  template <class T>
  std::vector<T> GetList() {
    const uint64_t size = Get<uint64_t>();
    std::vector<T> values;
    if (size % sizeof(T) != 0) Fail();
    const uint8_t* from = Next(size);
    if (from == nullptr || size == 0) return values;
    values.resize(size / sizeof(T));
    std::memcpy(values.data(), from, size);
    return values;
  }
  // A number of things of at least so many bytes each; more than can follow
  // fail.
  uint32_t GetCount(size_t bytes_each);

 private:
  const uint8_t* Next(uint64_t size);

  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
  bool is_ok_ = true;
};

// Pools are numbers of kMemory. Reading does not validate; data of pools is
// null.
void PutModel(const Model& model, const std::vector<uint32_t>& pools,
              Writer& to);
Model GetModel(Reader& from, std::vector<uint32_t>& pools);

// A pool of a request: a part of a shared memory that has a number, from its
// beginning on, or a driver's buffer.
struct WirePool {
  bool is_buffer = false;
  uint32_t id = 0;
  uint64_t bytes = 0;
  friend bool operator==(const WirePool&, const WirePool&) = default;
};

struct WireOptions {
  bool measure = false;
  uint64_t deadline_ns = 0;
  uint64_t loop_timeout_ns = 0;
};

struct WireRequest {
  std::vector<Argument> inputs, outputs;
  std::vector<WirePool> pools;
  WireOptions options;
};

void PutRequest(const WireRequest& request, Writer& to);
WireRequest GetRequest(Reader& from);

struct AnswerShape {
  bool is_sufficient = true;
  Dimensions dimensions;
};

// What a munja_nn_result says.
struct ExecutionAnswer {
  int32_t status = MUNJA_NN_GENERAL_FAILURE;
  std::vector<AnswerShape> outputs;
  munja_nn_timing timing = {MUNJA_NN_NO_TIME, MUNJA_NN_NO_TIME};
};

void PutAnswer(const ExecutionAnswer& answer, Writer& to);
ExecutionAnswer GetAnswer(Reader& from);

// The rules of a result, to a request with so many outputs that was to be
// measured or not.
Status CheckAnswer(const ExecutionAnswer& answer, size_t outputs, bool measure);
inline bool IsStatus(int32_t status) {
  return status >= MUNJA_NN_NONE &&
         status <= MUNJA_NN_RESOURCE_EXHAUSTED_PERSISTENT;
}

// What never changes about a device.
struct WireDevice {
  std::string name, version_string;
  int32_t type = MUNJA_NN_DEVICE_OTHER;
  int32_t hal_version = MUNJA_NN_1_0;
  munja_nn_performance relaxed_scalar = {}, relaxed_tensor = {},
                       if_performance = {}, while_performance = {};
  struct TypePerformance {
    int32_t type = 0;
    munja_nn_performance performance = {};
  };
  std::vector<TypePerformance> operands;
  struct ExtensionType {
    uint16_t type = 0, is_tensor = 0;
    uint32_t element_bytes = 0;
  };
  struct Extension {
    std::string name;
    std::vector<ExtensionType> types;
  };
  std::vector<Extension> extensions;
  uint32_t model_cache_files = 0, data_cache_files = 0;
  bool has_status = false, has_cache = false, has_allocate = false,
       has_idle = false;
};

void PutDevice(const WireDevice& device, Writer& to);
WireDevice GetDevice(Reader& from);
// kMalformed: what no device may say of itself.
Status CheckDevice(const WireDevice& device);

}  // namespace munja::nn

#endif  // MUNJA_TRANSPORT_WIRE_H_
