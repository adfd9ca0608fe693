// Memory of a device that is the processor's: what requests name by a token.
#ifndef MUNJA_DRIVERS_LOCAL_DEVICE_MEMORY_H_
#define MUNJA_DRIVERS_LOCAL_DEVICE_MEMORY_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <tuple>
#include <vector>

#include "hal/model.h"
#include "munja/driver.h"

namespace munja::drivers::local {

// What an input or output of a model is for a buffer.
struct BufferRole {
  const void* model = nullptr;
  bool is_output = false;
  uint32_t index = 0;
  friend auto operator<=>(const BufferRole&, const BufferRole&) = default;
};

struct BufferState {
  std::set<BufferRole> roles;
  nn::Dimensions dimensions;  // All known.
  std::vector<uint8_t> bytes;
  // A request has it from beginning to end.
  std::mutex mutex;
  bool is_written = false;
};

class DeviceMemory {
 public:
  // One role's operand; all of them agree, or it is refused.
  struct Use {
    BufferRole role;
    const nn::Operand* operand = nullptr;
  };
  // *buffer is the caller's; this outlives it.
  int32_t Allocate(const std::vector<Use>& uses,
                   const nn::Dimensions& dimensions, munja_nn_buffer** buffer);
  // Null: no buffer has this token.
  std::shared_ptr<BufferState> Find(uint32_t token) const;

 private:
  struct Buffer;

  mutable std::mutex mutex_;
  std::map<uint32_t, std::shared_ptr<BufferState>> buffers_;
  uint32_t last_ = 0;
};

// The buffers of a request as memory, and locked as long as this lives.
class BoundBuffers {
 public:
  BoundBuffers() = default;
  ~BoundBuffers();
  BoundBuffers(const BoundBuffers&) = delete;
  BoundBuffers& operator=(const BoundBuffers&) = delete;

  // Puts memory where the request has tokens. A munja_nn_status.
  int32_t Bind(const DeviceMemory& memory, const void* model,
               nn::Request* request);
  // What the run of the request came to: shapes by output, none as asked for.
  // A status in place of the run's.
  int32_t Conclude(int32_t status,
                   const std::vector<const nn::Dimensions*>& shapes);

 private:
  std::vector<std::shared_ptr<BufferState>> held_;  // Each once, locked.
  std::vector<std::pair<size_t, BufferState*>> outputs_;
};

}  // namespace munja::drivers::local

#endif  // MUNJA_DRIVERS_LOCAL_DEVICE_MEMORY_H_
