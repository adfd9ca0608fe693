#include "reading/orient/skew.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "reading/find/line_place.h"

namespace munja::ocr {
namespace {

using geometry::Point;
using geometry::Quad;

// Fewer lines are a sign or a label, which stands as it likes.
constexpr size_t kMinRuns = 3;
// Lines of so many heights say to a fraction of a degree how they run.
constexpr int kLongHeights = 4;
// The share of the lines, by their lengths, that must run alike.
constexpr float kMinAlike = 0.75f;
constexpr float kDegree = 3.14159265f / 180;
constexpr float kRunAlike = kDegree;
constexpr float kMinSkew = 2 * kDegree;
constexpr float kQuarterTurn = 90 * kDegree;
// The further lines run from the sides of the image, the rougher are their
// boxes.
constexpr float kRunAlikeShare = 1.0f / 6;
constexpr float kFarSkewed = 10 * kDegree;
// A box says roughly how its text runs from so many heights on.
constexpr float kOblong = 1.5f;

float AngleOf(Point along) { return std::atan2(along.y, along.x); }

// Directions of which a quarter turn more or less is the same: four times their
// angles are added up as vectors.
class Fourfold {
 public:
  void Add(float angle, float weight) {
    sum_ = sum_ + Point{std::cos(4 * angle), std::sin(4 * angle)} * weight;
    squares_ += weight * weight;
  }
  // Between an eighth turn either way.
  float Mean() const { return AngleOf(sum_) / 4; }
  // Rayleigh's test (Mardia and Jupp, Directional Statistics, 6.3.1), of as
  // many directions as the weights are worth: whether those that point anywhere
  // would lie so close together less than once in ten times.
  bool IsNoChance() const {
    const float length = geometry::Length(sum_);
    return length * length > std::log(10.0f) * squares_;
  }

 private:
  Point sum_ = {0, 0};
  float squares_ = 0;
};

}  // namespace

float Skew(std::span<const TextBox> boxes, const RecognizerConfig& config) {
  if (!config.rules.Has(Rule::kSkew)) return 0;
  struct Run {
    float angle, length;
  };
  std::vector<Run> runs;
  float all = 0;
  Fourfold directions;
  for (const TextBox& box : boxes) {
    const Quad& quad = box.quad;
    if (box.is_low_score ||
        LineWidth(quad, config) < kLongHeights * config.height)
      continue;
    const Point along =
        IsVertical(quad, config) ? quad[3] - quad[0] : quad[1] - quad[0];
    runs.push_back({AngleOf(along), geometry::Length(along)});
    all += runs.back().length;
    directions.Add(runs.back().angle, runs.back().length);
  }
  if (runs.size() < kMinRuns) return 0;
  const float mean = directions.Mean();
  for (Run& run : runs)
    run.angle = mean + std::remainder(run.angle - mean, kQuarterTurn);
  std::sort(runs.begin(), runs.end(),
            [](const Run& a, const Run& b) { return a.angle < b.angle; });
  float half = 0;
  size_t middle = 0;
  while (middle + 1 < runs.size() && (half += runs[middle].length) < all / 2)
    ++middle;
  const float skew = runs[middle].angle;
  const float alike_within =
      std::max(kRunAlike, kRunAlikeShare * std::abs(skew));
  float alike = 0;
  for (const Run& run : runs)
    if (std::abs(run.angle - skew) <= alike_within) alike += run.length;
  if (std::abs(skew) < kMinSkew || alike < kMinAlike * all) return 0;
  return skew;
}

float ApproximateSkew(std::span<const TextBox> boxes) {
  Fourfold directions;
  for (const TextBox& box : boxes) {
    const Point sides[] = {box.quad[1] - box.quad[0],
                           box.quad[3] - box.quad[0]};
    const float lengths[] = {geometry::Length(sides[0]),
                             geometry::Length(sides[1])};
    const int longer = lengths[0] < lengths[1];
    if (lengths[longer] < kOblong * lengths[1 - longer]) continue;
    directions.Add(AngleOf(sides[longer]), lengths[longer]);
  }
  const float skew = directions.Mean();
  return directions.IsNoChance() && IsFarSkewed(skew) ? skew : 0;
}

bool IsFarSkewed(float skew) { return std::abs(skew) > kFarSkewed; }

}  // namespace munja::ocr
