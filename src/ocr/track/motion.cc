#include "track/motion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <vector>

namespace munja::track {
namespace {

constexpr int kBlock = 16;  // Pixels of a side.
constexpr int kMaxBlocks = 96;
constexpr size_t kMinBlocks = 6;

struct Block {
  int x = 0, y = 0;  // Top left corner.
  float structure = 0;
};

// A point of one frame and where it was found in the other.
struct Match {
  double x = 0, y = 0, to_x = 0, to_y = 0;
};

// The smaller eigenvalue of the mean structure tensor: high where a shift in
// any direction shows.
float StructureAt(const GrayImage& image, int left, int top) {
  int64_t xx = 0, yy = 0, xy = 0;
  for (int y = top + 1; y < top + kBlock - 1; ++y) {
    const uint8_t* const above = image.row(y - 1);
    const uint8_t* const row = image.row(y);
    const uint8_t* const below = image.row(y + 1);
    int row_xx = 0, row_yy = 0, row_xy = 0;
    for (int x = left + 1; x < left + kBlock - 1; ++x) {
      const int dx = row[x + 1] - row[x - 1], dy = below[x] - above[x];
      row_xx += dx * dx;
      row_yy += dy * dy;
      row_xy += dx * dy;
    }
    xx += row_xx;
    yy += row_yy;
    xy += row_xy;
  }
  constexpr double kCount = (kBlock - 2) * (kBlock - 2);
  const double a = static_cast<double>(xx) / kCount,
               b = static_cast<double>(yy) / kCount,
               c = static_cast<double>(xy) / kCount;
  return static_cast<float>((a + b) / 2 -
                            std::sqrt((a - b) * (a - b) / 4 + c * c));
}

std::vector<Block> BlocksWithStructure(const GrayImage& image) {
  std::vector<Block> blocks;
  for (int y = 0; y + kBlock <= image.height; y += kBlock)
    for (int x = 0; x + kBlock <= image.width; x += kBlock) {
      const float structure = StructureAt(image, x, y);
      if (structure > 30) blocks.push_back({x, y, structure});
    }
  std::stable_sort(
      blocks.begin(), blocks.end(),
      [](const Block& a, const Block& b) { return a.structure > b.structure; });
  if (blocks.size() > kMaxBlocks) blocks.resize(kMaxBlocks);
  return blocks;
}

int64_t SquaredDifference(const GrayImage& a, int ax, int ay,
                          const GrayImage& b, int bx, int by) {
  int sum = 0;
  for (int y = 0; y < kBlock; ++y) {
    const uint8_t* const p = a.row(ay + y) + ax;
    const uint8_t* const q = b.row(by + y) + bx;
    for (int x = 0; x < kBlock; ++x) {
      const int d = p[x] - q[x];
      sum += d * d;
    }
  }
  return sum;
}

// The mean absolute difference of what two images have in common when the
// first is shifted.
double ShiftedDifference(const GrayImage& a, const GrayImage& b, int dx,
                         int dy) {
  const int left = std::max(0, -dx), right = std::min(a.width, a.width - dx);
  const int top = std::max(0, -dy), bottom = std::min(a.height, a.height - dy);
  if ((right - left) * 2 < a.width || (bottom - top) * 2 < a.height)
    return std::numeric_limits<double>::infinity();
  int64_t sum = 0;
  for (int y = top; y < bottom; ++y) {
    const uint8_t* const p = a.row(y) + left;
    const uint8_t* const q = b.row(y + dy) + left + dx;
    int row = 0;
    for (int x = 0; x < right - left; ++x) row += std::abs(p[x] - q[x]);
    sum += row;
  }
  return static_cast<double>(sum) /
         static_cast<double>((right - left) * (bottom - top));
}

// The whole shift of the smallest level that fits best, near the guess.
Affine ShiftOfWhole(const GrayImage& from, const GrayImage& to, Affine guess) {
  constexpr int kReach = 12;
  // The guess as a shift of the middle.
  const geometry::Point middle = {static_cast<float>(from.width) / 2,
                                  static_cast<float>(from.height) / 2};
  const geometry::Point moved = guess(middle);
  const int x0 = static_cast<int>(std::lround(moved.x - middle.x)),
            y0 = static_cast<int>(std::lround(moved.y - middle.y));
  double best = std::numeric_limits<double>::infinity();
  int best_x = 0, best_y = 0;
  for (int dy = -kReach; dy <= kReach; ++dy) {
    for (int dx = -kReach; dx <= kReach; ++dx) {
      // A shift that gains nothing is none.
      const double difference = ShiftedDifference(from, to, x0 + dx, y0 + dy) +
                                0.02 * (std::abs(dx) + std::abs(dy));
      if (difference < best) {
        best = difference;
        best_x = dx;
        best_y = dy;
      }
    }
  }
  guess.c += best_x;
  guess.f += best_y;
  return guess;
}

// Where the minimum of a parabola through three values lies, in [-0.5, 0.5].
double Vertex(int64_t before, int64_t at, int64_t after) {
  const auto curve = static_cast<double>(before - 2 * at + after);
  if (curve <= 0) return 0;
  return std::clamp(static_cast<double>(before - after) / (2 * curve), -0.5,
                    0.5);
}

// The blocks of `from` that were found in `to` within `reach` of where `guess`
// puts them.
std::vector<Match> MatchBlocks(const GrayImage& from,
                               std::span<const Block> blocks,
                               const GrayImage& to, const Affine& guess,
                               int reach) {
  std::vector<Match> matches;
  constexpr double kHalf = (kBlock - 1) / 2.0;
  std::vector<int64_t> costs;
  const int side = 2 * reach + 1;
  for (const Block& block : blocks) {
    const double cx = block.x + kHalf, cy = block.y + kHalf;
    const int x0 = static_cast<int>(
        std::lround(guess.a * cx + guess.b * cy + guess.c - kHalf));
    const int y0 = static_cast<int>(
        std::lround(guess.d * cx + guess.e * cy + guess.f - kHalf));
    if (x0 - reach < 0 || y0 - reach < 0 || x0 + reach + kBlock > to.width ||
        y0 + reach + kBlock > to.height)
      continue;
    costs.assign(static_cast<size_t>(side * side), 0);
    size_t best = 0;
    for (int dy = 0; dy < side; ++dy)
      for (int dx = 0; dx < side; ++dx) {
        const auto i = static_cast<size_t>(dy * side + dx);
        costs[i] = SquaredDifference(from, block.x, block.y, to,
                                     x0 + dx - reach, y0 + dy - reach);
        if (costs[i] < costs[best]) best = i;
      }
    const int bx = static_cast<int>(best) % side,
              by = static_cast<int>(best) / side;
    // At the border of what was searched the minimum is not known.
    if (bx == 0 || by == 0 || bx == side - 1 || by == side - 1) continue;
    const auto step = static_cast<size_t>(side);
    matches.push_back(
        {cx, cy,
         x0 + bx - reach + kHalf +
             Vertex(costs[best - 1], costs[best], costs[best + 1]),
         y0 + by - reach + kHalf +
             Vertex(costs[best - step], costs[best], costs[best + step])});
  }
  return matches;
}

// The similarity that two matches determine.
std::optional<Affine> SimilarityOf(const Match& p, const Match& q) {
  const double x = q.x - p.x, y = q.y - p.y;
  const double u = q.to_x - p.to_x, v = q.to_y - p.to_y;
  const double length = x * x + y * y;
  if (length < 24.0 * 24.0) return std::nullopt;
  const double a = (x * u + y * v) / length, d = (x * v - y * u) / length;
  return Affine{a, -d, p.to_x - a * p.x + d * p.y,
                d, a,  p.to_y - d * p.x - a * p.y};
}

double ErrorOf(const Affine& map, const Match& m) {
  const double dx = map.a * m.x + map.b * m.y + map.c - m.to_x;
  const double dy = map.d * m.x + map.e * m.y + map.f - m.to_y;
  return dx * dx + dy * dy;
}

// Least squares over the matches: an affine map where they determine one, else
// a similarity.
Affine LeastSquares(std::span<const Match> matches) {
  const auto n = static_cast<double>(matches.size());
  double mx = 0, my = 0, mu = 0, mv = 0;
  for (const Match& m : matches) {
    mx += m.x / n;
    my += m.y / n;
    mu += m.to_x / n;
    mv += m.to_y / n;
  }
  double xx = 0, xy = 0, yy = 0, xu = 0, xv = 0, yu = 0, yv = 0;
  for (const Match& m : matches) {
    const double x = m.x - mx, y = m.y - my, u = m.to_x - mu, v = m.to_y - mv;
    xx += x * x;
    xy += x * y;
    yy += y * y;
    xu += x * u;
    xv += x * v;
    yu += y * u;
    yv += y * v;
  }
  Affine map;
  const double det = xx * yy - xy * xy;
  // Blocks that spread 24 pixels in each direction determine an affine map.
  if (matches.size() >= 12 && det > n * n * 24 * 24 * 24 * 24) {
    map.a = (xu * yy - yu * xy) / det;
    map.b = (yu * xx - xu * xy) / det;
    map.d = (xv * yy - yv * xy) / det;
    map.e = (yv * xx - xv * xy) / det;
  } else if (xx + yy > 0) {
    map.a = map.e = (xu + yv) / (xx + yy);
    map.d = (xv - yu) / (xx + yy);
    map.b = -map.d;
  }
  map.c = mu - map.a * mx - map.b * my;
  map.f = mv - map.d * mx - map.e * my;
  return map;
}

// The map that most matches agree on, within `tolerance` pixels.
std::optional<Affine> FitMap(std::span<const Match> matches, double tolerance) {
  if (matches.size() < kMinBlocks) return std::nullopt;
  const double limit = tolerance * tolerance;
  const auto inliers_of = [&](const Affine& map) {
    std::vector<Match> inliers;
    for (const Match& m : matches)
      if (ErrorOf(map, m) <= limit) inliers.push_back(m);
    return inliers;
  };
  std::vector<Match> best;
  uint32_t random = 12345;  // The same draws for the same frames.
  const auto draw = [&] {
    random = random * 1664525u + 1013904223u;
    return (random >> 8) % matches.size();
  };
  for (int i = 0; i < 80; ++i) {
    const Match& p = matches[draw()];
    const Match& q = matches[draw()];
    const std::optional<Affine> map = SimilarityOf(p, q);
    if (!map) continue;
    std::vector<Match> inliers = inliers_of(*map);
    if (inliers.size() > best.size()) best = std::move(inliers);
  }
  if (best.size() < kMinBlocks || best.size() * 2 < matches.size())
    return std::nullopt;
  Affine map = LeastSquares(best);
  // Matches that a similarity left out may fit the affine map.
  const std::vector<Match> all = inliers_of(map);
  if (all.size() >= best.size()) map = LeastSquares(all);
  return map;
}

// No camera moves, zooms or turns more between frames that can be compared.
bool IsPlausible(const Affine& map) {
  const double scale = std::sqrt(std::abs(map.determinant()));
  return map.determinant() > 0 && scale > 0.5 && scale < 2 &&
         std::abs(map.a - map.e) < 0.3 && std::abs(map.b + map.d) < 0.3;
}

// A map for images twice as large.
Affine Doubled(const Affine& map) { return Enlarged(map, 2); }

}  // namespace

std::optional<Affine> EstimateMotion(const GrayFrame& from, const GrayFrame& to,
                                     const Affine& guess) {
  if (from.levels[0].width != to.levels[0].width ||
      from.levels[0].height != to.levels[0].height)
    return std::nullopt;
  Affine map =
      ShiftOfWhole(from.levels[2], to.levels[2], Enlarged(guess, 0.25));
  map = Doubled(map);
  const std::vector<Block> middle = BlocksWithStructure(from.levels[1]);
  const std::optional<Affine> rough =
      FitMap(MatchBlocks(from.levels[1], middle, to.levels[1], map, 4), 1.5);
  if (rough && IsPlausible(*rough)) map = *rough;
  map = Doubled(map);
  const std::vector<Block> fine = BlocksWithStructure(from.levels[0]);
  if (fine.size() < kMinBlocks) return std::nullopt;
  const std::optional<Affine> exact =
      FitMap(MatchBlocks(from.levels[0], fine, to.levels[0], map, 3), 0.8);
  if (!exact || !IsPlausible(*exact)) return std::nullopt;
  return exact;
}

}  // namespace munja::track
