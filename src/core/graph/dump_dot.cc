#include <string>
#include <vector>

#include "graph/graph.h"

namespace munja::graph {
namespace {

// Inside of a quoted string of the DOT language.
std::string Escape(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out += '\\';
    out += byte < 0x20 || byte == 0x7f ? ' ' : c;
  }
  return out;
}

std::string TypeAndShape(const Value& value) {
  return std::string(ElementTypeName(value.type)) + " " +
         (value.has_shape ? value.shape.ToString() : "of unknown rank");
}

class DotWriter {
 public:
  explicit DotWriter(const Graph& graph) : graph_(graph) {}

  std::string Run() {
    text_ = "digraph model {\n  node [shape=box, fontname=\"sans-serif\"];\n";
    for (size_t s = 0; s < graph_.subgraphs.size(); ++s) AddSubgraph(s);
    return text_ + "}\n";
  }

 private:
  // The point that makes a value: "s0n17" for a node, "s0v3" for an input,
  // a variable or what nothing makes.
  void AddSubgraph(size_t s) {
    const Subgraph& subgraph = graph_.subgraphs[s];
    const std::string prefix = "s" + std::to_string(s);
    text_ += "  subgraph cluster_" + prefix + " {\n    label=\"" +
             Escape(subgraph.name.empty() ? "subgraph " + std::to_string(s)
                                          : subgraph.name) +
             "\";\n";
    std::vector<std::string> makers(subgraph.values.size());
    for (size_t n = 0; n < subgraph.nodes.size(); ++n) {
      const std::string id = prefix + "n" + std::to_string(n);
      text_ += "    " + id + " [label=\"" + std::to_string(n) + " " +
               Escape(subgraph.nodes[n].op) + "\"];\n";
      for (const ValueId out : subgraph.nodes[n].outputs)
        if (IsValue(subgraph, out)) makers[static_cast<size_t>(out)] = id;
    }
    for (const ValueId in : subgraph.inputs)
      if (IsValue(subgraph, in)) AddPoint(subgraph, prefix, in, makers);
    for (size_t n = 0; n < subgraph.nodes.size(); ++n)
      for (const ValueId in : subgraph.nodes[n].inputs)
        if (IsValue(subgraph, in)) {
          // Weights would hide the structure.
          if (subgraph.values[static_cast<size_t>(in)].constant) continue;
          AddPoint(subgraph, prefix, in, makers);
          AddEdge(subgraph, makers[static_cast<size_t>(in)],
                  prefix + "n" + std::to_string(n), in);
        }
    for (size_t o = 0; o < subgraph.outputs.size(); ++o) {
      const ValueId out = subgraph.outputs[o];
      if (!IsValue(subgraph, out)) continue;
      const std::string id = prefix + "out" + std::to_string(o);
      const std::string& name = subgraph.values[static_cast<size_t>(out)].name;
      text_ += "    " + id + " [shape=oval, label=\"output " +
               std::to_string(o) + "\\n" + Escape(name) + "\"];\n";
      AddPoint(subgraph, prefix, out, makers);
      AddEdge(subgraph, makers[static_cast<size_t>(out)], id, out);
    }
    text_ += "  }\n";
  }

  static bool IsValue(const Subgraph& subgraph, ValueId id) {
    return id >= 0 && static_cast<size_t>(id) < subgraph.values.size();
  }

  // Draws the value itself where no node makes it.
  void AddPoint(const Subgraph& subgraph, const std::string& prefix, ValueId id,
                std::vector<std::string>& makers) {
    std::string& maker = makers[static_cast<size_t>(id)];
    if (!maker.empty()) return;
    maker = prefix + "v" + std::to_string(id);
    text_ += "    " + maker + " [shape=oval, label=\"" +
             Escape(subgraph.values[static_cast<size_t>(id)].name) + "\"];\n";
  }

  void AddEdge(const Subgraph& subgraph, const std::string& from,
               const std::string& to, ValueId id) {
    text_ += "    " + from + " -> " + to + " [label=\"" +
             TypeAndShape(subgraph.values[static_cast<size_t>(id)]) + "\"];\n";
  }

  const Graph& graph_;
  std::string text_;
};

}  // namespace

std::string ToDot(const Graph& graph) { return DotWriter(graph).Run(); }

}  // namespace munja::graph
