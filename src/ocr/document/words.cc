#include "document/words.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include "base/median.h"
#include "text/normalize.h"
#include "text/utf8.h"

namespace munja::document {
namespace {

using geometry::Point;
using geometry::Quad;

bool IsSpace(std::string_view text) {
  while (!text.empty())
    if (!text::IsWhiteSpace(text::NextCodePoint(text))) return false;
  return true;
}

float Dot(Point a, Point b) { return a.x * b.x + a.y * b.y; }

// The rectangle along the line around the characters.
Quad Around(const Line& line, std::span<const Character> characters) {
  Point along = line.polygon[1] - line.polygon[0];
  const float length = geometry::Length(along);
  along = length > 0 ? along * (1 / length) : Point{1, 0};
  const Point down = {-along.y, along.x};
  const Point origin = line.polygon[0];
  float left = 0, right = 0, top = 0, bottom = 0;
  bool is_first = true;
  for (const Character& character : characters) {
    for (const Point corner : character.polygon) {
      const float x = Dot(corner - origin, along);
      const float y = Dot(corner - origin, down);
      left = is_first ? x : std::min(left, x);
      right = is_first ? x : std::max(right, x);
      top = is_first ? y : std::min(top, y);
      bottom = is_first ? y : std::max(bottom, y);
      is_first = false;
    }
  }
  const auto at = [&](float x, float y) {
    return origin + along * x + down * y;
  };
  return {{at(left, top), at(right, top), at(right, bottom), at(left, bottom)}};
}

// Words of a line without characters.
std::vector<Word> SharesOf(const Line& line) {
  const std::u32string text = text::DecodeUtf8(line.text);
  const Quad& q = line.polygon;
  std::vector<Word> words;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && !text::IsWhiteSpace(text[end])) ++end;
    if (end > i) {
      const auto all = static_cast<float>(text.size());
      const float from = static_cast<float>(i) / all;
      const float to = static_cast<float>(end) / all;
      Word& word = words.emplace_back();
      word.text = text::EncodeUtf8(text.substr(i, end - i));
      word.confidence = line.confidence;
      word.polygon = {{q[0] + (q[1] - q[0]) * from, q[0] + (q[1] - q[0]) * to,
                       q[3] + (q[2] - q[3]) * to, q[3] + (q[2] - q[3]) * from}};
    }
    i = end + 1;
  }
  return words;
}

}  // namespace

std::vector<Word> WordsOf(const Line& line) {
  if (line.characters.empty()) return SharesOf(line);
  std::vector<Word> words;
  const std::span<const Character> all(line.characters);
  for (size_t i = 0; i < all.size();) {
    size_t end = i;
    Word word;
    for (; end < all.size() && !IsSpace(all[end].text); ++end) {
      word.text += all[end].text;
      word.confidence += all[end].confidence;
    }
    if (end > i) {
      word.confidence /= static_cast<float>(end - i);
      word.polygon = Around(line, all.subspan(i, end - i));
      word.begin = i;
      word.end = end;
      words.push_back(std::move(word));
    }
    i = end + 1;
  }
  return words;
}

Direction DirectionOf(const Line& line) {
  const Point along = line.polygon[1] - line.polygon[0];
  if (std::abs(along.y) > std::abs(along.x))
    return along.y > 0 ? Direction::kDownwards : Direction::kUpwards;
  int rightwards = 0, leftwards = 0;
  for (const char32_t c : text::DecodeUtf8(line.text)) {
    if (text::IsRightToLeft(c))
      ++leftwards;
    else if (text::IsLetterOrDigit(c))
      ++rightwards;
  }
  return leftwards > rightwards ? Direction::kRightToLeft
                                : Direction::kLeftToRight;
}

std::array<Point, 2> BaselineOf(const Line& line) {
  const Quad& q = line.polygon;
  // Share of descenders in a line without characters.
  constexpr float kBelow = 0.2f;
  std::vector<float> heights;
  const Point down = q[3] - q[0];
  const float height = geometry::Length(down);
  const Point unit = height > 0 ? down * (1 / height) : Point{0, 1};
  for (const Character& character : line.characters)
    if (!IsSpace(character.text))
      heights.push_back(Dot(character.polygon[3] - q[0], unit));
  float share = 1 - kBelow;
  if (!heights.empty() && height > 0)
    share = std::clamp(Median(heights) / height, 0.5f, 1.0f);
  return {q[0] + (q[3] - q[0]) * share, q[1] + (q[2] - q[1]) * share};
}

bool AreOneRow(const Line& first, const Line& second) {
  return first.row >= 0 && first.row == second.row &&
         first.block == second.block;
}

std::vector<Block> BlocksOf(const Document& document) {
  std::vector<Block> blocks;
  for (size_t i = 0; i < document.lines.size(); ++i) {
    const Line& line = document.lines[i];
    if (line.text.empty()) continue;
    const PixelBox box = BoxOf(line.polygon, document.width, document.height);
    if (blocks.empty() || blocks.back().number != line.block)
      blocks.push_back({line.block, {}, box});
    blocks.back().lines.push_back(i);
    blocks.back().box = Union(blocks.back().box, box);
  }
  return blocks;
}

std::vector<TextRow> TextRowsOf(const Document& document, const Block& block) {
  std::vector<TextRow> rows;
  const Line* previous = nullptr;
  for (const size_t i : block.lines) {
    const Line& line = document.lines[i];
    const PixelBox box = BoxOf(line.polygon, document.width, document.height);
    if (previous == nullptr || !AreOneRow(*previous, line))
      rows.push_back({{}, box});
    rows.back().lines.push_back(i);
    rows.back().box = Union(rows.back().box, box);
    previous = &line;
  }
  return rows;
}

PixelBox BoxOf(const Quad& quad, int width, int height) {
  constexpr float kMost = 1 << 24;
  const auto whole = [&](float value, int limit) {
    if (!(value > 0)) return 0;  // Not a number is nowhere.
    const auto most = limit > 0 ? static_cast<float>(limit) : kMost;
    return static_cast<int>(std::min(value, most));
  };
  const auto [left, right] =
      std::minmax({quad[0].x, quad[1].x, quad[2].x, quad[3].x});
  const auto [top, bottom] =
      std::minmax({quad[0].y, quad[1].y, quad[2].y, quad[3].y});
  PixelBox box;
  box.left = whole(std::floor(left), width);
  box.top = whole(std::floor(top), height);
  box.right = whole(std::ceil(right), width);
  box.bottom = whole(std::ceil(bottom), height);
  const auto spread = [](int limit, int* begin, int* end) {
    if (*end > *begin) return;
    if (limit > 0 && *begin >= limit) *begin = limit - 1;
    *end = *begin + 1;
  };
  spread(width, &box.left, &box.right);
  spread(height, &box.top, &box.bottom);
  return box;
}

PixelBox Union(const PixelBox& a, const PixelBox& b) {
  return {std::min(a.left, b.left), std::min(a.top, b.top),
          std::max(a.right, b.right), std::max(a.bottom, b.bottom)};
}

}  // namespace munja::document
