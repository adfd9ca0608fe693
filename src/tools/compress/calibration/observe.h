// Observing what flows through a graph in float while it runs on calibration
// data.
#ifndef MUNJA_COMPRESS_CALIBRATION_OBSERVE_H_
#define MUNJA_COMPRESS_CALIBRATION_OBSERVE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "base/thread_pool.h"
#include "compress/calibration/histogram.h"
#include "graph/graph.h"
#include "tensor/shape.h"
#include "tensor/view.h"

namespace munja::compress {

// The data of one input of a model.
struct CalibrationTensor {
  Shape shape;
  std::vector<float> values;
};
// One run: a tensor for each input of the main subgraph.
using Sample = std::vector<CalibrationTensor>;

// The tensors of a sample for a session that takes floats; they stay its own.
std::vector<TensorView> ViewsOf(const Sample& sample);

// The first samples, at least one, whose inputs have at most 8 million elements
// together: for code that runs each layer on them.
std::span<const Sample> FirstSamples(std::span<const Sample> samples);

// Called with the value in the order of `taps`, for each sample.
using Observer = std::function<Status(size_t sample, graph::ValueId value,
                                      const TensorView& view)>;

// Runs the main subgraph, without fusion, on each sample and reports the values
// in `taps` (inputs too; no constants). `pool` may be null. Integer inputs are
// fed by quantizing the floats.
Status Observe(const graph::Graph& graph, std::span<const graph::ValueId> taps,
               std::span<const Sample> samples,
               const std::shared_ptr<ThreadPool>& pool,
               const Observer& observer);

// The values of a view as floats: float32 as they are, int8 and int16 times
// their scale. Empty for other types.
std::vector<float> ToFloats(const TensorView& view);

// Statistics of one value after calibration. Channels are the last dimension.
struct ValueStatistics {
  Histogram histogram;
  std::vector<double> channel_sum;
  std::vector<float> channel_peak;  // Largest magnitude.
  int64_t rows = 0;                 // Elements of each channel.
  int rank = 0;
  // Elements before the channels in the last sample seen.
  int64_t image = 0;

  double channel_mean(size_t c) const {
    return rows > 0 ? channel_sum[c] / static_cast<double>(rows) : 0.0;
  }
};

// By value; only those that are float and computed, and float inputs. With
// `histograms` false these stay empty. kMalformed when a value is not finite:
// it names the tensor.
Result<std::vector<ValueStatistics>> Collect(
    const graph::Graph& graph, std::span<const Sample> samples,
    const std::shared_ptr<ThreadPool>& pool, bool histograms);

// The float32 values that are inputs or written by a node.
std::vector<graph::ValueId> FloatActivations(const graph::Subgraph& subgraph);

}  // namespace munja::compress

#endif  // MUNJA_COMPRESS_CALIBRATION_OBSERVE_H_
