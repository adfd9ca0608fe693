// Packets of bursts: a request or a result as a sequence of elements of one
// size, in the order of HAL 1.2's fast message queues.
#ifndef MUNJA_TRANSPORT_PACKET_H_
#define MUNJA_TRANSPORT_PACKET_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "transport/wire.h"

namespace munja::hal {

// A tag and its values; unused fields are 0.
struct Element {
  uint32_t tag = 0;
  std::array<uint32_t, 5> words = {};
  friend bool operator==(const Element&, const Element&) = default;
};
static_assert(sizeof(Element) == 24);

// The HAL's numbers.
enum RequestTag : uint32_t {
  kRequestInformation = 0,  // elements, inputs, outputs, pools, number
  kInputInformation = 1,    // has no value, pool, offset, length, rank
  kInputDimension = 2,
  kOutputInformation = 3,
  kOutputDimension = 4,
  kPoolIdentifier = 5,  // 1: a driver's buffer; number; bytes
  kMeasureTiming = 6,   // yes or no; deadline; loop timeout
};
enum ResultTag : uint32_t {
  kResultInformation = 0,   // elements, status, outputs, number
  kOperandInformation = 1,  // is sufficient, rank
  kOperandDimension = 2,
  kExecutionTiming = 3,  // on the device; in the driver
};

// `number`: which request it is; the result repeats it.
std::vector<Element> RequestPacket(const WireRequest& request, uint32_t number);
std::vector<Element> ResultPacket(const Execution& answer, uint32_t number);

struct NumberedRequest {
  uint32_t number = 0;
  WireRequest request;
};
struct NumberedAnswer {
  uint32_t number = 0;
  Execution answer;
};

// kMalformed: elements that are missing, too many, out of order or not clean.
Result<NumberedRequest> ReadRequestPacket(std::span<const Element> packet);
Result<NumberedAnswer> ReadResultPacket(std::span<const Element> packet);

}  // namespace munja::hal

#endif  // MUNJA_TRANSPORT_PACKET_H_
