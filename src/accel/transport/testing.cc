#include "transport/testing.h"

#include <gtest/gtest.h>

#include <utility>

#include "hal/c_structs.h"
#include "hal/fence.h"
#include "transport/channel.h"
#include "transport/shared_memory.h"

namespace munja::hal {

Model Addition(uint32_t elements) {
  Model model;
  Subgraph& main = model.subgraphs.emplace_back();
  main.operands.resize(4);
  main.operands[0].lifetime = main.operands[1].lifetime =
      MUNJA_NN_SUBGRAPH_INPUT;
  main.operands[2].type = MUNJA_NN_INT32;
  main.operands[2].lifetime = MUNJA_NN_CONSTANT_COPY;
  main.operands[2].location = {0, 0, 4};
  main.operands[3].lifetime = MUNJA_NN_SUBGRAPH_OUTPUT;
  for (const size_t i : {0, 1, 3}) main.operands[i].dimensions = {elements};
  for (const size_t i : {0, 1, 2}) main.operands[i].consumers = 1;
  model.operand_values.resize(4);
  main.operations = {{MUNJA_NN_ADD, {0, 1, 2}, {3}}};
  main.inputs = {0, 1};
  main.outputs = {3};
  return model;
}

void AwaitedResult::Executed(void* self, const munja_nn_result* result) {
  auto* const outcome = static_cast<AwaitedResult*>(self);
  const std::lock_guard lock(outcome->mutex_);
  const munja_nn_result from = ReadStruct(result);
  outcome->status_ = from.status;
  outcome->timing = from.timing;
  for (uint32_t i = 0; i < from.output_count; ++i)
    outcome->shapes.emplace_back(
        from.outputs[i].dimensions,
        from.outputs[i].dimensions + from.outputs[i].rank);
  ++outcome->calls_;
  outcome->changed_.notify_all();
}

int32_t AwaitedResult::status() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return calls_ > 0; });
  return status_;
}

int AwaitedResult::calls() {
  const std::lock_guard lock(mutex_);
  return calls_;
}

Sums::Sums(uint32_t elements, bool is_shared) : elements_(elements) {
  const uint32_t bytes = elements * sizeof(float);
  if (is_shared) {
    auto pool = SharedPool(uint64_t{3} * bytes);
    EXPECT_TRUE(pool.ok());
    shared_ = std::move(pool).value();
  } else {
    own_.resize(size_t{3} * elements);
    shared_.data = own_.data();
    shared_.bytes = uint64_t{3} * bytes;
  }
  floats_ = static_cast<float*>(shared_.data);
  pool_ = {sizeof pool_, shared_.data, shared_.bytes, shared_.fd, 0, 0};
  for (uint32_t i = 0; i < 3; ++i) {
    arguments_[i].struct_size = sizeof arguments_[i];
    arguments_[i].location = {0, i * bytes, bytes};
  }
  request_.struct_size = sizeof request_;
  request_.inputs = arguments_;
  request_.input_count = 2;
  request_.outputs = arguments_ + 2;
  request_.output_count = 1;
  request_.pools = &pool_;
  request_.pool_count = 1;
}

void Sums::Fill(float seed, Fault fault) {
  for (uint32_t i = 0; i < elements_; ++i) {
    a()[i] = seed + static_cast<float>(i % 1024);
    b()[i] = 2 * seed - static_cast<float>(i % 77);
    sum()[i] = -1e9f;
  }
  if (fault != Fault::kNone) a()[0] = static_cast<float>(fault);
}

bool Sums::IsRight() {
  for (uint32_t i = 0; i < elements_; ++i)
    if (sum()[i] != a()[i] + b()[i]) return false;
  return true;
}

Request Sums::Owned() const {
  auto request = ReadRequest(&request_);
  EXPECT_TRUE(request.ok()) << request.status().message();
  return std::move(request).value();
}

munja_nn_execution_options NoOptions() {
  munja_nn_execution_options options = {};
  options.struct_size = sizeof options;
  return options;
}

munja_nn_execution_options In(int milliseconds) {
  munja_nn_execution_options options = NoOptions();
  options.deadline_ns =
      MonotonicNow() + static_cast<uint64_t>(milliseconds) * 1'000'000;
  return options;
}

DriverHostOptions TestOptions() {
  DriverHostOptions options;
  options.program = MUNJA_DRIVER_HOST;
  return options;
}

std::string FaultDriver(bool full) {
  return std::string(MUNJA_FAULT_DRIVER) + (full ? "#1" : "");
}

int32_t PrepareAddition(munja_nn_device* device, uint32_t elements,
                        munja_nn_prepared_model** model,
                        const munja_nn_cache* cache, uint64_t deadline_ns) {
  struct Waiting {
    std::mutex mutex;
    std::condition_variable changed;
    int calls = 0;
    int32_t status = -1;
    munja_nn_prepared_model* model = nullptr;
  } waiting;
  const Model addition = Addition(elements);
  const ModelStruct structs(addition);
  munja_nn_compilation_options options = {};
  options.struct_size = sizeof options;
  options.cache = cache;
  options.deadline_ns = deadline_ns;
  device->prepare(
      device->self, structs.get(), &options,
      [](void* user, int32_t status, munja_nn_prepared_model* prepared) {
        auto* to = static_cast<Waiting*>(user);
        const std::lock_guard lock(to->mutex);
        to->status = status;
        to->model = prepared;
        ++to->calls;
        to->changed.notify_all();
      },
      &waiting);
  std::unique_lock lock(waiting.mutex);
  waiting.changed.wait(lock, [&] { return waiting.calls > 0; });
  *model = waiting.model;
  return waiting.status;
}

Host::Host(bool full, uint32_t elements, DriverHostOptions options) {
  options.program = MUNJA_DRIVER_HOST;
  auto started = StartDriverHost(FaultDriver(full), options);
  EXPECT_TRUE(started.ok()) << started.status().message();
  if (!started.ok()) return;
  device = *started;
  EXPECT_EQ(PrepareAddition(device, elements, &model), MUNJA_NN_NONE);
}

Host::~Host() {
  if (model != nullptr) model->release(model->self);
  if (device != nullptr) device->release(device->self);
}

int32_t Host::Execute(Sums& sums, const munja_nn_execution_options& options) {
  AwaitedResult outcome;
  const int32_t status = model->execute(model->self, sums.request(), &options,
                                        AwaitedResult::Executed, &outcome);
  EXPECT_EQ(outcome.calls(), 1);
  EXPECT_EQ(outcome.status(), status);
  return status;
}

}  // namespace munja::hal
