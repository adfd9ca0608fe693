#include "delegates/nn/testing.h"

#include <utility>
#include <vector>

#include "drivers/local/local_driver.h"
#include "munja/driver.hpp"
#include "nn/device.h"

namespace munja::delegates::nn::testing {
namespace {

class Prepared final : public driver::PreparedModel {
 public:
  Prepared(std::shared_ptr<Behavior> behavior, munja_nn_prepared_model* inner)
      : behavior_(std::move(behavior)), inner_(inner) {}
  ~Prepared() override { inner_->release(inner_->self); }

  driver::Answer Execute(const munja_nn_request& request,
                         const munja_nn_execution_options& options) override {
    ++behavior_->runs;
    behavior_->last_deadline = options.deadline_ns;
    driver::Answer answer;
    if (behavior_->fails_running) return answer;
    const auto executed = [](void* user, const munja_nn_result* result) {
      auto* to = static_cast<driver::Answer*>(user);
      to->status = result->status;
      for (uint32_t i = 0; i < result->output_count; ++i)
        to->outputs.push_back(
            {{result->outputs[i].dimensions,
              result->outputs[i].dimensions + result->outputs[i].rank},
             result->outputs[i].is_sufficient != 0});
    };
    inner_->execute(inner_->self, &request, &options, executed, &answer);
    return answer;
  }

 private:
  const std::shared_ptr<Behavior> behavior_;
  munja_nn_prepared_model* const inner_;
};

class TestDevice final : public driver::Device {
 public:
  explicit TestDevice(std::shared_ptr<Behavior> behavior)
      : behavior_(std::move(behavior)),
        inner_(drivers::local::OpenDevice("cpu")) {}
  ~TestDevice() override { inner_->release(inner_->self); }

  int32_t SupportedOperations(const munja_nn_model& model,
                              uint8_t* supported) override {
    if (behavior_->refuses_models) return MUNJA_NN_GENERAL_FAILURE;
    const int32_t status =
        inner_->supported_operations(inner_->self, &model, supported);
    if (behavior_->operations.empty()) return status;
    for (uint32_t i = 0; i < model.subgraphs[0].operation_count; ++i)
      if (!behavior_->operations.contains(
              model.subgraphs[0].operations[i].type))
        supported[i] = 0;
    return status;
  }

  int32_t Prepare(const munja_nn_model& model,
                  const munja_nn_compilation_options& options,
                  std::unique_ptr<driver::PreparedModel>* prepared) override {
    behavior_->last_preference = options.preference;
    behavior_->last_priority = options.priority;
    if (behavior_->fails_preparing) return MUNJA_NN_GENERAL_FAILURE;
    munja_nn_prepared_model* made = nullptr;
    const int32_t status = inner_->prepare(
        inner_->self, &model, &options,
        [](void* user, int32_t, munja_nn_prepared_model* given) {
          *static_cast<munja_nn_prepared_model**>(user) = given;
        },
        &made);
    if (status != MUNJA_NN_NONE) return status;
    ++behavior_->prepared;
    *prepared = std::make_unique<Prepared>(behavior_, made);
    return status;
  }

 private:
  const std::shared_ptr<Behavior> behavior_;
  munja_nn_device* const inner_;
};

}  // namespace

std::shared_ptr<munja::nn::ManagedDevice> OpenTestDevice(
    std::shared_ptr<Behavior> behavior) {
  driver::Description description;
  description.name = behavior->name;
  description.version_string = "1";
  description.hal_version = behavior->hal_version;
  for (int32_t type = 0; type < MUNJA_NN_SUBGRAPH; ++type)
    description.performance.push_back({sizeof(munja_nn_operand_performance),
                                       type,
                                       {behavior->time, behavior->time}});
  auto device = munja::nn::Device::Open(
      driver::Export(std::make_unique<TestDevice>(behavior),
                     std::move(description)),
      nullptr);
  return std::make_shared<munja::nn::ManagedDevice>(behavior->name, "test",
                                                    std::move(device).value());
}

}  // namespace munja::delegates::nn::testing
