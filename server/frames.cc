#include "server/frames.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace munja::server {
namespace {

constexpr uint64_t kMaxHead = 16u << 20, kMaxBody = uint64_t{1} << 36;

struct FrameSizes {
  uint64_t head, body;
};

// Waits for the events of poll(); kDone: there is one.
Transfer WaitFor(int socket, short events, Clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
                          deadline - Clock::now())
                          .count();
    if (left <= 0) return Transfer::kTimedOut;
    pollfd wait = {socket, events, 0};
    const int found =
        ::poll(&wait, 1, static_cast<int>(std::min<int64_t>(left, 60000)));
    if (found > 0) return Transfer::kDone;
    if (found < 0 && errno != EINTR) return Transfer::kEnded;
  }
}

Transfer SendAll(int socket, std::string_view bytes,
                 Clock::time_point deadline) {
  while (!bytes.empty()) {
    const ssize_t sent =
        ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<size_t>(sent));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return Transfer::kEnded;
    if (const Transfer wait = WaitFor(socket, POLLOUT, deadline);
        wait != Transfer::kDone)
      return wait;
  }
  return Transfer::kDone;
}

Transfer ReceiveAll(int socket, char* bytes, size_t size,
                    Clock::time_point deadline) {
  while (size > 0) {
    const ssize_t got = ::recv(socket, bytes, size, MSG_DONTWAIT);
    if (got > 0) {
      bytes += got;
      size -= static_cast<size_t>(got);
      continue;
    }
    if (got == 0) return Transfer::kEnded;
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return Transfer::kEnded;
    if (const Transfer wait = WaitFor(socket, POLLIN, deadline);
        wait != Transfer::kDone)
      return wait;
  }
  return Transfer::kDone;
}

}  // namespace

Transfer SendFrame(int socket, const Json& head,
                   std::span<const std::string_view> body,
                   Clock::time_point deadline) {
  const std::string text = Dump(head);
  FrameSizes sizes = {text.size(), 0};
  for (const std::string_view part : body) sizes.body += part.size();
  std::string front(sizeof sizes, '\0');
  std::memcpy(front.data(), &sizes, sizeof sizes);
  Transfer transfer = SendAll(socket, front + text, deadline);
  for (const std::string_view part : body)
    if (transfer == Transfer::kDone) transfer = SendAll(socket, part, deadline);
  return transfer;
}

Transfer ReceiveFrame(int socket, Clock::time_point deadline, Frame* frame) {
  FrameSizes sizes = {};
  Transfer transfer = ReceiveAll(socket, reinterpret_cast<char*>(&sizes),
                                 sizeof sizes, deadline);
  if (transfer != Transfer::kDone) return transfer;
  if (sizes.head > kMaxHead || sizes.body > kMaxBody) return Transfer::kEnded;
  std::string text(sizes.head, '\0');
  transfer = ReceiveAll(socket, text.data(), text.size(), deadline);
  if (transfer != Transfer::kDone) return transfer;
  frame->body.resize(sizes.body);
  transfer =
      ReceiveAll(socket, frame->body.data(), frame->body.size(), deadline);
  if (transfer != Transfer::kDone) return transfer;
  frame->head = Json::parse(text, nullptr, false);
  return frame->head.is_object() ? Transfer::kDone : Transfer::kEnded;
}

bool IsReadable(int socket, int milliseconds) {
  pollfd wait = {socket, POLLIN, 0};
  return ::poll(&wait, 1, milliseconds) > 0;
}

}  // namespace munja::server
