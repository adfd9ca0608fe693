#include "document/pdf/layer.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/median.h"
#include "document/decimal.h"
#include "document/pdf/rules.h"
#include "document/words.h"
#include "text/utf8.h"

namespace munja::document::pdf {
namespace {

using geometry::Point;

// The words of a line lie at one height where it drifts by no more than this
// part of its own, and nearly so up to the second: readers take words that
// differ by half of it for several lines.
constexpr double kLevelDrift = 0.5, kSteepDrift = 1.2, kLeastDrift = 0.4;
// Lines of a block whose heights differ from the middle one by up to this part
// of it are of one size.
constexpr double kOneSize = 0.25;
// Words of a row's lines are not moved further than this part of their height.
constexpr double kMostShift = 0.4;
// And their text reaches over the middle of their letters by this part of it,
// also where that is further.
constexpr double kOverLetters = 0.1;
// The heights of a row's lines differ from that of the longest one by up to
// this part of it: readers take what differs by 0.6 for another line.
constexpr double kOneRow = 0.3;
// White space between words is at least this part of the text's size, which
// some readers need to see one; for it words lose up to a part of their width.
constexpr double kLeastSpace = 0.2, kLeastWidth = 0.4;
// From here on white space parts columns for readers.
constexpr double kWideGap = 3 * kLeastSpace;

// How text lies on the page: along the nearest of its sides. Readers break
// skewed words, and lose the order of lines whose words are not level.
struct Lie {
  Point along, down;
  // Words lie at the line's middle, and by this part of the way to where the
  // line is at their place.
  float middle = 0, drift = 0;
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
  const double drift =
      static_cast<double>(std::abs(At(across, lie.down))) / lie.height;
  if (drift > kSteepDrift)
    lie.drift = 1;
  else if (drift > kLevelDrift)
    lie.drift = static_cast<float>(kLeastDrift / drift);
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

// Where a word's text is along its line, its upper edge, and where that would
// be were it as high as the word.
struct Place {
  double begin = 0, end = 0, top = 0, own_top = 0;
};

// The extent of a page in a direction: readers drop letters that reach over its
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
  const float there = MiddleOf(line, lie, (begin + end) / 2);
  const float middle = lie.middle + lie.drift * (there - lie.middle);
  const Extent along = ExtentOf(lie.along, page);
  const auto top = [&](float at) {
    const double base = at + (PdfFont::kAscent - 0.5) * lie.height;
    return Inside(base, ExtentOf(lie.down, page)) -
           PdfFont::kAscent * lie.height;
  };
  return {Inside(begin, along), Inside(end, along), top(middle), top(there)};
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

// A line as it is set.
struct Setting {
  Lie lie;
  std::vector<Word> words;
  // Places of the words, and of the first word of the next line in the row.
  std::vector<Place> places;
  double BaseOf(size_t i) const {
    return places[i].top + PdfFont::kAscent * lie.height;
  }
};

class Setter {
 public:
  Setter(const Scale& scale, PdfFont* font, std::string_view font_name,
         std::string* out)
      : scale_(scale), font_(font), font_name_(font_name), out_(*out) {}

  void Line(const Setting& line) {
    const double height = line.lie.height;
    Begin(height);
    size_t codes = 0;
    for (size_t i = 0; i < line.words.size(); ++i) {
      const Place& place = line.places[i];
      const std::string text =
          font_->Encode(text::DecodeUtf8(line.words[i].text), &codes);
      Stretch(place.end - place.begin, codes, height);
      Move(line.lie, place.begin, place.top + PdfFont::kAscent * height);
      out_ += text + " Tj\n";
      if (i + 1 >= line.places.size()) {
        // Readers take a hyphen at the end of a line away, and join the lines.
        if (line.words[i].text.ends_with('-') && i + 1 == line.words.size()) {
          Space(kLeastSpace * height, height);
          Blanks(kLeastSpace * height, height);
        }
        continue;
      }
      // White space as wide as what is between the words. Between the cells of
      // a row it is a word of blanks: readers that find columns by what is
      // empty then see none.
      const double gap = line.places[i + 1].begin - place.end;
      const double least = kLeastSpace * height;
      if (gap < kWideGap * height) {
        Space(gap, height);
        continue;
      }
      Space(least, height);
      Blanks(gap - 2 * least, height);
      Space(least, height);
    }
    out_ += "ET\n";
  }

  void Rule(const Lie& lie, const TextBox& box) {
    if (!font_->has_blanks()) return;
    const double height = box.bottom - box.top;
    Begin(height);
    Stretch(box.right - box.left, 1, height);
    Move(lie, box.left, box.top + PdfFont::kAscent * height);
    out_ += font_->Blanks() + " Tj\nET\n";
  }

 private:
  void Begin(double height) {
    out_ += "BT 3 Tr /";
    out_ += font_name_;
    out_ += ' ';
    AppendNumbers({height * scale_.points}, out_);
    out_ += "Tf\n";
  }

  void Stretch(double width, size_t codes, double height) {
    const double usual = PdfFont::kWidth * height *
                         static_cast<double>(std::max(codes, size_t{1}));
    constexpr int kDigits = 2;
    AppendDecimal(std::max(100 * width / usual, 0.01), kDigits, out_);
    out_ += " Tz ";
  }

  void Space(double width, double height) {
    size_t codes = 0;
    Show(font_->Encode(U" ", &codes), width, height);
  }

  void Blanks(double width, double height) {
    Show(font_->Blanks(), width, height);
  }

  void Show(const std::string& text, double width, double height) {
    Stretch(width, 1, height);
    out_ += text + " Tj\n";
  }

  void Move(const Lie& lie, double x, double base) {
    AppendNumbers({lie.along.x, -lie.along.y, lie.along.y, lie.along.x,
                   (lie.along.x * x + lie.down.x * base) * scale_.points,
                   scale_.page_height -
                       (lie.along.y * x + lie.down.y * base) * scale_.points},
                  out_);
    out_ += "Tm ";
  }

  Scale scale_;
  PdfFont* font_;
  std::string_view font_name_;
  std::string& out_;
};

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
    const double middle = Median(sorted);
    for (size_t i = begin; i < end; ++i)
      if (std::abs(heights[i] - middle) <= kOneSize * middle)
        heights[i] = middle;
    begin = end;
  }
  for (size_t begin = 0; begin < lines.size();) {
    size_t end = begin + 1, longest = begin;
    for (; end < lines.size() && AreOneRow(*lines[end - 1], *lines[end]); ++end)
      if (lines[end]->text.size() > lines[longest]->text.size()) longest = end;
    const double row = heights[longest];
    for (; begin < end; ++begin)
      heights[begin] =
          std::clamp(heights[begin], row * (1 - kOneRow), row * (1 + kOneRow));
  }
  return heights;
}

Setting SettingOf(const Line& line, const Line* next, double height,
                  const Document& page) {
  Setting setting;
  setting.lie = LieOf(line);
  setting.lie.height = height;
  setting.words = WordsOf(line);
  setting.places = PlacesOf(setting.words, line, next, setting.lie, page);
  return setting;
}

// The direction of most words.
Point AlongMost(const std::vector<const Line*>& lines) {
  Point most;
  size_t best = 0;
  for (const Point along : {Point{1, 0}, {0, 1}, {-1, 0}, {0, -1}}) {
    size_t words = 0;
    for (const Line* line : lines)
      if (LieOf(*line).along == along) words += WordsOf(*line).size();
    if (words <= best) continue;
    best = words;
    most = along;
  }
  return most;
}

// A line that is upside down in a row or has one word only, or stands on end
// and is one letter or one word of a row, lies along the others as well:
// readers mix up the order of text in several directions.
std::optional<Line> Turned(const Line& line, bool is_in_row, Point along) {
  const Point now = LieOf(line).along;
  if (now == along) return std::nullopt;
  const bool is_opposite = At(now, along) < 0;
  const size_t words = WordsOf(line).size();
  const bool is_letter = text::DecodeUtf8(line.text).size() <= 1;
  const bool has_order = is_opposite ? !is_in_row && words > 1
                                     : !(is_in_row && words <= 1) && !is_letter;
  if (has_order) return std::nullopt;
  Line turned = line;
  turned.characters.clear();
  for (int i = 0; i < 3 && LieOf(turned).along != along; ++i)
    std::rotate(turned.polygon.begin(), turned.polygon.begin() + 1,
                turned.polygon.end());
  return turned;
}

TextBox Union(const TextBox& a, const TextBox& b) {
  return {std::min(a.left, b.left), std::min(a.top, b.top),
          std::max(a.right, b.right), std::max(a.bottom, b.bottom)};
}

// Around two points.
TextBox Around(Point a, Point b, const Lie& lie) {
  const auto [left, right] = std::minmax({At(a, lie.along), At(b, lie.along)});
  const auto [top, bottom] = std::minmax({At(a, lie.down), At(b, lie.down)});
  return {left, top, right, bottom};
}

// Bounding box of a line in the reading direction of `lie`.
TextBox BoxOf(const Setting& line, const Lie& lie) {
  std::optional<TextBox> box;
  const auto point = [&](double x, double y) {
    return line.lie.along * static_cast<float>(x) +
           line.lie.down * static_cast<float>(y);
  };
  for (size_t i = 0; i < line.words.size(); ++i) {
    const Place& place = line.places[i];
    const TextBox word =
        Around(point(place.begin, place.top),
               point(place.end, place.top + line.lie.height), lie);
    box = box ? Union(*box, word) : word;
  }
  return box.value_or(TextBox());
}

// Where the upper edge of a word may go: not far from its own place, and where
// who selects the word meets its letters.
Extent TopsOf(const Word& word, const Place& place, const Lie& lie) {
  const geometry::Quad& q = word.polygon;
  const double letters = At((q[0] + q[2]) * 0.5f, lie.down);
  const double edge = kOverLetters * lie.height;
  const Extent over_letters = {letters + edge - lie.height, letters - edge};
  const double shift = kMostShift * lie.height;
  return {Inside(place.own_top - shift, over_letters),
          Inside(place.own_top + shift, over_letters)};
}

// Brings the words of a row to one height, or nearly so, where they are not too
// far from it.
void Level(std::span<Setting> row) {
  double least = 0, most = 0, height = 0;
  for (const Setting& line : row) {
    if (line.lie.drift == 1) return;
    for (size_t i = 0; i < line.words.size(); ++i) {
      const double base = line.BaseOf(i);
      least = height > 0 ? std::min(least, base) : base;
      most = height > 0 ? std::max(most, base) : base;
      height = height > 0 ? std::min(height, line.lie.height) : line.lie.height;
    }
  }
  const double middle = (least + most) / 2, shift = kMostShift * height;
  const double near = most - middle > shift ? kLeastDrift / 2 * height : 0.0;
  if (most - middle - near > shift) return;
  for (Setting& line : row) {
    for (size_t i = 0; i < line.words.size(); ++i) {
      Place& place = line.places[i];
      const double base = line.BaseOf(i);
      const double way = Inside(base, {middle - near, middle + near}) - base;
      place.top =
          Inside(place.top + way, TopsOf(line.words[i], place, line.lie));
    }
  }
}

// Whether the second line goes on in the row of the first, as it is set.
bool GoesOn(const Line& first, const Line& second) {
  return AreOneRow(first, second) && LieOf(first).along == LieOf(second).along;
}

// `rows` holds the first line of each row, and the number of lines.
std::vector<Setting> SettingsOf(const std::vector<const Line*>& lines,
                                const std::vector<size_t>& rows,
                                const std::vector<double>& heights,
                                const Document& page) {
  std::vector<Setting> settings;
  for (size_t row = 0; row + 1 < rows.size(); ++row) {
    for (size_t i = rows[row]; i < rows[row + 1]; ++i) {
      const Line* next = i + 1 < rows[row + 1] ? lines[i + 1] : nullptr;
      settings.push_back(SettingOf(*lines[i], next, heights[i], page));
    }
    if (rows[row + 1] - rows[row] > 1)
      Level(std::span(settings).subspan(rows[row]));
  }
  return settings;
}

// Bounding boxes of the rows.
std::vector<TextBox> BoxesOf(const std::vector<Setting>& settings,
                             const std::vector<size_t>& rows, const Lie& lie) {
  std::vector<TextBox> boxes;
  for (size_t row = 0; row + 1 < rows.size(); ++row) {
    boxes.push_back(BoxOf(settings[rows[row]], lie));
    for (size_t i = rows[row] + 1; i < rows[row + 1]; ++i)
      boxes.back() = Union(boxes.back(), BoxOf(settings[i], lie));
  }
  return boxes;
}

}  // namespace

void AppendText(const Document& document, const Scale& scale, PdfFont* font,
                std::string_view font_name, std::string& out) {
  std::vector<const Line*> lines;
  for (const Line& line : document.lines)
    if (!line.text.empty() && HasPlace(line)) lines.push_back(&line);
  Lie most;
  most.along = AlongMost(lines);
  most.down = {-most.along.y, most.along.x};
  std::vector<Line> turned;
  turned.reserve(lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    const bool is_in_row =
        (i > 0 && AreOneRow(*lines[i - 1], *lines[i])) ||
        (i + 1 < lines.size() && AreOneRow(*lines[i], *lines[i + 1]));
    auto other = Turned(*lines[i], is_in_row, most.along);
    if (!other) continue;
    turned.push_back(std::move(*other));
    lines[i] = &turned.back();
  }

  std::vector<size_t> rows;  // The first line of each, and how many there are.
  for (size_t i = 0; i < lines.size(); ++i)
    if (i == 0 || !GoesOn(*lines[i - 1], *lines[i])) rows.push_back(i);
  rows.push_back(lines.size());
  std::vector<double> heights = Heights(lines);
  std::vector<TextBox> boxes =
      BoxesOf(SettingsOf(lines, rows, heights, document), rows, most);
  const std::vector<double> sizes = SizesApart(boxes);
  for (size_t row = 0; row + 1 < rows.size(); ++row)
    for (size_t i = rows[row]; i < rows[row + 1]; ++i) heights[i] *= sizes[row];
  const std::vector<Setting> settings =
      SettingsOf(lines, rows, heights, document);
  boxes = BoxesOf(settings, rows, most);

  const Extent across = ExtentOf(most.along, document);
  const Extent down = ExtentOf(most.down, document);
  const std::vector<Rule> rules =
      RulesBetween(boxes, {across.from, down.from, across.to, down.to});
  Setter setter(scale, font, font_name, &out);
  size_t rule = 0;
  for (size_t row = 0; row + 1 < rows.size(); ++row) {
    for (; rule < rules.size() && rules[rule].before == row; ++rule)
      setter.Rule(most, rules[rule].box);
    for (size_t i = rows[row]; i < rows[row + 1]; ++i) setter.Line(settings[i]);
  }
}

void AppendNumbers(std::initializer_list<double> values, std::string& out) {
  for (const double value : values) {
    AppendDecimal(value, 4, out);
    out += ' ';
  }
}

}  // namespace munja::document::pdf
