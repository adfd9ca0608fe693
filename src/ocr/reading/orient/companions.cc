#include "reading/orient/companions.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include "geometry/rect.h"

namespace munja::ocr {
namespace {

using Rect = geometry::Rect<float>;

// More letters and digits are text without company, too.
constexpr int kFewLetters = 3;
// Lines of up to so many count as company of a character alone.
constexpr int kOneOrTwo = 2;
// Lines are of one size if their heights differ by no more than this factor,
// and stand in one row or column if they differ by less than this part of it.
constexpr float kOneSize = 1.4f, kAligned = 0.3f;
// So many short lines in its row or column are company.
constexpr int kCompany = 2;

// A line whose text is certain.
struct Certain {
  Rect place;
  int letters;
};

// Whether a line of a few letters stands with others that are as short, or,
// unless it is a character alone, in a row with a word.
bool IsInCompany(const PageLine& line, int letters,
                 std::span<const Certain> certain) {
  const Rect box = PlaceOf(line.box);
  const float height = box.height();
  const auto is_near = [&](float a, float b) {
    return std::abs(a - b) <= kAligned * height;
  };
  int company = 0;
  for (const Certain& other : certain) {
    const Rect& at = other.place;
    if (at.height() > kOneSize * height || height > kOneSize * at.height())
      continue;
    const bool is_row =
        is_near((at.top + at.bottom) / 2, (box.top + box.bottom) / 2);
    const bool is_column =
        is_near(at.left, box.left) || is_near(at.right, box.right) ||
        is_near((at.left + at.right) / 2, (box.left + box.right) / 2);
    if (is_row && letters > 1 && other.letters > 1) return true;
    company +=
        (is_row || is_column) && other.letters <= std::max(letters, kOneOrTwo);
  }
  return company >= kCompany;
}

}  // namespace

Status KeepCompanions(LineReaders& readers, const image::ImageView& page,
                      std::vector<PageLine>* lines) {
  const RecognizerConfig& config = readers.config();
  if (!config.rules.Has(Rule::kCompanions)) return Status();
  const auto letters_in = [&](const PageLine& line) {
    const text::CtcLine& text = line.reading.text;
    return line.is_read && text.confidence >= config.faint_confidence
               ? LettersAndDigits(text.text)
               : 0;
  };
  std::vector<Certain> certain;
  std::vector<PageLine*> unread;
  for (const PageLine& line : *lines) {
    const int letters = letters_in(line);
    if (!line.box.is_low_score && letters > 0)
      certain.push_back({PlaceOf(line.box), letters});
  }
  for (PageLine& line : *lines) {
    if (!line.box.is_low_score || line.is_read ||
        !IsInCompany(line, 1, certain))
      continue;
    line.box.is_low_score = false;  // To be read.
    unread.push_back(&line);
  }
  Status status = readers.ReadAll(page, *lines);
  for (PageLine* line : unread) line->box.is_low_score = true;
  MUNJA_RETURN_IF_ERROR(std::move(status));
  for (PageLine& line : *lines) {
    const int letters = letters_in(line);
    if (letters > 0 && letters <= kFewLetters &&
        IsInCompany(line, letters, certain))
      line.box.is_low_score = false;
  }
  return Status();
}

}  // namespace munja::ocr
