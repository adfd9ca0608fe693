#include "hal/slice.h"

#include <algorithm>
#include <map>
#include <utility>

#include "hal/operations.h"
#include "hal/validate.h"

namespace munja::hal {
namespace {

class Slicing {
 public:
  explicit Slicing(const Model& from) : from_(from) {
    made_.model.subgraphs.resize(1);
    made_.model.extensions = from.extensions;
    made_.model.is_relaxed = from.is_relaxed;
  }

  void Add(const Operation& operation) {
    Operation own;
    own.type = operation.type;
    for (const uint32_t i : operation.inputs) {
      // First: it may add subgraphs, and with them move the main one.
      const uint32_t index = OperandOf(i);
      own.inputs.push_back(index);
      ++main().operands[index].consumers;
    }
    for (const uint32_t i : operation.outputs) {
      const uint32_t index = OperandOf(i);
      own.outputs.push_back(index);
      main().operands[index].lifetime = MUNJA_NN_TEMPORARY_VARIABLE;
      written_.push_back(i);
    }
    main().operations.push_back(std::move(own));
  }

  // is_wanted: of what the operations write, by operand of the whole.
  Slice Finish(const std::vector<bool>& is_wanted) {
    for (const auto& [whole, own] : own_of_) {
      if (main().operands[own].lifetime != MUNJA_NN_SUBGRAPH_INPUT) continue;
      main().inputs.push_back(own);
      made_.inputs.push_back(whole);
    }
    for (const uint32_t whole : written_) {
      if (!is_wanted[whole]) continue;
      const uint32_t own = own_of_.at(whole);
      main().operands[own].lifetime = MUNJA_NN_SUBGRAPH_OUTPUT;
      main().outputs.push_back(own);
      made_.outputs.push_back(whole);
    }
    return std::move(made_);
  }

 private:
  Subgraph& main() { return made_.model.subgraphs[0]; }

  uint32_t OperandOf(uint32_t whole) {
    const auto [it, is_new] = own_of_.try_emplace(
        whole, static_cast<uint32_t>(main().operands.size()));
    if (!is_new) return it->second;
    Operand operand = from_.main().operands[whole];
    operand.consumers = 0;
    if (operand.lifetime == MUNJA_NN_CONSTANT_COPY) {
      std::vector<uint8_t>& values = made_.model.operand_values;
      values.resize((values.size() + 3) / 4 * 4);
      const uint8_t* bytes = from_.ConstantData(operand);
      operand.location.offset = static_cast<uint32_t>(values.size());
      values.insert(values.end(), bytes, bytes + operand.location.length);
    } else if (operand.lifetime == MUNJA_NN_CONSTANT_REFERENCE) {
      const auto [pool, is_first] =
          pool_of_.try_emplace(operand.location.pool,
                               static_cast<uint32_t>(made_.model.pools.size()));
      if (is_first)
        made_.model.pools.push_back(from_.pools[operand.location.pool]);
      operand.location.pool = pool->second;
    } else if (operand.lifetime == MUNJA_NN_LIFETIME_SUBGRAPH) {
      KeepSubgraphs();
    } else if (operand.lifetime != MUNJA_NN_NO_VALUE) {
      operand.lifetime = MUNJA_NN_SUBGRAPH_INPUT;
    }
    main().operands.push_back(std::move(operand));
    return it->second;
  }

  // All of them, with all that they refer to, under the same numbers.
  void KeepSubgraphs() {
    if (made_.model.subgraphs.size() > 1) return;
    made_.model.subgraphs.insert(made_.model.subgraphs.end(),
                                 from_.subgraphs.begin() + 1,
                                 from_.subgraphs.end());
    const auto values =
        static_cast<uint32_t>((made_.model.operand_values.size() + 3) / 4 * 4);
    const auto pools = static_cast<uint32_t>(made_.model.pools.size());
    made_.model.operand_values.resize(values);
    made_.model.operand_values.insert(made_.model.operand_values.end(),
                                      from_.operand_values.begin(),
                                      from_.operand_values.end());
    made_.model.pools.insert(made_.model.pools.end(), from_.pools.begin(),
                             from_.pools.end());
    for (size_t s = 1; s < made_.model.subgraphs.size(); ++s)
      for (Operand& operand : made_.model.subgraphs[s].operands) {
        if (operand.lifetime == MUNJA_NN_CONSTANT_COPY)
          operand.location.offset += values;
        if (operand.lifetime == MUNJA_NN_CONSTANT_REFERENCE)
          operand.location.pool += pools;
      }
  }

  const Model& from_;
  Slice made_;
  std::map<uint32_t, uint32_t> own_of_, pool_of_;
  std::vector<uint32_t> written_;
};

}  // namespace

Slice SliceOf(const Model& model, std::span<const uint32_t> operations) {
  const Subgraph& main = model.main();
  std::vector<bool> is_inside(main.operations.size()),
      is_wanted(main.operands.size());
  for (const uint32_t i : operations) is_inside[i] = true;
  for (const uint32_t i : main.outputs) is_wanted[i] = true;
  for (size_t k = 0; k < main.operations.size(); ++k)
    if (!is_inside[k])
      for (const uint32_t i : main.operations[k].inputs) is_wanted[i] = true;
  Slicing slicing(model);
  for (const uint32_t i : operations) slicing.Add(main.operations[i]);
  return slicing.Finish(is_wanted);
}

Result<Model> ConvertTo(Model model, int32_t version,
                        std::vector<std::string>* lost) {
  if (model.is_relaxed && version < MUNJA_NN_1_1) {
    model.is_relaxed = false;
    lost->push_back(
        "that float32 may be computed as float16, which HAL 1.1 brought");
  }
  if (!CompliantWith(model, version)) {
    const int32_t needed = MinimumVersion(model);
    return Unsupported("the model needs HAL " + std::to_string(needed / 10) +
                       "." + std::to_string(needed % 10) + ", the device has " +
                       std::to_string(version / 10) + "." +
                       std::to_string(version % 10));
  }
  return model;
}

}  // namespace munja::hal
