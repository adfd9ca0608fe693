// EMBEDDING_LOOKUP_SPARSE: rows of a table by number, weighted and combined
// into the entries of a tensor whose shape is an input.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ops/op.h"
#include "ops/support/operands.h"

namespace munja::ops::embedding_lookup_sparse {
namespace {

enum { kIds, kIndices, kDenseShape, kWeights, kTable };
enum class Combiner { kSum, kMean, kSqrtN };

struct SparseState final : State {
  size_t count = 0, rank = 0;  // Lookups, and numbers in the index of each.
  size_t rows = 0, width = 0;  // Table size.
  std::vector<int64_t> dims;   // Indexed dimensions, except the last.
};

class EmbeddingLookupSparseKernel final : public Kernel {
 public:
  explicit EmbeddingLookupSparseKernel(Combiner combiner)
      : combiner_(combiner) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& ids = context.input(kIds);
    const TensorView& indices = context.input(kIndices);
    const TensorView& weights = context.input(kWeights);
    const TensorView& table = context.input(kTable);
    MUNJA_RETURN_IF_ERROR(CheckType(ids, "the ids", {ElementType::kInt32}));
    MUNJA_RETURN_IF_ERROR(
        CheckType(indices, "the indices", {ElementType::kInt32}));
    for (const TensorView* view : {&weights, &table, &context.output(0)})
      MUNJA_RETURN_IF_ERROR(
          CheckType(*view, "a weight or value", {ElementType::kFloat32}));
    if (ids.shape.rank() != 1 || indices.shape.rank() != 2 ||
        indices.shape[0] != ids.shape[0] || indices.shape[1] < 1 ||
        weights.shape != ids.shape || table.shape.rank() < 2) {
      return Malformed("ids of shape " + ids.shape.ToString() +
                       ", indices of shape " + indices.shape.ToString() +
                       ", weights of shape " + weights.shape.ToString() +
                       " and a table of shape " + table.shape.ToString() +
                       " do not go together");
    }
    auto state = std::make_unique<SparseState>();
    state->count = static_cast<size_t>(ids.shape[0]);
    state->rank = static_cast<size_t>(indices.shape[1]);
    state->rows = static_cast<size_t>(table.shape[0]);
    state->width =
        static_cast<size_t>(table.shape.elements(1, table.shape.rank()));
    MUNJA_ASSIGN_OR_RETURN(
        std::vector<int64_t> dims,
        KnownIntegers(context, kDenseShape, "shape", state->rank));
    dims.pop_back();
    state->dims = dims;
    for (int d = 1; d < table.shape.rank(); ++d) dims.push_back(table.shape[d]);
    context.SetState(std::move(state));
    MUNJA_ASSIGN_OR_RETURN(const Shape shape, CheckShape(dims));
    return context.SetOutputShape(0, shape);
  }

  Status Eval(EvalContext& context) const override {
    const auto& s = *static_cast<const SparseState*>(context.state());
    const auto* ids = context.input(kIds).as<int32_t>();
    const auto* indices = context.input(kIndices).as<int32_t>();
    const auto* weights = context.input(kWeights).as<float>();
    const auto* table = context.input(kTable).as<float>();
    auto* out = context.output(0).mutable_as<float>();
    std::fill_n(out, context.output(0).bytes / sizeof(float), 0.0f);
    // Lookups of one entry follow each other; what they add up to is divided
    // when the next entry begins.
    double sum = 0.0, squares = 0.0;
    int64_t entry = -1;
    const auto finish = [&] {
      if (entry < 0 || combiner_ == Combiner::kSum) return;
      const double by = combiner_ == Combiner::kMean ? sum : std::sqrt(squares);
      if (by == 0.0) return;
      float* to = out + static_cast<size_t>(entry) * s.width;
      for (size_t i = 0; i < s.width; ++i)
        to[i] = static_cast<float>(to[i] / by);
    };
    for (size_t n = 0; n < s.count; ++n) {
      if (ids[n] < 0 || static_cast<size_t>(ids[n]) >= s.rows) {
        return InvalidArgument("index " + std::to_string(ids[n]) +
                               " is outside a table of " +
                               std::to_string(s.rows) + " rows");
      }
      int64_t at = 0;
      for (size_t d = 0; d + 1 < s.rank; ++d) {
        const int64_t index = indices[n * s.rank + d];
        if (index < 0 || index >= s.dims[d]) {
          return InvalidArgument("index " + std::to_string(index) +
                                 " is outside a dimension of " +
                                 std::to_string(s.dims[d]));
        }
        at = at * s.dims[d] + index;
      }
      if (at != entry) {
        finish();
        entry = at;
        sum = squares = 0.0;
      }
      sum += weights[n];
      squares += static_cast<double>(weights[n]) * weights[n];
      const float* from = table + static_cast<size_t>(ids[n]) * s.width;
      float* to = out + static_cast<size_t>(at) * s.width;
      for (size_t i = 0; i < s.width; ++i) to[i] += from[i] * weights[n];
    }
    finish();
    return Status();
  }

 private:
  Combiner combiner_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(5, 5, 1));
  MUNJA_ASSIGN_OR_RETURN(const std::string name,
                         info.attributes().Text("combiner", "SUM"));
  Combiner combiner = Combiner::kSum;
  if (name == "MEAN") {
    combiner = Combiner::kMean;
  } else if (name == "SQRTN") {
    combiner = Combiner::kSqrtN;
  } else if (name != "SUM") {
    return Unsupported("combiner " + name + " is not implemented");
  }
  return std::unique_ptr<Kernel>(
      std::make_unique<EmbeddingLookupSparseKernel>(combiner));
}

}  // namespace munja::ops::embedding_lookup_sparse
