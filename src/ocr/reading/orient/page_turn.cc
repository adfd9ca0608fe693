#include "reading/orient/page_turn.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "image/homography.h"
#include "image/resize.h"
#include "image/transform.h"
#include "reading/read/cropper.h"

namespace munja::ocr {
namespace {

using geometry::LongerSide;
using geometry::Point;
using geometry::Quad;

// Fewer lines are a sign or a label, which stands as it likes.
constexpr int kFewestLines = 3;
// The share of all lines, by their lengths, from which on the others are not
// asked.
constexpr float kAlike = 0.75f;
constexpr size_t kSample = 6;  // Of those that lie alike.
// What is read with less confidence either way shows nothing: columns of
// Chinese, say, run downwards without being turned.
constexpr float kSure = 0.6f;
// By how much the better way is read better, in the mean. Upright pages stay.
constexpr double kVoteMargin = 0.06;

// Lines of so many heights say to a fraction of a degree how they run.
constexpr int kLong = 4;
constexpr float kDegree = 3.14159265f / 180;
constexpr float kRunAlike = kDegree;
constexpr float kLeastSkew = 2 * kDegree;
// A few lines that are askew by less than this are found and read as well as
// they lie.
constexpr size_t kFewLines = 6;
constexpr float kLeastSkewOfFew = 6 * kDegree;
constexpr float kQuarterTurn = 90 * kDegree;
// The further lines run from the sides of the picture, the rougher are their
// boxes.
constexpr float kRunAlikeShare = 1.0f / 6;
constexpr float kFarAskew = 10 * kDegree;
// A box says roughly how its text runs from so many heights on.
constexpr float kOblong = 1.5f;

// A page brought upright has so many times the pixels, to a side, that the
// detector sees of it: of pages that are made smaller twice, by the size that
// it sees, it finds less.
constexpr float kFinerThanSeen = 1.5f;

// Of a page laid straight, in whole pixels.
Point StraightSize(int width, int height, float skew) {
  const float c = std::abs(std::cos(skew)), s = std::abs(std::sin(skew));
  const auto w = static_cast<float>(width), h = static_cast<float>(height);
  return {std::round(w * c + h * s), std::round(w * s + h * c)};
}

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

std::vector<size_t> TurnSample(std::span<const TextBox> boxes,
                               const RecognizerContract& contract) {
  std::vector<size_t> lying, on_end;
  float lying_length = 0, on_end_length = 0;
  for (size_t i = 0; i < boxes.size(); ++i) {
    if (boxes[i].is_faint) continue;
    const Quad& quad = boxes[i].quad;
    const bool stands = IsOnEnd(quad, contract);
    // A box of one or two letters lies no way.
    if (LineWidth(quad, contract) < 2 * contract.height) continue;
    (stands ? on_end : lying).push_back(i);
    (stands ? on_end_length : lying_length) += LongerSide(quad);
  }
  const auto by_use = [&](size_t a, size_t b) {
    const int wa = LineWidth(boxes[a].quad, contract);
    const int wb = LineWidth(boxes[b].quad, contract);
    return wa != wb && TellsMore(wa, wb, contract.height);
  };
  for (std::vector<size_t>* way : {&lying, &on_end}) {
    std::stable_sort(way->begin(), way->end(), by_use);
    if (way->size() < size_t{kFewestLines}) way->clear();
    way->resize(std::min(way->size(), kSample));
  }
  const float all = on_end_length + lying_length;
  if (lying_length >= kAlike * all) return lying;
  if (on_end_length >= kAlike * all) return on_end;
  if (on_end_length > lying_length) lying.swap(on_end);
  lying.insert(lying.end(), on_end.begin(), on_end.end());
  return lying;
}

void TurnVotes::Add(std::array<const Reading*, 2> ways) {
  float best = 0;
  for (const Reading* way : ways)
    if (way != nullptr) best = std::max(best, way->text.confidence);
  if (best < kSure) return;
  for (const Reading* way : ways) {
    if (way == nullptr) continue;
    const Point along = way->polygon[1] - way->polygon[0];
    const size_t turns = std::abs(along.x) >= std::abs(along.y)
                             ? (along.x >= 0 ? 0 : 2)
                             : (along.y < 0 ? 1 : 3);
    votes_[turns].confidence += way->text.confidence;
    ++votes_[turns].lines;
    votes_[turns].wins += way->text.confidence == best;
  }
}

int TurnVotes::Turns() const {
  const auto mean = [](const Votes& v) {
    return v.lines == 0 ? 0.0 : v.confidence / v.lines;
  };
  int lines = 0;
  for (const Votes& v : votes_) lines = std::max(lines, v.lines);
  size_t best = 0;
  // Where a classifier turns single lines, few say the other way.
  const auto speaks = [&](const Votes& v) { return 2 * v.lines > lines; };
  for (size_t turns = 1; turns < votes_.size(); ++turns)
    if (speaks(votes_[turns]) && mean(votes_[turns]) > mean(votes_[best]))
      best = turns;
  if (votes_[best].lines < kFewestLines ||
      3 * votes_[best].wins < 2 * votes_[best].lines)
    return 0;
  for (size_t turns = 0; turns < votes_.size(); ++turns)
    if (turns != best && speaks(votes_[turns]) &&
        mean(votes_[best]) < mean(votes_[turns]) + kVoteMargin)
      return 0;
  return static_cast<int>(best);
}

float Skew(std::span<const TextBox> boxes, const RecognizerContract& contract,
           bool was_laid_straight) {
  struct Run {
    float angle, length;
  };
  std::vector<Run> runs;
  float all = 0;
  Fourfold directions;
  for (const TextBox& box : boxes) {
    const Quad& quad = box.quad;
    if (box.is_faint || LineWidth(quad, contract) < kLong * contract.height)
      continue;
    const Point along =
        IsOnEnd(quad, contract) ? quad[3] - quad[0] : quad[1] - quad[0];
    runs.push_back({AngleOf(along), geometry::Length(along)});
    all += runs.back().length;
    directions.Add(runs.back().angle, runs.back().length);
  }
  if (runs.size() < size_t{kFewestLines}) return 0;
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
  const float least = runs.size() < kFewLines && !was_laid_straight
                          ? kLeastSkewOfFew
                          : kLeastSkew;
  if (std::abs(skew) < least || alike < kAlike * all) return 0;
  return skew;
}

float RoughSkew(std::span<const TextBox> boxes) {
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
  return directions.IsNoChance() && IsFarAskew(skew) ? skew : 0;
}

bool IsFarAskew(float skew) { return std::abs(skew) > kFarAskew; }

Result<UprightPage> UprightPage::Create(const image::ImageView& page,
                                        PageTurn turn, int seen_side,
                                        ThreadPool* pool) {
  const Point size = StraightSize(page.width, page.height, turn.skew);
  const float shrink = std::max(size.x, size.y) /
                       (kFinerThanSeen * static_cast<float>(seen_side));
  image::Image smaller;
  if (shrink > 1) {
    const auto shrunk = [&](int side) {
      return std::max(1, static_cast<int>(static_cast<float>(side) / shrink));
    };
    MUNJA_ASSIGN_OR_RETURN(
        smaller, image::Image::Create(shrunk(page.width), shrunk(page.height)));
    MUNJA_RETURN_IF_ERROR(image::ResizeArea(page, smaller, pool));
  }
  MUNJA_ASSIGN_OR_RETURN(UprightPage upright,
                         Turn(shrink > 1 ? smaller.view() : page, turn, pool));
  upright.page_width_ = page.width;
  upright.page_height_ = page.height;
  return upright;
}

Result<UprightPage> UprightPage::Turn(const image::ImageView& page,
                                      PageTurn turn, ThreadPool* pool) {
  UprightPage upright;
  upright.turn_ = turn;
  upright.width_ = page.width;
  upright.height_ = page.height;
  image::ImageView straight = page;
  image::Image straightened;
  if (turn.skew != 0) {
    const Point size = StraightSize(page.width, page.height, turn.skew);
    MUNJA_ASSIGN_OR_RETURN(straightened,
                           image::Image::Create(static_cast<int>(size.x),
                                                static_cast<int>(size.y)));
    const Quad whole = WholePicture(straightened.view());
    UprightPage askew;  // The way back from a page that is only skewed.
    askew.turn_.skew = turn.skew;
    askew.width_ = page.width;
    askew.height_ = page.height;
    askew.page_width_ = page.width;
    askew.page_height_ = page.height;
    std::array<std::array<float, 2>, 4> corners;
    for (size_t i = 0; i < 4; ++i) {
      const Point corner = askew.Back(whole[i]);
      corners[i] = {corner.x, corner.y};
    }
    MUNJA_ASSIGN_OR_RETURN(const image::Homography map,
                           image::QuadToRectangle(corners, straightened.width(),
                                                  straightened.height()));
    MUNJA_RETURN_IF_ERROR(image::WarpPerspective(
        page, map, straightened, image::Interpolation::kBilinear, pool));
    straight = straightened.view();
  }
  if (turn.quarters == 0) {
    upright.pixels_ = std::move(straightened);
  } else {
    MUNJA_ASSIGN_OR_RETURN(upright.pixels_,
                           image::Rotate(straight, turn.quarters));
  }
  return upright;
}

// Between the centers of pixels, as lines are cut out: the first pixel of the
// page is the last one of the page turned around.
Point UprightPage::Back(Point p) const {
  const auto w = static_cast<float>(width_), h = static_cast<float>(height_);
  const float c = std::cos(turn_.skew), s = std::sin(turn_.skew);
  // The last pixels of the straightened page.
  const Point last = StraightSize(width_, height_, turn_.skew) - Point{1, 1};
  const float right = last.x, bottom = last.y;
  switch (turn_.quarters) {
    case 1:
      p = {p.y, bottom - p.x};
      break;
    case 2:
      p = {right - p.x, bottom - p.y};
      break;
    case 3:
      p = {right - p.y, p.x};
      break;
    default:
      break;
  }
  if (turn_.skew != 0) {
    const Point d = p - Point{right / 2, bottom / 2};
    p = Point{c * d.x - s * d.y, s * d.x + c * d.y} +
        Point{(w - 1) / 2, (h - 1) / 2};
  }
  if (width_ == page_width_ && height_ == page_height_) return p;
  const auto larger = [](float at, int side, int small) {
    const float scale = static_cast<float>(side) / static_cast<float>(small);
    return (at + 0.5f) * scale - 0.5f;
  };
  return {larger(p.x, page_width_, width_), larger(p.y, page_height_, height_)};
}

bool UprightPage::TakeBack(TextBox* box) const {
  Quad outline = box->outline.value_or(box->quad);
  for (Point& point : outline) point = Back(point);
  const auto inside = geometry::CutTo(outline, page_width_, page_height_);
  if (!inside) return false;
  // What is cut out stays a rectangle where the page ends in the line.
  for (Point& point : box->quad) point = Back(point);
  if (box->outline || *inside != box->quad) box->outline = inside;
  return true;
}

}  // namespace munja::ocr
