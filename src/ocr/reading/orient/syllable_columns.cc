#include "reading/orient/syllable_columns.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/median.h"
#include "geometry/rect.h"
#include "reading/orient/upright_lines.h"
#include "text/character_class.h"
#include "text/utf8.h"

namespace munja::ocr {
namespace {

using Rect = geometry::Rect<float>;

// The distances from character to character, in their width: within a column
// usually, where one is not read, and aside.
constexpr float kPitch = 2, kGapPitch = 3.2f, kAside = 0.35f;
constexpr size_t kLeastInColumn = 3;
// Columns stand further apart than their characters do, by this factor.
constexpr float kFurther = 1.2f;

struct Syllable {
  size_t line;
  Rect at;
  float x() const { return (at.left + at.right) / 2; }
  float y() const { return (at.top + at.bottom) / 2; }
};

bool IsSyllable(std::string_view text) {
  if (text.empty()) return false;
  const text::CharacterClass c = text::Classify(text::NextCodePoint(text));
  return text.empty() && c.IsWrittenInColumns();
}

// The column that begins with the first of these, which are taken out; they are
// in order from top to bottom.
std::vector<Syllable> TakeColumn(std::vector<Syllable>* syllables) {
  std::vector<Syllable> column;
  std::erase_if(*syllables, [&](const Syllable& next) {
    if (!column.empty()) {
      const Syllable& last = column.back();
      const float size = std::max(last.at.width(), next.at.width());
      if (std::abs(next.x() - last.x()) > kAside * size ||
          next.y() - last.y() > kGapPitch * size)
        return false;
    }
    column.push_back(next);
    return true;
  });
  return column;
}

float PitchOf(const std::vector<Syllable>& column) {
  std::vector<float> distances;
  for (size_t i = 1; i < column.size(); ++i)
    distances.push_back(column[i].y() - column[i - 1].y());
  return Median(distances);
}

bool IsColumn(const std::vector<Syllable>& column,
              const std::vector<PageLine>& lines) {
  if (column.size() < kLeastInColumn) return false;
  const float pitch = PitchOf(column);
  if (pitch > kPitch * column[0].at.width()) return false;
  return std::all_of(
      column.begin(), column.end(), [&](const Syllable& syllable) {
        return std::all_of(lines.begin(), lines.end(), [&](const auto& line) {
          const Rect other = PlaceOf(line.box);
          const float x = (other.left + other.right) / 2;
          const float y = (other.top + other.bottom) / 2;
          if (std::abs(x - syllable.x()) <= kAside * syllable.at.width() ||
              std::abs(y - syllable.y()) > syllable.at.height() / 2)
            return true;
          return IsSyllable(line.reading.text.text) &&
                 std::abs(x - syllable.x()) > kFurther * pitch;
        });
      });
}

PageLine Joined(const std::vector<Syllable>& column,
                const std::vector<PageLine>& lines) {
  PageLine joined = {lines[column[0].line].box};
  joined.is_read = true;
  Rect around = column[0].at;
  for (const Syllable& syllable : column) {
    around.left = std::min(around.left, syllable.at.left);
    around.right = std::max(around.right, syllable.at.right);
    around.bottom = std::max(around.bottom, syllable.at.bottom);
  }
  joined.box.outline.reset();
  const geometry::Quad quad = geometry::CornersOf(around);
  joined.box.quad = quad;
  // The text runs downwards; above it is what is on the right.
  joined.reading.polygon = {{quad[1], quad[2], quad[3], quad[0]}};
  text::CtcLine& text = joined.reading.text;
  float confidence = 0;
  for (const Syllable& syllable : column) {
    const text::CtcLine& one = lines[syllable.line].reading.text;
    text.text += one.text;
    confidence += one.confidence;
    text::CtcMark& mark = text.marks.emplace_back(one.marks[0]);
    mark.text_end = text.text.size();
    mark.left = (syllable.at.top - around.top) / around.height();
    mark.right = (syllable.at.bottom - around.top) / around.height();
    mark.top = 0;
    mark.bottom = 1;
  }
  text.confidence = confidence / static_cast<float>(column.size());
  return joined;
}

}  // namespace

void JoinSyllableColumns(std::vector<PageLine>* lines) {
  std::vector<Syllable> syllables;
  for (size_t i = 0; i < lines->size(); ++i) {
    const PageLine& line = (*lines)[i];
    const geometry::Point along = line.box.quad[1] - line.box.quad[0];
    if (std::abs(along.y) <= kAside * along.x &&
        IsSyllable(line.reading.text.text) &&
        line.reading.text.marks.size() == 1)
      syllables.push_back({i, PlaceOf(line.box)});
  }
  std::sort(syllables.begin(), syllables.end(),
            [](const Syllable& a, const Syllable& b) {
              return a.at.top != b.at.top ? a.at.top < b.at.top
                                          : a.at.left < b.at.left;
            });
  std::vector<PageLine> joined;
  std::vector<bool> is_part(lines->size());
  while (!syllables.empty()) {
    const std::vector<Syllable> column = TakeColumn(&syllables);
    if (!IsColumn(column, *lines)) continue;
    joined.push_back(Joined(column, *lines));
    for (const Syllable& syllable : column) is_part[syllable.line] = true;
  }
  if (joined.empty()) return;
  size_t i = 0;
  std::erase_if(*lines, [&](const PageLine&) { return is_part[i++]; });
  std::move(joined.begin(), joined.end(), std::back_inserter(*lines));
  PutInReadingOrder(lines);
}

}  // namespace munja::ocr
