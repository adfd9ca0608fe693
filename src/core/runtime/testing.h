// Small fake operators and a graph builder, to test sessions without kernels.
#ifndef MUNJA_RUNTIME_TESTING_H_
#define MUNJA_RUNTIME_TESTING_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "ops/op.h"
#include "runtime/resolver.h"
#include "runtime/session.h"

namespace munja::runtime::testing {

// Operators on float32 unless noted:
//   NEG         -x, allowed in place; fails where x is not aligned
//   ADD         a + b of equal shape, allowed in place of either
//   ROLL        y[i] = x[i + 1], the last from the first; needs scratch, which
//               it fills with NaN; not in place
//   SPLIT       first and second half of the first dimension
//   SHAPE       int32 vector
//   MUL         int32 a * b, b of one element
//   FILL        float tensor whose int32 dimensions are input 0, filled with 7
//   DEQUANTIZE  float16 -> float32
//   ACCUMULATE  input 1 is a variable: adds input 0 to it and returns it
//   POSITIVE    the elements above 0, in a vector as long as they are many
//   CHECK       x, fails when the first element is negative
//   INVOKE      runs the subgraph of attribute "subgraph_index"
//   TALLY       how often it ran since the session forgot
//   REFUSE      Make fails;  BROKEN: Prepare fails;  FAIL: Eval fails
const ops::OpImpl* FindFakeOp(std::string_view name);

// CreateSession with the operators of this table.
Result<std::unique_ptr<Session>> CreateSessionWith(
    std::shared_ptr<const graph::Graph> graph, SessionOptions options,
    Resolver::Table table);

class GraphBuilder {
 public:
  GraphBuilder() { graph_.subgraphs.resize(1); }
  graph::ValueId Input(Shape shape, ElementType type = ElementType::kFloat32);
  graph::ValueId Constant(Shape shape, const std::vector<float>& data);
  graph::ValueId Constant(Shape shape, const std::vector<int32_t>& data);
  graph::ValueId Variable(Shape shape);
  // The (first) output.
  graph::ValueId Add(std::string op, std::vector<graph::ValueId> inputs,
                     ElementType type = ElementType::kFloat32, int outputs = 1);
  void Output(graph::ValueId v) { sub().outputs.push_back(v); }
  // Builds at another subgraph, 0 at first; new ones are added up to it.
  void Select(size_t subgraph) {
    selected_ = subgraph;
    if (graph_.subgraphs.size() <= subgraph)
      graph_.subgraphs.resize(subgraph + 1);
  }
  // INVOKE of a subgraph.
  graph::ValueId Invoke(int subgraph, std::vector<graph::ValueId> inputs,
                        int outputs = 1);
  graph::Subgraph& sub() { return graph_.subgraphs[selected_]; }
  graph::Graph& graph() { return graph_; }
  std::shared_ptr<const graph::Graph> Take() {
    return std::make_shared<const graph::Graph>(std::move(graph_));
  }

 private:
  graph::Graph graph_;
  size_t selected_ = 0;
};

// A session of the fake operators; null, and the running test has failed, when
// there is none.
std::unique_ptr<Session> MustCreate(GraphBuilder& builder,
                                    const SessionOptions& options = {});

// A view of floats; the vector must stay.
TensorView View(const std::vector<float>& data, Shape shape);
std::vector<float> Floats(const TensorView& view);

}  // namespace munja::runtime::testing

#endif  // MUNJA_RUNTIME_TESTING_H_
