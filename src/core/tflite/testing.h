// Comparison of graphs, for tests and the fuzz target; what the build can do.
#ifndef MUNJA_TFLITE_TESTING_H_
#define MUNJA_TFLITE_TESTING_H_

#include <algorithm>
#include <cstring>
#include <string>
#include <variant>
#include <vector>

#include "graph/graph.h"
#include "tflite/associated_files.h"

namespace munja::tflite {

// False in a build without libzip, where files packed with a model are
// refused.
inline bool CanPack() {
  std::vector<uint8_t> model = {1};
  return AppendAssociatedFiles({{"a", {1}}}, model).ok();
}

// Bit for bit, so that NaN equals itself.
template <class T>
bool SameBits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() ||
          std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

inline bool Same(const graph::AttributeValue& a,
                 const graph::AttributeValue& b) {
  if (a.index() != b.index()) return false;
  if (const auto* d = std::get_if<double>(&a))
    return std::memcmp(d, std::get_if<double>(&b), sizeof *d) == 0;
  if (const auto* l = std::get_if<std::vector<double>>(&a))
    return SameBits(*l, *std::get_if<std::vector<double>>(&b));
  return a == b;
}

inline bool Same(const graph::Attributes& a, const graph::Attributes& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) {
                      return x.first == y.first && Same(x.second, y.second);
                    });
}

inline bool Same(const graph::Value& a, const graph::Value& b) {
  if (a.constant.has_value() != b.constant.has_value()) return false;
  if (a.constant &&
      !std::equal(a.constant->bytes.begin(), a.constant->bytes.end(),
                  b.constant->bytes.begin(), b.constant->bytes.end()))
    return false;
  return a.name == b.name && a.type == b.type && a.shape == b.shape &&
         a.has_shape == b.has_shape &&
         SameBits(a.quantization.scales, b.quantization.scales) &&
         a.quantization.zero_points == b.quantization.zero_points &&
         a.quantization.axis == b.quantization.axis &&
         a.is_variable == b.is_variable && a.unsupported == b.unsupported;
}

inline bool Same(const graph::Node& a, const graph::Node& b) {
  return a.op == b.op && a.is_custom == b.is_custom && a.version == b.version &&
         Same(a.attributes, b.attributes) &&
         a.custom_options == b.custom_options && a.inputs == b.inputs &&
         a.outputs == b.outputs && a.intermediates == b.intermediates;
}

// The first difference; empty: none.
inline std::string Difference(const graph::Graph& a, const graph::Graph& b) {
  if (a.description != b.description) return "description";
  if (a.metadata != b.metadata) return "metadata";
  if (a.associated_files != b.associated_files) return "associated files";
  if (a.signatures.size() != b.signatures.size()) return "signatures";
  for (size_t i = 0; i < a.signatures.size(); ++i) {
    const graph::Signature &x = a.signatures[i], &y = b.signatures[i];
    if (x.key != y.key || x.subgraph != y.subgraph || x.inputs != y.inputs ||
        x.outputs != y.outputs)
      return "signature " + std::to_string(i);
  }
  if (a.subgraphs.size() != b.subgraphs.size()) return "subgraphs";
  for (size_t s = 0; s < a.subgraphs.size(); ++s) {
    const graph::Subgraph &x = a.subgraphs[s], &y = b.subgraphs[s];
    const std::string where = "subgraph " + std::to_string(s) + ": ";
    if (x.name != y.name || x.inputs != y.inputs || x.outputs != y.outputs ||
        x.values.size() != y.values.size() || x.nodes.size() != y.nodes.size())
      return where + "name, inputs, outputs or counts";
    for (size_t i = 0; i < x.values.size(); ++i)
      if (!Same(x.values[i], y.values[i]))
        return where + "tensor " + std::to_string(i);
    for (size_t i = 0; i < x.nodes.size(); ++i)
      if (!Same(x.nodes[i], y.nodes[i])) return where + graph::Describe(x, i);
  }
  return "";
}

}  // namespace munja::tflite

#endif  // MUNJA_TFLITE_TESTING_H_
