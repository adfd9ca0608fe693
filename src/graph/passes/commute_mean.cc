// MEAN over height and width of a 1x1 convolution becomes the convolution of
// the mean: MEAN(CONV_2D(x)) -> CONV_2D(MEAN(x)). Both are linear, and each
// pixel is multiplied by the same matrix. Gates computed from a mean then do
// not wait for the convolution, which can apply them itself (fuse_lateral).
//
// Only where x has at most twice as many channels: the mean reads all of it.
// Exact but for rounding.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "graph/passes/pass.h"
#include "graph/rewrite/constants.h"
#include "graph/rewrite/def_use.h"
#include "graph/rewrite/linear_op.h"
#include "graph/rewrite/symbolic_shapes.h"

namespace munja::graph::commute_mean {
namespace {

// Of a float image, with a result of four dimensions.
bool IsMeanOfPixels(const Subgraph& subgraph, const Node& node) {
  if (node.is_custom || node.op != "MEAN" || node.inputs.size() != 2 ||
      node.outputs.size() != 1 || node.inputs[0] == kNoValue ||
      node.outputs[0] == kNoValue ||
      subgraph.values[node.outputs[0]].type != ElementType::kFloat32)
    return false;
  auto keeps = node.attributes.Bool("keep_dims", false);
  auto axes = ReadInts(subgraph, node.inputs[1]);
  if (!keeps.ok() || !*keeps || !axes) return false;
  for (int64_t& axis : *axes) axis = axis < 0 ? axis + 4 : axis;
  std::sort(axes->begin(), axes->end());
  return *axes == std::vector<int64_t>{1, 2};
}

}  // namespace

Result<bool> Run(Subgraph& subgraph, const PassOptions&) {
  const DefUse uses(subgraph);
  const SymbolicShapes shapes(subgraph);
  std::vector<Node> nodes;
  bool is_changed = false;
  for (Node& node : subgraph.nodes) {
    const int producer = IsMeanOfPixels(subgraph, node)
                             ? uses.producer(node.inputs[0])
                             : kNoNode;
    if (producer == kNoNode) {
      nodes.push_back(node);
      continue;
    }
    // Nodes before this one are as they were: copies are moved, not they.
    const Node& conv = subgraph.nodes[producer];
    if (!IsPointwiseConv(subgraph, conv) || !HasNoActivation(conv) ||
        HasResidual(conv)) {
      nodes.push_back(node);
      continue;
    }
    const Shape& weights = subgraph.values[conv.inputs[1]].shape;
    // Known channels mean known dimensions, four, and a single group.
    const auto channels = shapes.Channels(conv.inputs[0]);
    if (!channels || *channels != weights[3] || weights[3] > 2 * weights[0]) {
      nodes.push_back(node);
      continue;
    }
    Value mean = subgraph.values[node.outputs[0]];
    mean.name += "/before";
    mean.constant.reset();
    if (mean.has_shape && mean.shape.rank() == 4)
      mean.shape[3] = *channels;
    else
      mean.has_shape = false;
    Node moved = conv, first = node;
    first.inputs[0] = conv.inputs[0];
    first.outputs[0] = subgraph.AddValue(std::move(mean));
    moved.inputs[0] = first.outputs[0];
    moved.outputs = node.outputs;
    nodes.push_back(std::move(first));
    nodes.push_back(std::move(moved));
    is_changed = true;
  }
  if (is_changed) subgraph.nodes = std::move(nodes);
  return is_changed;
}

}  // namespace munja::graph::commute_mean
