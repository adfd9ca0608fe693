#include "document/testing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <utility>

namespace munja::document {
namespace drawn {
namespace {

constexpr double kWidth = 1240, kHeight = 1754;
constexpr double kMargin = 90;

class Sheet {
 public:
  explicit Sheet(uint32_t seed) : random_(seed) {
    line_ = Between(17, 26);
    pitch_ = line_ * Between(1.25, 1.7);
  }

  double Between(double low, double high) {
    return low + (high - low) * static_cast<double>(random_()) / 4294967295.0;
  }
  int Count(int low, int high) {
    return low +
           static_cast<int>(random_() % static_cast<uint32_t>(high - low + 1));
  }
  bool Happens(double chance) { return Between(0, 1) < chance; }

  double line() const { return line_; }
  double pitch() const { return pitch_; }

  // The next line begins a flow.
  void StartFlow() { layout_.flows.emplace_back(); }

  void Box(double x, double y, double w, double h) {
    const auto at = [&](double px, double py) {
      return geometry::Point{static_cast<float>(px + Between(-2, 2)),
                             static_cast<float>(py + Between(-1.2, 1.2))};
    };
    const double x0 = x + Between(-4, 2), x1 = x + w + Between(-2, 4);
    if (layout_.flows.empty()) StartFlow();
    layout_.flows.back().push_back(layout_.quads.size());
    layout_.quads.push_back(
        {{at(x0, y), at(x1, y), at(x1, y + h), at(x0, y + h)}});
  }
  // A line of text as it is found.
  void Line(double x, double y, double w, double height = 0) {
    const double h = height > 0 ? height : line_;
    if (Happens(0.01)) return;
    // Without descenders or capitals boxes are lower.
    const double cut = Happens(0.2) ? 0.15 * h : 0;
    if (w > 12 * h && Happens(0.03)) {
      const double at = w * Between(0.25, 0.75);
      Box(x, y + cut, at - 0.4 * h, h - cut);
      Box(x + at + 0.4 * h, y, w - at - 0.4 * h, h);
      return;
    }
    Box(x, y + cut, w, h - cut);
  }
  // Paragraphs that fill a column from y down to `bottom`; gives where they
  // end. `ragged`: not justified.
  double Text(double x, double y, double w, double bottom,
              bool ragged = false) {
    int left = Count(2, 9);
    bool is_first = true;
    while (y + line_ <= bottom) {
      --left;
      double width = ragged ? w * Between(0.8, 1) : w;
      double indent = is_first && !ragged ? 1.5 * line_ : 0;
      if (left == 0) width = w * Between(0.2, 0.9), indent = 0;
      Line(x + indent, y, width - indent);
      is_first = false;
      y += pitch_;
      if (left == 0) {
        left = Count(2, 9);
        is_first = true;
        y += paragraph_gap_;
      }
    }
    return y;
  }
  void set_paragraph_gap(double gap) { paragraph_gap_ = gap; }

  // `count` columns of text from y to about `bottom`, the last one shorter.
  // Gives the lowest bottom.
  double Columns(int count, double x, double y, double w, double bottom) {
    const double gutter = Between(1.2, 2.2) * line_;
    const double each = (w - gutter * (count - 1)) / count;
    const bool ragged = Happens(0.4);
    const double offset = Happens(0.4) ? Between(0.2, 0.8) * pitch_ : 0;
    double lowest = y;
    for (int i = 0; i < count; ++i) {
      const double start = y + (i % 2 == 1 ? offset : 0);
      const double end =
          i + 1 < count ? bottom : y + (bottom - y) * Between(0.6, 1);
      lowest = std::max(
          lowest, Text(x + i * (each + gutter), start, each, end, ragged));
    }
    return lowest;
  }
  double Headline(double x, double y, double w, double h) {
    const int lines = Count(1, 2);
    for (int i = 0; i < lines; ++i) {
      Line(x, y, w * (i + 1 < lines ? Between(0.85, 1) : Between(0.4, 1)), h);
      y += 1.25 * h;
    }
    return y + 0.5 * line_;
  }
  void Foot() {
    StartFlow();
    Line(kWidth / 2 - 15, kHeight - 60, 30);
  }

  DrawnLayout Take() {
    const double angle =
        Happens(0.3) ? Between(-3, 3) * std::numbers::pi / 180 : 0;
    for (geometry::Quad& quad : layout_.quads) {
      for (geometry::Point& p : quad) {
        p = {static_cast<float>(p.x * std::cos(angle) - p.y * std::sin(angle)),
             static_cast<float>(p.x * std::sin(angle) + p.y * std::cos(angle))};
      }
    }
    return std::move(layout_);
  }

 private:
  std::mt19937 random_;
  double line_ = 20, pitch_ = 30, paragraph_gap_ = 0;
  DrawnLayout layout_;
};

constexpr double kText = kWidth - 2 * kMargin;

void OneColumn(Sheet& page) {
  const double y = page.Headline(kMargin, 100, kText * 0.8, 2 * page.line());
  page.set_paragraph_gap(page.Between(0, 1) * page.line());
  page.Text(kMargin, y, kText, kHeight - 150, page.Happens(0.5));
  page.Foot();
}
void TwoColumns(Sheet& page) {
  const double y = page.Headline(kMargin, 100, kText, 2 * page.line());
  page.Columns(2, kMargin, y, kText, kHeight - 150);
  page.Foot();
}
void ThreeColumns(Sheet& page) {
  const double y = page.Headline(kMargin, 100, kText, 2 * page.line());
  page.Columns(3, kMargin, y, kText, kHeight - 150);
  page.Foot();
}
// Four narrow columns, as of a dictionary.
void FourColumns(Sheet& page) {
  page.set_paragraph_gap(page.Between(0, 0.5) * page.line());
  page.Columns(4, kMargin, 120, kText, kHeight - 150);
  page.Foot();
}
// Articles one below the other, each with a headline and columns of its own.
void Newspaper(Sheet& page) {
  page.Line(kMargin + 200, 60, kText - 400, 4 * page.line());
  double y = 60 + 6 * page.line();
  while (y < kHeight - 350) {
    page.StartFlow();
    y = page.Headline(kMargin, y, kText * page.Between(0.5, 1),
                      page.line() * page.Between(1.5, 2.5));
    const double bottom = std::min(y + page.Between(200, 450), kHeight - 120);
    y = page.Columns(page.Count(2, 4), kMargin, y, kText, bottom) +
        2 * page.line();
  }
}
// Two articles beside each other, each with a headline over its own columns.
void ArticlesBeside(Sheet& page) {
  page.Line(kMargin + 200, 60, kText - 400, 4 * page.line());
  const double top = 60 + 6 * page.line();
  const double share = page.Between(0.45, 0.55), gap = 2 * page.line();
  const double left = (kText - gap) * share, right = kText - gap - left;
  page.StartFlow();
  double y = page.Headline(kMargin, top, left * 0.95, 1.8 * page.line());
  page.Columns(2, kMargin, y, left, kHeight - 150);
  page.StartFlow();
  y = page.Headline(kMargin + left + gap, top, right * 0.95, 1.8 * page.line());
  page.Columns(2, kMargin + left + gap, y, right, kHeight - 150);
}
// A figure over both columns, its caption across the gutter.
void CaptionOverGutter(Sheet& page) {
  page.StartFlow();
  double y = 100;
  const bool above = page.Happens(0.5);
  if (above) {
    y = page.Columns(2, kMargin, y, kText, y + page.Between(250, 600)) +
        page.line();
  }
  y += page.Between(150, 350);
  page.StartFlow();
  const int lines = page.Count(1, 2);
  const double w = kText * page.Between(0.25, 0.9);
  for (int i = 0; i < lines; ++i, y += page.pitch())
    page.Line(kWidth / 2 - w / 2, y, w);
  page.StartFlow();
  page.Columns(2, kMargin, y + page.line() * page.Between(0.8, 2), kText,
               kHeight - 150);
  page.Foot();
}
// Two columns of text, in one of them what draw(x, y, width) puts there; it
// gives where the text goes on.
template <class Draw>
void InOneColumn(Sheet& page, Draw draw) {
  const double gutter = 1.8 * page.line(), each = (kText - gutter) / 2;
  const int with = page.Count(0, 1);
  for (int i = 0; i < 2; ++i) {
    page.StartFlow();
    const double x = kMargin + i * (each + gutter);
    if (i != with) {
      page.Text(x, 100, each, kHeight - 150);
      continue;
    }
    const double y = page.Text(x, 100, each, page.Between(300, 700));
    page.Text(x, draw(x, y, each), each, kHeight - 150);
  }
}
// A figure, its caption below it.
void FigureInColumn(Sheet& page) {
  InOneColumn(page, [&](double x, double y, double width) {
    y += page.Between(150, 400);
    page.StartFlow();
    for (int k = page.Count(1, 3); k > 0; --k, y += page.pitch())
      page.Line(x + 20, y, width * page.Between(0.6, 0.9));
    page.StartFlow();
    return y + page.line();
  });
  page.Foot();
}
// A few words printed large between two columns that give way to them.
void Inset(Sheet& page) {
  const double gutter = 1.8 * page.line(), each = (kText - gutter) / 2;
  const double top = page.Between(400, 800),
               height = page.Count(3, 6) * 1.6 * page.line();
  const double reach = each * page.Between(0.25, 0.45);
  const double free = page.line();
  for (int i = 0; i < 2; ++i) {
    page.StartFlow();
    const double x = kMargin + i * (each + gutter);
    for (double y = 100; y < kHeight - 150; y += page.pitch()) {
      const bool beside =
          y + page.line() > top - free && y < top + height + free;
      const double cut = beside ? reach + free : 0;
      page.Line(x + (i == 1 ? cut : 0), y, each - cut);
    }
  }
  page.StartFlow();
  for (double y = top; y < top + height - page.line(); y += 1.6 * page.line())
    page.Line(kWidth / 2 - reach, y, 2 * reach * page.Between(0.8, 1),
              1.2 * page.line());
}
// A wide column, and a narrow one with short lines beside it.
void Sidebar(Sheet& page) {
  const double gap = 2 * page.line(), narrow = kText * page.Between(0.22, 0.3);
  const bool left = page.Happens(0.5);
  const double wide = kText - gap - narrow;
  const auto side = [&](double x) {
    page.StartFlow();
    for (double y = page.Between(100, 110);
         y < kHeight * page.Between(0.5, 0.9); y += page.pitch() * 0.93)
      page.Line(x, y, narrow * page.Between(0.4, 1), 0.85 * page.line());
  };
  if (left) side(kMargin);
  page.StartFlow();
  page.Text(left ? kMargin + narrow + gap : kMargin, 100, wide, kHeight - 150);
  if (!left) side(kMargin + wide + gap);
}
void TableAt(Sheet& page, double x, double y, double w, int rows, int columns) {
  std::vector<double> begin = {x};
  const double first = w * page.Between(0.25, 0.45);
  for (int i = 1; i < columns; ++i)
    begin.push_back(x + first + (w - first) * (i - 1) / (columns - 1));
  const double step = page.pitch() * page.Between(1, 1.5);
  const double cell =
      columns > 1 ? (w - first) / (columns - 1) - page.line() : w;
  for (int row = 0; row < rows; ++row, y += step) {
    for (int i = 0; i < columns; ++i) {
      if (i > 0 && page.Happens(0.15)) continue;
      const double room = (i == 0 ? first - page.line() : cell);
      const double width =
          room * (i == 0 ? page.Between(0.3, 1) : page.Between(0.3, 0.9));
      page.Line(
          i == 0 ? begin[0] : begin[static_cast<size_t>(i)] + room - width, y,
          width);
    }
  }
}
void Table(Sheet& page) {
  const double y = page.Headline(kMargin, 100, kText * 0.6, 1.6 * page.line());
  TableAt(page, kMargin, y, kText, page.Count(8, 30), page.Count(2, 6));
}
// A table of words, as a list of names, places and remarks.
void TableOfText(Sheet& page) {
  const int columns = page.Count(2, 4), rows = page.Count(6, 25);
  const double each = kText / columns;
  const double step = page.pitch() * page.Between(1, 1.6);
  for (int row = 0; row < rows; ++row)
    for (int i = 0; i < columns; ++i)
      page.Line(kMargin + i * each, 120 + row * step,
                (each - 1.5 * page.line()) * page.Between(0.3, 0.97));
}
void TableInText(Sheet& page) {
  double y = page.Text(kMargin, 100, kText, 100 + page.Between(150, 400));
  page.StartFlow();
  y += page.line();
  const int rows = page.Count(4, 9);
  TableAt(page, kMargin + 40, y, kText - 80, rows, page.Count(2, 5));
  page.StartFlow();
  page.Text(kMargin, y + (rows + 1) * 1.5 * page.pitch(), kText, kHeight - 150);
}
void TableInColumn(Sheet& page) {
  InOneColumn(page, [&](double x, double y, double width) {
    y += page.line();
    const int rows = page.Count(4, 8);
    page.StartFlow();
    TableAt(page, x, y, width, rows, page.Count(2, 3));
    page.StartFlow();
    return y + (rows + 1) * 1.5 * page.pitch();
  });
}
void Receipt(Sheet& page) {
  const double w = page.Between(450, 800);
  double y = 80;
  for (int i = page.Count(2, 5); i > 0; --i, y += page.pitch()) {
    const double width = w * page.Between(0.3, 0.8);
    page.Line(kMargin + (w - width) / 2, y, width);
  }
  y += page.line();
  const bool has_count = page.Happens(0.4);
  for (int i = page.Count(4, 18); i > 0; --i, y += page.pitch()) {
    const double name = w * page.Between(0.2, 0.55);
    if (has_count) page.Line(kMargin, y, 1.2 * page.line());
    page.Line(kMargin + (has_count ? 2.5 * page.line() : 0), y, name);
    if (page.Happens(0.2)) {
      y += page.pitch();
      page.Line(kMargin + 2 * page.line(), y, name * page.Between(0.4, 1));
    }
    const double amount = page.line() * page.Between(2, 3.5);
    page.Line(kMargin + w - amount, y + page.Between(-2, 2), amount);
  }
  y += page.line();
  for (int i = page.Count(2, 4); i > 0; --i, y += page.pitch()) {
    page.Line(kMargin + w * 0.3, y, w * page.Between(0.15, 0.3),
              1.1 * page.line());
    const double amount = page.line() * page.Between(2, 3.5);
    page.Line(kMargin + w - amount, y, amount, 1.1 * page.line());
  }
  y += page.line();
  for (int i = page.Count(1, 3); i > 0; --i, y += page.pitch()) {
    const double width = w * page.Between(0.4, 0.9);
    page.Line(kMargin + (w - width) / 2, y, width);
  }
}
// Labels and what was filled in, one or two to a row.
void Form(Sheet& page) {
  double y = page.Headline(kMargin, 100, kText * 0.5, 1.6 * page.line());
  const int fields = page.Count(1, 2);
  const double each = kText / fields;
  for (int row = page.Count(6, 20); row > 0; --row, y += 1.6 * page.pitch()) {
    for (int i = 0; i < fields; ++i) {
      const double x = kMargin + i * each;
      page.Line(x, y, each * page.Between(0.15, 0.3));
      page.Line(x + each * 0.36, y, each * page.Between(0.15, 0.55));
    }
  }
}

struct Kind {
  std::string_view name;
  void (*draw)(Sheet& page);
};
constexpr Kind kKinds[] = {
    {"one column", OneColumn},
    {"two columns", TwoColumns},
    {"three columns", ThreeColumns},
    {"four columns", FourColumns},
    {"newspaper", Newspaper},
    {"articles side by side", ArticlesBeside},
    {"caption over the gutter", CaptionOverGutter},
    {"figure in a column", FigureInColumn},
    {"inset", Inset},
    {"sidebar", Sidebar},
    {"table", Table},
    {"table of text", TableOfText},
    {"table in text", TableInText},
    {"table in a column", TableInColumn},
    {"receipt", Receipt},
    {"form", Form},
};

}  // namespace
}  // namespace drawn

std::span<const std::string_view> LayoutKinds() {
  static const auto names = [] {
    std::array<std::string_view, std::size(drawn::kKinds)> all;
    for (size_t i = 0; i < all.size(); ++i) all[i] = drawn::kKinds[i].name;
    return all;
  }();
  return names;
}

DrawnLayout DrawLayout(std::string_view kind, uint32_t seed) {
  drawn::Sheet page(seed);
  for (const drawn::Kind& each : drawn::kKinds)
    if (each.name == kind) each.draw(page);
  return page.Take();
}

NeighborScore ScoreOrder(const DrawnLayout& layout,
                         std::span<const size_t> order) {
  constexpr size_t kNone = static_cast<size_t>(-1);
  std::vector<size_t> next(layout.quads.size(), kNone);
  for (size_t i = 0; i + 1 < order.size(); ++i) next[order[i]] = order[i + 1];
  NeighborScore score;
  for (const auto& flow : layout.flows) {
    for (size_t i = 0; i + 1 < flow.size(); ++i) {
      score.right += next[flow[i]] == flow[i + 1];
      ++score.all;
    }
  }
  return score;
}

}  // namespace munja::document
