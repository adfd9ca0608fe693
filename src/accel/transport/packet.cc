#include "transport/packet.h"

#include <string>

namespace munja::hal {
namespace {

Element Make(uint32_t tag, std::array<uint32_t, 5> words) {
  return {tag, words};
}

uint32_t Low(uint64_t value) { return static_cast<uint32_t>(value); }
uint32_t High(uint64_t value) { return static_cast<uint32_t>(value >> 32); }
uint64_t Whole(uint32_t low, uint32_t high) {
  return uint64_t{high} << 32 | low;
}

void PutArguments(const std::vector<Argument>& arguments, uint32_t information,
                  uint32_t dimension, std::vector<Element>& packet) {
  for (const Argument& argument : arguments) {
    const Location& at = argument.location;
    packet.push_back(
        Make(information, {argument.has_no_value, at.pool, at.offset, at.length,
                           static_cast<uint32_t>(argument.dimensions.size())}));
    for (const uint32_t value : argument.dimensions)
      packet.push_back(Make(dimension, {value}));
  }
}

// Takes the elements of a packet in their order.
class Elements {
 public:
  explicit Elements(std::span<const Element> packet) : packet_(packet) {}

  // Words from `used` on must be 0. After a fault all that comes is 0.
  Element Take(uint32_t tag, size_t used) {
    if (!is_ok_ || at_ >= packet_.size()) return Fault();
    const Element element = packet_[at_++];
    if (element.tag != tag) return Fault();
    for (size_t i = used; i < element.words.size(); ++i)
      if (element.words[i] != 0) return Fault();
    return element;
  }
  bool Flag(uint32_t word) {
    if (word > 1) Fault();
    return word == 1;
  }
  Dimensions TakeDimensions(uint32_t tag, uint32_t rank) {
    Dimensions dimensions;
    for (uint32_t i = 0; i < rank && is_ok_; ++i)
      dimensions.push_back(Take(tag, 1).words[0]);
    return dimensions;
  }
  std::vector<Argument> TakeArguments(uint32_t information, uint32_t dimension,
                                      uint32_t count) {
    std::vector<Argument> arguments;
    for (uint32_t i = 0; i < count && is_ok_; ++i) {
      const Element element = Take(information, 5);
      Argument& argument = arguments.emplace_back();
      argument.has_no_value = Flag(element.words[0]);
      argument.location = {element.words[1], element.words[2],
                           element.words[3]};
      argument.dimensions = TakeDimensions(dimension, element.words[4]);
    }
    return arguments;
  }
  bool ok() const { return is_ok_; }
  bool IsDone() const { return is_ok_ && at_ == packet_.size(); }

 private:
  Element Fault() {
    is_ok_ = false;
    return {};
  }

  std::span<const Element> packet_;
  size_t at_ = 0;
  bool is_ok_ = true;
};

}  // namespace

std::vector<Element> RequestPacket(const WireRequest& request,
                                   uint32_t number) {
  std::vector<Element> packet(1);
  PutArguments(request.inputs, kInputInformation, kInputDimension, packet);
  PutArguments(request.outputs, kOutputInformation, kOutputDimension, packet);
  for (const WirePool& pool : request.pools)
    packet.push_back(
        Make(kPoolIdentifier,
             {pool.is_buffer, pool.id, Low(pool.bytes), High(pool.bytes)}));
  const WireOptions& options = request.options;
  packet.push_back(Make(
      kMeasureTiming,
      {options.measure, Low(options.deadline_ns), High(options.deadline_ns),
       Low(options.loop_timeout_ns), High(options.loop_timeout_ns)}));
  packet[0] = Make(kRequestInformation,
                   {static_cast<uint32_t>(packet.size()),
                    static_cast<uint32_t>(request.inputs.size()),
                    static_cast<uint32_t>(request.outputs.size()),
                    static_cast<uint32_t>(request.pools.size()), number});
  return packet;
}

std::vector<Element> ResultPacket(const Execution& answer, uint32_t number) {
  std::vector<Element> packet(1);
  for (const OutputShape& output : answer.outputs) {
    packet.push_back(Make(kOperandInformation,
                          {output.is_sufficient,
                           static_cast<uint32_t>(output.dimensions.size())}));
    for (const uint32_t value : output.dimensions)
      packet.push_back(Make(kOperandDimension, {value}));
  }
  const munja_nn_timing& timing = answer.timing;
  packet.push_back(
      Make(kExecutionTiming, {Low(timing.on_device), High(timing.on_device),
                              Low(timing.in_driver), High(timing.in_driver)}));
  packet[0] = Make(kResultInformation,
                   {static_cast<uint32_t>(packet.size()),
                    static_cast<uint32_t>(answer.status),
                    static_cast<uint32_t>(answer.outputs.size()), number});
  return packet;
}

Result<NumberedRequest> ReadRequestPacket(std::span<const Element> packet) {
  Elements elements(packet);
  const Element information = elements.Take(kRequestInformation, 5);
  NumberedRequest read;
  read.number = information.words[4];
  WireRequest& request = read.request;
  if (information.words[0] == packet.size()) {
    request.inputs = elements.TakeArguments(kInputInformation, kInputDimension,
                                            information.words[1]);
    request.outputs = elements.TakeArguments(
        kOutputInformation, kOutputDimension, information.words[2]);
    for (uint32_t i = 0; i < information.words[3] && elements.ok(); ++i) {
      const Element element = elements.Take(kPoolIdentifier, 4);
      request.pools.push_back({elements.Flag(element.words[0]),
                               element.words[1],
                               Whole(element.words[2], element.words[3])});
    }
    const Element timing = elements.Take(kMeasureTiming, 5);
    request.options = {elements.Flag(timing.words[0]),
                       Whole(timing.words[1], timing.words[2]),
                       Whole(timing.words[3], timing.words[4])};
  }
  if (!elements.IsDone() || information.words[0] != packet.size())
    return Malformed("a packet that is no request of a burst");
  return read;
}

Result<NumberedAnswer> ReadResultPacket(std::span<const Element> packet) {
  Elements elements(packet);
  const Element information = elements.Take(kResultInformation, 4);
  NumberedAnswer read;
  read.number = information.words[3];
  Execution& answer = read.answer;
  answer.status = static_cast<int32_t>(information.words[1]);
  if (information.words[0] == packet.size()) {
    for (uint32_t i = 0; i < information.words[2] && elements.ok(); ++i) {
      const Element element = elements.Take(kOperandInformation, 2);
      OutputShape& output = answer.outputs.emplace_back();
      output.is_sufficient = elements.Flag(element.words[0]);
      output.dimensions =
          elements.TakeDimensions(kOperandDimension, element.words[1]);
    }
    const Element timing = elements.Take(kExecutionTiming, 4);
    answer.timing = {Whole(timing.words[0], timing.words[1]),
                     Whole(timing.words[2], timing.words[3])};
  }
  if (!elements.IsDone() || information.words[0] != packet.size())
    return Malformed("a packet that is no result of a burst");
  return read;
}

}  // namespace munja::hal
