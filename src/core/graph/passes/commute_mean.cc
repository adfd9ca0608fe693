// MEAN over height and width of a 1x1 convolution becomes the convolution of
// the mean: MEAN(CONV_2D(x)) -> CONV_2D(MEAN(x)). Both are linear, and each
// pixel is multiplied by the same matrix. Gates computed from a mean then do
// not wait for the convolution, which can apply them itself (fuse_lateral).
//
// Only where x has at most twice as many channels: the mean reads all of it.
// Exact but for rounding.
#include <algorithm>
#include <utility>
#include <vector>

#include "graph/passes/pass.h"
#include "graph/rewrite/constants.h"
#include "graph/rewrite/linear_op.h"
#include "graph/rewrite/rewriter.h"

namespace munja::graph::commute_mean {
namespace {

// The mean of a float image, with a result of four dimensions.
bool IsMeanOfPixels(const Subgraph& subgraph, const Node& node) {
  if (!Is(node, "MEAN", 2) || !IsFloat(subgraph, node.outputs[0]) ||
      !IsSet(node, "keep_dims"))
    return false;
  auto axes = ReadInts(subgraph, node.inputs[1]);
  if (!axes) return false;
  for (int64_t& axis : *axes) axis = axis < 0 ? axis + 4 : axis;
  std::sort(axes->begin(), axes->end());
  return *axes == std::vector<int64_t>{1, 2};
}

}  // namespace

Result<bool> Rewrite(Rewriter& rewriter, const Node& node) {
  const Subgraph& subgraph = rewriter.subgraph();
  if (!IsMeanOfPixels(subgraph, node)) return false;
  const Node* conv = rewriter.Producer(node.inputs[0]);
  if (conv == nullptr || !IsPointwiseConv(subgraph, *conv) ||
      !HasNoActivation(*conv) || HasResidual(*conv))
    return false;
  const Shape& weights = subgraph.values[conv->inputs[1]].shape;
  // Known channels mean known dimensions, four, and a single group.
  const auto channels = rewriter.shapes().Channels(conv->inputs[0]);
  if (!channels || *channels != weights[3] || weights[3] > 2 * weights[0])
    return false;
  Value mean = subgraph.values[node.outputs[0]];
  mean.name += "/before";
  mean.constant.reset();
  if (mean.has_shape && mean.shape.rank() == 4)
    mean.shape[3] = *channels;
  else
    mean.has_shape = false;
  Node first = node, moved = *conv;
  first.inputs[0] = conv->inputs[0];
  first.outputs = {rewriter.AddValue(std::move(mean))};
  moved.inputs[0] = first.outputs[0];
  moved.outputs = node.outputs;
  rewriter.Insert(std::move(first));
  rewriter.Replace(node, std::move(moved));
  return true;
}

}  // namespace munja::graph::commute_mean
