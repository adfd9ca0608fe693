// Assignment: all that is decided about a graph before it is written with
// integers.
#ifndef MUNJA_COMPRESS_QUANTIZATION_ASSIGNMENT_H_
#define MUNJA_COMPRESS_QUANTIZATION_ASSIGNMENT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "base/status.h"
#include "compress/calibration/observe.h"
#include "compress/calibration/range.h"
#include "graph/graph.h"
#include "graph/rewrite/linear_op.h"
#include "tensor/shape.h"

namespace munja::compress {

// How a node computes.
enum class Precision {
  kFloat,
  kWeights,  // In float; its weights are stored as int8.
  kDynamic,  // int8 weights; activations are quantized for each run.
  kInt8,
  kInt16,  // int16 activations, int8 weights.
};

// real = scale * (stored - zero).
struct Encoding {
  float scale = 1.0f;
  int32_t zero = 0;
  friend bool operator==(const Encoding&, const Encoding&) = default;
};

// Weights of a linear node, rounded.
struct RoundedLayer {
  Shape shape;
  int axis = 0;  // Axis of the scales.
  std::vector<int8_t> weights;
  std::vector<float> scales;
  std::vector<float> bias;  // In float; as many as channels.
};

struct Assignment {
  std::vector<Precision> nodes;
  std::vector<Encoding> int8, int16;                // By value.
  std::vector<std::optional<RoundedLayer>> layers;  // By node.
  bool integer_io = false;
};

// Whether the node can compute in this way at all.
bool CanRun(const graph::Subgraph& subgraph, const graph::Node& node,
            Precision precision);

// The wanted precision if the node can, else the nearest below: kDynamic
// becomes kWeights becomes kFloat, integers become kFloat.
Precision LowerTo(const graph::Subgraph& subgraph, const graph::Node& node,
                  Precision wanted);
// The same precision for every node.
std::vector<Precision> UniformPrecision(const graph::Subgraph& subgraph,
                                        Precision wanted);

// Encodings of all activations from what calibration saw. Values that a
// same-scale operator ties together get one; outputs that the specification
// prescribes get that.
void ChooseEncodings(const graph::Subgraph& subgraph,
                     const std::vector<ValueStatistics>& statistics,
                     const RangeOptions& range, Assignment* assignment);

// The encoding of int8 whose first and last stored values are the range's
// ends, as far as 0 is stored exactly.
Encoding EncodingOf(const Range& range);
// The int16 encoding for values up to `peak` on both sides of 0.
Encoding Int16EncodingOf(double peak);

}  // namespace munja::compress

#endif  // MUNJA_COMPRESS_QUANTIZATION_ASSIGNMENT_H_
