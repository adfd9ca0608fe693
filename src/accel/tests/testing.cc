#include "tests/testing.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "drivers/local/local_driver.h"
#include "hal/c_structs.h"
#include "hal/device.h"
#include "hal/types.h"
#include "munja/driver.hpp"

namespace munja::delegates::nn::testing {
namespace {

class Prepared final : public driver::PreparedModel {
 public:
  Prepared(std::shared_ptr<Behavior> behavior, munja_nn_prepared_model* inner,
           const munja_nn_model& model)
      : behavior_(std::move(behavior)), inner_(inner) {
    const munja_nn_subgraph& main = model.subgraphs[0];
    const auto size = [&](uint32_t i) {
      const munja_nn_operand& operand = main.operands[i];
      return *munja::hal::SizeOf(
          operand.type,
          {operand.dimensions, operand.dimensions + operand.rank});
    };
    for (uint32_t i = 0; i < main.input_count; ++i)
      inputs_.push_back(size(main.inputs[i]));
    for (uint32_t i = 0; i < main.output_count; ++i)
      outputs_.push_back(size(main.outputs[i]));
  }
  ~Prepared() override { inner_->release(inner_->self); }

  driver::Answer Execute(const munja_nn_request& request,
                         const munja_nn_execution_options& options) override {
    ++behavior_->runs;
    behavior_->last_deadline = options.deadline_ns;
    driver::Answer answer;
    if (behavior_->fails_running) return answer;
    // Buffers become memory.
    munja_nn_request own = request;
    std::vector<munja_nn_memory> pools(request.pools,
                                       request.pools + request.pool_count);
    std::vector<munja_nn_argument> inputs(request.inputs,
                                          request.inputs + request.input_count);
    std::vector<munja_nn_argument> outputs(
        request.outputs, request.outputs + request.output_count);
    const auto replace = [&](std::vector<munja_nn_argument>& arguments,
                             const std::vector<uint32_t>& sizes) {
      for (size_t i = 0; i < arguments.size(); ++i) {
        munja_nn_memory& pool = pools[arguments[i].location.pool];
        if (pool.token == 0) continue;
        const std::lock_guard lock(behavior_->mutex);
        pool.data = behavior_->memory.at(pool.token).data();
        pool.bytes = arguments[i].location.length = sizes[i];
        pool.token = 0;
      }
    };
    replace(inputs, inputs_);
    replace(outputs, outputs_);
    own.pools = pools.data();
    own.inputs = inputs.data();
    own.outputs = outputs.data();
    const auto executed = [](void* user, const munja_nn_result* result) {
      auto* to = static_cast<driver::Answer*>(user);
      to->status = result->status;
      for (uint32_t i = 0; i < result->output_count; ++i)
        to->outputs.push_back(
            {{result->outputs[i].dimensions,
              result->outputs[i].dimensions + result->outputs[i].rank},
             result->outputs[i].is_sufficient != 0});
    };
    inner_->execute(inner_->self, &own, &options, executed, &answer);
    return answer;
  }
  Behavior& behavior() const { return *behavior_; }
  uint32_t SizeOf(bool is_input, uint32_t i) const {
    return is_input ? inputs_[i] : outputs_[i];
  }

 private:
  const std::shared_ptr<Behavior> behavior_;
  munja_nn_prepared_model* const inner_;
  std::vector<uint32_t> inputs_, outputs_;  // Bytes.
};

Prepared& PreparedOf(void* self) {
  return static_cast<Prepared&>(
      *static_cast<driver::internal::ExportedModel*>(self)->model);
}

// Runs one by one, and counts.
struct TestBurst {
  munja_nn_burst table = {};
  void* model = nullptr;

  static int32_t Create(void* self, munja_nn_burst** burst) {
    auto* made = new TestBurst();
    made->model = self;
    made->table.struct_size = sizeof made->table;
    made->table.self = made;
    made->table.execute = Execute;
    made->table.release = Release;
    ++PreparedOf(self).behavior().bursts;
    *burst = &made->table;
    return MUNJA_NN_NONE;
  }
  static int32_t Execute(void* self, const munja_nn_request* request,
                         const int32_t*,
                         const munja_nn_execution_options* options,
                         munja_nn_executed executed, void* user) {
    auto* burst = static_cast<TestBurst*>(self);
    ++PreparedOf(burst->model).behavior().burst_runs;
    return driver::internal::ExportedModel::Execute(burst->model, request,
                                                    options, executed, user);
  }
  static void Release(void* self) {
    auto* burst = static_cast<TestBurst*>(self);
    --PreparedOf(burst->model).behavior().bursts;
    delete burst;
  }
};

struct TestBuffer {
  munja_nn_buffer table = {};
  std::shared_ptr<Behavior> behavior;

  static void Release(void* self) {
    auto* buffer = static_cast<TestBuffer*>(self);
    {
      const std::lock_guard lock(buffer->behavior->mutex);
      buffer->behavior->memory.erase(buffer->table.token);
    }
    --buffer->behavior->buffers;
    delete buffer;
  }
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
    if (options.cache != nullptr) Save(model, *options.cache);
    *prepared = std::make_unique<Prepared>(behavior_, made, model);
    return status;
  }

  static int32_t Allocate(void* self,
                          const munja_nn_buffer_description* description,
                          munja_nn_buffer** buffer) {
    auto* exported = static_cast<driver::internal::ExportedDevice*>(self);
    const auto& behavior =
        static_cast<TestDevice&>(*exported->device).behavior_;
    const munja_nn_buffer_role& role = description->output_roles[0];
    auto* made = new TestBuffer();
    made->behavior = behavior;
    made->table.struct_size = sizeof made->table;
    made->table.self = made;
    made->table.release = TestBuffer::Release;
    const std::lock_guard lock(behavior->mutex);
    made->table.token = static_cast<uint32_t>(1000 + ++behavior->buffers);
    behavior->memory[made->table.token].resize(
        PreparedOf(description->models[role.model]->self)
            .SizeOf(false, role.index));
    *buffer = &made->table;
    return MUNJA_NN_NONE;
  }

  static void Idle(void* self) {
    auto* exported = static_cast<driver::internal::ExportedDevice*>(self);
    ++static_cast<TestDevice&>(*exported->device).behavior_->idle_calls;
  }

  // As the device's own, but the models have bursts.
  static int32_t PrepareWithBursts(void* self, const munja_nn_model* model,
                                   const munja_nn_compilation_options* options,
                                   munja_nn_prepared prepared, void* user) {
    struct Forward {
      munja_nn_prepared prepared;
      void* user;
    } forward = {prepared, user};
    return driver::internal::ExportedDevice::Prepare(
        self, model, options,
        [](void* to, int32_t status, munja_nn_prepared_model* made) {
          if (made != nullptr) made->create_burst = TestBurst::Create;
          const auto* next = static_cast<Forward*>(to);
          next->prepared(next->user, status, made);
        },
        &forward);
  }

  // The number of a model that it kept, and the same once more as constants.
  static int32_t PrepareFromCache(void* self, uint64_t deadline_ns,
                                  const munja_nn_cache* cache,
                                  munja_nn_prepared prepared, void* user) {
    auto* exported = static_cast<driver::internal::ExportedDevice*>(self);
    auto& device = static_cast<TestDevice&>(*exported->device);
    const auto fail = [&] {
      prepared(user, MUNJA_NN_GENERAL_FAILURE, nullptr);
      return int32_t{MUNJA_NN_GENERAL_FAILURE};
    };
    const std::string number = Content(cache->model_fds[0]);
    const bool is_number =
        !number.empty() && number.size() < 6 &&
        number.find_first_not_of("0123456789") == number.npos;
    if (device.behavior_->refuses_cache || !is_number ||
        Content(cache->data_fds[0]) != number + " " + number)
      return fail();
    std::shared_ptr<const munja::hal::Model> model;
    {
      const std::lock_guard lock(device.behavior_->mutex);
      const auto index = static_cast<size_t>(std::stoul(number));
      if (index >= device.behavior_->saved.size()) return fail();
      model = device.behavior_->saved[index];
    }
    munja_nn_compilation_options options = {};
    options.struct_size = sizeof options;
    options.deadline_ns = deadline_ns;
    const munja::hal::ModelStruct structs(*model);
    ++device.behavior_->from_cache;
    --device.behavior_->prepared;
    return exported->table.prepare(self, structs.get(), &options, prepared,
                                   user);
  }

 private:
  static std::string Content(int fd) {
    std::string text(64, '\0');
    const ssize_t n = pread(fd, text.data(), text.size(), 0);
    text.resize(n > 0 ? static_cast<size_t>(n) : 0);
    return text;
  }

  void Save(const munja_nn_model& from, const munja_nn_cache& cache) {
    auto model = munja::hal::ReadModel(&from);
    if (!model.ok()) return;
    auto kept = std::make_shared<munja::hal::Model>(std::move(model).value());
    for (munja::hal::Memory& pool : kept->pools) {
      const auto* bytes = static_cast<const uint8_t*>(pool.data);
      auto copy =
          std::make_shared<std::vector<uint8_t>>(bytes, bytes + pool.bytes);
      pool.data = copy->data();
      pool.owner = copy;
    }
    std::string number;
    {
      const std::lock_guard lock(behavior_->mutex);
      number = std::to_string(behavior_->saved.size());
      behavior_->saved.push_back(std::move(kept));
    }
    const std::string constants = number + " " + number;
    EXPECT_EQ(pwrite(cache.model_fds[0], number.data(), number.size(), 0),
              static_cast<ssize_t>(number.size()));
    EXPECT_EQ(pwrite(cache.data_fds[0], constants.data(), constants.size(), 0),
              static_cast<ssize_t>(constants.size()));
  }

  const std::shared_ptr<Behavior> behavior_;
  munja_nn_device* const inner_;
};

}  // namespace

std::shared_ptr<munja::hal::ManagedDevice> OpenTestDevice(
    std::shared_ptr<Behavior> behavior) {
  driver::Description description;
  description.name = behavior->name;
  description.version_string = behavior->version;
  description.hal_version = behavior->hal_version;
  for (int32_t type = 0; type < MUNJA_NN_SUBGRAPH; ++type)
    description.performance.push_back({sizeof(munja_nn_operand_performance),
                                       type,
                                       {behavior->time, behavior->time}});
  munja_nn_device* table = driver::Export(
      std::make_unique<TestDevice>(behavior), std::move(description));
  if (behavior->has_cache) {
    table->model_cache_files = table->data_cache_files = 1;
    table->prepare_from_cache = TestDevice::PrepareFromCache;
  }
  table->idle = TestDevice::Idle;
  if (behavior->has_buffers) table->allocate = TestDevice::Allocate;
  if (behavior->has_bursts) table->prepare = TestDevice::PrepareWithBursts;
  auto device = munja::hal::Device::Open(table, nullptr);
  return std::make_shared<munja::hal::ManagedDevice>(behavior->name, "test",
                                                     std::move(device).value());
}

}  // namespace munja::delegates::nn::testing
