// Two 1x1 convolutions in a row, the second the only reader of the first,
// become one CONV_2D_PAIR (src/ops/conv/conv_2d_pair.cc), whose middle stays in
// the cache instead of being written and read again. The same sums are made.
//
// Not for weights that together outgrow the cache: they would be read again
// for every block of pixels.
#include <string>
#include <utility>

#include "graph/passes/pass.h"
#include "graph/rewrite/linear_op.h"
#include "graph/rewrite/rewriter.h"

namespace munja::graph::fuse_conv_pair {
namespace {

// Half of a usual second-level cache, in floats.
constexpr int64_t kMaxWeights = int64_t{1} << 17;

bool IsHalfOfPair(Rewriter& rewriter, const Node& node) {
  if (!IsPointwiseConv(rewriter.subgraph(), node)) return false;
  // Fewer channels than the input has would be groups.
  const Shape& w = rewriter.subgraph().values[node.inputs[1]].shape;
  return w.elements() > 0 && rewriter.shapes().Channels(node.inputs[0]) == w[3];
}

}  // namespace

Result<bool> Rewrite(Rewriter& rewriter, const Node& second) {
  const Subgraph& subgraph = rewriter.subgraph();
  if (!IsHalfOfPair(rewriter, second)) return false;
  const Node* first = rewriter.OnlyProducer(second.inputs[0]);
  if (first == nullptr || !IsHalfOfPair(rewriter, *first) ||
      HasResidual(*first) || !rewriter.HasOp("CONV_2D_PAIR"))
    return false;
  const Shape& w1 = subgraph.values[first->inputs[1]].shape;
  const Shape& w2 = subgraph.values[second.inputs[1]].shape;
  if (w2[3] != w1[0] || w1.elements() + w2.elements() > kMaxWeights)
    return false;
  Node pair;
  pair.op = "CONV_2D_PAIR";
  pair.name = second.name;
  pair.inputs = {first->inputs[0], first->inputs[1], InputOrNone(*first, 2),
                 second.inputs[1], InputOrNone(second, 2)};
  if (HasResidual(second)) pair.inputs.push_back(second.inputs[3]);
  pair.outputs = second.outputs;
  for (const char* name : kActivationAttributes) {
    if (const AttributeValue* a = first->attributes.Find(name))
      pair.attributes.Set(std::string("first_") + name, *a);
    CopyAttribute(second, name, pair);
  }
  rewriter.Replace(second, std::move(pair));
  return true;
}

}  // namespace munja::graph::fuse_conv_pair
