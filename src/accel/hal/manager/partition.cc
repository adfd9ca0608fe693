#include "hal/manager/partition.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "hal/c_structs.h"
#include "hal/operations.h"
#include "hal/types.h"

namespace munja::hal {
namespace {

// A type of which a device says nothing is as slow as can be.
constexpr double kSlowest = 1e6;

double ElementsOf(const Operand& operand) {
  double elements = 1.0;
  for (const uint32_t d : operand.dimensions) elements *= std::max(d, 1u);
  return elements;
}

double BytesOfOperand(const Operand& operand) {
  const TypeRow* row = FindType(operand.type);
  return ElementsOf(operand) * (row == nullptr ? 1.0 : row->bytes);
}

double ProductsOf(const Model& model, const Operation& operation) {
  const auto& operands = model.main().operands;
  const auto dim = [](const Operand& operand, size_t i) {
    return i < operand.dimensions.size() ? std::max(operand.dimensions[i], 1u)
                                         : 1u;
  };
  if (operation.inputs.size() < 2 || operation.outputs.empty()) return 0.0;
  const Operand& x = operands[operation.inputs[0]];
  const Operand& filter = operands[operation.inputs[1]];
  const double out = ElementsOf(operands[operation.outputs[0]]);
  const double window = double{1} * dim(filter, 1) * dim(filter, 2);
  switch (operation.type) {
    case MUNJA_NN_CONV_2D:
    case MUNJA_NN_GROUPED_CONV_2D:
      return out * window * dim(filter, 3);
    case MUNJA_NN_DEPTHWISE_CONV_2D:
      return out * window;
    case MUNJA_NN_TRANSPOSE_CONV_2D:
      return ElementsOf(x) * window * dim(filter, 0);
    case MUNJA_NN_FULLY_CONNECTED:
      return out * dim(filter, 1);
    default:
      return 0.0;
  }
}

// By operand of the main subgraph: which operation writes it; -1: none.
std::vector<int> WritersOf(const Subgraph& main) {
  std::vector<int> writers(main.operands.size(), -1);
  for (size_t k = 0; k < main.operations.size(); ++k)
    for (const uint32_t i : main.operations[k].outputs)
      writers[i] = static_cast<int>(k);
  return writers;
}

// Moves whole steps to other candidates as long as that helps.
class Improvement {
 public:
  Improvement(const Model& model, std::span<const Candidate> candidates,
              std::vector<int> assignment)
      : model_(model),
        candidates_(candidates),
        assignment_(std::move(assignment)),
        steps_(StepsOf(model, assignment_)),
        cost_(CostOf(model, candidates, steps_)) {}

  void Run() {
    // Each round is worth something; the bound is for pathological models.
    for (size_t round = 0; round < 64 && Improve(); ++round) {
    }
  }
  double cost() const { return cost_; }
  std::vector<Step>& steps() { return steps_; }

 private:
  bool Improve() {
    for (size_t s = 0; s < steps_.size(); ++s)
      for (size_t c = 0; c < candidates_.size(); ++c)
        if (TryMove(steps_[s], static_cast<int>(c))) return true;
    return false;
  }

  bool TryMove(const Step& step, int candidate) {
    if (step.candidate == candidate) return false;
    std::vector<int> moved = assignment_;
    bool has_moved = false;
    for (const uint32_t k : step.operations)
      if (candidates_[candidate].supports[k]) {
        moved[k] = candidate;
        has_moved = true;
      }
    if (!has_moved) return false;
    std::vector<Step> steps = StepsOf(model_, moved);
    const double cost = CostOf(model_, candidates_, steps);
    if (!(cost < cost_)) return false;
    assignment_ = std::move(moved);
    steps_ = std::move(steps);
    cost_ = cost;
    return true;
  }

  const Model& model_;
  const std::span<const Candidate> candidates_;
  std::vector<int> assignment_;
  std::vector<Step> steps_;
  double cost_;
};

}  // namespace

double WorkOf(const Model& model, const Operation& operation) {
  double bytes = 0.0;
  for (const auto* list : {&operation.inputs, &operation.outputs})
    for (const uint32_t i : *list)
      bytes += BytesOfOperand(model.main().operands[i]);
  return std::max(ProductsOf(model, operation) / kProductsPerNs,
                  bytes / kBytesPerNs);
}

double TimeFactor(const munja_nn_capabilities& capabilities, const Model& model,
                  const Operation& operation) {
  const auto valid = [](float time) {
    return time > 0.0f ? double{time} : kSlowest;
  };
  if (operation.type == MUNJA_NN_IF)
    return valid(capabilities.if_performance.time);
  if (operation.type == MUNJA_NN_WHILE)
    return valid(capabilities.while_performance.time);
  const auto& operands = model.main().operands;
  for (const uint32_t i : operation.inputs) {
    const int32_t type = operands[i].type;
    if (!IsTensor(type)) continue;
    if (type == MUNJA_NN_TENSOR_FLOAT32 && model.is_relaxed)
      return valid(capabilities.relaxed_tensor.time);
    for (uint32_t row = 0; row < capabilities.operand_count; ++row) {
      const auto said = ReadElement(capabilities.operands, row);
      if (said.type == type) return valid(said.performance.time);
    }
    return kSlowest;
  }
  return kSlowest;
}

std::vector<Step> StepsOf(const Model& model, std::span<const int> assignment) {
  const Subgraph& main = model.main();
  const std::vector<int> writers = WritersOf(main);
  const size_t count = main.operations.size();
  std::vector<size_t> missing(count);
  std::vector<std::vector<uint32_t>> readers(count);
  std::vector<std::set<uint32_t>> ready;
  const auto make_ready = [&](uint32_t k) {
    const auto candidate = static_cast<size_t>(assignment[k]);
    if (ready.size() <= candidate) ready.resize(candidate + 1);
    ready[candidate].insert(k);
  };
  for (uint32_t k = 0; k < count; ++k) {
    std::set<int> before;
    for (const uint32_t i : main.operations[k].inputs)
      if (writers[i] >= 0) before.insert(writers[i]);
    missing[k] = before.size();
    for (const int w : before) readers[static_cast<size_t>(w)].push_back(k);
    if (before.empty()) make_ready(k);
  }
  std::vector<Step> steps;
  for (size_t done = 0; done < count;) {
    // The candidate of the first operation that can run.
    uint32_t first = std::numeric_limits<uint32_t>::max();
    for (const auto& set : ready)
      if (!set.empty()) first = std::min(first, *set.begin());
    if (first == std::numeric_limits<uint32_t>::max()) break;
    Step& step = steps.emplace_back();
    step.candidate = assignment[first];
    const auto own = static_cast<size_t>(step.candidate);
    while (!ready[own].empty()) {
      const uint32_t k = *ready[own].begin();
      ready[own].erase(ready[own].begin());
      step.operations.push_back(k);
      ++done;
      for (const uint32_t r : readers[k])
        if (--missing[r] == 0) make_ready(r);
    }
  }
  return steps;
}

double CostOf(const Model& model, std::span<const Candidate> candidates,
              std::span<const Step> steps) {
  const Subgraph& main = model.main();
  // Where each value is: -1 with the application.
  std::vector<int> place(main.operands.size(), -1);
  std::vector<std::set<int>> copies(main.operands.size());
  double cost = 0.0;
  const auto transfer = [&](uint32_t i) {
    cost += BytesOfOperand(main.operands[i]) / kTransferredBytesPerNs;
  };
  for (const Step& step : steps) {
    const auto candidate = static_cast<size_t>(step.candidate);
    const bool is_at_hand = candidates[candidate].is_at_hand;
    const int here = is_at_hand ? -1 : step.candidate;
    if (!is_at_hand) cost += kRequestNs;
    for (const uint32_t k : step.operations) {
      const Operation& operation = main.operations[k];
      cost += WorkOf(model, operation) * candidates[candidate].factors[k];
      for (const uint32_t i : operation.inputs) {
        const Operand& operand = main.operands[i];
        if (operand.is_constant() || operand.lifetime == MUNJA_NN_NO_VALUE ||
            place[i] == here || copies[i].contains(here))
          continue;
        // From one device to another by way of the application.
        if (place[i] >= 0) transfer(i);
        if (here >= 0) transfer(i);
        copies[i].insert(here);
      }
      for (const uint32_t i : operation.outputs) place[i] = here;
    }
  }
  for (const uint32_t i : main.outputs)
    if (place[i] >= 0) transfer(i);
  return cost;
}

Result<std::vector<Step>> PartitionModel(
    const Model& model, std::span<const Candidate> candidates) {
  const Subgraph& main = model.main();
  const size_t count = main.operations.size();
  std::vector<int> fastest(count, -1);
  for (size_t k = 0; k < count; ++k) {
    for (size_t c = 0; c < candidates.size(); ++c) {
      if (!candidates[c].supports[k]) continue;
      if (fastest[k] < 0 ||
          candidates[c].factors[k] <
              candidates[static_cast<size_t>(fastest[k])].factors[k])
        fastest[k] = static_cast<int>(c);
    }
    if (fastest[k] < 0)
      return Unsupported("no device supports operation " + std::to_string(k) +
                         " (" + OperationName(main.operations[k].type) + ")");
  }
  // From the fastest of each operation, and from each candidate for all that
  // it supports.
  std::vector<std::vector<int>> starts = {fastest};
  for (size_t c = 0; c < candidates.size(); ++c) {
    std::vector<int> start = fastest;
    for (size_t k = 0; k < count; ++k)
      if (candidates[c].supports[k]) start[k] = static_cast<int>(c);
    starts.push_back(std::move(start));
  }
  std::vector<Step> best;
  double best_cost = 0.0;
  for (std::vector<int>& start : starts) {
    Improvement improvement(model, candidates, std::move(start));
    improvement.Run();
    if (!best.empty() && improvement.cost() >= best_cost) continue;
    best = std::move(improvement.steps());
    best_cost = improvement.cost();
  }
  return best;
}

}  // namespace munja::hal
