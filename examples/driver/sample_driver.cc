// A driver of an accelerator to copy: docs/how-to/adding-a-driver.md. Its
// "device" are plain loops here, with a few operations on float32; it refuses
// the rest, which then runs on another device or on the CPU.
//
//   c++ -std=c++20 -shared -fPIC sample_driver.cc -o libsample.so
//   munja nn-test --driver ./libsample.so cases/
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "munja/driver.hpp"

namespace {

using munja::driver::Answer;
using munja::driver::Argument;
using munja::driver::Description;
using munja::driver::Graph;
using munja::driver::Operand;
using munja::driver::Operation;

bool IsConstant(const Operand& operand) { return operand.constant != nullptr; }

// A tensor that this device can hold: float32, and as large as it says, so that
// memory is planned when the model is prepared.
bool IsTensor(const Operand& operand) {
  return operand.type == MUNJA_NN_TENSOR_FLOAT32 && operand.elements() > 0 &&
         (!IsConstant(operand) ||
          operand.constant_bytes == operand.elements() * sizeof(float));
}

// A scalar that is known when the model is prepared.
bool ReadInt(const Operand& operand, int32_t* value) {
  if (operand.type != MUNJA_NN_INT32 || !IsConstant(operand) ||
      operand.constant_bytes != sizeof *value)
    return false;
  std::memcpy(value, operand.constant, sizeof *value);
  return true;
}

bool ReadActivation(const Operand& operand, int32_t* activation) {
  return ReadInt(operand, activation) && *activation >= 0 &&
         *activation <= MUNJA_NN_ACTIVATION_RELU6;
}

float Activate(float x, int32_t activation) {
  switch (activation) {
    case MUNJA_NN_ACTIVATION_RELU:
      return std::max(x, 0.0f);
    case MUNJA_NN_ACTIVATION_RELU1:
      return std::clamp(x, -1.0f, 1.0f);
    case MUNJA_NN_ACTIVATION_RELU6:
      return std::clamp(x, 0.0f, 6.0f);
    default:
      return x;
  }
}

// One operation as the device runs it: operands by their number in the model.
struct Step {
  int32_t type = 0, activation = 0;
  std::vector<uint32_t> inputs;  // Tensors only.
  uint32_t output = 0;
};

// a OP b of equal shapes: broadcasting is left to others.
bool ReadArithmetic(const Graph& graph, const Operation& operation,
                    Step* step) {
  if (operation.inputs.size() != 3) return false;
  const Operand& a = graph.operands[operation.inputs[0]];
  const Operand& b = graph.operands[operation.inputs[1]];
  step->inputs = {operation.inputs[0], operation.inputs[1]};
  return IsTensor(a) && IsTensor(b) && a.dimensions == b.dimensions &&
         a.dimensions == graph.operands[step->output].dimensions &&
         ReadActivation(graph.operands[operation.inputs[2]], &step->activation);
}

// One number makes one number.
bool ReadUnary(const Graph& graph, const Operation& operation, Step* step) {
  if (operation.inputs.size() != 1) return false;
  const Operand& x = graph.operands[operation.inputs[0]];
  step->inputs = {operation.inputs[0]};
  // RELU, RELU1 and RELU6 have the order of their activations.
  if (step->type >= MUNJA_NN_RELU && step->type <= MUNJA_NN_RELU6)
    step->activation = step->type - MUNJA_NN_RELU + MUNJA_NN_ACTIVATION_RELU;
  return IsTensor(x) && x.dimensions == graph.operands[step->output].dimensions;
}

// x [batch, size] times weights [units, size], which a real device would
// rearrange for itself when the model is prepared, plus a bias [units].
bool ReadFullyConnected(const Graph& graph, const Operation& operation,
                        Step* step) {
  if (operation.inputs.size() != 4) return false;
  const auto operand = [&](size_t i) -> const Operand& {
    return graph.operands[operation.inputs[i]];
  };
  const Operand& y = graph.operands[step->output];
  if (!IsTensor(operand(0)) || !IsTensor(operand(1)) || !IsTensor(operand(2)) ||
      operand(1).dimensions.size() != 2 || !IsConstant(operand(1)) ||
      !IsConstant(operand(2)) || y.dimensions.size() != 2)
    return false;
  const uint32_t units = operand(1).dimensions[0];
  const uint32_t size = operand(1).dimensions[1];
  step->inputs = {operation.inputs[0], operation.inputs[1],
                  operation.inputs[2]};
  return operand(2).elements() == units && y.dimensions[1] == units &&
         operand(0).elements() == size_t{y.dimensions[0]} * size &&
         ReadActivation(operand(3), &step->activation);
}

// Whether the device runs this operation of the graph, and how.
bool ReadStep(const Graph& graph, const Operation& operation, Step* step) {
  if (operation.outputs.size() != 1) return false;
  step->type = operation.type;
  step->output = operation.outputs[0];
  if (!IsTensor(graph.operands[step->output])) return false;
  switch (operation.type) {
    case MUNJA_NN_ADD:
    case MUNJA_NN_SUB:
    case MUNJA_NN_MUL:
      return ReadArithmetic(graph, operation, step);
    case MUNJA_NN_RELU:
    case MUNJA_NN_RELU1:
    case MUNJA_NN_RELU6:
    case MUNJA_NN_ABS:
    case MUNJA_NN_LOGISTIC:
    case MUNJA_NN_TANH:
      return ReadUnary(graph, operation, step);
    case MUNJA_NN_FULLY_CONNECTED:
      return ReadFullyConnected(graph, operation, step);
    default:
      return false;
  }
}

float Compute(int32_t type, float a, float b) {
  switch (type) {
    case MUNJA_NN_ADD:
      return a + b;
    case MUNJA_NN_SUB:
      return a - b;
    case MUNJA_NN_MUL:
      return a * b;
    case MUNJA_NN_ABS:
      return std::fabs(a);
    case MUNJA_NN_LOGISTIC:
      return 1.0f / (1.0f + std::exp(-a));
    case MUNJA_NN_TANH:
      return std::tanh(a);
    default:
      return a;
  }
}

// A model that was prepared. Any number of requests run at the same time, so
// what changes belongs to the request.
class SampleModel : public munja::driver::PreparedModel {
 public:
  SampleModel(Graph graph, std::vector<Step> steps)
      : graph_(std::move(graph)), steps_(std::move(steps)) {
    // The model's memory may be gone after Prepare: keep what is needed of it.
    for (Operand& operand : graph_.operands) {
      std::vector<float>& kept = constants_.emplace_back();
      if (!IsConstant(operand) || !IsTensor(operand)) continue;
      kept.resize(operand.elements());
      std::memcpy(kept.data(), operand.constant, operand.constant_bytes);
    }
  }

  // The fourth function: one request.
  Answer Execute(const munja_nn_request& request,
                 const munja_nn_execution_options&) override {
    std::vector<Argument> inputs, outputs;
    if (!ReadArguments(request, false, graph_.inputs.size(), &inputs) ||
        !ReadArguments(request, true, graph_.outputs.size(), &outputs))
      return {MUNJA_NN_INVALID_ARGUMENT, {}};
    Values values = constants_;
    for (size_t i = 0; i < values.size(); ++i)
      values[i].resize(graph_.operands[i].elements());
    for (size_t i = 0; i < inputs.size(); ++i) {
      std::vector<float>& value = values[graph_.inputs[i]];
      if (!Fits(inputs[i], graph_.inputs[i]) ||
          inputs[i].bytes != value.size() * sizeof(float))
        return {MUNJA_NN_INVALID_ARGUMENT, {}};
      std::memcpy(value.data(), inputs[i].data, inputs[i].bytes);
    }
    for (const Step& step : steps_) Run(step, &values);
    return Write(values, outputs);
  }

 private:
  using Values = std::vector<std::vector<float>>;  // By operand.

  // The request's dimensions are those of the model, or left out.
  bool Fits(const Argument& argument, uint32_t operand) const {
    return !argument.has_no_value &&
           (argument.dimensions.empty() ||
            argument.dimensions == graph_.operands[operand].dimensions);
  }

  void Run(const Step& step, Values* values) const {
    if (step.type == MUNJA_NN_FULLY_CONNECTED)
      return RunFullyConnected(step, values);
    const std::vector<float>& a = (*values)[step.inputs.front()];
    const std::vector<float>& b = (*values)[step.inputs.back()];
    std::vector<float>& y = (*values)[step.output];
    for (size_t i = 0; i < y.size(); ++i)
      y[i] = Activate(Compute(step.type, a[i], b[i]), step.activation);
  }

  void RunFullyConnected(const Step& step, Values* values) const {
    const std::vector<float>& x = (*values)[step.inputs[0]];
    const std::vector<float>& weights = (*values)[step.inputs[1]];
    const std::vector<float>& bias = (*values)[step.inputs[2]];
    std::vector<float>& y = (*values)[step.output];
    const size_t units = bias.size(), size = weights.size() / units;
    for (size_t i = 0; i < y.size(); ++i) {
      const size_t row = i / units, unit = i % units;
      float sum = bias[unit];
      for (size_t k = 0; k < size; ++k)
        sum += x[row * size + k] * weights[unit * size + k];
      y[i] = Activate(sum, step.activation);
    }
  }

  // All outputs or none: where one is too small nothing is written, and the
  // answer tells how large they are.
  Answer Write(const Values& values,
               const std::vector<Argument>& outputs) const {
    Answer answer;
    answer.status = MUNJA_NN_NONE;
    for (size_t i = 0; i < outputs.size(); ++i) {
      const uint32_t operand = graph_.outputs[i];
      if (!Fits(outputs[i], operand)) return {MUNJA_NN_INVALID_ARGUMENT, {}};
      const bool is_sufficient =
          outputs[i].bytes >= values[operand].size() * sizeof(float);
      answer.outputs.push_back(
          {graph_.operands[operand].dimensions, is_sufficient});
      if (!is_sufficient) answer.status = MUNJA_NN_OUTPUT_INSUFFICIENT_SIZE;
    }
    for (size_t i = 0; i < outputs.size() && answer.status == MUNJA_NN_NONE;
         ++i) {
      const std::vector<float>& value = values[graph_.outputs[i]];
      std::memcpy(outputs[i].data, value.data(), value.size() * sizeof(float));
    }
    return answer;
  }

  Graph graph_;
  std::vector<Step> steps_;
  std::vector<std::vector<float>> constants_;  // By operand; others are empty.
};

class SampleDevice : public munja::driver::Device {
 public:
  explicit SampleDevice(const munja_nn_host*) {}

  // The first: what the device is, and how fast. The framework gives work to
  // the fastest device that takes it.
  Description Describe() override {
    Description description;
    description.name = "munja-sample";
    description.version_string = "1";
    description.type = MUNJA_NN_DEVICE_OTHER;
    description.SetPerformance(MUNJA_NN_TENSOR_FLOAT32, 2.0f, 2.0f);
    return description;
  }

  // The second: which operations of a model it will surely run.
  int32_t SupportedOperations(const munja_nn_model& model,
                              uint8_t* supported) override {
    const Graph graph = munja::driver::ReadGraph(model);
    for (size_t i = 0; i < graph.operations.size(); ++i) {
      Step step;
      supported[i] = ReadStep(graph, graph.operations[i], &step) ? 1 : 0;
    }
    return MUNJA_NN_NONE;
  }

  // The third: everything that can be done before the first request.
  int32_t Prepare(
      const munja_nn_model& model, const munja_nn_compilation_options&,
      std::unique_ptr<munja::driver::PreparedModel>* prepared) override {
    Graph graph = munja::driver::ReadGraph(model);
    std::vector<Step> steps;
    for (const Operation& operation : graph.operations)
      if (!ReadStep(graph, operation, &steps.emplace_back()))
        return MUNJA_NN_GENERAL_FAILURE;
    *prepared =
        std::make_unique<SampleModel>(std::move(graph), std::move(steps));
    return MUNJA_NN_NONE;
  }
};

}  // namespace

MUNJA_DRIVER(SampleDevice);
