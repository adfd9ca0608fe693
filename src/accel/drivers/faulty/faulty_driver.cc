#include "drivers/faulty/faulty_driver.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "drivers/local/local_driver.h"
#include "munja/driver.hpp"

namespace munja::drivers::faulty {
namespace {

using driver::internal::At;
using driver::internal::Read;

enum class Fault { kHang, kCrash, kCorrupt, kLate, kClaims };

constexpr auto kLate = std::chrono::milliseconds(300);

void WaitBeyond(uint64_t deadline_ns) {
  if (deadline_ns == 0 || deadline_ns > INT64_MAX) {
    std::this_thread::sleep_for(kLate);
    return;
  }
  std::this_thread::sleep_until(
      std::chrono::steady_clock::time_point(
          std::chrono::nanoseconds(static_cast<int64_t>(deadline_ns))) +
      kLate);
}

class FaultyModel : public driver::PreparedModel {
 public:
  FaultyModel(munja_nn_prepared_model* inner, Fault fault)
      : inner_(inner), fault_(fault) {}
  ~FaultyModel() override { inner_->release(inner_->self); }
  FaultyModel(const FaultyModel&) = delete;
  FaultyModel& operator=(const FaultyModel&) = delete;

  driver::Answer Execute(const munja_nn_request& request,
                         const munja_nn_execution_options& options) override {
    if (fault_ == Fault::kHang)
      for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
    if (fault_ == Fault::kCrash) {
      // As without a sanitizer, which would tell of it at length.
      signal(SIGSEGV, SIG_DFL);
      raise(SIGSEGV);
    }
    if (fault_ == Fault::kLate) WaitBeyond(options.deadline_ns);
    // The reference itself is not to give up.
    munja_nn_execution_options unhurried = options;
    unhurried.deadline_ns = 0;
    driver::Answer answer;
    inner_->execute(inner_->self, &request, &unhurried, Keep, &answer);
    if (fault_ != Fault::kCorrupt || answer.status != MUNJA_NN_NONE)
      return answer;
    std::vector<driver::Argument> outputs;
    driver::ReadArguments(request, true, request.output_count, &outputs);
    for (const driver::Argument& output : outputs)
      if (output.bytes > 0) {
        // All bytes of its first element.
        auto* bytes = static_cast<uint8_t*>(output.data);
        for (size_t i = 0; i < std::min<size_t>(output.bytes, 4); ++i)
          bytes[i] ^= 0x55;
      }
    return answer;
  }

 private:
  static void Keep(void* user, const munja_nn_result* from) {
    auto* answer = static_cast<driver::Answer*>(user);
    const munja_nn_result result = Read(from);
    answer->status = result.status;
    for (uint32_t i = 0; i < result.output_count; ++i) {
      const munja_nn_output_shape shape = At(result.outputs, i);
      answer->outputs.push_back(
          {std::vector<uint32_t>(shape.dimensions,
                                 shape.dimensions + shape.rank),
           shape.is_sufficient != 0});
    }
  }

  munja_nn_prepared_model* const inner_;
  const Fault fault_;
};

class FaultyDevice : public driver::Device {
 public:
  explicit FaultyDevice(Fault fault)
      : inner_(local::OpenDevice("reference")), fault_(fault) {}
  ~FaultyDevice() override { inner_->release(inner_->self); }
  FaultyDevice(const FaultyDevice&) = delete;
  FaultyDevice& operator=(const FaultyDevice&) = delete;

  driver::Description Describe() override {
    driver::Description description;
    description.name = "munja-faulty";
    description.version_string = inner_->version_string;
    description.type = MUNJA_NN_DEVICE_OTHER;
    for (int32_t type = 0; type < MUNJA_NN_SUBGRAPH; ++type)
      description.SetPerformance(type, 1.0f, 1.0f);
    return description;
  }

  int32_t SupportedOperations(const munja_nn_model& model,
                              uint8_t* supported) override {
    if (fault_ != Fault::kClaims)
      return inner_->supported_operations(inner_->self, &model, supported);
    std::memset(supported, 1, Read(model.subgraphs).operation_count);
    return MUNJA_NN_NONE;
  }

  int32_t Prepare(const munja_nn_model& model,
                  const munja_nn_compilation_options& options,
                  std::unique_ptr<driver::PreparedModel>* prepared) override {
    if (fault_ == Fault::kClaims) return MUNJA_NN_GENERAL_FAILURE;
    munja_nn_prepared_model* made = nullptr;
    const int32_t status = inner_->prepare(
        inner_->self, &model, &options,
        [](void* user, int32_t, munja_nn_prepared_model* given) {
          *static_cast<munja_nn_prepared_model**>(user) = given;
        },
        &made);
    if (made != nullptr)
      *prepared = std::make_unique<FaultyModel>(made, fault_);
    return status;
  }

 private:
  munja_nn_device* const inner_;
  const Fault fault_;
};

}  // namespace

munja_nn_device* OpenDevice(std::string_view name) {
  const auto* found = std::ranges::find(kNames, name);
  if (found == std::end(kNames)) return nullptr;
  return driver::Export(std::make_unique<FaultyDevice>(
      static_cast<Fault>(found - std::begin(kNames))));
}

}  // namespace munja::drivers::faulty
