// Step: one operator of the sample delegate, on float32.
#ifndef MUNJA_DELEGATES_SAMPLE_STEP_H_
#define MUNJA_DELEGATES_SAMPLE_STEP_H_

#include <memory>
#include <span>
#include <string_view>

#include "base/status.h"
#include "graph/graph.h"
#include "tensor/shape.h"

namespace munja::delegates::sample {

// data is null where an optional input is absent.
struct Operand {
  Shape shape;
  const float* data = nullptr;
};

class Step {
 public:
  virtual ~Step() = default;
  // Refuses shapes that do not fit. They are static.
  virtual Result<Shape> OutputShape(std::span<const Shape> inputs) const = 0;
  // With shapes that OutputShape took; `out` has the one that it gave.
  virtual void Run(std::span<const Operand> inputs, const Shape& out_shape,
                   float* out) const = 0;
};

// The failure says why the sample does not take the node.
Result<std::unique_ptr<Step>> MakeStep(const graph::Subgraph& subgraph,
                                       const graph::Node& node);
// Whether there are steps for this operator of the schema.
bool HasStep(std::string_view op);

}  // namespace munja::delegates::sample

#endif  // MUNJA_DELEGATES_SAMPLE_STEP_H_
