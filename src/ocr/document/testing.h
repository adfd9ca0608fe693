// Pages laid out by chance, as boxes, with the order in which a person reads
// them.
#ifndef MUNJA_DOCUMENT_TESTING_H_
#define MUNJA_DOCUMENT_TESTING_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "geometry/quad.h"

namespace munja::document {

struct DrawnLayout {
  std::vector<geometry::Quad> quads;
  // Indices of quads that are read one right after the other: of one flow of
  // text. Flows whose order among themselves is a matter of taste are apart.
  std::vector<std::vector<size_t>> flows;
};

// The kinds of pages that are drawn: "two columns", "table", ...
std::span<const std::string_view> LayoutKinds();

// The same for the same kind and seed. Boxes tremble, some lines are missing or
// in two pieces and some pages are skewed, as a detector finds them.
DrawnLayout DrawLayout(std::string_view kind, uint32_t seed);

// Counts of neighbors in flows.
struct NeighborScore {
  int right = 0, all = 0;
  double share() const {
    return all == 0 ? 1 : static_cast<double>(right) / all;
  }
};
NeighborScore ScoreOrder(const DrawnLayout& layout,
                         std::span<const size_t> order);

}  // namespace munja::document

#endif  // MUNJA_DOCUMENT_TESTING_H_
