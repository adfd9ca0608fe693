// Height and width of an image are read from an earlier image that is as high
// and wide: STRIDED_SLICE(SHAPE(CONV_2D(x))) of the middle dimensions becomes
// STRIDED_SLICE(SHAPE(x)), so that SHAPE alone does not keep other passes from
// finding that a result has one reader. The image is the last one that has
// several readers anyway: another would only be kept in its place. Nothing is
// computed otherwise.
#include <utility>

#include "graph/passes/pass.h"
#include "graph/rewrite/match.h"
#include "graph/rewrite/rewriter.h"

namespace munja::graph::forward_shape_source {

Result<bool> Rewrite(Rewriter& rewriter, const Node& slice) {
  if (!Is(slice, "STRIDED_SLICE", 4)) return false;
  const SymbolicShapes& shapes = rewriter.shapes();
  const ValueId image = shapes.ImageOfSize(slice.outputs[0]);
  const Node* shape = rewriter.OnlyProducer(slice.inputs[0]);
  if (image == kNoValue || shape == nullptr) return false;
  ValueId source = image;
  int readers = rewriter.uses().count(source) - 1;
  while (readers < 2) {
    const Node* producer = rewriter.Producer(source);
    if (producer == nullptr) break;
    const ValueId before = InputOrNone(*producer, 0);
    if (before == kNoValue || !shapes.HaveEqualSize(before, image)) break;
    source = before;
    readers = rewriter.uses().count(source);
  }
  if (source == image || readers < 2) return false;
  Node changed = *shape;
  changed.inputs[0] = source;
  rewriter.Replace(*shape, std::move(changed));
  return true;
}

}  // namespace munja::graph::forward_shape_source
