// A small network with the operators of OCR networks, and images for it.
#ifndef MUNJA_COMPRESS_TESTING_H_
#define MUNJA_COMPRESS_TESTING_H_

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compress/calibration/observe.h"
#include "graph/graph.h"

namespace munja::compress::testing {

// Appends operators whose weights are drawn from a seed.
class NetworkBuilder {
 public:
  explicit NetworkBuilder(uint32_t seed) : random_(seed) {
    graph_.subgraphs.resize(1);
  }

  graph::ValueId Tensor(std::string name, Shape shape) {
    graph::Value value;
    value.name = std::move(name);
    value.shape = shape;
    return main().AddValue(std::move(value));
  }

  template <class T>
  graph::ValueId Constant(Shape shape, ElementType type,
                          const std::vector<T>& data) {
    graph::Value value;
    value.name = "constant" + std::to_string(main().values.size());
    value.type = type;
    value.shape = shape;
    std::vector<uint8_t> bytes(data.size() * sizeof(T));
    std::memcpy(bytes.data(), data.data(), bytes.size());
    value.constant = graph::MakeConstant(std::move(bytes));
    return main().AddValue(std::move(value));
  }

  graph::ValueId Random(Shape shape, float deviation) {
    std::normal_distribution<float> normal(0.0f, deviation);
    std::vector<float> data(static_cast<size_t>(shape.elements()));
    for (float& x : data) x = normal(random_);
    return Constant(shape, ElementType::kFloat32, data);
  }

  graph::Node& Add(const std::string& op, std::vector<graph::ValueId> inputs,
                   const std::string& name, Shape shape) {
    graph::Node node;
    node.op = op;
    node.inputs = std::move(inputs);
    node.outputs = {Tensor(name, shape)};
    main().nodes.push_back(std::move(node));
    return main().nodes.back();
  }
  graph::ValueId Last() const { return graph_.main().nodes.back().outputs[0]; }

  graph::ValueId Conv(graph::ValueId x, int in, int out, int size,
                      const std::string& name,
                      const char* activation = "NONE") {
    const auto deviation =
        1.5f / std::sqrt(static_cast<float>(in * size * size));
    const graph::ValueId w = Random({out, size, size, in}, deviation);
    const graph::ValueId b = Random({out}, 0.3f);
    graph::Node& node =
        Add("CONV_2D", {x, w, b}, name, {1, kDynamic, kDynamic, out});
    Window(&node, activation);
    return Last();
  }

  graph::ValueId Depthwise(graph::ValueId x, int channels,
                           const std::string& name) {
    const graph::ValueId w = Random({1, 3, 3, channels}, 0.5f);
    const graph::ValueId b = Random({channels}, 0.3f);
    graph::Node& node = Add("DEPTHWISE_CONV_2D", {x, w, b}, name,
                            {1, kDynamic, kDynamic, channels});
    Window(&node, "NONE");
    node.attributes.Set("depth_multiplier", int64_t{1});
    return Last();
  }

  static void Window(graph::Node* node, const char* activation) {
    graph::Attributes& a = node->attributes;
    a.Set("padding", std::string("SAME"));
    a.Set("stride_h", int64_t{1});
    a.Set("stride_w", int64_t{1});
    a.Set("dilation_h_factor", int64_t{1});
    a.Set("dilation_w_factor", int64_t{1});
    a.Set("fused_activation_function", std::string(activation));
  }

  graph::Subgraph& main() { return graph_.subgraphs[0]; }
  graph::Graph Take() { return std::move(graph_); }

 private:
  graph::Graph graph_;
  std::mt19937 random_;
};

// 3 -> 16 channels with GELU, a depthwise layer, a gate from the mean, a
// residual pair of 1x1 layers, a concatenation, and a map by LOGISTIC, or with
// `classes` > 0 a softmax over them after the mean. Weights are drawn from
// `seed`; the ranges of the channels differ widely.
graph::Graph SmallNetwork(int classes, uint32_t seed);

// Smooth images 1 x side x side x 3 with a few hard edges, roughly in [-2, 2].
std::vector<Sample> Pictures(int count, int side, uint32_t seed);

// Uncorrelated values.
std::vector<Sample> Noise(int count, int side, uint32_t seed);

// The main outputs, without fusing, as floats.
std::vector<std::vector<float>> Outputs(const graph::Graph& graph,
                                        std::span<const Sample> samples);

// ||a - b||^2 / ||a||^2 of the lists together.
double RelativeError(const std::vector<std::vector<float>>& a,
                     const std::vector<std::vector<float>>& b);

}  // namespace munja::compress::testing

#endif  // MUNJA_COMPRESS_TESTING_H_
