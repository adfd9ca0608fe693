#include "transport/remote_memory.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace munja::hal {
namespace {

constexpr uint64_t kSmallestRegion = uint64_t{1} << 16;
constexpr uint64_t kMaxKept = uint64_t{1} << 26;

}  // namespace

bool Region::Tell(const std::shared_ptr<Region>& region,
                  const std::shared_ptr<Connection>& connection) {
  const std::lock_guard lock(region->mutex_);
  if (region->told_.lock() == connection) return false;
  ByteWriter to;
  to.Put(region->id_);
  to.Put(region->offset_);
  to.Put(region->bytes_);
  const int file =
      region->memory_ ? region->memory_->fd() : region->file_.get();
  connection->Post({MessageType::kMemory, 0, to.Take(), {file}, region});
  region->told_ = connection;
  return true;
}

Region::~Region() {
  const std::shared_ptr<Connection> connection = told_.lock();
  if (connection == nullptr || connection->is_lost()) return;
  ByteWriter to;
  to.Put(id_);
  connection->Post({MessageType::kForgetMemory, 0, to.Take(), {}, nullptr});
}

Result<std::shared_ptr<Region>> Staging::Take(uint64_t bytes) {
  std::shared_ptr<Region> region;
  {
    const std::lock_guard lock(free_->mutex);
    const auto found = std::ranges::find_if(free_->regions, [&](const auto& r) {
      return r->bytes() >= bytes && r->bytes() / 4 <= bytes;
    });
    if (found != free_->regions.end()) {
      region = std::move(*found);
      free_->bytes -= region->bytes();
      free_->regions.erase(found);
    }
  }
  if (region == nullptr) {
    if (bytes > uint64_t{1} << 40)
      return OutOfMemory("a pool of more bytes than there can be");
    MUNJA_ASSIGN_OR_RETURN(
        auto memory,
        SharedMemory::Create(std::bit_ceil(std::max(bytes, kSmallestRegion))));
    region = std::make_shared<Region>(
        next_id_->fetch_add(1, std::memory_order_relaxed), std::move(memory));
  }
  Region* const raw = region.get();
  return std::shared_ptr<Region>(raw,
                                 [free = std::weak_ptr<Free>(free_),
                                  kept = std::move(region)](Region*) mutable {
                                   const std::shared_ptr<Free> to = free.lock();
                                   if (to == nullptr) return;
                                   const std::lock_guard lock(to->mutex);
                                   if (to->bytes + kept->bytes() > kMaxKept)
                                     return;
                                   to->bytes += kept->bytes();
                                   to->regions.push_back(std::move(kept));
                                 });
}

void Staging::Clear() {
  std::vector<std::shared_ptr<Region>> regions;
  const std::lock_guard lock(free_->mutex);
  regions.swap(free_->regions);
  free_->bytes = 0;
}

}  // namespace munja::hal
