#include "runtime/program.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/control.h"
#include "graph/calls.h"
#include "graph/passes/pass.h"
#include "graph/rewrite/symbolic_shapes.h"
#include "runtime/fold.h"
#include "runtime/tensor_bytes.h"

namespace munja::runtime {
namespace {

// Refuses tensors that hold data which nothing here interprets.
Status CheckValues(const graph::Subgraph& subgraph) {
  for (const graph::Node& node : subgraph.nodes) {
    for (const auto* list : {&node.inputs, &node.outputs}) {
      for (const graph::ValueId v : *list) {
        if (v == graph::kNoValue || subgraph.values[v].unsupported.empty())
          continue;
        return Unsupported("tensor '" + subgraph.values[v].name +
                           "': " + subgraph.values[v].unsupported +
                           " is not supported");
      }
    }
  }
  return Status();
}

// A variable holds its state between runs, so its size may not come with one:
// a shape that is not given is a scalar's, an open size is 1, as TensorFlow
// Lite has it.
void FixVariables(graph::Subgraph& subgraph) {
  for (graph::Value& value : subgraph.values) {
    if (!value.is_variable) continue;
    if (!value.has_shape) value.shape = Shape();
    value.has_shape = true;
    for (int i = 0; i < value.shape.rank(); ++i)
      if (value.shape[i] == kDynamic) value.shape[i] = 1;
  }
}

// Weights of uint8 beside activations of float32 are what converters wrote
// before there was int8: signed bytes around zero, whatever the type says.
void ReadOldWeights(graph::Subgraph& subgraph) {
  for (const graph::Node& node : subgraph.nodes) {
    if (node.is_custom || node.inputs.size() < 2 ||
        (node.op != "FULLY_CONNECTED" && node.op != "CONV_2D"))
      continue;
    const graph::ValueId data = node.inputs[0], w = node.inputs[1];
    if (data == graph::kNoValue || w == graph::kNoValue ||
        subgraph.values[data].type != ElementType::kFloat32)
      continue;
    graph::Value& weights = subgraph.values[w];
    if (weights.type != ElementType::kUInt8 || !weights.constant ||
        !weights.quantization.is_quantized())
      continue;
    const bool has_other_readers = std::any_of(
        subgraph.nodes.begin(), subgraph.nodes.end(),
        [&](const graph::Node& other) {
          return &other != &node &&
                 std::count(other.inputs.begin(), other.inputs.end(), w) > 0;
        });
    if (has_other_readers) continue;
    weights.type = ElementType::kInt8;
    for (int64_t& zero : weights.quantization.zero_points) zero = 0;
  }
}

TensorInfo InfoOf(const graph::Value& value) {
  return TensorInfo{value.name, value.type, value.shape, value.quantization,
                    value.has_shape};
}

constexpr int32_t kMostClasses = 1 << 24;  // As floats count them.

// The length of the rows of an output, when it is known and a node makes them.
int32_t ClassesOf(const graph::Subgraph& subgraph, graph::ValueId v) {
  const graph::Value& value = subgraph.values[v];
  if (value.type != ElementType::kFloat32 || !value.has_shape ||
      value.shape.rank() < 1 || value.constant || value.is_variable)
    return 0;
  if (std::count(subgraph.inputs.begin(), subgraph.inputs.end(), v) > 0)
    return 0;
  const int32_t n = value.shape.back();
  return n >= 1 && n <= kMostClasses ? n : 0;
}

// See SessionOptions::top_k. The classes of each output.
std::vector<int64_t> GiveBestClasses(int count, graph::Subgraph& subgraph) {
  std::vector<int64_t> classes;
  for (graph::ValueId& output : subgraph.outputs) {
    const int32_t n = ClassesOf(subgraph, output);
    classes.push_back(n);
    if (n == 0) continue;
    graph::Value pairs;
    pairs.name = subgraph.values[output].name;
    pairs.shape = subgraph.values[output].shape;
    pairs.shape[pairs.shape.rank() - 1] = 2 * count;
    graph::Node node;
    node.op = "ARG_MAX_WITH_SCORE";
    node.attributes.Set("classes", int64_t{n});
    node.attributes.Set("count", int64_t{count});
    node.inputs = {output};
    output = subgraph.AddValue(std::move(pairs));
    node.outputs = {output};
    subgraph.nodes.push_back(std::move(node));
  }
  return classes;
}

// The only node that reads the value, as its only input; -1: there is none.
int OnlyReader(const graph::Subgraph& subgraph, graph::ValueId v) {
  const auto reads = [v](const std::vector<graph::ValueId>& values) {
    return std::count(values.begin(), values.end(), v);
  };
  if (reads(subgraph.inputs) != 1 || reads(subgraph.outputs) != 0) return -1;
  int reader = -1;
  for (size_t n = 0; n < subgraph.nodes.size(); ++n) {
    if (reads(subgraph.nodes[n].inputs) == 0) continue;
    if (reader >= 0 || subgraph.nodes[n].inputs.size() != 1) return -1;
    reader = static_cast<int>(n);
  }
  return reader;
}

// See SessionOptions::stored_inputs.
void TakeStoredInputs(graph::Subgraph& subgraph) {
  for (graph::ValueId& input : subgraph.inputs) {
    const graph::Value& value = subgraph.values[input];
    if (value.type != ElementType::kFloat32 || value.is_variable) continue;
    const int reader = OnlyReader(subgraph, input);
    if (reader < 0) continue;
    const graph::Node& node = subgraph.nodes[static_cast<size_t>(reader)];
    if (node.is_custom || node.op != "QUANTIZE" || node.outputs.size() != 1)
      continue;
    graph::Value& stored = subgraph.values[node.outputs[0]];
    const bool is_taken = stored.type == ElementType::kInt8 ||
                          stored.type == ElementType::kUInt8 ||
                          stored.type == ElementType::kInt16;
    if (!is_taken || stored.quantization.scales.size() != 1) continue;
    stored.name = value.name;
    stored.shape = value.shape;
    stored.has_shape = value.has_shape;
    input = node.outputs[0];
    subgraph.nodes.erase(subgraph.nodes.begin() + reader);
  }
}

graph::PassOptions Passes(const ops::MakeOptions& make_options,
                          const Resolver& resolver) {
  graph::PassOptions passes;
  passes.evaluate = [make_options, &resolver](const graph::Subgraph& subgraph,
                                              const graph::Node& node) {
    return FoldNode(subgraph, node, make_options, resolver);
  };
  passes.has_op = [&resolver](std::string_view name) {
    return resolver.Has(name);
  };
  return passes;
}

ops::MakeOptions MakeOptionsOf(const SessionOptions& options) {
  return {.reference_kernels = options.reference_kernels,
          .reduced_precision = options.precision == Precision::kReduced,
          .fewer_products = options.precision != Precision::kDirect};
}

}  // namespace

Status CheckOperators(const graph::Graph& graph, std::span<const int> subgraphs,
                      const Resolver& resolver) {
  std::map<std::string, int> missing;
  for (const int s : subgraphs) {
    for (const graph::Node& node : graph.subgraphs[s].nodes) {
      if (DelegatedKernelOf(node) >= 0) continue;
      const auto op = resolver.Find(node);
      if (!op) {
        ++missing[node.is_custom ? "custom " + node.op : node.op];
      } else if (!op->Takes(node)) {
        ++missing[node.op + " version " + std::to_string(node.version)];
      }
    }
  }
  if (missing.empty()) return Status();
  std::string message = "missing operators: ";
  const char* separator = "";
  for (const auto& [name, count] : missing) {
    message += separator + name + " (" + std::to_string(count) +
               (count == 1 ? " node)" : " nodes)");
    separator = ", ";
  }
  return Unsupported(message);
}

std::vector<int> ReachableSubgraphs(const graph::Graph& graph, int subgraph) {
  std::vector<int> found = {subgraph};
  for (size_t i = 0; i < found.size(); ++i) {
    for (const graph::Node& node : graph.subgraphs[found[i]].nodes) {
      for (const graph::SubgraphCall& call : graph::CalledSubgraphs(node)) {
        const int s = static_cast<int>(call.subgraph);
        if (std::find(found.begin(), found.end(), s) == found.end())
          found.push_back(s);
      }
    }
  }
  return found;
}

Status Program::FindVariables() {
  const graph::Subgraph& sub = subgraph();
  for (size_t v = 0; v < sub.values.size(); ++v) {
    const graph::Value& value = sub.values[v];
    if (!value.is_variable) continue;
    auto bytes = TensorBytes(value.type, value.shape);
    if (!bytes.ok()) {
      return std::move(bytes).TakeStatus().With("variable '" + value.name +
                                                "'");
    }
    variables_.push_back({static_cast<graph::ValueId>(v), *bytes});
  }
  return Status();
}

// Operators that passes create are not in a delegate's list: it sees the
// operators of the schema. What it leaves is fused after that.
Status Program::OfferToDelegates(const graph::Graph& model, int subgraph,
                                 const SessionOptions& options,
                                 const Resolver& resolver,
                                 const graph::PassOptions& passes) {
  MarkNodes(graph_.main());
  graph::PassOptions cleanup = passes;
  cleanup.fuse = false;
  MUNJA_RETURN_IF_ERROR(graph::RunPasses(graph_, cleanup));
  delegation_ = DelegateNodes(model, subgraph, &graph_, options, resolver);
  is_stateful_ = delegation_.is_stateful;
  return Status();
}

Result<std::vector<NodeOwner>> Program::Assign(const graph::Graph& graph,
                                               int subgraph,
                                               const SessionOptions& options,
                                               const Resolver& resolver) {
  Program program;
  program.graph_.subgraphs = {graph.subgraphs[subgraph]};
  const ops::MakeOptions make_options = MakeOptionsOf(options);
  MUNJA_RETURN_IF_ERROR(program.OfferToDelegates(
      graph, subgraph, options, resolver, Passes(make_options, resolver)));
  return program.Owners();
}

Status Program::MakeKernels(const ops::MakeOptions& options,
                            const Resolver& resolver) {
  const graph::Subgraph& sub = subgraph();
  const int only[] = {0};
  MUNJA_RETURN_IF_ERROR(CheckOperators(graph_, only, resolver));
  for (size_t n = 0; n < sub.nodes.size(); ++n) {
    MUNJA_RETURN_IF_ERROR(CheckControl());
    const graph::Node& node = sub.nodes[n];
    const int delegated = DelegatedKernelOf(node);
    if (delegated >= 0 &&
        static_cast<size_t>(delegated) < delegation_.kernels.size()) {
      kernels_.push_back(delegation_.kernels[delegated].get());
    } else {
      const auto op = resolver.Find(node);
      auto kernel = op->make(ops::NodeInfo(sub, node, options));
      if (!kernel.ok())
        return std::move(kernel).TakeStatus().With(graph::Describe(sub, n));
      is_stateful_ |= op->is_stateful;
      own_kernels_.push_back(std::move(*kernel));
      kernels_.push_back(own_kernels_.back().get());
    }
    packed_bytes_ += kernels_.back()->packed_bytes();
    needs_host_ |= kernels_.back()->needs_host();
  }
  return Status();
}

Result<std::shared_ptr<const Program>> Program::Compile(
    const graph::Graph& graph, int subgraph, const SessionOptions& options,
    const Resolver& resolver) {
  if (subgraph < 0 || static_cast<size_t>(subgraph) >= graph.subgraphs.size()) {
    return InvalidArgument("there is no subgraph " + std::to_string(subgraph) +
                           ", the model has " +
                           std::to_string(graph.subgraphs.size()));
  }
  std::shared_ptr<Program> program(new Program);
  program->changes_given_variables_ = options.changes_given_variables;
  // Constants are spans with shared owners: the copy is cheap.
  program->graph_.subgraphs = {graph.subgraphs[subgraph]};
  MUNJA_RETURN_IF_ERROR(CheckValues(program->subgraph()));
  FixVariables(program->graph_.main());
  ReadOldWeights(program->graph_.main());

  const ops::MakeOptions make_options = MakeOptionsOf(options);
  graph::PassOptions pass_options = Passes(make_options, resolver);
  if (!options.delegates.empty()) {
    MUNJA_RETURN_IF_ERROR(program->OfferToDelegates(graph, subgraph, options,
                                                    resolver, pass_options));
  }
  if (options.stored_inputs && options.delegates.empty() &&
      subgraph == options.subgraph && !resolver.ReplacesBuiltins())
    TakeStoredInputs(program->graph_.main());
  std::vector<int64_t> classes(program->subgraph().outputs.size());
  if (options.top_k > 0 && subgraph == options.subgraph &&
      resolver.Has("ARG_MAX_WITH_SCORE")) {
    graph::Subgraph& main = program->graph_.main();
    graph::CorrectShapes(graph::SymbolicShapes(main), main);
    classes = GiveBestClasses(options.top_k, main);
  }
  pass_options.fuse = options.run_passes && !resolver.ReplacesBuiltins();
  program->can_run_bands_ = pass_options.fuse;
  MUNJA_RETURN_IF_ERROR(graph::RunPasses(program->graph_, pass_options));
  MUNJA_RETURN_IF_ERROR(program->MakeKernels(make_options, resolver));
  const graph::Subgraph& sub = program->subgraph();
  for (const graph::ValueId v : sub.inputs)
    program->inputs_.push_back(InfoOf(sub.values[v]));
  for (size_t i = 0; i < sub.outputs.size(); ++i) {
    program->outputs_.push_back(InfoOf(sub.values[sub.outputs[i]]));
    program->outputs_.back().classes = classes[i];
  }
  MUNJA_RETURN_IF_ERROR(program->FindVariables());
  // Passes go on where a node could not be evaluated.
  MUNJA_RETURN_IF_ERROR(CheckControl());
  return std::shared_ptr<const Program>(std::move(program));
}

Result<std::vector<NodeOwner>> ReportOwners(const graph::Graph& graph,
                                            const SessionOptions& options) {
  if (options.subgraph < 0 ||
      static_cast<size_t>(options.subgraph) >= graph.subgraphs.size())
    return InvalidArgument("there is no subgraph " +
                           std::to_string(options.subgraph));
  const auto resolver =
      options.resolver ? options.resolver : std::make_shared<const Resolver>();
  std::vector<NodeOwner> owners;
  for (const int s : ReachableSubgraphs(graph, options.subgraph)) {
    MUNJA_ASSIGN_OR_RETURN(const std::vector<NodeOwner> more,
                           Program::Assign(graph, s, options, *resolver));
    owners.insert(owners.end(), more.begin(), more.end());
  }
  return owners;
}

}  // namespace munja::runtime
