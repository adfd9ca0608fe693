#include "compress/pruning/budget.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/file.h"
#include "base/json_end.h"
#include "compress/pruning/global_levels.h"

namespace munja::compress {
namespace {

// Milliseconds of each layer, from what `munja bench` printed.
Result<LayerCosts> ReadProfile(const std::string& path,
                               const LayerCosts& layers) {
  constexpr size_t kMaxBytes = size_t{1} << 28;
  MUNJA_ASSIGN_OR_RETURN(const auto bytes, ReadFile(path, kMaxBytes));
  auto json = nlohmann::json::parse(bytes, nullptr, /*allow_exceptions=*/false);
  const TakenApartAtEnd end(json);
  if (!json.is_object() || !json.contains("nodes") || !json["nodes"].is_array())
    return Malformed(
        path, " is not what 'munja bench MODEL --op-profile --json' prints");
  LayerCosts costs;
  for (const auto& node : json["nodes"]) {
    if (!node.is_object() || !node.contains("name") ||
        !node["name"].is_string() || !node.contains("ms") ||
        !node["ms"].is_number())
      continue;
    // Activations that were fused may have given their names.
    const auto name = node["name"].get<std::string>();
    const std::string front = name.substr(0, name.rfind('/'));
    const std::string& layer = layers.contains(name) ? name : front;
    if (layers.contains(layer)) costs[layer] += node["ms"].get<double>();
  }
  if (costs.empty())
    return InvalidArgument(path, " is the profile of another model");
  return costs;
}

}  // namespace

Result<std::map<std::string, double>> LevelsOfBudget(
    const graph::Graph& model, std::span<const BoxedSample> samples,
    const PruneOptions& options, const Budget& budget) {
  if (samples.empty())
    return InvalidArgument("a budget needs labeled pictures to calibrate on");
  MUNJA_ASSIGN_OR_RETURN(LayerCosts costs, WeightCounts(model));
  if (!budget.profile.empty()) {
    MUNJA_ASSIGN_OR_RETURN(costs, ReadProfile(budget.profile, costs));
  }
  MUNJA_ASSIGN_OR_RETURN(const auto sensitivities,
                         MeasureSensitivity(model, samples, options));
  double whole = 0;
  for (const auto& [name, cost] : costs) whole += cost;
  MUNJA_ASSIGN_OR_RETURN(
      auto found,
      FindGlobalLevels(model, sensitivities, costs, budget.share * whole));
  return std::move(found.levels);
}

}  // namespace munja::compress
