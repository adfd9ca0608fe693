// Quantize: post-training quantization of a model in float. Start reading
// here; the steps are files of their own.
#ifndef MUNJA_COMPRESS_QUANTIZATION_QUANTIZE_H_
#define MUNJA_COMPRESS_QUANTIZATION_QUANTIZE_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/thread_pool.h"
#include "compress/calibration/compare_outputs.h"
#include "compress/calibration/observe.h"
#include "compress/calibration/range.h"
#include "compress/quantization/assignment.h"
#include "compress/quantization/equalize.h"
#include "compress/quantization/round_weights.h"
#include "compress/quantization/sensitivity.h"
#include "graph/graph.h"

namespace munja::compress {

struct QuantizeOptions {
  Precision mode = Precision::kInt8;
  RangeOptions range;
  RoundingOptions rounding;
  bool equalize = true;
  // Moves biases by the mean error that the integer model shows, layer after
  // layer.
  bool tune_bias = true;
  bool integer_io = false;
  // The layer before a softmax over classes computes in float, with weights
  // that are stored as int8 (kWeights): with 256 levels, classes would tie.
  bool float_logits = true;
  // With kInt8: the first N layers with weights, in the order of a run, and all
  // nodes between them use int16: their error propagates to everything behind.
  int wide_layers = 0;
  // Nodes whose output has one of these names, or a name that begins with one
  // that ends in '*', stay in the precision `kept`.
  std::vector<std::string> keep;
  Precision kept = Precision::kFloat;
  // Nodes are taken out of int8, best gain first, until the relative error of
  // the outputs is at most this; below 0: never.
  double max_loss = -1;
  // The threshold of the decisions that the report counts.
  DecisionThreshold decision_threshold;
  std::shared_ptr<ThreadPool> pool;  // May be null.
};

struct QuantizeReport {
  EqualizationReport equalization;
  int nodes = 0, integer_nodes = 0, float_nodes = 0;
  int layers = 0;  // With weights.
  // ||float - quantized||^2 / ||float||^2 of the outputs, over the calibration
  // data, and the share of decisions that fall otherwise.
  double loss = 0, decisions = 0;
  double loss_before_keeping = 0;
  std::vector<Sensitivity> sensitivity;  // Most sensitive first.
  std::vector<std::string> warnings;
};

struct Quantized {
  graph::Graph graph;
  QuantizeReport report;
};

// The result of running a model on its samples, before anything is decided:
// most of the time of quantizing. One calibration serves every choice of
// layers.
struct Calibration {
  graph::Graph prepared;
  EqualizationReport equalization;
  bool has_ranges = false;
  std::vector<ValueStatistics> statistics;          // By value.
  std::vector<std::optional<RoundedLayer>> layers;  // By node.
  std::optional<Reference> reference;               // None without samples.
};

// Calibrates for Quantize() with these options; `keep`, `wide_layers`,
// `max_loss`, `tune_bias` and another mode of the same kind may change
// afterwards.
Result<Calibration> Calibrate(const graph::Graph& model,
                              std::span<const Sample> samples,
                              const QuantizeOptions& options);
Result<Quantized> Quantize(const Calibration& calibration,
                           std::span<const Sample> samples,
                           const QuantizeOptions& options);

// Calibrates and quantizes. `samples`: one tensor for each input, as the model
// sees them in use. Weight modes (kWeights, kDynamic) need none and use them
// for rounding when there are some. kInvalidArgument: an integer mode without
// samples. kUnsupported: see Prepare.
Result<Quantized> Quantize(const graph::Graph& model,
                           std::span<const Sample> samples,
                           const QuantizeOptions& options);

}  // namespace munja::compress

#endif  // MUNJA_COMPRESS_QUANTIZATION_QUANTIZE_H_
