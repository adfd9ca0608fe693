// Support for tests of driver hosts: the fault-injecting driver in a host of
// its own, and a model that adds.
#ifndef MUNJA_TRANSPORT_TESTING_H_
#define MUNJA_TRANSPORT_TESTING_H_

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/status.h"
#include "hal/model.h"
#include "munja/driver.h"
#include "tests/plugins/fault_injecting_driver.h"
#include "transport/driver_host.h"

namespace munja::hal {

// c = a + b, float32, with this many elements each.
Model Addition(uint32_t elements);

// Waits for a callback and copies its result.
class AwaitedResult {
 public:
  static void Executed(void* self, const munja_nn_result* result);
  // Waits for it.
  int32_t status();
  int calls();
  std::vector<Dimensions> shapes;
  munja_nn_timing timing = {};

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int32_t status_ = -1;
  int calls_ = 0;
};

// Inputs and output of one request, in one pool: shared, or only ours.
class Sums {
 public:
  explicit Sums(uint32_t elements, bool is_shared = true);
  Sums(const Sums&) = delete;
  Sums& operator=(const Sums&) = delete;

  float* a() { return floats_; }
  float* b() { return floats_ + elements_; }
  float* sum() { return floats_ + size_t{2} * elements_; }
  // New values, and another output than before.
  void Fill(float seed, Fault fault = Fault::kNone);
  bool IsRight();
  const munja_nn_request* request() const { return &request_; }
  Request Owned() const;

 private:
  uint32_t elements_;
  std::vector<float> own_;
  Memory shared_;
  float* floats_ = nullptr;
  munja_nn_memory pool_ = {};
  munja_nn_argument arguments_[3] = {};
  munja_nn_request request_ = {};
};

munja_nn_execution_options In(int milliseconds);  // A deadline.
munja_nn_execution_options NoOptions();

// A device and a model that adds; both are released at the end.
class Host {
 public:
  // full: with all that the driver can have.
  explicit Host(bool full, uint32_t elements = 1000,
                DriverHostOptions options = {});
  ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  // Null: it failed, and so has the test.
  munja_nn_device* device = nullptr;
  munja_nn_prepared_model* model = nullptr;

  int32_t Execute(Sums& sums, const munja_nn_execution_options& options);
  int64_t process() const { return ReportOfDriverHost(device).process; }
};

// Options for the program and driver of this build.
DriverHostOptions TestOptions();
std::string FaultDriver(bool full);
// MUNJA_NN_NONE, or another status with *model null.
int32_t PrepareAddition(munja_nn_device* device, uint32_t elements,
                        munja_nn_prepared_model** model,
                        const munja_nn_cache* cache = nullptr,
                        uint64_t deadline_ns = 0);

}  // namespace munja::hal

#endif  // MUNJA_TRANSPORT_TESTING_H_
