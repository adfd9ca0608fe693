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

namespace munja::hal {

// A received message.
struct Message {
  MessageType type = MessageType::kHello;
  uint64_t serial = 0;
  std::vector<uint8_t> payload;
  std::vector<Descriptor> files;
};

// A message to send; the caller keeps the files open until then.
struct Outgoing {
  MessageType type = MessageType::kHello;
  uint64_t serial = 0;
  std::vector<uint8_t> payload;
  std::vector<int> files;
  std::shared_ptr<const void> owner;
};

// The maximum of any message: cache files of two kinds.
inline constexpr size_t kMaxFiles = size_t{2} * MUNJA_NN_MAX_CACHE_FILES;
// Longer payloads travel in a file of their own.
inline constexpr size_t kInlineBytes = size_t{1} << 15;
// Models have constants; answers are small.
inline constexpr uint64_t kMaxToHost = uint64_t{1} << 30;
inline constexpr uint64_t kMaxToClient = uint64_t{1} << 24;

enum class Transfer { kDone, kLater, kClosed, kNonsense };

// kLater: it would have to wait, which it does unless `wait` is false.
Transfer Send(int socket, const Outgoing& message, bool wait);
// kClosed: the other side is gone. kNonsense: the bytes are no message.
Transfer Receive(int socket, uint64_t max_bytes, bool wait, Message* message);

// A path-bound socket: both kUnavailable.
Result<Descriptor> ConnectTo(const std::string& path);
// A stale socket without a listener is replaced.
Result<Descriptor> ListenAt(const std::string& path);

}  // namespace munja::hal

#endif  // MUNJA_TRANSPORT_CHANNEL_H_
