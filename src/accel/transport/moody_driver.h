// What tests and their driver agree on.
#ifndef MUNJA_TRANSPORT_MOODY_DRIVER_H_
#define MUNJA_TRANSPORT_MOODY_DRIVER_H_

#include <cstdint>

namespace munja::nn {

// The first element of the first input; others: it just adds.
enum class Mood : int {
  kCrash = -1001,
  kExit = -1002,
  kHang = -1003,
  kSlow = -1004,  // 300 ms
  kNoStatus = -1005,
  kManyShapes = -1006,
  kWrongTiming = -1007,
  kNonsense = -1008,  // To the host's socket.
  kNoCallback = -1009,
  kTwice = -1010,
  kStop = -1011,  // The whole process.
  kHeedful = -1012,
};

// The extension of its device 1: tensors of float32 whose sum is multiplied by
// the float that is the data of the output's type.
inline constexpr const char* kMoodyExtension = "com.example.moody";
inline constexpr uint16_t kScaledTensor = 5;
inline constexpr uint16_t kScaledAdd = 1;

// A model of so many elements crashes it while it is prepared.
inline constexpr uint32_t kElementsThatCrash = 666;

}  // namespace munja::nn

#endif  // MUNJA_TRANSPORT_MOODY_DRIVER_H_
