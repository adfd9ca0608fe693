// Models and requests of any bytes, as they come from another process: none
// makes validation fail but by its status, and what passes holds together.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "hal/c_structs.h"
#include "hal/types.h"
#include "hal/validate.h"
#include "transport/wire.h"

namespace munja::hal {
namespace {

constexpr uint64_t kPoolBytes = 4096;

void Require(bool holds) {
  if (!holds) std::abort();
}

// The guarantees that readers of a validated model rely on.
void UseModel(const Model& model) {
  Require(!model.subgraphs.empty());
  for (const Subgraph& subgraph : model.subgraphs) {
    for (const auto* list : {&subgraph.inputs, &subgraph.outputs})
      for (const uint32_t i : *list) Require(i < subgraph.operands.size());
    for (const Operation& operation : subgraph.operations)
      for (const auto* list : {&operation.inputs, &operation.outputs})
        for (const uint32_t i : *list) Require(i < subgraph.operands.size());
    volatile uint8_t sum = 0;
    for (const Operand& operand : subgraph.operands) {
      if (operand.lifetime == MUNJA_NN_LIFETIME_SUBGRAPH)
        Require(Model::SubgraphOf(operand) < model.subgraphs.size());
      if (!operand.is_constant()) continue;
      const uint8_t* const data = model.ConstantData(operand);
      for (uint32_t k = 0; k < operand.location.length; ++k)
        sum = static_cast<uint8_t>(sum + data[k]);
    }
  }
  // The C structs say the same.
  const ModelStruct structs(model);
  const auto read = ReadModel(structs.get());
  Require(read.ok());
  std::vector<uint32_t> pools(model.pools.size());
  ByteWriter a, b;
  PutModel(model, pools, a);
  PutModel(*read, pools, b);
  Require(a.bytes() == b.bytes());
  const int32_t version = MinimumVersion(model);
  Require(CompliantWith(model, version));
}

void UseRequest(const Model& model, const Request& request) {
  for (size_t i = 0; i < request.inputs.size(); ++i) {
    const Argument& input = request.inputs[i];
    const Operand& operand = model.main().operands[model.main().inputs[i]];
    if (input.has_no_value) continue;
    const Dimensions dimensions = Combined(operand, input);
    Require(IsExtension(operand.type) ||
            IsFullySpecified(operand.type, dimensions));
  }
  volatile uint8_t sum = 0;
  for (const auto* list : {&request.inputs, &request.outputs})
    for (const Argument& argument : *list) {
      if (argument.has_no_value) continue;
      const Memory& pool = request.pools[argument.location.pool];
      if (pool.token != 0) continue;
      const auto* const data = static_cast<const uint8_t*>(pool.data);
      for (uint32_t k = 0; k < argument.location.length; ++k)
        sum = static_cast<uint8_t>(sum + data[argument.location.offset + k]);
    }
}

void FeedValidation(const uint8_t* data, size_t size) {
  if (size < 4) return;
  const size_t model_size = std::min<size_t>(data[0] | data[1] << 8, size - 4);
  std::vector<uint32_t> ids;
  ByteReader from(std::span(data + 4, model_size));
  Model model = GetModel(from, ids);
  // Pools exactly as long as they say, so that a sanitizer sees the end.
  for (Memory& pool : model.pools) {
    auto bytes = std::make_shared<std::vector<uint8_t>>(kPoolBytes);
    pool.data = bytes->data();
    pool.bytes = bytes->size();
    pool.owner = std::move(bytes);
  }
  if (!from.IsDone()) return;
  const int32_t version = MUNJA_NN_1_0 + data[2] % 4;
  if (!ValidateModel(model, version).ok()) return;
  UseModel(model);
  ByteReader of_request(
      std::span(data + 4 + model_size, size - 4 - model_size));
  const WireRequest wire = GetRequest(of_request);
  if (!of_request.IsDone()) return;
  Request request;
  request.inputs = wire.inputs;
  request.outputs = wire.outputs;
  for (const WirePool& pool : wire.pools) {
    Memory& memory = request.pools.emplace_back();
    if (pool.is_buffer) {
      memory.token = pool.id;
      continue;
    }
    auto bytes =
        std::make_shared<std::vector<uint8_t>>(pool.bytes % kPoolBytes);
    memory.data = bytes->data();
    memory.bytes = bytes->size();
    memory.owner = std::move(bytes);
  }
  for (const bool outputs_known : {false, true})
    if (ValidateRequest(model, request, outputs_known).ok())
      UseRequest(model, request);
}

}  // namespace
}  // namespace munja::hal

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  munja::hal::FeedValidation(data, size);
  return 0;
}
