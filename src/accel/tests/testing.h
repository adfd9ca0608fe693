// Devices for tests: the built-in "cpu", with the faults of others.
#ifndef MUNJA_TESTS_TESTING_H_
#define MUNJA_TESTS_TESTING_H_

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "hal/manager/manager.h"
#include "hal/model.h"
#include "munja/driver.h"

namespace munja::delegates::nn::testing {

// The behavior of a test device, which tests may change and look at.
struct Behavior {
  std::string name = "test-device";
  std::set<int32_t> operations;  // That it supports; empty: all.
  int32_t hal_version = MUNJA_NN_1_3;
  float time = 1.0f;
  std::atomic<bool> refuses_models{false};  // When asked what it supports.
  std::atomic<bool> fails_preparing{false};
  std::atomic<bool> fails_running{false};
  // Keeps what it compiled, and the version of that.
  bool has_cache = false;
  std::string version = "1";
  std::atomic<bool> refuses_cache{false};
  std::atomic<int> from_cache{0};
  std::mutex mutex;
  std::vector<std::shared_ptr<const munja::hal::Model>> saved;
  // Memory of its own, and bursts; how many there are now.
  bool has_buffers = false, has_bursts = false;
  std::atomic<int> buffers{0}, bursts{0}, burst_runs{0}, idle_calls{0};
  std::map<uint32_t, std::vector<uint8_t>> memory;  // By token.
  std::atomic<int> prepared{0}, runs{0};
  std::atomic<int> last_preference{-1}, last_priority{-1};
  std::atomic<uint64_t> last_deadline{0};
};

std::shared_ptr<munja::hal::ManagedDevice> OpenTestDevice(
    std::shared_ptr<Behavior> behavior);

}  // namespace munja::delegates::nn::testing

#endif  // MUNJA_TESTS_TESTING_H_
