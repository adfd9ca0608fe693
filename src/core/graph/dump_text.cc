#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"

namespace munja::graph {
namespace {

// Lists that are longer are cut: the listing is for people.
constexpr size_t kMaxListed = 4;

std::string ShortNumber(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.7g", v);
  return text;
}

// Control characters would break the lines.
std::string Printable(const std::string& text) {
  std::string out = text;
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return out;
}

std::string Ids(const std::vector<ValueId>& ids) {
  std::string text;
  for (const ValueId id : ids) {
    if (!text.empty()) text += ", ";
    text += id == kNoValue ? "-" : "%" + std::to_string(id);
  }
  return text;
}

std::string QuantizationText(const Quantization& q) {
  if (!q.is_quantized()) return "";
  const auto zero = [&](size_t i) {
    return i < q.zero_points.size() ? q.zero_points[i] : 0;
  };
  if (!q.is_per_axis())
    return "  scale " + ShortNumber(q.scales[0]) + " zero " +
           std::to_string(zero(0));
  std::string text = "  " + std::to_string(q.scales.size()) + " scales along " +
                     std::to_string(q.axis) + " (";
  for (size_t i = 0; i < std::min(q.scales.size(), kMaxListed); ++i)
    text += (i > 0 ? ", " : "") + ShortNumber(q.scales[i]);
  return text + (q.scales.size() > kMaxListed ? ", ...)" : ")");
}

std::string ValueText(const Value& value) {
  std::string text = ElementTypeName(value.type);
  text += " " + (value.has_shape ? value.shape.ToString() : "of unknown rank");
  text += QuantizationText(value.quantization);
  if (value.constant)
    text +=
        "  constant " + std::to_string(value.constant->bytes.size()) + " bytes";
  if (value.is_variable) text += "  variable";
  if (!value.unsupported.empty()) text += "  (" + value.unsupported + ")";
  if (!value.name.empty()) text += "  '" + Printable(value.name) + "'";
  return text;
}

std::string NodeText(const Node& node) {
  std::string text = node.op;
  if (node.version != 1) text += " v" + std::to_string(node.version);
  if (node.is_custom) text += " (custom)";
  text += "  " + Ids(node.outputs) + " <- " + Ids(node.inputs);
  if (!node.intermediates.empty()) text += "  with " + Ids(node.intermediates);
  std::string attributes;
  for (const auto& [name, value] : node.attributes) {
    if (!attributes.empty()) attributes += ", ";
    attributes += name + ": " + ToString(value);
  }
  if (!attributes.empty()) text += "  {" + attributes + "}";
  if (!node.custom_options.empty())
    text +=
        "  " + std::to_string(node.custom_options.size()) + " bytes of options";
  if (!node.name.empty()) text += "  '" + node.name + "'";
  return Printable(text);
}

std::string Aligned(size_t number) {
  char text[32];
  std::snprintf(text, sizeof text, "%6zu", number);
  return text;
}

class TextWriter {
 public:
  explicit TextWriter(const Graph& graph) : graph_(graph) {}

  std::string Run() {
    Header();
    for (size_t i = 0; i < graph_.subgraphs.size(); ++i) AddSubgraph(i);
    Totals();
    return std::move(text_);
  }

 private:
  void Line(const std::string& line) { text_ += line + "\n"; }

  void Header() {
    Line("model: " + Printable(graph_.description));
    for (const Signature& signature : graph_.signatures) {
      Line("signature '" + Printable(signature.key) + "' of subgraph " +
           std::to_string(signature.subgraph));
      for (const auto& [name, id] : signature.inputs)
        Line("  input  '" + Printable(name) + "' %" + std::to_string(id));
      for (const auto& [name, id] : signature.outputs)
        Line("  output '" + Printable(name) + "' %" + std::to_string(id));
    }
    for (const auto& [name, bytes] : graph_.metadata)
      Line("metadata '" + Printable(name) + "' " +
           std::to_string(bytes.size()) + " bytes");
    for (const auto& [name, bytes] : graph_.associated_files)
      Line("file '" + Printable(name) + "' " + std::to_string(bytes.size()) +
           " bytes");
  }

  void AddIo(const Subgraph& subgraph, const char* label,
             const std::vector<ValueId>& ids) {
    for (const ValueId id : ids) {
      std::string line = std::string("  ") + label + " %" + std::to_string(id);
      if (id >= 0 && static_cast<size_t>(id) < subgraph.values.size())
        line += "  " + ValueText(subgraph.values[static_cast<size_t>(id)]);
      Line(line);
    }
  }

  void AddSubgraph(size_t index) {
    const Subgraph& subgraph = graph_.subgraphs[index];
    std::string title = "subgraph " + std::to_string(index);
    if (!subgraph.name.empty()) title += " '" + Printable(subgraph.name) + "'";
    Line(title + ": " + std::to_string(subgraph.nodes.size()) + " nodes, " +
         std::to_string(subgraph.values.size()) + " tensors");
    AddIo(subgraph, "input ", subgraph.inputs);
    AddIo(subgraph, "output", subgraph.outputs);
    Line(" nodes:");
    for (size_t i = 0; i < subgraph.nodes.size(); ++i) {
      const Node& node = subgraph.nodes[i];
      Line(Aligned(i) + " " + NodeText(node));
      ++ops_[node.op];
      ++nodes_;
    }
    Line(" tensors:");
    for (size_t i = 0; i < subgraph.values.size(); ++i) {
      const Value& value = subgraph.values[i];
      const std::string id = "%" + std::to_string(i);
      Line(std::string(id.size() < 6 ? 6 - id.size() : 0, ' ') + id + " " +
           ValueText(value));
      if (!value.constant || value.constant->bytes.empty()) continue;
      // Tensors may share their data.
      if (!data_.insert(value.constant->bytes.data()).second) continue;
      bytes_ += value.constant->bytes.size();
      if (value.has_shape && value.shape.elements() > 0)
        parameters_ += value.shape.elements();
    }
  }

  void Totals() {
    std::vector<std::pair<size_t, std::string>> kinds;
    for (const auto& [op, count] : ops_) kinds.emplace_back(count, op);
    // The most frequent first, by name among equals.
    std::stable_sort(
        kinds.begin(), kinds.end(),
        [](const auto& a, const auto& b) { return a.first > b.first; });
    Line("totals: " + std::to_string(nodes_) + " nodes, " +
         std::to_string(parameters_) + " parameters, " +
         std::to_string(bytes_) + " bytes of constants");
    for (const auto& [count, op] : kinds)
      Line(Aligned(count) + " " + Printable(op));
  }

  const Graph& graph_;
  std::string text_;
  std::map<std::string, size_t> ops_;
  std::set<const uint8_t*> data_;
  size_t nodes_ = 0, bytes_ = 0;
  int64_t parameters_ = 0;
};

}  // namespace

std::string ToText(const Graph& graph) { return TextWriter(graph).Run(); }

}  // namespace munja::graph
