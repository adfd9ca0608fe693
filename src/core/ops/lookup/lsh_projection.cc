// LSH_PROJECTION: locality-sensitive hashes. A bit is set when the weighted sum
// of the fingerprints of a seed with each item of the input is positive.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/lookup/farm_fingerprint.h"
#include "ops/op.h"
#include "ops/support/operands.h"

namespace munja::ops::lsh_projection {
namespace {

enum { kHash, kInput, kWeights };

struct LshState final : State {
  size_t hashes = 0, bits = 0, items = 0, item_bytes = 0;
};

class LshProjectionKernel final : public Kernel {
 public:
  explicit LshProjectionKernel(bool is_dense) : is_dense_(is_dense) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& hash = context.input(kHash);
    const TensorView& input = context.input(kInput);
    MUNJA_RETURN_IF_ERROR(
        CheckType(hash, "the hash functions", {ElementType::kFloat32}));
    MUNJA_RETURN_IF_ERROR(
        CheckType(context.output(0), "the output", {ElementType::kInt32}));
    if (hash.shape.rank() != 2 || hash.shape[1] > 32 ||
        input.shape.rank() < 1) {
      return Malformed("hash functions of shape " + hash.shape.ToString() +
                       " and an input of shape " + input.shape.ToString());
    }
    MUNJA_ASSIGN_OR_RETURN(const size_t size, MovableSize(input));
    const int64_t per_item = input.shape.elements(1, input.shape.rank());
    if (per_item < 0)
      return Malformed("the input has shape " + input.shape.ToString());
    auto state = std::make_unique<LshState>();
    state->hashes = static_cast<size_t>(hash.shape[0]);
    state->bits = static_cast<size_t>(hash.shape[1]);
    state->items = static_cast<size_t>(input.shape[0]);
    state->item_bytes = size * static_cast<size_t>(per_item);
    if (context.has_input(kWeights)) {
      const TensorView& weights = context.input(kWeights);
      MUNJA_RETURN_IF_ERROR(
          CheckType(weights, "the weights", {ElementType::kFloat32}));
      if (weights.shape.rank() != 1 || weights.shape[0] != input.shape[0]) {
        return Malformed("the weights have shape " + weights.shape.ToString() +
                         ", the input " + input.shape.ToString());
      }
    }
    context.RequestScratch(sizeof(float) + state->item_bytes);
    const int64_t outputs = is_dense_ ? hash.shape.elements() : hash.shape[0];
    context.SetState(std::move(state));
    MUNJA_ASSIGN_OR_RETURN(const int32_t dim, CheckDim(outputs));
    return context.SetOutputShape(0, Shape{dim});
  }

  Status Eval(EvalContext& context) const override {
    const auto& s = *static_cast<const LshState*>(context.state());
    const auto* seeds = context.input(kHash).as<float>();
    const auto* items = context.input(kInput).as<uint8_t>();
    const auto* weights = context.has_input(kWeights)
                              ? context.input(kWeights).as<float>()
                              : nullptr;
    auto* key = static_cast<uint8_t*>(context.scratch());
    const auto bit = [&](float seed) {
      std::memcpy(key, &seed, sizeof(seed));
      double sum = 0.0;
      for (size_t i = 0; i < s.items; ++i) {
        if (s.item_bytes > 0)
          std::memcpy(key + sizeof(seed), items + i * s.item_bytes,
                      s.item_bytes);
        const uint64_t fingerprint =
            kernels::FarmFingerprint64(key, sizeof(seed) + s.item_bytes);
        const auto number =
            static_cast<double>(static_cast<int64_t>(fingerprint));
        sum += weights != nullptr ? weights[i] * number : number;
      }
      return sum > 0.0 ? uint32_t{1} : uint32_t{0};
    };
    auto* out = context.output(0).mutable_as<int32_t>();
    for (size_t h = 0; h < s.hashes; ++h) {
      uint32_t signature = 0;
      for (size_t b = 0; b < s.bits; ++b) {
        const uint32_t value = bit(seeds[h * s.bits + b]);
        if (is_dense_) out[h * s.bits + b] = static_cast<int32_t>(value);
        signature = signature << 1 | value;
      }
      // Each hash function has a range of numbers of its own.
      if (!is_dense_) {
        out[h] = static_cast<int32_t>(
            signature + static_cast<uint32_t>(uint64_t{h} << s.bits));
      }
    }
    return Status();
  }

 private:
  bool is_dense_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(2, 3, 1));
  MUNJA_ASSIGN_OR_RETURN(const std::string type,
                         info.attributes().Text("type", "UNKNOWN"));
  if (type != "DENSE" && type != "SPARSE")
    return Unsupported("a projection of type " + type + " is not implemented");
  return std::unique_ptr<Kernel>(
      std::make_unique<LshProjectionKernel>(type == "DENSE"));
}

}  // namespace munja::ops::lsh_projection
