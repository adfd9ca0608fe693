#include "reading/orient/comb_lines.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "geometry/rect.h"
#include "reading/find/line_place.h"
#include "reading/orient/upright_lines.h"
#include "reading/read/text_evidence.h"

namespace munja::ocr {
namespace {

using Rect = geometry::Rect<float>;

// A line of which more than this part lies in a field is a part of it, and one
// of which less does is none.
constexpr float kInField = 0.6f, kBesideField = 0.1f;
// The field must be read with this confidence, with a character for so many of
// its cells, and with this part of the evidence of its lines.
constexpr float kLeastConfidence = 0.6f, kCellsRead = 0.75f,
                kEvidencePart = 0.8f;
// The margin of a line in its box, in heights.
constexpr float kFieldMargin = 0.25f;

float PartIn(const Rect& line, const Rect& field) {
  return Intersection(line, field).area() / std::max(line.area(), 1.0f);
}

Rect BoundsOfField(const CombField& field) {
  const auto margin = kFieldMargin * static_cast<float>(field.bounds.height());
  return {static_cast<float>(field.bounds.left) - margin,
          static_cast<float>(field.bounds.top) - margin,
          static_cast<float>(field.bounds.right) + margin,
          static_cast<float>(field.bounds.bottom) + margin};
}

// Puts the marks where the characters stand in the field; counts them.
size_t PlaceInField(const CombField& field, const CombLine& drawn,
                    const Rect& bounds, text::CtcLine* text) {
  size_t characters = 0;
  text::CtcMark* next = text->marks.data();
  for (const std::string_view character : text::CharactersOf(*text)) {
    text::CtcMark& mark = *next++;
    if (character == " ") continue;
    ++characters;
    const float middle =
        (mark.left + mark.right) / 2 * static_cast<float>(drawn.pixels.width());
    size_t best = 0;
    float least = bounds.width();
    for (size_t i = 0; i < field.cells.size(); ++i) {
      const CombField::Cell& cell = field.cells[i];
      const float at = static_cast<float>(drawn.starts[i]) +
                       static_cast<float>(cell.right - cell.left) / 2;
      if (std::abs(at - middle) >= least) continue;
      least = std::abs(at - middle);
      best = i;
    }
    const auto share = [&](int x) {
      return (static_cast<float>(x) - bounds.left) / bounds.width();
    };
    mark.left = share(field.cells[best].left);
    mark.right = share(field.cells[best].right);
  }
  return characters;
}

// The line that a field is read as; without text where it is none.
Result<PageLine> ReadField(LineReaders& readers, const image::ImageView& page,
                           const CombField& field) {
  MUNJA_ASSIGN_OR_RETURN(const CombLine drawn, DrawCombLine(page, field));
  PageLine line = {{.quad = WholeImage(drawn.pixels.view()), .score = 1}};
  MUNJA_RETURN_IF_ERROR(
      readers.ReadAll(drawn.pixels.view(), std::span<PageLine>(&line, 1)));
  const Rect bounds = BoundsOfField(field);
  const size_t characters =
      PlaceInField(field, drawn, bounds, &line.reading.text);
  const auto cells = static_cast<float>(field.cells.size());
  const auto read = static_cast<float>(characters);
  if (line.reading.text.confidence < kLeastConfidence ||
      read < kCellsRead * cells || read * kCellsRead > cells)
    line.reading.text = {};
  line.box.quad = geometry::CornersOf(bounds);
  line.reading.polygon = line.box.quad;
  return line;
}

}  // namespace

std::vector<PageLine> TakeFieldLines(std::span<const CombField> fields,
                                     std::vector<PageLine>* lines) {
  std::vector<PageLine> taken;
  std::erase_if(*lines, [&](PageLine& line) {
    const bool is_in_field =
        std::any_of(fields.begin(), fields.end(), [&](const CombField& field) {
          return PartIn(PlaceOf(line.box), BoundsOfField(field)) > kInField;
        });
    if (is_in_field) taken.push_back(std::move(line));
    return is_in_field;
  });
  return taken;
}

Status ReadCombFields(LineReaders& readers, const image::ImageView& page,
                      std::span<const CombField> fields,
                      std::vector<PageLine>* lines) {
  bool is_any = false;
  Status status;
  for (const CombField& field : fields) {
    const Rect bounds = BoundsOfField(field);
    float before = 0;
    bool is_apart = true;
    for (const PageLine& line : *lines) {
      const float part = PartIn(PlaceOf(line.box), bounds);
      if (part > kInField)
        before += TextEvidence(line.reading.text);
      else if (part > kBesideField)
        is_apart = false;
    }
    if (!is_apart) continue;
    Result<PageLine> line = ReadField(readers, page, field);
    if (!line.ok()) {
      status = std::move(line).TakeStatus();
      break;
    }
    const float now = TextEvidence(line->reading.text);
    if (now <= 0 || now < kEvidencePart * before) continue;
    std::erase_if(*lines, [&](const PageLine& other) {
      return PartIn(PlaceOf(other.box), bounds) > kInField;
    });
    lines->push_back(std::move(*line));
    is_any = true;
  }
  if (is_any) PutInReadingOrder(lines);
  return status;
}

}  // namespace munja::ocr
