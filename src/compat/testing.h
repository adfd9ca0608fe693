// Small models for the tests of foreign operators and delegates.
#ifndef MUNJA_COMPAT_TESTING_H_
#define MUNJA_COMPAT_TESTING_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "graph/graph.h"
#include "runtime/resolver.h"
#include "runtime/session.h"
#include "tensor/view.h"
#include "tensorflow/lite/c/common.h"

namespace munja::compat::testing {

class ModelBuilder {
 public:
  ModelBuilder() { graph_.subgraphs.resize(1); }
  graph::ValueId Input(Shape shape, ElementType type = ElementType::kFloat32);
  graph::ValueId Constant(Shape shape, const std::vector<float>& data);
  graph::ValueId Constant(Shape shape, const std::vector<int32_t>& data);
  graph::ValueId Variable(Shape shape);
  // A tensor that the next node writes.
  graph::ValueId Tensor(Shape shape, ElementType type = ElementType::kFloat32);
  graph::Node& Builtin(std::string op, std::vector<graph::ValueId> inputs,
                       std::vector<graph::ValueId> outputs);
  graph::Node& Custom(std::string op, std::vector<graph::ValueId> inputs,
                      std::vector<graph::ValueId> outputs,
                      std::vector<uint8_t> options = {});
  void Output(graph::ValueId v) { sub().outputs.push_back(v); }
  graph::Subgraph& sub() { return graph_.subgraphs[0]; }
  graph::Graph& graph() { return graph_; }
  std::shared_ptr<const graph::Graph> Take() {
    return std::make_shared<const graph::Graph>(std::move(graph_));
  }

 private:
  graph::Graph graph_;
};

// Two convolutions and a mean around a floor, from a 1x4x4x1 image to 1x2:
// what the guideline delegate for CONV_2D and MEAN takes in two parts.
std::shared_ptr<const graph::Graph> ConvolutionModel();

// `name` -> registration, as custom operators beside the builtin ones.
std::shared_ptr<runtime::Resolver> ResolverWith(
    const std::string& name, const TfLiteRegistration& registration);

TensorView View(const std::vector<float>& data, Shape shape);
std::vector<float> Floats(const TensorView& view);

// Runs the session on one float input and gives its only output, or a text
// with the failure.
struct RunResult {
  std::vector<float> values;
  Shape shape;
  std::string error;
};
RunResult RunOn(runtime::Session& session, const std::vector<float>& data,
                Shape shape);

}  // namespace munja::compat::testing

#endif  // MUNJA_COMPAT_TESTING_H_
