#include "reading/retry/row_ends.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "geometry/quad.h"
#include "geometry/rect.h"
#include "reading/find/line_ink.h"

namespace munja::ocr {
namespace {

using geometry::Point;

// How much is read around new ink, in heights of the line.
constexpr float kPieceMargin = 0.15f;
// Confidence of a line that has ends, and of the characters there.
constexpr float kLineConfidence = 0.6f, kNewConfidence = 0.8f;
constexpr int kMostNew = 2;

std::string_view WithoutSpaces(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// Whether a longer crop gives the same text and a character or two more, all
// read with confidence.
bool AddsCharacters(const text::CtcLine& now, std::string_view before,
                    bool at_end) {
  before = WithoutSpaces(before);
  const std::string_view text = WithoutSpaces(now.text);
  if (text.size() <= before.size() ||
      !(at_end ? text.starts_with(before) : text.ends_with(before)))
    return false;
  const size_t more = text.size() - before.size();
  const auto offset = static_cast<size_t>(text.data() - now.text.data());
  const size_t first = offset + (at_end ? before.size() : 0);
  int added = 0;
  size_t begin = 0;
  for (const text::CtcMark& mark : now.marks) {
    const std::string_view piece =
        std::string_view(now.text).substr(begin, mark.text_end - begin);
    const bool is_new = begin >= first && begin < first + more;
    begin = mark.text_end;
    if (!is_new || piece == " ") continue;
    if (mark.probability < kNewConfidence || ++added > kMostNew) return false;
  }
  return added > 0;
}

// How much longer a line's box is with what stands before and behind it; 0:
// nothing does.
struct Longer {
  size_t line;
  float at_start, at_end;
};

std::vector<Longer> FindLonger(const image::ImageView& page,
                               const std::vector<PageLine>& lines) {
  std::vector<Longer> found;
  for (size_t i = 0; i < lines.size(); ++i) {
    const PageLine& line = lines[i];
    if (line.reading.text.confidence < kLineConfidence ||
        line.reading.text.text.empty())
      continue;
    const LineInk ink(page, line.reading.polygon);
    if (!ink.has_contrast()) continue;
    const auto longer = [&](bool at_end) {
      const auto piece = ink.FindPiece(at_end);
      if (!piece) return 0.0f;
      const Point middle = ink.At(ink.PlaceOfPiece(*piece, at_end), 0.5f);
      const bool is_covered =
          std::any_of(lines.begin(), lines.end(), [&](const PageLine& other) {
            const geometry::Rect<float> place =
                geometry::BoundsOf(other.reading.polygon);
            return middle.x >= place.left && middle.x <= place.right &&
                   middle.y >= place.top && middle.y <= place.bottom;
          });
      return is_covered ? 0.0f : piece->end + kPieceMargin * ink.height();
    };
    const Longer both = {i, longer(false), longer(true)};
    if (both.at_start > 0 || both.at_end > 0) found.push_back(both);
  }
  return found;
}

}  // namespace

Status ReadRowEnds(LineReaders& readers, const image::ImageView& page,
                   std::vector<PageLine>* lines) {
  if (!readers.config().rules.Has(Rule::kRowEnds)) return Status();
  const std::vector<Longer> found = FindLonger(page, *lines);
  for (const bool at_end : {false, true}) {
    std::vector<size_t> tried;
    std::vector<PageLine> attempts;
    for (const Longer& longer : found) {
      const float pixels = at_end ? longer.at_end : longer.at_start;
      if (!(pixels > 0)) continue;
      const PageLine& line = (*lines)[longer.line];
      PageLine& attempt = attempts.emplace_back();
      attempt.box = line.box;
      attempt.box.is_low_score = false;
      attempt.box.outline = Lengthened(OutlineOf(line), at_end, pixels);
      attempt.box.quad = Lengthened(line.reading.polygon, at_end, pixels);
      tried.push_back(longer.line);
    }
    MUNJA_RETURN_IF_ERROR(readers.ReadAll(page, attempts));
    for (size_t i = 0; i < attempts.size(); ++i) {
      PageLine& line = (*lines)[tried[i]];
      if (AddsCharacters(attempts[i].reading.text, line.reading.text.text,
                         at_end))
        line = std::move(attempts[i]);
    }
  }
  return Status();
}

}  // namespace munja::ocr
