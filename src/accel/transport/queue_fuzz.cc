// Queues whose other side writes what it likes, and packets of any elements.
// A packet that was read is the same when written again.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "transport/packet.h"
#include "transport/queue.h"

namespace munja::hal {
namespace {

void ReadPacket(std::span<const Element> packet) {
  if (const auto request = ReadRequestPacket(packet);
      request.ok() && RequestPacket(request->request, request->number) !=
                          std::vector<Element>(packet.begin(), packet.end()))
    std::abort();
  if (const auto result = ReadResultPacket(packet);
      result.ok() && ResultPacket(result->answer, result->number) !=
                         std::vector<Element>(packet.begin(), packet.end()))
    std::abort();
}

struct alignas(64) Memory {
  uint8_t bytes[kQueueBytes] = {};
};

// One word: what to do; then what with.
void UseQueue(const uint8_t* data, size_t size) {
  const auto memory = std::make_unique<Memory>();
  auto* const control = reinterpret_cast<QueueControl*>(memory->bytes);
  QueueWriter writer(memory->bytes);
  QueueReader reader(memory->bytes);
  const std::atomic<bool> stopped{true};
  std::vector<Element> packet;
  for (size_t at = 0; at + 8 <= size; at += 8) {
    uint32_t words[2] = {};
    std::memcpy(words, data + at, sizeof words);
    switch (words[0] % 6) {
      case 0:
        control->written = words[1];
        break;
      case 1:
        control->read = words[1];
        break;
      case 2:
        std::memcpy(memory->bytes + sizeof(QueueControl) +
                        words[1] % (kQueueElements * sizeof(Element) - 8),
                    data + at, 8);
        break;
      case 3:
        if (reader.Read(&packet).ok()) {
          if (packet.size() > kQueueElements) std::abort();
          ReadPacket(packet);
        }
        break;
      case 4: {
        const std::vector<Element> sent(words[1] % (kQueueElements + 2));
        if (writer.Write(sent).ok() && sent.size() > kQueueElements)
          std::abort();
        break;
      }
      default:
        reader.Wait(0, stopped);
    }
  }
}

}  // namespace
}  // namespace munja::hal

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using munja::hal::Element;
  if (size == 0) return 0;
  if (data[0] % 2 == 0) {
    munja::hal::UseQueue(data + 1, size - 1);
    return 0;
  }
  std::vector<Element> packet(
      std::min<size_t>((size - 1) / sizeof(Element), 4096));
  if (packet.empty()) return 0;
  std::memcpy(packet.data(), data + 1, packet.size() * sizeof(Element));
  munja::hal::ReadPacket(packet);
  return 0;
}
