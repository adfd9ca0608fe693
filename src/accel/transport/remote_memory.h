// Memory of a client that its host sees.
#ifndef MUNJA_TRANSPORT_REMOTE_MEMORY_H_
#define MUNJA_TRANSPORT_REMOTE_MEMORY_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/status.h"
#include "hal/model.h"
#include "transport/connection.h"
#include "transport/shared_memory.h"

namespace munja::hal {

// A piece of shared memory with a number, which hosts are told once each.
class Region {
 public:
  // The caller's file.
  Region(uint32_t id, Descriptor file, uint64_t offset, uint64_t bytes)
      : id_(id), file_(std::move(file)), offset_(offset), bytes_(bytes) {}
  // Our own.
  Region(uint32_t id, std::shared_ptr<SharedMemory> memory)
      : id_(id), bytes_(memory->bytes()), memory_(std::move(memory)) {}
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  // True: the host did not know it yet.
  static bool Tell(const std::shared_ptr<Region>& region,
                   const std::shared_ptr<Connection>& connection);
  uint32_t id() const { return id_; }
  uint64_t bytes() const { return bytes_; }
  uint8_t* data() const { return memory_ ? memory_->data() : nullptr; }

 private:
  const uint32_t id_;
  const Descriptor file_;
  const uint64_t offset_ = 0, bytes_ = 0;
  const std::shared_ptr<SharedMemory> memory_;
  std::mutex mutex_;
  std::weak_ptr<Connection> told_;
};

// Regions for data in memory that cannot be shared; kept for the next request.
class Staging {
 public:
  explicit Staging(std::atomic<uint32_t>* next_id) : next_id_(next_id) {}
  // Takes a region of at least `bytes`. It returns by itself when it is no
  // longer held.
  Result<std::shared_ptr<Region>> Take(uint64_t bytes);
  void Clear();

 private:
  struct Free {
    std::mutex mutex;
    std::vector<std::shared_ptr<Region>> regions;
    uint64_t bytes = 0;
  };
  std::atomic<uint32_t>* const next_id_;
  std::shared_ptr<Free> free_ = std::make_shared<Free>();
};

}  // namespace munja::hal

#endif  // MUNJA_TRANSPORT_REMOTE_MEMORY_H_
