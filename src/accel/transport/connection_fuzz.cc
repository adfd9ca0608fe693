// Fuzzes the messages of a host to its client: datagrams of any bytes,
// well-formed headers with any payloads, and answers to calls in flight. Every
// call ends exactly once.
//
// The input is a row of datagrams: how it is wrapped, two bytes of length, the
// bytes.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "transport/connection.h"
#include "transport/wire.h"

namespace munja::hal {
namespace {

// Reads an answer.
void Read(const std::vector<uint8_t>& payload) {
  {
    ByteReader from(payload);
    from.Get<uint32_t>();
    from.GetFlag();
    const WireDevice device = GetDevice(from);
    if (CheckDevice(device).ok() &&
        (device.name.empty() || device.version_string.empty()))
      std::abort();
  }
  ByteReader from(payload);
  const Execution answer = GetAnswer(from);
  if (from.IsDone() && CheckAnswer(answer, 2, false).ok() &&
      (!IsStatus(answer.status) || answer.outputs.size() > 2 ||
       answer.timing.in_driver != MUNJA_NN_NO_TIME))
    std::abort();
}

void Feed(const uint8_t* data, size_t size) {
  std::array<int, 2> ends = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return;
  Descriptor host(ends[0]);
  std::array<std::atomic<int>, 4> calls = {};
  const std::shared_ptr<Connection> connection =
      Connection::Open("fuzz", Descriptor(ends[1]), nullptr);
  for (std::atomic<int>& count : calls) {
    Connection::Call call;
    call.message.type = MessageType::kHello;
    call.done = [&count](int32_t status, const Message* answer) {
      if ((status == MUNJA_NN_NONE) != (answer != nullptr)) std::abort();
      if (answer != nullptr) Read(answer->payload);
      ++count;
    };
    connection->Start(std::move(call));
  }
  for (size_t at = 0; at + 3 <= size;) {
    const uint8_t how = data[at];
    const size_t length =
        std::min<size_t>({static_cast<size_t>(data[at + 1] | data[at + 2] << 8),
                          size - at - 3, size_t{60'000}});
    at += 3;
    Read(std::vector<uint8_t>(data + at, data + at + length));
    if ((how & 0x80) != 0) {
      if (send(host.get(), data + at, length, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        break;
    } else {
      Outgoing message;
      message.type =
          (how & 0x40) != 0 ? MessageType::kLog : MessageType::kAnswer;
      message.serial = how & 7;
      message.payload.assign(data + at, data + at + length);
      if (Send(host.get(), message, false) != Transfer::kDone) break;
    }
    at += length;
  }
  host.Close();
  connection->Join();
  for (const std::atomic<int>& count : calls)
    if (count != 1) std::abort();
}

}  // namespace
}  // namespace munja::hal

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  munja::hal::Feed(data, size);
  return 0;
}
