#include "compress/calibration/compare_outputs.h"

#include <algorithm>

#include "compress/quantization/emit.h"

namespace munja::compress {
namespace {

struct Sums {
  double error = 0, magnitude = 0;
  int64_t decisions = 0, changed = 0;
};

void Add(const std::vector<float>& want, const std::vector<float>& got,
         int64_t channels, DecisionThreshold threshold, Sums* sums) {
  for (size_t i = 0; i < want.size(); ++i) {
    const double d = double{want[i]} - double{got[i]};
    sums->error += d * d;
    sums->magnitude += double{want[i]} * double{want[i]};
  }
  const auto row = static_cast<ptrdiff_t>(std::max<int64_t>(channels, 1));
  if (row == 1 && !threshold) threshold = 0.5f;
  for (ptrdiff_t i = 0; i + row <= static_cast<ptrdiff_t>(want.size());
       i += row) {
    const auto decide = [&](const std::vector<float>& x) -> ptrdiff_t {
      const auto first = x.begin() + i, end = first + row;
      if (threshold) return *(end - 1) > *threshold ? 1 : 0;
      return std::max_element(first, end) - first;
    };
    ++sums->decisions;
    sums->changed += decide(want) != decide(got);
  }
}

}  // namespace

Result<Reference> MakeReference(const graph::Graph& prepared,
                                std::span<const Sample> samples,
                                DecisionThreshold threshold,
                                const std::shared_ptr<ThreadPool>& pool) {
  Reference reference;
  reference.outputs.resize(samples.size());
  reference.threshold = threshold;
  const auto status =
      Observe(prepared, prepared.main().outputs, samples, pool,
              [&](size_t i, graph::ValueId, const TensorView& view) -> Status {
                reference.outputs[i].push_back(ToFloats(view));
                return Status();
              });
  if (!status.ok()) return status.Clone();
  return reference;
}

Result<OutputLoss> CompareOutputs(const graph::Graph& prepared,
                                  const Assignment& assignment,
                                  std::span<const Sample> samples,
                                  const Reference& reference,
                                  const std::shared_ptr<ThreadPool>& pool) {
  MUNJA_ASSIGN_OR_RETURN(const graph::Graph graph, Emit(prepared, assignment));
  Sums sums;
  size_t last = samples.size(), next = 0;
  MUNJA_RETURN_IF_ERROR(
      Observe(graph, graph.main().outputs, samples, pool,
              [&](size_t i, graph::ValueId, const TensorView& view) -> Status {
                if (i != last) next = 0;
                last = i;
                const std::vector<float>& want = reference.outputs[i][next++];
                const std::vector<float> got = ToFloats(view);
                if (got.size() != want.size())
                  return Internal("a quantized output has another size");
                Add(want, got, view.shape.rank() > 0 ? view.shape.back() : 1,
                    reference.threshold, &sums);
                return Status();
              }));
  OutputLoss loss;
  if (sums.magnitude > 0) loss.relative = sums.error / sums.magnitude;
  if (sums.decisions > 0)
    loss.decisions =
        static_cast<double>(sums.changed) / static_cast<double>(sums.decisions);
  return loss;
}

}  // namespace munja::compress
