// The messages between the two sides of a driver's socket. Everything is read
// from a private copy, and a ByteReader never reads beyond it.
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
#include "hal/execution.h"
#include "hal/model.h"
#include "hal/serialize.h"
#include "munja/driver.h"

namespace munja::hal {

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

void PutRequest(const WireRequest& request, ByteWriter& to);
WireRequest GetRequest(ByteReader& from);

void PutAnswer(const Execution& answer, ByteWriter& to);
Execution GetAnswer(ByteReader& from);

// Checks a result against the request: its number of outputs, and whether times
// were asked for.
Status CheckAnswer(const Execution& answer, size_t outputs, bool measure);

// The constant properties of a device.
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

void PutDevice(const WireDevice& device, ByteWriter& to);
WireDevice GetDevice(ByteReader& from);
// kMalformed: what no device may say of itself.
Status CheckDevice(const WireDevice& device);

}  // namespace munja::hal

#endif  // MUNJA_TRANSPORT_WIRE_H_
