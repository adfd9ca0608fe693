// The protocol between the server and its workers: frames over a socket, each
// a JSON object and bytes.
#ifndef MUNJA_SERVER_FRAMES_H_
#define MUNJA_SERVER_FRAMES_H_

#include <chrono>
#include <span>
#include <string>
#include <string_view>

#include "server/text.h"

namespace munja::server {

using Clock = std::chrono::steady_clock;

inline Clock::duration Seconds(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(seconds));
}

struct Frame {
  Json head;
  std::string body;
};

enum class Transfer { kDone, kEnded, kTimedOut };

// Sends a frame; the body is the parts, one after the other.
Transfer SendFrame(int socket, const Json& head,
                   std::span<const std::string_view> body,
                   Clock::time_point deadline);

// kEnded: the other end is closed, or sent what is no frame.
Transfer ReceiveFrame(int socket, Clock::time_point deadline, Frame* frame);

// Whether there is something to receive, the end included, within this time.
bool IsReadable(int socket, int milliseconds);

}  // namespace munja::server

#endif  // MUNJA_SERVER_FRAMES_H_
