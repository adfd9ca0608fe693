#include "hal/manager/dump.h"

#include <algorithm>
#include <vector>

#include "hal/operations.h"
#include "hal/types.h"

namespace munja::hal {
namespace {

// Names come from drivers.
std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c == '\n' ? ' ' : c;
  }
  return quoted + "\"";
}

}  // namespace

std::string ToDot(const Model& model, std::span<const std::string> owners) {
  static constexpr const char* kColors[] = {"lightblue", "lightyellow",
                                            "palegreen", "lightpink",
                                            "lavender",  "wheat"};
  const Subgraph& main = model.main();
  std::vector<std::string> known;
  std::string text = "digraph model {\n  node [shape=box];\n";
  const auto value = [&](uint32_t i) {
    const Operand& operand = main.operands[i];
    return TypeName(operand.type) + " " + ToText(operand.dimensions);
  };
  std::vector<int> writers(main.operands.size(), -1);
  for (size_t k = 0; k < main.operations.size(); ++k) {
    std::string label = OperationName(main.operations[k].type), color;
    if (k < owners.size()) {
      auto place = std::ranges::find(known, owners[k]);
      if (place == known.end()) place = known.insert(place, owners[k]);
      color = ", style=filled, fillcolor=" +
              std::string(kColors[static_cast<size_t>(place - known.begin()) %
                                  std::size(kColors)]);
      label += " on " + owners[k];
    }
    text += "  n" + std::to_string(k) +
            " [label=" + Quoted(std::to_string(k) + " " + label) + color +
            "];\n";
    for (const uint32_t i : main.operations[k].outputs)
      writers[i] = static_cast<int>(k);
  }
  for (const auto* list : {&main.inputs, &main.outputs})
    for (const uint32_t i : *list)
      text += "  v" + std::to_string(i) + " [shape=ellipse, label=" +
              Quoted(std::to_string(i) + " " + value(i)) + "];\n";
  const auto name = [&](uint32_t i) {
    return writers[i] < 0 ? "v" + std::to_string(i)
                          : "n" + std::to_string(writers[i]);
  };
  for (size_t k = 0; k < main.operations.size(); ++k)
    for (const uint32_t i : main.operations[k].inputs) {
      const Operand& operand = main.operands[i];
      if (operand.is_constant() || operand.lifetime == MUNJA_NN_NO_VALUE ||
          operand.lifetime == MUNJA_NN_LIFETIME_SUBGRAPH)
        continue;
      text += "  " + name(i) + " -> n" + std::to_string(k) +
              " [label=" + Quoted(value(i)) + "];\n";
    }
  for (const uint32_t i : main.outputs)
    text += "  " + name(i) + " -> v" + std::to_string(i) + ";\n";
  return text + "}\n";
}

}  // namespace munja::hal
