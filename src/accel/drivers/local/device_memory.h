// Device memory of the drivers on the CPU: buffers that requests name by a
// token.
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

// The use of a buffer as an input or output of a model.
struct BufferRole {
  const void* model = nullptr;
  bool is_output = false;
  uint32_t index = 0;
  friend auto operator<=>(const BufferRole&, const BufferRole&) = default;
};

struct BufferState {
  std::set<BufferRole> roles;
  hal::Dimensions dimensions;  // All known.
  std::vector<uint8_t> bytes;
  // Held by a request from beginning to end.
  std::mutex mutex;
  bool is_written = false;
};

class DeviceMemory {
 public:
  // One role's operand; all of them agree, or it is refused.
  struct Use {
    BufferRole role;
    const hal::Operand* operand = nullptr;
  };
  // *buffer is the caller's; this outlives it.
  int32_t Allocate(const std::vector<Use>& uses,
                   const hal::Dimensions& dimensions, munja_nn_buffer** buffer);
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
               hal::Request* request);
  // Takes the result of the request's run: shapes by output, none: as
  // requested. Returns the status to report.
  int32_t Conclude(int32_t status,
                   const std::vector<const hal::Dimensions*>& shapes);

 private:
  std::vector<std::shared_ptr<BufferState>> held_;  // Each once, locked.
  std::vector<std::pair<size_t, BufferState*>> outputs_;
};

}  // namespace munja::drivers::local

#endif  // MUNJA_DRIVERS_LOCAL_DEVICE_MEMORY_H_
