// Height and width of an image are read from an earlier image that is as high
// and wide: STRIDED_SLICE(SHAPE(CONV_2D(x))) of the middle dimensions becomes
// STRIDED_SLICE(SHAPE(x)), so that SHAPE alone does not keep other passes from
// finding that a result has one reader. The image is the last one that has
// several readers anyway: another would only be kept in its place. Nothing is
// computed otherwise.
#include "graph/passes/pass.h"
#include "graph/rewrite/def_use.h"
#include "graph/rewrite/linear_op.h"
#include "graph/rewrite/symbolic_shapes.h"

namespace munja::graph::forward_shape_source {

Result<bool> Run(Subgraph& subgraph, const PassOptions&) {
  const DefUse uses(subgraph);
  const SymbolicShapes shapes(subgraph);
  bool is_changed = false;
  for (const Node& slice : subgraph.nodes) {
    if (slice.outputs.size() != 1) continue;
    const ValueId image = shapes.ImageOfSize(slice.outputs[0]);
    if (image == kNoValue || uses.count(slice.inputs[0]) != 1) continue;
    ValueId source = image;
    int readers = uses.count(source) - 1;
    while (readers < 2 && uses.producer(source) != kNoNode) {
      const Node& producer = subgraph.nodes[uses.producer(source)];
      const ValueId before = InputOrNone(producer, 0);
      if (before == kNoValue || !shapes.HaveEqualSize(before, image)) break;
      source = before;
      readers = uses.count(source);
    }
    if (source == image || readers < 2) continue;
    subgraph.nodes[uses.producer(slice.inputs[0])].inputs[0] = source;
    is_changed = true;
  }
  return is_changed;
}

}  // namespace munja::graph::forward_shape_source
