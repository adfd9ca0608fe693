// A graph builder and a short listing, to test passes before and after.
#ifndef MUNJA_GRAPH_PASSES_TESTING_H_
#define MUNJA_GRAPH_PASSES_TESTING_H_

#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/passes/pass.h"

namespace munja::graph::testing {

using Options = std::vector<std::pair<std::string, AttributeValue>>;

class GraphBuilder {
 public:
  GraphBuilder() { graph_.subgraphs.resize(1); }
  ValueId Input(std::string name, Shape shape,
                ElementType type = ElementType::kFloat32);
  ValueId Floats(std::string name, Shape shape, const std::vector<float>& data);
  ValueId Halves(std::string name, Shape shape, const std::vector<float>& data);
  ValueId Ints(std::string name, Shape shape, const std::vector<int32_t>& data);
  // A float32 tensor of unknown shape, called `name`.
  ValueId Add(std::string name, std::string op, std::vector<ValueId> inputs,
              const Options& options = {});
  // CONV_2D of 3 x 3, SAME, with weights `name`_w (all 1, `in` channels to
  // `out`) and bias `name`_b (0, 1, 2 ...).
  ValueId Conv(std::string name, ValueId x, int in, int out,
               const Options& options = {});
  void Output(ValueId v) { sub().outputs.push_back(v); }
  Subgraph& sub() { return graph_.subgraphs[0]; }
  Graph& graph() { return graph_; }
  Value& value(ValueId v) { return sub().values[v]; }

 private:
  Graph graph_;
};

// One line for each node: "y = ADD(x, c) fused_activation_function="RELU"".
// Absent inputs are "-".
std::string Listing(const Subgraph& subgraph);

// Runs the pass, then dead code; what Listing says afterwards, or the error.
std::string After(GraphBuilder& builder, std::string_view pass,
                  const PassOptions& options = {});

// The data of a float32 constant, by name.
std::vector<float> DataOf(const Subgraph& subgraph, std::string_view name);

}  // namespace munja::graph::testing

#endif  // MUNJA_GRAPH_PASSES_TESTING_H_
