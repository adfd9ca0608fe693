// Messages over a Unix socket, with files.
#ifndef MUNJA_TRANSPORT_CHANNEL_H_
#define MUNJA_TRANSPORT_CHANNEL_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/status.h"
#include "transport/wire.h"

namespace munja::nn {

// What arrived.
struct Message {
  MessageType type = MessageType::kHello;
  uint64_t serial = 0;
  std::vector<uint8_t> payload;
  std::vector<Descriptor> files;
};

// What is to be sent; the files stay open until then because somebody owns
// them.
struct Outgoing {
  MessageType type = MessageType::kHello;
  uint64_t serial = 0;
  std::vector<uint8_t> payload;
  std::vector<int> files;
  std::shared_ptr<const void> owner;
};

// More files than this nothing has: cache files of two kinds.
inline constexpr size_t kMostFiles = size_t{2} * MUNJA_NN_MAX_CACHE_FILES;
// Longer payloads travel in a file of their own.
inline constexpr size_t kInlineBytes = size_t{1} << 15;
// Models have constants; answers are small.
inline constexpr uint64_t kMostToHost = uint64_t{1} << 30;
inline constexpr uint64_t kMostToClient = uint64_t{1} << 24;

enum class Transfer { kDone, kLater, kClosed, kNonsense };

// kLater: it would have to wait, which it does unless `wait` is false.
Transfer Send(int socket, const Outgoing& message, bool wait);
// kClosed: the other side is gone. kNonsense: what came is no message.
Transfer Receive(int socket, uint64_t most_bytes, bool wait, Message* message);

// A path-bound socket: both kUnavailable.
Result<Descriptor> ConnectTo(const std::string& path);
// An old socket that nobody listens on is replaced.
Result<Descriptor> ListenAt(const std::string& path);

uint64_t MonotonicNow();  // Nanoseconds of CLOCK_MONOTONIC.

// Duplicates, closed in children that exec. -1 where there is none.
Descriptor Duplicate(int fd);

}  // namespace munja::nn

#endif  // MUNJA_TRANSPORT_CHANNEL_H_
