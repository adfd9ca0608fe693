// ShapeInference: the shapes that builtin operators give their outputs, for
// delegates, which look at the tensors inside of what they take over.
#ifndef MUNJA_RUNTIME_SHAPE_INFERENCE_H_
#define MUNJA_RUNTIME_SHAPE_INFERENCE_H_

#include <span>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "base/status.h"
#include "graph/graph.h"
#include "tensor/shape.h"
#include "tensor/view.h"

namespace munja::runtime {

class ShapeInference {
 public:
  // Constants, and values whose shape the model fixes, are known. The subgraph
  // outlives the object.
  explicit ShapeInference(const graph::Subgraph& subgraph);

  // Forgets what the nodes write, so that Run finds it anew.
  void Forget(std::span<const int> nodes);
  void Set(graph::ValueId value, const Shape& shape);
  // Likewise, with the bytes, which outlive the object.
  void Set(graph::ValueId value, const Shape& shape, void* data);
  // Nodes in an order in which they can run. Prepares each as the CPU would,
  // and evaluates small ones whose inputs are known. What cannot be found out
  // (custom operators, shapes that come with the run) stays as it was.
  void Run(std::span<const int> nodes);

  bool knows(graph::ValueId value) const { return is_known_[value]; }
  const Shape& shape(graph::ValueId value) const { return views_[value].shape; }
  // Value of a constant, or as Run computed it; null: not known.
  const void* data(graph::ValueId value) const { return views_[value].data; }
  // Why the first node that Run could not follow was that; empty: none was.
  const std::string& obstacle() const { return obstacle_; }
  // The first value whose shape Run found to be dynamic;
  // kNoValue when there is none.
  graph::ValueId dynamic() const { return dynamic_; }

 private:
  Status RunNode(const graph::Node& node);

  const graph::Subgraph& subgraph_;
  std::vector<TensorView> views_;  // By value; data where it is known.
  std::vector<bool> is_known_;
  std::vector<Buffer> data_;
  std::string obstacle_;
  graph::ValueId dynamic_ = graph::kNoValue;
};

}  // namespace munja::runtime

#endif  // MUNJA_RUNTIME_SHAPE_INFERENCE_H_
