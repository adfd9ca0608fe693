#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/calls.h"
#include "graph/graph.h"
#include "tensor/strings.h"

namespace munja::graph {
namespace {

static_assert(std::endian::native == std::endian::little,
              "constants are little endian and used as they are");

std::string DescribeValue(const Subgraph& subgraph, size_t index) {
  std::string text = "tensor " + std::to_string(index);
  const std::string& name = subgraph.values[index].name;
  if (!name.empty()) text += " ('" + name + "')";
  return text;
}

bool InRange(const Subgraph& subgraph, ValueId id) {
  return id >= 0 && static_cast<size_t>(id) < subgraph.values.size();
}

Status OutOfRange(const Subgraph& subgraph, const std::string& what,
                  ValueId id) {
  return Malformed(what + " is tensor " + std::to_string(id) +
                   ", but there are " + std::to_string(subgraph.values.size()) +
                   " tensors");
}

Status VerifyConstant(const Value& value) {
  const int64_t elements = value.has_shape ? value.shape.elements() : -1;
  if (elements < 0)
    return Malformed("is a constant, but its shape " + value.shape.ToString() +
                     " is not known or too large");
  const auto bytes = static_cast<int64_t>(value.constant->bytes.size());
  int64_t expected = 0;
  switch (value.type) {
    case ElementType::kString:
      return CheckStrings(value.constant->bytes, elements);
    case ElementType::kResource:
    case ElementType::kVariant:
      return Malformed(std::string("is a constant of type ") +
                       ElementTypeName(value.type));
    case ElementType::kInt4:
      expected = (elements + 1) / 2;
      break;
    default:
      expected = elements * static_cast<int64_t>(ElementSize(value.type));
  }
  if (bytes != expected)
    return Malformed("its data has " + std::to_string(bytes) +
                     " bytes, but type " + ElementTypeName(value.type) +
                     " and shape " + value.shape.ToString() + " need " +
                     std::to_string(expected));
  return Status();
}

// Zero points, which kernels subtract in 32 bits. For the small integers
// it is one of them.
Status VerifyZeroPoint(ElementType type, int64_t zero) {
  const auto [low, high] = [type]() -> std::pair<int64_t, int64_t> {
    switch (type) {
      case ElementType::kInt4:
        return {-8, 7};
      case ElementType::kInt8:
        return {INT8_MIN, INT8_MAX};
      case ElementType::kUInt8:
        return {0, UINT8_MAX};
      case ElementType::kInt16:
        return {INT16_MIN, INT16_MAX};
      default:
        return {INT32_MIN, INT32_MAX};
    }
  }();
  if (zero >= low && zero <= high) return Status();
  return Malformed("has quantization zero point " + std::to_string(zero) +
                   ", but type " + ElementTypeName(type) + " takes " +
                   std::to_string(low) + " to " + std::to_string(high));
}

Status VerifyQuantization(const Value& value) {
  const Quantization& q = value.quantization;
  if (!q.zero_points.empty() && q.zero_points.size() != q.scales.size())
    return Malformed("has " + std::to_string(q.scales.size()) +
                     " quantization scales, but " +
                     std::to_string(q.zero_points.size()) + " zero points");
  if (!q.is_quantized()) return Status();
  for (const float scale : q.scales)
    if (!std::isfinite(scale))
      return Malformed("has a quantization scale that is not a number");
  for (const int64_t zero : q.zero_points)
    MUNJA_RETURN_IF_ERROR(VerifyZeroPoint(value.type, zero));
  // Without a rank there is nothing to compare with.
  if (!value.has_shape)
    return q.is_per_axis()
               ? Malformed("has many quantization scales, but no known rank")
               : Status();
  const int rank = value.shape.rank();
  if (q.axis < 0 || (q.axis >= rank && !(rank == 0 && q.axis == 0)))
    return Malformed("has quantized dimension " + std::to_string(q.axis) +
                     ", but its rank is " + std::to_string(rank));
  if (!q.is_per_axis()) return Status();
  if (rank == 0 ||
      (value.shape[q.axis] != kDynamic &&
       static_cast<size_t>(value.shape[q.axis]) != q.scales.size()))
    return Malformed("has " + std::to_string(q.scales.size()) +
                     " quantization scales along dimension " +
                     std::to_string(q.axis) + " of shape " +
                     value.shape.ToString());
  return Status();
}

Status VerifyValue(const Value& value) {
  if (!IsKnownElementType(static_cast<int>(value.type)))
    return Malformed("has element type " +
                     std::to_string(static_cast<int>(value.type)));
  for (const int32_t dim : value.shape.dims())
    if (dim < kDynamic)
      return Malformed("has a dimension of " + std::to_string(dim));
  if (value.is_variable && value.constant)
    return Malformed("is a variable and a constant at once");
  MUNJA_RETURN_IF_ERROR(VerifyQuantization(value));
  // Data that cannot be interpreted (sparse) has a size of its own.
  if (value.constant && value.unsupported.empty())
    MUNJA_RETURN_IF_ERROR(VerifyConstant(value));
  return Status();
}

// Follows the order of execution.
class SubgraphVerifier {
 public:
  explicit SubgraphVerifier(const Subgraph& subgraph)
      : subgraph_(subgraph),
        ready_(subgraph.values.size(), false),
        opaque_(subgraph.values.size(), false) {}

  Status Run() {
    for (size_t i = 0; i < subgraph_.values.size(); ++i) {
      const Value& value = subgraph_.values[i];
      MUNJA_RETURN_IF_ERROR(
          VerifyValue(value).With(DescribeValue(subgraph_, i)));
      // Values that cannot be interpreted may get their content in unknown
      // ways.
      ready_[i] = value.constant.has_value() || value.is_variable;
      opaque_[i] = !value.unsupported.empty();
    }
    for (const ValueId id : subgraph_.inputs) {
      if (!InRange(subgraph_, id)) return OutOfRange(subgraph_, "an input", id);
      // A variable may be an input too: its content is then given.
      const Value& value = subgraph_.values[static_cast<size_t>(id)];
      if (value.constant)
        return Malformed(Name(id) + " is an input and a constant at once");
      ready_[static_cast<size_t>(id)] = true;
    }
    for (size_t i = 0; i < subgraph_.nodes.size(); ++i)
      MUNJA_RETURN_IF_ERROR(
          VerifyNode(subgraph_.nodes[i]).With(Describe(subgraph_, i)));
    for (const ValueId id : subgraph_.outputs) {
      if (!InRange(subgraph_, id))
        return OutOfRange(subgraph_, "an output", id);
      if (!ready_[static_cast<size_t>(id)])
        return Malformed(Name(id) + " is an output, but nothing writes it");
    }
    return Status();
  }

 private:
  std::string Name(ValueId id) const {
    return DescribeValue(subgraph_, static_cast<size_t>(id));
  }

  Status VerifyNode(const Node& node) {
    if (node.op.empty()) return Malformed("it has no operator");
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId id = node.inputs[i];
      if (id == kNoValue) continue;
      if (!InRange(subgraph_, id))
        return OutOfRange(subgraph_, "input " + std::to_string(i), id);
      if (!ready_[static_cast<size_t>(id)] && !opaque_[static_cast<size_t>(id)])
        return Malformed("input " + std::to_string(i) + ", " + Name(id) +
                         ", is read before anything writes it");
    }
    for (const ValueId id : node.intermediates)
      if (id != kNoValue && !InRange(subgraph_, id))
        return OutOfRange(subgraph_, "an intermediate", id);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const ValueId id = node.outputs[i];
      if (!InRange(subgraph_, id))
        return OutOfRange(subgraph_, "output " + std::to_string(i), id);
      if (ready_[static_cast<size_t>(id)])
        return Malformed("output " + std::to_string(i) + ", " + Name(id) +
                         ", is a constant, a variable, an input or written "
                         "before");
      ready_[static_cast<size_t>(id)] = true;
    }
    return Status();
  }

  const Subgraph& subgraph_;
  std::vector<bool> ready_;   // May be read: constant, variable, written.
  std::vector<bool> opaque_;  // Value::unsupported
};

// Nodes name other subgraphs (branches, loop bodies). They must exist, and no
// subgraph may contain itself.
class CallVerifier {
 public:
  explicit CallVerifier(const Graph& graph)
      : graph_(graph), calls_(graph.subgraphs.size()) {}

  Status Run() {
    for (size_t i = 0; i < graph_.subgraphs.size(); ++i)
      MUNJA_RETURN_IF_ERROR(Collect(i).With("subgraph " + std::to_string(i)));
    // Peels off subgraphs that call nothing; each of those that remain calls
    // another of them, so following the calls leads into a cycle.
    std::vector<std::vector<size_t>> callers(calls_.size());
    std::vector<size_t> left(calls_.size()), leaves;
    for (size_t i = 0; i < calls_.size(); ++i) {
      left[i] = calls_[i].size();
      if (left[i] == 0) leaves.push_back(i);
      for (const size_t callee : calls_[i]) callers[callee].push_back(i);
    }
    size_t peeled = 0;
    while (!leaves.empty()) {
      const size_t leaf = leaves.back();
      leaves.pop_back();
      ++peeled;
      for (const size_t caller : callers[leaf])
        if (--left[caller] == 0) leaves.push_back(caller);
    }
    if (peeled == calls_.size()) return Status();
    size_t at = 0;
    while (left[at] == 0) ++at;
    std::vector<bool> seen(calls_.size(), false);
    while (!seen[at]) {
      seen[at] = true;
      at = *std::find_if(calls_[at].begin(), calls_[at].end(),
                         [&](size_t callee) { return left[callee] > 0; });
    }
    return Malformed("subgraph " + std::to_string(at) +
                     " calls itself, directly or through others");
  }

 private:
  Status Collect(size_t index) {
    const Subgraph& subgraph = graph_.subgraphs[index];
    for (size_t n = 0; n < subgraph.nodes.size(); ++n) {
      for (const auto& [name, callee] : CalledSubgraphs(subgraph.nodes[n])) {
        if (callee < 0 ||
            callee >= static_cast<int64_t>(graph_.subgraphs.size()))
          return Malformed("there is no subgraph " + std::to_string(callee) +
                           ", which '" + std::string(name) + "' names")
              .With(Describe(subgraph, n));
        calls_[index].push_back(static_cast<size_t>(callee));
      }
    }
    return Status();
  }

  const Graph& graph_;
  std::vector<std::vector<size_t>> calls_;
};

Status VerifySignature(const Graph& graph, const Signature& signature) {
  if (signature.subgraph < 0 ||
      static_cast<size_t>(signature.subgraph) >= graph.subgraphs.size())
    return Malformed("there is no subgraph " +
                     std::to_string(signature.subgraph));
  const Subgraph& subgraph =
      graph.subgraphs[static_cast<size_t>(signature.subgraph)];
  for (const auto* list : {&signature.inputs, &signature.outputs})
    for (const auto& [name, id] : *list)
      if (!InRange(subgraph, id))
        return OutOfRange(subgraph, "'" + name + "'", id);
  return Status();
}

}  // namespace

std::string Describe(const Subgraph& subgraph, size_t node) {
  std::string text = "node " + std::to_string(node);
  if (node >= subgraph.nodes.size()) return text;
  const Node& n = subgraph.nodes[node];
  text += " (" + n.op;
  if (!n.name.empty()) text += " '" + n.name + "'";
  return text + ")";
}

Status Verify(const Graph& graph) {
  if (graph.subgraphs.empty()) return Malformed("the model has no subgraph");
  for (size_t i = 0; i < graph.subgraphs.size(); ++i)
    MUNJA_RETURN_IF_ERROR(SubgraphVerifier(graph.subgraphs[i])
                              .Run()
                              .With("subgraph " + std::to_string(i)));
  MUNJA_RETURN_IF_ERROR(CallVerifier(graph).Run());
  for (const Signature& signature : graph.signatures)
    MUNJA_RETURN_IF_ERROR(VerifySignature(graph, signature)
                              .With("signature '" + signature.key + "'"));
  return Status();
}

}  // namespace munja::graph
