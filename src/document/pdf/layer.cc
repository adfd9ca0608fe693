#include "document/pdf/layer.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "document/decimal.h"
#include "document/words.h"
#include "text/utf8.h"

namespace munja::document::pdf {
namespace {

using geometry::Point;

// The words of a line lie at one height where it drifts by no more than this
// part of its own.
constexpr double kLevelDrift = 0.5;
// Lines of a block whose heights differ from the middle one by up to this part
// of it are of one size.
constexpr double kOneSize = 0.25;
// White space between words is at least this part of the text's size, which
// some readers need to see one; for it words lose up to a part of their width.
constexpr double kLeastSpace = 0.2, kLeastWidth = 0.4;
// From here on white space parts columns for readers.
constexpr double kWideGap = 3 * kLeastSpace;

// How text lies on the page: along the nearest of its sides. Readers break
// words that are askew, and lose the order of lines whose words are not level.
struct Lie {
  Point along, down;
  // All words at one height: their middle. Else each at the line's there.
  bool is_level = false;
  float middle = 0;
  double height = 1;
};

float At(Point p, Point direction) {
  return p.x * direction.x + p.y * direction.y;
}

Lie LieOf(const Line& line) {
  const geometry::Quad& q = line.polygon;
  Lie lie;
  const Point across = q[1] - q[0];
  lie.height = std::max((static_cast<double>(geometry::Length(q[3] - q[0])) +
                         static_cast<double>(geometry::Length(q[2] - q[1]))) /
                            2,
                        1.0);
  if (std::abs(across.x) >= std::abs(across.y))
    lie.along = {across.x < 0 ? -1.0f : 1.0f, 0};
  else
    lie.along = {0, across.y < 0 ? -1.0f : 1.0f};
  lie.down = {-lie.along.y, lie.along.x};
  lie.is_level = static_cast<double>(std::abs(At(across, lie.down))) <=
                 kLevelDrift * lie.height;
  for (const Point p : q) lie.middle += At(p, lie.down) / 4;
  return lie;
}

// The middle of a line's height at this place along it.
float MiddleOf(const Line& line, const Lie& lie, float x) {
  const geometry::Quad& q = line.polygon;
  const Point from = (q[0] + q[3]) * 0.5f, to = (q[1] + q[2]) * 0.5f;
  const float begin = At(from, lie.along), end = At(to, lie.along);
  const float share = end > begin ? (x - begin) / (end - begin) : 0.5f;
  return At(from + (to - from) * share, lie.down);
}

// Where a word's text is along its line, and its upper edge.
struct Place {
  double begin = 0, end = 0, top = 0;
};

// What of a page lies in a direction: readers drop letters that reach over its
// edge.
struct Extent {
  double from = 0, to = 0;
};

Extent ExtentOf(Point direction, const Document& page) {
  const double size =
      std::max(std::abs(direction.x) > 0 ? page.width : page.height, 1);
  // Numbers in the file are rounded.
  constexpr double kEdge = 0.5;
  const Extent inside = {kEdge, size - kEdge};
  return direction.x + direction.y > 0 ? inside
                                       : Extent{-inside.to, -inside.from};
}

double Inside(double at, Extent extent) {
  return std::clamp(at, extent.from, extent.to);
}

Place PlaceOf(const Word& word, const Line& line, const Lie& lie,
              const Document& page) {
  const geometry::Quad& q = word.polygon;
  const float begin = At((q[0] + q[3]) * 0.5f, lie.along);
  const float end = At((q[1] + q[2]) * 0.5f, lie.along);
  const float middle =
      lie.is_level ? lie.middle : MiddleOf(line, lie, (begin + end) / 2);
  const double base = middle + (PdfFont::kAscent - 0.5) * lie.height;
  const Extent along = ExtentOf(lie.along, page);
  return {
      Inside(begin, along), Inside(end, along),
      Inside(base, ExtentOf(lie.down, page)) - PdfFont::kAscent * lie.height};
}

// The places of a line's words, and of the first one of the line that goes on
// in its row. There is white space between all.
std::vector<Place> PlacesOf(const std::vector<Word>& words, const Line& line,
                            const Line* next, const Lie& lie,
                            const Document& page) {
  std::vector<Place> places;
  for (const Word& word : words)
    places.push_back(PlaceOf(word, line, lie, page));
  if (next != nullptr)
    if (const auto others = WordsOf(*next); !others.empty())
      places.push_back(PlaceOf(others[0], *next, lie, page));
  for (size_t i = 0; i < places.size(); ++i) {
    Place& place = places[i];
    const double least = kLeastSpace * lie.height;
    double width = std::max(place.end - place.begin, 1.0);
    if (i > 0) place.begin = std::max(place.begin, places[i - 1].end + least);
    const double narrow = kLeastWidth * width;
    width = std::max(place.end - place.begin, narrow);
    if (i + 1 < places.size())
      width = std::clamp(places[i + 1].begin - least - place.begin, narrow,
                         std::max(width, narrow));
    place.end = place.begin + width;
  }
  return places;
}

bool HasPlace(const Line& line) {
  for (const Point p : line.polygon)
    if (!std::isfinite(p.x) || !std::isfinite(p.y)) return false;
  return geometry::Length(line.polygon[1] - line.polygon[0]) > 0;
}

// The text of a line; `next` goes on in its row, or is null.
void AppendLine(const Line& line, const Line* next, double height,
                const Document& page, const Scale& scale, PdfFont* font,
                std::string& out) {
  Lie lie = LieOf(line);
  lie.height = height;
  const std::vector<Word> words = WordsOf(line);
  const std::vector<Place> places = PlacesOf(words, line, next, lie, page);
  out += "BT 3 Tr /F1 ";
  AppendNumbers({height * scale.points}, out);
  out += "Tf\n";
  const auto stretch = [&](double width, size_t codes) {
    const double usual = PdfFont::kWidth * height *
                         static_cast<double>(std::max(codes, size_t{1}));
    constexpr int kDigits = 2;
    AppendDecimal(std::max(100 * width / usual, 0.01), kDigits, out);
    out += " Tz ";
  };
  const auto append = [&](const std::string& text, double width) {
    stretch(width, 1);
    out += text + " Tj\n";
  };
  size_t codes = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    const Place& place = places[i];
    const std::string text =
        font->Encode(text::DecodeUtf8(words[i].text), &codes);
    stretch(place.end - place.begin, codes);
    const double base = place.top + PdfFont::kAscent * height;
    AppendNumbers(
        {lie.along.x, -lie.along.y, lie.along.y, lie.along.x,
         (lie.along.x * place.begin + lie.down.x * base) * scale.points,
         scale.page_height -
             (lie.along.y * place.begin + lie.down.y * base) * scale.points},
        out);
    out += "Tm " + text + " Tj\n";
    if (i + 1 >= places.size()) continue;
    // White space as wide as what is between the words. Between the cells of a
    // row it is a word of blanks: readers that find columns by what is empty
    // then see none.
    const double gap = places[i + 1].begin - place.end;
    const double least = kLeastSpace * height;
    const std::string space = font->Encode(U" ", &codes);
    if (i + 1 < words.size() || gap < kWideGap * height) {
      append(space, gap);
      continue;
    }
    append(space, least);
    append(font->Blanks(), gap - 2 * least);
    append(space, least);
  }
  out += "ET\n";
}

// The sizes of the lines' text. Boxes of a paragraph are a little higher and
// lower, by what stands in the lines; text of one size is what readers take for
// one paragraph.
std::vector<double> Heights(const std::vector<const Line*>& lines) {
  std::vector<double> heights;
  for (const Line* line : lines) heights.push_back(LieOf(*line).height);
  for (size_t begin = 0; begin < lines.size();) {
    size_t end = begin;
    while (end < lines.size() && lines[end]->block == lines[begin]->block)
      ++end;
    std::vector<double> sorted(heights.begin() + static_cast<ptrdiff_t>(begin),
                               heights.begin() + static_cast<ptrdiff_t>(end));
    const auto middle =
        sorted.begin() + static_cast<ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    for (size_t i = begin; i < end; ++i)
      if (std::abs(heights[i] - *middle) <= kOneSize * *middle)
        heights[i] = *middle;
    begin = end;
  }
  return heights;
}

}  // namespace

void AppendText(const Document& document, const Scale& scale, PdfFont* font,
                std::string& out) {
  std::vector<const Line*> lines;
  for (const Line& line : document.lines)
    if (!line.text.empty() && HasPlace(line)) lines.push_back(&line);
  const std::vector<double> heights = Heights(lines);
  for (size_t i = 0; i < lines.size(); ++i) {
    const bool goes_on = i + 1 < lines.size() &&
                         AreOneRow(*lines[i], *lines[i + 1]) &&
                         LieOf(*lines[i]).along == LieOf(*lines[i + 1]).along;
    AppendLine(*lines[i], goes_on ? lines[i + 1] : nullptr, heights[i],
               document, scale, font, out);
  }
}

void AppendNumbers(std::initializer_list<double> values, std::string& out) {
  for (const double value : values) {
    AppendDecimal(value, 4, out);
    out += ' ';
  }
}

}  // namespace munja::document::pdf
