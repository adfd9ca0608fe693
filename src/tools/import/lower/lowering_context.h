// State of the lowering of operators. Every value carries a layout: axis i of
// the graph tensor is axis layout[i] of the neutral one. Transposing a value is
// then a new layout of the same tensor, and a TRANSPOSE is written only where
// an operator insists on an order.
#ifndef MUNJA_IMPORT_LOWER_LOWERING_CONTEXT_H_
#define MUNJA_IMPORT_LOWER_LOWERING_CONTEXT_H_

#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "graph/graph.h"
#include "import/ir/model.h"

namespace munja::importer {

using Layout = std::vector<int>;

struct Placed {
  graph::ValueId id = graph::kNoValue;
  Layout layout;
};

// One dimension of a shape that is built at run time: a constant, or size *
// factor + offset of an axis of a graph tensor.
struct RuntimeSize {
  graph::ValueId tensor = graph::kNoValue;  // kNoValue: `number` holds.
  int axis = 0;
  int64_t factor = 1, offset = 0;
  int64_t number = 0;
};

// {"fused_activation_function": "NONE"}.
graph::Attributes NoActivation();

class LoweringContext {
 public:
  LoweringContext(const Model& model, graph::Subgraph* subgraph,
                  std::deque<graph::Subgraph>* bodies);

  const Model& model;
  graph::Subgraph& subgraph;
  // The bodies of control flow nodes, of all subgraphs: subgraph 1 of the model
  // is the first.
  std::deque<graph::Subgraph>& bodies;
  std::vector<int> uses;  // Per value of the neutral model.

  const Dims& ShapeOf(ValueId v) const { return model.values[v].shape; }
  ElementType TypeOf(ValueId v) const { return model.values[v].type; }
  const Tensor* constant(ValueId v) const {
    return v == kNoValue ? nullptr : model.values[v].constant.get();
  }
  // Layout of a run-time value; constants have the source's order.
  Layout LayoutOf(ValueId v) const;

  // The value in this layout; constants are turned when the model is written.
  Result<graph::ValueId> In(ValueId v, const Layout& layout);
  // A constant broadcast to `rank` axes, transposed, leading axes of 1 removed.
  graph::ValueId BroadcastConstant(ValueId v, size_t rank,
                                   const Layout& layout);

  // Adds a node that computes output `i` of the neutral node.
  graph::ValueId Define(ValueId v, Layout layout);
  graph::ValueId Define(ValueId v, Layout layout, ElementType type);
  graph::Node& Emit(const Node& source, std::string op,
                    std::vector<graph::ValueId> inputs,
                    std::vector<graph::ValueId> outputs,
                    graph::Attributes attributes = {});
  // Defines the first output in the given layout and emits its node.
  graph::Node& EmitTo(const Node& source, std::string op,
                      std::vector<graph::ValueId> inputs, Layout layout,
                      graph::Attributes attributes = {});
  // The neutral value is this tensor, seen in that layout.
  void Alias(ValueId v, Placed placed) { placed_[v] = std::move(placed); }
  // A constant becomes a tensor for it.
  Result<Placed> At(ValueId v);
  // The placement of every run-time value that still exists.
  const std::map<ValueId, Placed>& placed() const { return placed_; }

  graph::ValueId NewValue(const std::string& name, ElementType type,
                          const Dims& dims);
  graph::ValueId Floats(const std::string& name, const Dims& dims,
                        const std::vector<float>& values);
  // A scalar constant for a tensor of that rank: of rank 0 for a scalar, which
  // it would widen otherwise.
  graph::ValueId Number(const std::string& name, size_t rank, float value) {
    return Floats(name, rank == 0 ? Dims{} : Dims{1}, {value});
  }
  // Elements of any type.
  graph::ValueId Constant(const std::string& name, const Tensor& tensor);
  graph::ValueId Ints(const std::string& name, const std::vector<int64_t>& v,
                      bool scalar = false);
  // A node in the middle: new value of these dims, named from source and of
  // the type of its first output.
  graph::ValueId Step(const Node& source, const char* what, std::string op,
                      std::vector<graph::ValueId> inputs, const Dims& dims,
                      graph::Attributes attributes = {});
  graph::ValueId Step(const Node& source, const char* what, std::string op,
                      std::vector<graph::ValueId> inputs, const Dims& dims,
                      graph::Attributes attributes, ElementType type);
  // An int32 vector: a constant where all sizes are static, else computed from
  // SHAPE.
  graph::ValueId SizeVector(const Node& source, const char* what,
                            const std::vector<RuntimeSize>& sizes);
  // Sets the fused activation on the node that computes `v` if nothing else
  // reads it, and replaces `result` by it. False where that is impossible.
  bool FuseActivation(ValueId v, ValueId result, const char* activation);

  // Renames for an output of the model; unique names are kept.
  void Rename(graph::ValueId id, const std::string& name);

 private:
  std::string Unique(const std::string& name);

  std::map<ValueId, Placed> placed_;
  std::map<std::pair<ValueId, Layout>, graph::ValueId> turned_;
  std::set<std::string> names_;
};

Layout IdentityLayout(size_t rank);
// [0, 2, 3, 1] for rank 4, the identity for others.
Layout ChannelsLast(size_t rank);
// The neutral shape in graph order.
Dims Arrange(const Dims& shape, const Layout& layout);
// The two layouts differ only in axes of size 1.
bool SameOrder(const Dims& shape, const Layout& a, const Layout& b);
// The position of neutral axis `axis` in the graph tensor.
int Position(const Layout& layout, int64_t axis);

using Lowerer = Status (*)(LoweringContext&, const Node&);
// Null when .tflite has no equivalent.
Lowerer FindLowerer(std::string_view op);

// lowering.cc
Status LowerControl(LoweringContext&, const Node&);
// direct.cc
Status LowerDirect(LoweringContext&, const Node&);
// elementwise.cc
Status LowerUnary(LoweringContext&, const Node&);
Status LowerClip(LoweringContext&, const Node&);
Status LowerFakeQuantize(LoweringContext&, const Node&);
Status LowerHardSwish(LoweringContext&, const Node&);
Status LowerPRelu(LoweringContext&, const Node&);
Status LowerBinary(LoweringContext&, const Node&);
Status LowerIdentity(LoweringContext&, const Node&);
Status LowerErf(LoweringContext&, const Node&);
Status LowerCopy(LoweringContext&, const Node&);
Status LowerShape(LoweringContext&, const Node&);
// window.cc
Status LowerConv(LoweringContext&, const Node&);
Status LowerConvTranspose(LoweringContext&, const Node&);
Status LowerPool(LoweringContext&, const Node&);
// sums.cc
Status LowerReduce(LoweringContext&, const Node&);
Status LowerArgMax(LoweringContext&, const Node&);
Status LowerCast(LoweringContext&, const Node&);
Status LowerSoftmax(LoweringContext&, const Node&);
Status LowerLayerNorm(LoweringContext&, const Node&);
Status LowerMatMul(LoweringContext&, const Node&);
// movement.cc
Status LowerDepthToSpace(LoweringContext&, const Node&);
Status LowerConcat(LoweringContext&, const Node&);
Status LowerSplit(LoweringContext&, const Node&);
Status LowerSlice(LoweringContext&, const Node&);
Status LowerSqueeze(LoweringContext&, const Node&);
Status LowerUnsqueeze(LoweringContext&, const Node&);
Status LowerReshape(LoweringContext&, const Node&);
Status LowerTranspose(LoweringContext&, const Node&);
Status LowerPad(LoweringContext&, const Node&);
Status LowerGather(LoweringContext&, const Node&);
// recurrent.cc
Status LowerLstm(LoweringContext&, const Node&);
// resize.cc
Status LowerResize(LoweringContext&, const Node&);

}  // namespace munja::importer

#endif  // MUNJA_IMPORT_LOWER_LOWERING_CONTEXT_H_
