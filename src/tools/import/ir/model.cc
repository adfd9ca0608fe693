#include "import/ir/model.h"

#include <algorithm>
#include <utility>

namespace munja::importer {

Status RefuseMissing(const char* what,
                     const std::map<std::string, int>& missing) {
  if (missing.empty()) return {};
  std::string text = what;
  for (const auto& [name, count] : missing)
    text += StrCat(" ", name, " (", count, ")");
  return Unsupported(text);
}

std::string Describe(const Node& node) {
  return node.name.empty() ? node.op : node.op + " '" + node.name + "'";
}

std::vector<int> CountUses(const Model& model) {
  std::vector<int> uses(model.values.size(), 0);
  for (const Node& node : model.nodes)
    for (const ValueId v : node.inputs)
      if (v != kNoValue) ++uses[v];
  for (const ValueId v : model.outputs) ++uses[v];
  return uses;
}

void RemoveDeadNodes(Model* model) {
  std::vector<bool> needed(model->values.size(), false);
  for (const ValueId v : model->outputs) needed[v] = true;
  std::vector<Node> kept;
  for (size_t i = model->nodes.size(); i-- > 0;) {
    Node& node = model->nodes[i];
    if (std::none_of(node.outputs.begin(), node.outputs.end(),
                     [&](ValueId v) { return needed[v]; }))
      continue;
    for (const ValueId v : node.inputs)
      if (v != kNoValue) needed[v] = true;
    kept.push_back(std::move(node));
  }
  std::reverse(kept.begin(), kept.end());
  model->nodes = std::move(kept);
}

}  // namespace munja::importer
