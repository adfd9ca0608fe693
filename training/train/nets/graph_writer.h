// GraphWriter: appends the operators of our networks to a graph for the
// runtime (NHWC, float32).
#ifndef MUNJA_TRAIN_NETS_GRAPH_WRITER_H_
#define MUNJA_TRAIN_NETS_GRAPH_WRITER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "train/nets/network_config.h"

namespace munja::train {

// A convolution as the runtime stores it: weights out x kh x kw x in, or
// 1 x kh x kw x channels of a depthwise one.
struct ConvWeights {
  Shape shape;
  std::vector<float> weights, bias;
};

struct ConvPlacement {
  int stride_h = 1, stride_w = 1;
  bool depthwise = false;
  Activation activation = Activation::kNone;
};

class GraphWriter {
 public:
  GraphWriter();

  graph::ValueId Input(const std::string& name, const Shape& shape);
  // Zero padding by half of the kernel on each side, then the convolution.
  graph::ValueId Conv(const std::string& name, graph::ValueId x,
                      const ConvWeights& conv, const ConvPlacement& placement);
  graph::ValueId Add(const std::string& name, graph::ValueId a,
                     graph::ValueId b);
  // Over the height, which becomes 1.
  graph::ValueId MeanOfHeight(const std::string& name, graph::ValueId x);
  // Drops the height, which is 1.
  graph::ValueId DropHeight(const std::string& name, graph::ValueId x);
  graph::ValueId Softmax(const std::string& name, graph::ValueId x);
  graph::ValueId Logistic(const std::string& name, graph::ValueId x);
  graph::ValueId DepthToSpace(const std::string& name, graph::ValueId x,
                              int block);
  // Nearest neighbors, to height and width of `like`.
  graph::ValueId ResizeLike(const std::string& name, graph::ValueId x,
                            graph::ValueId like);

  // Over kernel x kernel; with stride 1 the size stays.
  graph::ValueId MaxPool(const std::string& name, graph::ValueId x, int kernel,
                         int stride);
  // Concatenates channels.
  graph::ValueId Concat(const std::string& name,
                        std::vector<graph::ValueId> parts);

  graph::Graph Finish(const std::vector<graph::ValueId>& outputs,
                      std::string description);

 private:
  const Shape& shape(graph::ValueId v) const { return main().values[v].shape; }
  graph::Subgraph& main() { return graph_.main(); }
  const graph::Subgraph& main() const { return graph_.main(); }
  graph::ValueId Ints(const std::string& name, const Shape& shape,
                      const std::vector<int32_t>& numbers);
  graph::ValueId Step(const std::string& name, const char* op, int version,
                      std::vector<graph::ValueId> inputs, const Shape& shape,
                      graph::Attributes attributes,
                      ElementType type = ElementType::kFloat32);

  graph::Graph graph_;
};

}  // namespace munja::train

#endif  // MUNJA_TRAIN_NETS_GRAPH_WRITER_H_
