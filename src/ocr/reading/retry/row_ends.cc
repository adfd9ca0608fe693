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

// A line and its longer box.
struct Attempt {
  size_t line;
  float longer;
};

std::vector<Attempt> FindAttempts(const image::ImageView& page,
                                  const std::vector<PageLine>& lines,
                                  bool at_end) {
  std::vector<Attempt> attempts;
  for (size_t i = 0; i < lines.size(); ++i) {
    const PageLine& line = lines[i];
    if (line.reading.text.confidence < kLineConfidence ||
        line.reading.text.text.empty())
      continue;
    const LineInk ink(page, line.reading.polygon);
    if (!ink.has_contrast()) continue;
    const auto piece = ink.FindPiece(at_end);
    if (!piece) continue;
    const Point middle = ink.At(ink.PlaceOfPiece(*piece, at_end), 0.5f);
    const bool is_covered =
        std::any_of(lines.begin(), lines.end(), [&](const PageLine& other) {
          const geometry::Rect<float> place =
              geometry::BoundsOf(other.reading.polygon);
          return middle.x >= place.left && middle.x <= place.right &&
                 middle.y >= place.top && middle.y <= place.bottom;
        });
    if (!is_covered)
      attempts.push_back({i, piece->end + kPieceMargin * ink.height()});
  }
  return attempts;
}

}  // namespace

Status ReadRowEnds(LineReaders& readers, const image::ImageView& page,
                   std::vector<PageLine>* lines) {
  if (!readers.config().rules.Has(Rule::kRowEnds)) return Status();
  for (const bool at_end : {false, true}) {
    const std::vector<Attempt> attempts = FindAttempts(page, *lines, at_end);
    std::vector<PageLine> longer;
    for (const Attempt& attempt : attempts) {
      const PageLine& line = (*lines)[attempt.line];
      PageLine& other = longer.emplace_back();
      other.box = line.box;
      other.box.is_low_score = false;
      other.box.outline = Lengthened(OutlineOf(line), at_end, attempt.longer);
      other.box.quad = Lengthened(line.reading.polygon, at_end, attempt.longer);
    }
    MUNJA_RETURN_IF_ERROR(readers.ReadAll(page, longer));
    for (size_t i = 0; i < longer.size(); ++i) {
      PageLine& line = (*lines)[attempts[i].line];
      if (!AddsCharacters(longer[i].reading.text, line.reading.text.text,
                          at_end))
        continue;
      line = std::move(longer[i]);
    }
  }
  return Status();
}

}  // namespace munja::ocr
