// Graph: a model in memory. Values, nodes and constants of one or more
// subgraphs, in the vocabulary of the .tflite schema (NHWC, builtin names).
#ifndef MUNJA_GRAPH_GRAPH_H_
#define MUNJA_GRAPH_GRAPH_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "graph/attributes.h"
#include "tensor/element_type.h"
#include "tensor/quantization.h"
#include "tensor/shape.h"

namespace munja::graph {

using ValueId = int32_t;
inline constexpr ValueId kNoValue = -1;  // An absent optional input.

// Bytes of a constant. They may lie in a mapped file: `owner` keeps it alive.
struct Constant {
  std::span<const uint8_t> bytes;
  std::shared_ptr<const void> owner;
};
// A constant that owns a copy of the given bytes.
Constant MakeConstant(std::vector<uint8_t> bytes);

// A tensor between nodes.
struct Value {
  std::string name;
  ElementType type = ElementType::kFloat32;
  Shape shape;            // kDynamic (-1) where the size comes with the input.
  bool has_shape = true;  // false: not even the rank is known before the run.
  Quantization quantization;
  std::optional<Constant> constant;
  bool is_variable = false;  // Keeps its content from run to run.
  // Data that the schema holds and no part of this project interprets yet
  // (sparsity, custom quantization): present means "refuse to run".
  std::string unsupported;
};

// One operator. `op` is the schema's name ("CONV_2D") or, for a custom
// operator, its own name.
struct Node {
  std::string op;
  bool is_custom = false;
  int version = 1;
  Attributes attributes;
  std::vector<uint8_t> custom_options;
  std::vector<ValueId> inputs;  // kNoValue where an optional one is absent.
  std::vector<ValueId> outputs;
  std::vector<ValueId> intermediates;
  std::string name;  // For people; may be empty.
};

struct Subgraph {
  std::string name;
  std::vector<Value> values;
  std::vector<Node> nodes;  // In an order in which they can run.
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;

  ValueId AddValue(Value value) {
    values.push_back(std::move(value));
    return static_cast<ValueId>(values.size() - 1);
  }
};

// A named entry point: names for the inputs and outputs of one subgraph.
struct Signature {
  std::string key;
  int subgraph = 0;
  std::vector<std::pair<std::string, ValueId>> inputs, outputs;
};

struct Graph {
  std::string description;
  std::vector<Subgraph> subgraphs;  // [0] is the main one.
  std::vector<Signature> signatures;
  std::map<std::string, std::vector<uint8_t>>
      metadata;  // By the schema's name.
  // Files packed with the model by the TFLite Metadata convention
  // (a dictionary, labels), by name.
  std::map<std::string, std::vector<uint8_t>> associated_files;

  Subgraph& main() { return subgraphs[0]; }
  const Subgraph& main() const { return subgraphs[0]; }
};

// "node 17 (CONV_2D)", with the node's name when it has one.
std::string Describe(const Subgraph& subgraph, size_t node);

// Everything that later code trusts: indices in range, every value written at
// most once and before it is read, constants as long as their shape says and
// never written, quantization of the right length, at least one subgraph,
// every subgraph that a node calls (calls.h) exists and none contains itself.
// Constants of a value with `unsupported` are not checked. kMalformed names
// subgraph, node and tensor.
Status Verify(const Graph& graph);

// A listing for people: nodes with attributes, tensors, quantization, metadata.
std::string ToText(const Graph& graph);
// Graphviz.
std::string ToDot(const Graph& graph);

}  // namespace munja::graph

#endif  // MUNJA_GRAPH_GRAPH_H_
