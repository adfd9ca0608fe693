// Shared by the fault-injecting driver and the tests that load it.
#ifndef MUNJA_TESTS_PLUGINS_FAULT_INJECTING_DRIVER_H_
#define MUNJA_TESTS_PLUGINS_FAULT_INJECTING_DRIVER_H_

#include <cstdint>

namespace munja::hal {

// The first element of the first input chooses the fault of a request. With
// any other value the driver only adds.
enum class Fault : int {
  kNone = 0,
  kCrash = -1001,
  kExit = -1002,
  kHang = -1003,
  kSlow = -1004,           // Takes 300 ms.
  kUnknownStatus = -1005,  // Returns a status that does not exist.
  kManyShapes = -1006,     // Reports 100 output shapes.
  kWrongTiming = -1007,  // Reports more time on the device than in the driver.
  kProtocolError = -1008,  // Writes garbage to the socket of its host.
  kNoCallback = -1009,
  kCallsTwice = -1010,
  kStop = -1011,            // Stops the whole process.
  kRespectsCancel = -1012,  // Runs until its deadline, as a good driver does.
  kWrongResult = -1013,     // The first element of the output is wrong.
  kLate = -1014,            // Answers 300 ms after its deadline.
};

// Devices: '#' and this number behind the path of the library.
enum class TestDevice : uint32_t {
  kPlain = 0,   // Has only what is required.
  kFull = 1,    // Has everything that is optional, too.
  kClaims = 2,  // Supports every operation and fails to prepare any model.
};

// The extension of kFull: float32 tensors whose sum is multiplied by the float
// in the extension data of the output.
inline constexpr const char* kTestExtension = "com.example.test";
inline constexpr uint16_t kScaledTensor = 5;
inline constexpr uint16_t kScaledAdd = 1;

// Preparing a model of this many elements crashes the driver.
inline constexpr uint32_t kElementsThatCrash = 666;

}  // namespace munja::hal

#endif  // MUNJA_TESTS_PLUGINS_FAULT_INJECTING_DRIVER_H_
