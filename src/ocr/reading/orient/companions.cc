#include "reading/orient/companions.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "geometry/rect.h"
#include "text/utf8.h"

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
// The margin around the ink of a letter, in its heights.
constexpr float kInkMargin = 0.1f;
// So many short lines in its row or column are company.
constexpr int kCompany = 2;

// A line whose text is certain.
struct Certain {
  Rect place;
  int letters;
  bool is_number;
  bool is_leader;  // It ends with dots that lead to what follows.
};

// Whether the text ends with two dots or more.
bool EndsWithLeader(std::string_view line) {
  const std::u32string text = text::DecodeUtf8(line);
  constexpr std::u32string_view kDots = U".\u00B7\u2026\u2024\u2025";
  int dots = 0;
  for (auto c = text.rbegin(); c != text.rend(); ++c) {
    if (*c == U' ') continue;
    if (kDots.find(*c) == kDots.npos) break;
    ++dots;
  }
  constexpr int kLeast = 2;
  return dots >= kLeast;
}

// The letters and digits of a line.
struct Letters {
  int count = 0;
  bool is_number = true;  // Digits only, beside signs.
  float confidence = 0;   // Their mean.
};

// Signs do not count: dots that lead to a page number are read badly.
Letters LettersOf(const text::CtcLine& line) {
  Letters letters;
  float sum = 0;
  size_t begin = 0;
  for (const text::CtcMark& mark : line.marks) {
    const std::string_view piece =
        std::string_view(line.text).substr(begin, mark.text_end - begin);
    begin = mark.text_end;
    const int count = LettersAndDigits(piece);
    if (count == 0) continue;
    letters.count += count;
    sum += static_cast<float>(count) * mark.probability;
    letters.is_number &= piece[0] >= '0' && piece[0] <= '9';
  }
  if (letters.count > 0)
    letters.confidence = sum / static_cast<float>(letters.count);
  return letters;
}

// Whether a line of a few letters stands with others that are as short, or,
// unless it is a character alone, in a row with a word, or where dots lead to
// it.
bool IsInCompany(const PageLine& line, const Letters& letters,
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
    if (is_row && letters.count > 1 && other.letters > 1) return true;
    if (is_row && letters.is_number && other.is_leader &&
        at.right <= box.left + box.height())
      return true;
    const bool is_short = other.letters <= std::max(letters.count, kOneOrTwo) ||
                          (letters.is_number && other.is_number);
    company += (is_row || is_column) && is_short;
  }
  return company >= kCompany;
}

// The letters of a line that are read with confidence.
Letters LettersIn(const PageLine& line, const RecognizerConfig& config) {
  const Letters letters =
      line.is_read ? LettersOf(line.reading.text) : Letters();
  return letters.confidence >= config.faint_confidence ? letters : Letters();
}

std::vector<Certain> CertainOf(const RecognizerConfig& config,
                               std::span<const PageLine> lines) {
  std::vector<Certain> certain;
  for (const PageLine& line : lines) {
    const Letters letters = LettersIn(line, config);
    if (!line.box.is_low_score && letters.count > 0)
      certain.push_back({PlaceOf(line.box), letters.count, letters.is_number,
                         EndsWithLeader(line.reading.text.text)});
  }
  return certain;
}

// Re-reads low-score boxes in company in which no letter was read, around their
// ink: the detector sees parts of single letters only.
Status ReadInOutlines(LineReaders& readers, const image::ImageView& page,
                      std::span<const Certain> certain,
                      std::vector<PageLine>* lines) {
  const RecognizerConfig& config = readers.config();
  std::vector<size_t> tried;
  std::vector<PageLine> attempts;
  for (size_t i = 0; i < lines->size(); ++i) {
    const PageLine& line = (*lines)[i];
    if (!line.box.is_low_score || !line.is_read || !line.box.outline ||
        LettersIn(line, config).count > 0 ||
        !IsInCompany(line, {.count = 1}, certain))
      continue;
    const Rect ink = geometry::BoundsOf(*line.box.outline);
    const float margin = kInkMargin * ink.height();
    TextBox box = line.box;
    box.quad = geometry::CornersOf({ink.left - margin, ink.top - margin,
                                    ink.right + margin, ink.bottom + margin});
    box.is_low_score = false;  // To be read.
    tried.push_back(i);
    attempts.push_back({box});
  }
  MUNJA_RETURN_IF_ERROR(readers.ReadAll(page, attempts));
  for (size_t i = 0; i < attempts.size(); ++i) {
    if (LettersIn(attempts[i], config).count == 0) continue;
    attempts[i].box.is_low_score = true;
    (*lines)[tried[i]] = std::move(attempts[i]);
  }
  return Status();
}

}  // namespace

Status KeepCompanions(LineReaders& readers, const image::ImageView& page,
                      std::vector<PageLine>* lines) {
  const RecognizerConfig& config = readers.config();
  if (!config.rules.Has(Rule::kCompanions)) return Status();
  const std::vector<Certain> certain = CertainOf(config, *lines);
  std::vector<PageLine*> unread;
  for (PageLine& line : *lines) {
    if (!line.box.is_low_score || line.is_read ||
        !IsInCompany(line, {.count = 1}, certain))
      continue;
    line.box.is_low_score = false;  // To be read.
    unread.push_back(&line);
  }
  Status status = readers.ReadAll(page, *lines);
  for (PageLine* line : unread) line->box.is_low_score = true;
  MUNJA_RETURN_IF_ERROR(std::move(status));
  MUNJA_RETURN_IF_ERROR(ReadInOutlines(readers, page, certain, lines));
  KeepReadCompanions(config, *lines);
  return Status();
}

void KeepReadCompanions(const RecognizerConfig& config,
                        std::span<PageLine> lines) {
  const std::vector<Certain> certain = CertainOf(config, lines);
  for (PageLine& line : lines) {
    const Letters letters = LettersIn(line, config);
    if (letters.count > 0 && letters.count <= kFewLetters &&
        IsInCompany(line, letters, certain))
      line.box.is_low_score = false;
  }
}

}  // namespace munja::ocr
