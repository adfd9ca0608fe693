// SymbolicShapes: which tensors have the same shape on every input.
#ifndef MUNJA_GRAPH_REWRITE_SYMBOLIC_SHAPES_H_
#define MUNJA_GRAPH_REWRITE_SYMBOLIC_SHAPES_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "graph/graph.h"

namespace munja::graph {

// Follows shapes from the inputs, whose unknown dimensions get a symbol each,
// through the operators whose rule is known. Shapes written in the graph for
// intermediate tensors are not believed: they come with the file and may stem
// from another input size.
class SymbolicShapes {
 public:
  explicit SymbolicShapes(const Subgraph& subgraph);

  // True only when the two shapes are equal in every run that succeeds.
  bool AreEqual(ValueId a, ValueId b) const;
  // Both have four dimensions and are as high and as wide in every run.
  bool HaveEqualSize(ValueId a, ValueId b) const;
  // The tensor whose height and width v holds, as SHAPE and STRIDED_SLICE of
  // the middle dimensions give them; kNoValue for anything else.
  ValueId ImageOfSize(ValueId v) const;
  // v gives one number to each channel of an image, for all its pixels: it has
  // the image's four dimensions but height and width 1, or also batch 1.
  bool IsPerChannel(ValueId v, ValueId image) const;
  // The last of four dimensions, when it is the same in every run.
  std::optional<int32_t> Channels(ValueId v) const;

  // The shape of v, if the one written in the graph is another that no run can
  // give; sizes that come with the run are kDynamic.
  std::optional<Shape> Corrected(ValueId v) const;

  // Nothing is known of v any more.
  void Forget(ValueId v);

 private:
  // A size, or below zero the number of a symbol.
  using Dim = int64_t;
  using Dims = std::vector<Dim>;

  Dim NewSymbol() { return --last_symbol_; }
  // floor((in + delta) / stride) + 1, the same symbol for the same operands.
  Dim Window(Dim in, int64_t delta, int64_t stride);
  // Nothing where the rule is not known.
  std::optional<Dims> Infer(const Node& node);
  std::optional<Dims> Broadcast(const Dims& a, const Dims& b);
  // A window over an image of dimensions `in`, with these weights.
  std::optional<Dims> InferWindow(const Node& node,
                                  const std::optional<Dims>& in,
                                  ValueId weights);
  std::optional<Dims> InferConcatenation(const Node& node);
  std::optional<Dims> InferRearranged(const Node& node);
  std::optional<Dims> InferFullyConnected(const Node& node);
  std::optional<Dims> InferResize(ValueId image, ValueId size);
  std::optional<Dims> InferConcatConv(const Node& node);
  std::optional<Dims> InferLateralConv(const Node& node);
  const std::optional<Dims>& At(ValueId v) const;

  const Subgraph& subgraph_;
  std::vector<std::optional<Dims>> dims_;  // By value.
  std::vector<int> producers_;             // By value, of those seen so far.
  std::map<std::array<int64_t, 3>, Dim> windows_;
  Dim last_symbol_ = 0;
};

// Puts shapes right that the graph has wrong: kernels look at them, and after
// passes may read what others have read before. `shapes` are the subgraph's.
void CorrectShapes(const SymbolicShapes& shapes, Subgraph& subgraph);

}  // namespace munja::graph

#endif  // MUNJA_GRAPH_REWRITE_SYMBOLIC_SHAPES_H_
