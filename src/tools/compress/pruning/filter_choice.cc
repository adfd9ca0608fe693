#include "compress/pruning/filter_choice.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "graph/rewrite/constants.h"
#include "graph/rewrite/def_use.h"
#include "graph/rewrite/linear_op.h"

namespace munja::compress {
namespace {

struct Named {
  std::string_view name;
  Criterion criterion;
};
constexpr Named kCriteria[] = {
    {"clusters", Criterion::kClusters},
    {"l1", Criterion::kL1},
    {"l2", Criterion::kL2},
    {"geometric-median", Criterion::kGeometricMedian},
    {"bn", Criterion::kBatchNorm},
    {"random", Criterion::kRandom}};

// The filters of a layer, one row each.
struct Rows {
  std::vector<float> data;
  size_t count = 0, length = 0;
  std::span<const float> row(size_t i) const {
    return std::span(data).subspan(i * length, length);
  }
};

// Layers that make channels have the outputs first.
Result<Rows> RowsOf(const graph::Subgraph& subgraph, size_t n) {
  const graph::Node& node = subgraph.nodes[n];
  const graph::LinearOp* linear = graph::FindFloatLinearOp(subgraph, node);
  auto data =
      linear == nullptr
          ? std::nullopt
          : graph::ReadFloats(
                subgraph, node.inputs[static_cast<size_t>(linear->weights)]);
  if (!data)
    return Unsupported(Describe(subgraph, n), " has no weights in float");
  Rows rows;
  rows.count =
      static_cast<size_t>(graph::OutputChannels(subgraph, node, *linear));
  rows.length = data->size() / std::max<size_t>(1, rows.count);
  rows.data = std::move(*data);
  return rows;
}

std::vector<double> DistancesToOthers(const Rows& rows) {
  std::vector<double> sums(rows.count, 0);
  for (size_t a = 0; a < rows.count; ++a) {
    for (size_t b = 0; b < a; ++b) {
      double square = 0;
      for (size_t i = 0; i < rows.length; ++i) {
        const double d = rows.row(a)[i] - rows.row(b)[i];
        square += d * d;
      }
      sums[a] += std::sqrt(square);
      sums[b] += std::sqrt(square);
    }
  }
  return sums;
}

// The factors of the only reader, a multiplication with one factor per channel.
Result<std::vector<double>> Factors(const graph::Subgraph& subgraph, size_t n) {
  const graph::ValueId out = subgraph.nodes[n].outputs[0];
  const graph::DefUse uses(subgraph);
  const int reader = uses.only_reader(out);
  if (reader != graph::kNoNode) {
    const graph::Node& node = subgraph.nodes[static_cast<size_t>(reader)];
    const Shape& shape = subgraph.values[static_cast<size_t>(out)].shape;
    for (const graph::ValueId v : node.inputs) {
      if (node.op != "MUL" || v == out) continue;
      const auto factors =
          graph::ReadPerChannel(subgraph, v, shape.back(), shape.rank());
      if (!factors) continue;
      std::vector<double> sizes;
      for (const float f : *factors) sizes.push_back(std::fabs(f));
      return sizes;
    }
  }
  return Unsupported(
      Describe(subgraph, n),
      " has no batch normalization next to it: it is folded into "
      "the weights; choose another criterion");
}

Result<std::vector<double>> ScoreLayer(const graph::Subgraph& subgraph,
                                       size_t n, Criterion criterion) {
  if (criterion == Criterion::kBatchNorm) return Factors(subgraph, n);
  MUNJA_ASSIGN_OR_RETURN(const Rows rows, RowsOf(subgraph, n));
  if (criterion == Criterion::kGeometricMedian) return DistancesToOthers(rows);
  std::vector<double> sums;
  for (size_t i = 0; i < rows.count; ++i) {
    double sum = 0;
    for (const double w : rows.row(i))
      sum += criterion == Criterion::kL1 ? std::fabs(w) : w * w;
    sums.push_back(sum);
  }
  return sums;
}

}  // namespace

Result<Criterion> CriterionOf(std::string_view name) {
  std::string known;
  for (const Named& row : kCriteria) {
    if (row.name == name) return Criterion(row.criterion);
    known += std::string(known.empty() ? "" : ", ") + std::string(row.name);
  }
  return InvalidArgument("unknown criterion '", name, "', known are ", known);
}

const char* NameOf(Criterion criterion) {
  for (const Named& row : kCriteria)
    if (row.criterion == criterion) return row.name.data();
  return "";
}

int CenterCount(Centers centers, int filters, double level) {
  const int kept = std::max(1, static_cast<int>(filters * (1 - level) + 1e-6));
  if (centers == Centers::kKept || level >= 1) return kept;
  constexpr double kSlack = 1e-6;  // 1 / (1 - 0.9) is a little above 10.
  return static_cast<int>(std::ceil(1 / (1 - level) - kSlack));
}

std::vector<int> ChooseBest(const std::vector<double>& scores, int count) {
  std::vector<int> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return scores[static_cast<size_t>(a)] > scores[static_cast<size_t>(b)];
  });
  order.resize(std::min(order.size(), static_cast<size_t>(count)));
  std::sort(order.begin(), order.end());
  return order;
}

std::vector<int> ChooseByClusters(std::span<const MapPoint> points, int centers,
                                  int count, uint64_t seed) {
  const Clustering clusters = KMeansPlusPlus(points, centers, seed);
  constexpr size_t kVarianceInside = 1;
  std::vector<int> order(points.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return points[static_cast<size_t>(a)][kVarianceInside] >
           points[static_cast<size_t>(b)][kVarianceInside];
  });
  // Rank inside of its cluster, then the variance.
  std::vector<int> seen(clusters.centers.size(), 0);
  std::vector<std::pair<int, int>> ranked;
  for (const int i : order)
    ranked.emplace_back(
        seen[static_cast<size_t>(clusters.labels[static_cast<size_t>(i)])]++,
        i);
  std::stable_sort(
      ranked.begin(), ranked.end(),
      [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<int> chosen;
  for (const auto& [rank, i] : ranked)
    if (static_cast<int>(chosen.size()) < count) chosen.push_back(i);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

Result<std::vector<double>> ScoreFilters(const graph::Subgraph& subgraph,
                                         const Channels& channels,
                                         const ChannelGroup& group,
                                         Criterion criterion) {
  std::map<size_t, std::vector<double>> by_layer;
  for (const size_t n : group.layers) {
    MUNJA_ASSIGN_OR_RETURN(by_layer[n], ScoreLayer(subgraph, n, criterion));
  }
  std::vector<double> scores;
  for (const int channel : group.channels) {
    double sum = 0;
    for (const Filter& filter : channels.FiltersOf(channel))
      sum += by_layer[filter.node][static_cast<size_t>(filter.index)];
    scores.push_back(sum);
  }
  return scores;
}

}  // namespace munja::compress
