#include "synth/distractors.h"

#include <algorithm>
#include <cmath>

#include "synth/texture.h"

namespace munja::train {
namespace {

constexpr float kTurn = 6.2831853f;

// A point of `box`, coordinates 0 to 1.
Point In(const Box& box, float x, float y) {
  return {box.left + x * box.width(), box.top + y * box.height()};
}

Point RandomPlace(Random& random, const Box& box) {
  const float y = random.Unit(), x = random.Unit();
  return In(box, x, y);
}

void AddStroke(Path& path, const std::vector<Point>& points, float thickness) {
  for (size_t i = 0; i + 1 < points.size(); ++i)
    path.AddSegment(points[i], points[i + 1], thickness);
}

Path RegularPolygon(Point center, float radius, int corners, float phase,
                    bool star) {
  std::vector<Point> points;
  const int count = star ? 2 * corners : corners;
  for (int i = 0; i < count; ++i) {
    const float a =
        phase + kTurn * static_cast<float>(i) / static_cast<float>(count);
    const float r = star && (i & 1) ? radius * 0.45f : radius;
    points.push_back({center.x + r * std::cos(a), center.y + r * std::sin(a)});
  }
  Path path;
  path.AddPolygon(points);
  return path;
}

// A small map that turns and shears what is drawn around the middle of a box in
// the picture.
PageMap Tilted(Random& random, const Box& box, float tilt) {
  const float w = box.width(), h = box.height();
  const Placement turn =
      Placement::Rotated(box.center(), random.Normal() * tilt);
  const auto corner = [&](float x, float y) {
    return turn({x * w * (1 + random.Uniform(-0.15f, 0.15f)),
                 y * h * (1 + random.Uniform(-0.15f, 0.15f))});
  };
  return PageMap(w, h,
                 {corner(-0.5f, -0.5f), corner(0.5f, -0.5f), corner(0.5f, 0.5f),
                  corner(-0.5f, 0.5f)});
}

void DrawStripes(Canvas& canvas, Random& random, const PageMap& map,
                 const Box& box, Color color) {
  Path path;
  const bool upright = random.Chance(0.5f);
  const float size = upright ? box.width() : box.height();
  const float period = std::max(random.LogUniform(0.03f, 0.3f) * size, 3.0f),
              filled = random.Uniform(0.15f, 0.7f);
  for (float at = 0; at + period <= size; at += period) {
    if (upright)
      path.AddBox({box.left + at, box.top, box.left + at + period * filled,
                   box.bottom});
    else
      path.AddBox(
          {box.left, box.top + at, box.right, box.top + at + period * filled});
  }
  canvas.Fill(path, map, {.color = color, .opacity = random.Uniform(0.4f, 1)});
}

void DrawGrid(Canvas& canvas, Random& random, const PageMap& map,
              const Box& box, Color color) {
  Path path;
  const int columns = random.Integer(2, 8), rows = random.Integer(2, 8);
  const float w = box.width() / static_cast<float>(columns),
              h = box.height() / static_cast<float>(rows);
  const float margin = random.Uniform(0.05f, 0.35f) * std::min(w, h);
  const int shape = random.Integer(0, 2);
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      const Box cell{box.left + w * static_cast<float>(c),
                     box.top + h * static_cast<float>(r),
                     box.left + w * static_cast<float>(c + 1),
                     box.top + h * static_cast<float>(r + 1)};
      const Box inner = cell.Inset(margin);
      if (shape == 0)
        path.AddBox(inner);
      else if (shape == 1)
        path.AddEllipse(inner.center(), inner.width() / 2, inner.height() / 2);
      else
        path.AddFrame(inner, std::max(margin * 0.5f, 1.0f));
    }
  }
  canvas.Fill(path, map, {.color = color, .opacity = random.Uniform(0.5f, 1)});
}

void DrawLeaves(Canvas& canvas, Random& random, const PageMap& map,
                const Box& box, Color color) {
  const Color other = Mix(color, RandomColor(random), 0.3f);
  Path dark, light;
  const float size =
      random.LogUniform(0.04f, 0.2f) * std::max(box.width(), box.height());
  for (int i = random.Integer(10, 60); i > 0; --i) {
    const Point at = RandomPlace(random, box);
    const float a = random.Uniform(0, kTurn),
                length = size * random.Uniform(0.5f, 1.2f),
                wide = length * 0.35f;
    const Point tip = at + Point{std::cos(a), std::sin(a)} * length,
                side = Point{-std::sin(a), std::cos(a)} * wide;
    const Point middle = (at + tip) * 0.5f;
    Path& path = random.Chance(0.5f) ? dark : light;
    path.MoveTo(at);
    path.QuadraticTo(middle + side, tip);
    path.QuadraticTo(middle - side, at);
  }
  canvas.Fill(dark, map, {.color = color});
  canvas.Fill(light, map, {.color = other});
}

void DrawCables(Canvas& canvas, Random& random, const PageMap& map,
                const Box& box, Color color) {
  Path path;
  const float thickness = random.LogUniform(1, 6);
  for (int i = random.Integer(1, 5); i > 0; --i) {
    const float from_y = random.Unit(), from_x = random.Uniform(-0.5f, 0.2f);
    const float to_y = random.Unit(), to_x = random.Uniform(0.8f, 1.5f);
    const Point from = In(box, from_x, from_y), to = In(box, to_x, to_y);
    const float sag = random.Uniform(0, 0.4f) * box.height();
    std::vector<Point> points;
    for (int k = 0; k <= 12; ++k) {
      const float t = static_cast<float>(k) / 12;
      points.push_back(from + (to - from) * t +
                       Point{0, 4 * sag * t * (1 - t)});
    }
    AddStroke(path, points, thickness);
  }
  canvas.Fill(path, map, {.color = color});
}

void DrawShapes(Canvas& canvas, Random& random, const PageMap& map,
                const Box& box, Color color) {
  Path path;
  const Point center = box.center();
  const float radius = std::min(box.width(), box.height()) / 2;
  switch (random.Integer(0, 4)) {
    case 0:
      path.AddEllipse(center, box.width() / 2, box.height() / 2);
      break;
    case 1: {
      path.AddEllipse(center, radius, radius);
      const float ry = radius * random.Uniform(0.5f, 0.95f),
                  rx = radius * random.Uniform(0.5f, 0.95f);
      path.AddEllipse(center, rx, ry, true);
      break;
    }
    case 2: {
      const float corner = random.Chance(0.5f) ? radius * random.Unit() : 0;
      path.AddFrame(box, random.LogUniform(1.5f, 12), corner);
      break;
    }
    case 3: {
      const bool star = random.Chance(0.4f);
      const float phase = random.Uniform(0, kTurn);
      path = RegularPolygon(center, radius, random.Integer(3, 8), phase, star);
      break;
    }
    default:
      path.AddRoundBox(box, random.Chance(0.5f) ? radius * random.Unit() : 0);
      break;
  }
  const Paint paint{.color = color,
                    .opacity = random.Uniform(0.4f, 1),
                    .to = RandomColor(random),
                    .gradient = random.Chance(0.3f),
                    .gradient_x = random.Chance(0.5f)};
  canvas.Fill(path, map, paint);
}

}  // namespace

void DrawIcon(Canvas& canvas, Random& random, const PageMap& map,
              const Box& box, Color color) {
  Path path;
  const float size = std::min(box.width(), box.height()),
              line = size * random.Uniform(0.06f, 0.14f);
  const Point center = box.center();
  const Box square{center.x - size / 2, center.y - size / 2,
                   center.x + size / 2, center.y + size / 2};
  switch (random.Integer(0, 11)) {
    case 0:  // Lines of a menu.
      for (int i = 0; i < 3; ++i)
        path.AddSegment(In(square, 0.1f, 0.2f + 0.3f * static_cast<float>(i)),
                        In(square, 0.9f, 0.2f + 0.3f * static_cast<float>(i)),
                        line);
      break;
    case 1:  // Magnifying glass.
      path.AddEllipse(In(square, 0.4f, 0.4f), size * 0.32f, size * 0.32f);
      path.AddEllipse(In(square, 0.4f, 0.4f), size * 0.32f - line,
                      size * 0.32f - line, true);
      path.AddSegment(In(square, 0.62f, 0.62f), In(square, 0.95f, 0.95f),
                      line * 1.3f);
      break;
    case 2:
      path = RegularPolygon(center, size / 2, 5, -kTurn / 4, true);
      break;
    case 3:  // House.
      path.AddPolygon(std::vector<Point>{
          In(square, 0.5f, 0.05f), In(square, 1, 0.5f), In(square, 0, 0.5f)});
      path.AddBox({square.left + size * 0.18f, square.top + size * 0.5f,
                   square.right - size * 0.18f, square.bottom});
      break;
    case 4:  // Envelope.
      path.AddFrame({square.left, square.top + size * 0.15f, square.right,
                     square.bottom - size * 0.15f},
                    line);
      AddStroke(
          path,
          {In(square, 0, 0.15f), In(square, 0.5f, 0.6f), In(square, 1, 0.15f)},
          line);
      break;
    case 5:
      DrawArrow(canvas, random, map, square, color);
      return;
    case 6:  // Cog.
      for (int i = 0; i < 8; ++i) {
        const float a = kTurn * static_cast<float>(i) / 8;
        path.AddSegment(center,
                        center + Point{std::cos(a), std::sin(a)} * (size / 2),
                        line * 1.5f);
      }
      path.AddEllipse(center, size * 0.35f, size * 0.35f);
      break;
    case 7:  // Person.
      path.AddEllipse(In(square, 0.5f, 0.25f), size * 0.2f, size * 0.2f);
      path.AddRoundBox({square.left + size * 0.15f, square.top + size * 0.52f,
                        square.right - size * 0.15f, square.bottom},
                       size * 0.3f);
      break;
    case 8:  // Plus, cross.
      path.AddSegment(In(square, 0.5f, 0), In(square, 0.5f, 1), line * 1.5f);
      path.AddSegment(In(square, 0, 0.5f), In(square, 1, 0.5f), line * 1.5f);
      break;
    case 9:  // Check mark in a box.
      path.AddFrame(square, line, size * 0.15f);
      AddStroke(path,
                {In(square, 0.2f, 0.5f), In(square, 0.42f, 0.75f),
                 In(square, 0.85f, 0.2f)},
                line);
      break;
    case 10:  // Handset, moon: two overlapping circles.
      path.AddEllipse(center, size / 2, size / 2);
      path.AddEllipse(In(square, 0.7f, 0.4f), size * 0.4f, size * 0.4f, true);
      break;
    default:  // Anything.
      for (int i = random.Integer(2, 5); i > 0; --i) {
        const Point a = RandomPlace(random, square);
        if (random.Chance(0.6f)) {
          path.AddSegment(a, RandomPlace(random, square), line);
        } else {
          const float ry = size * random.Uniform(0.05f, 0.3f),
                      rx = size * random.Uniform(0.05f, 0.3f);
          path.AddEllipse(a, rx, ry);
        }
      }
  }
  canvas.Fill(path, map, {.color = color});
}

void DrawArrow(Canvas& canvas, Random& random, const PageMap& map,
               const Box& box, Color color) {
  const float head = random.Uniform(0.3f, 0.55f),
              shaft = random.Uniform(0.12f, 0.3f);
  std::vector<Point> points = {
      {0, 0.5f - shaft}, {1 - head, 0.5f - shaft}, {1 - head, 0},    {1, 0.5f},
      {1 - head, 1},     {1 - head, 0.5f + shaft}, {0, 0.5f + shaft}};
  const int turn = random.Integer(0, 3);
  for (Point& p : points) {
    if (turn == 1) p = {1 - p.x, p.y};
    if (turn == 2) p = {p.y, p.x};
    if (turn == 3) p = {p.y, 1 - p.x};
    p = In(box, p.x, p.y);
  }
  Path path;
  path.AddPolygon(points);
  canvas.Fill(path, map, {.color = color});
}

void DrawBarcode(Canvas& canvas, Random& random, const PageMap& map,
                 const Box& box, Color color) {
  Path path;
  const int modules = random.Integer(50, 110);
  const float unit = box.width() / static_cast<float>(modules);
  for (float x = box.left; x < box.right - unit;) {
    const float bar = unit * static_cast<float>(random.Integer(1, 3));
    path.AddBox({x, box.top, std::min(x + bar, box.right), box.bottom});
    x += bar + unit * static_cast<float>(random.Integer(1, 3));
  }
  canvas.Fill(path, map, {.color = color});
}

void DrawMatrixCode(Canvas& canvas, Random& random, const PageMap& map,
                    const Box& box, Color color) {
  const int modules = 21 + 4 * random.Integer(0, 4);
  const float size = std::min(box.width(), box.height()),
              unit = size / static_cast<float>(modules);
  const auto cell = [&](int x, int y, int n) {
    return Box{box.left + unit * static_cast<float>(x),
               box.top + unit * static_cast<float>(y),
               box.left + unit * static_cast<float>(x + n),
               box.top + unit * static_cast<float>(y + n)};
  };
  Path path;
  for (int corner = 0; corner < 3; ++corner) {
    const int x = corner == 1 ? modules - 7 : 0,
              y = corner == 2 ? modules - 7 : 0;
    path.AddFrame(cell(x, y, 7), unit);
    path.AddBox(cell(x + 2, y + 2, 3));
  }
  for (int y = 0; y < modules; ++y) {
    uint64_t bits = random.Bits();
    for (int x = 0; x < modules; ++x, bits >>= 1) {
      const bool finder = (x < 8 && y < 8) || (x >= modules - 8 && y < 8) ||
                          (x < 8 && y >= modules - 8);
      if (!finder && (bits & 1)) path.AddBox(cell(x, y, 1));
    }
  }
  canvas.Fill(path, map, {.color = color});
}

void DrawPhoto(Canvas& canvas, Random& random, const PageMap& map,
               const Box& box) {
  Path path;
  path.AddRoundBox(box, random.Chance(0.2f) ? 8.0f : 0.0f);
  const Color color = RandomColor(random, 40, 220);
  canvas.builder().Add(path, map);
  const Coverage coverage = canvas.builder().Take();
  canvas.Fill(
      coverage,
      {.color = color, .to = RandomColor(random, 40, 220), .gradient = true});
  const float cell = std::max(box.width() * random.Uniform(0.1f, 0.4f), 4.0f);
  if (!coverage.empty()) {
    const float strength = random.Uniform(0.2f, 1);
    ModulateWith(canvas, coverage,
                 SmoothNoise(random, canvas.width(), canvas.height(),
                             {{cell, cell, 1}, {cell / 4, cell / 4, 0.6f}}),
                 strength);
  }
  for (int i = random.Integer(0, 4); i > 0; --i) {  // Something to see.
    const float y = random.Uniform(0.2f, 0.8f), x = random.Uniform(0.2f, 0.8f);
    const Point at = In(box, x, y);
    const float rx = box.width() * random.Uniform(0.05f, 0.2f),
                ry = box.height() * random.Uniform(0.05f, 0.2f);
    DrawShapes(canvas, random, map,
               {at.x - rx, at.y - ry, at.x + rx, at.y + ry},
               RandomColor(random));
  }
}

void DrawChart(Canvas& canvas, Random& random, const PageMap& map,
               const Box& box, Color color) {
  Path axes, data;
  axes.AddSegment(In(box, 0, 0), In(box, 0, 1), 1.2f);
  axes.AddSegment(In(box, 0, 1), In(box, 1, 1), 1.2f);
  const int count = random.Integer(4, 12);
  const float step = 1.0f / static_cast<float>(count);
  const bool bars = random.Chance(0.6f);
  std::vector<Point> curve;
  for (int i = 0; i < count; ++i) {
    const float x = step * static_cast<float>(i),
                y = random.Uniform(0.05f, 0.95f);
    if (bars) {
      const Point a = In(box, x + step * 0.2f, y),
                  b = In(box, x + step * 0.8f, 1);
      data.AddBox({a.x, a.y, b.x, b.y});
    } else {
      curve.push_back(In(box, x + step / 2, y));
    }
  }
  AddStroke(data, curve, random.Uniform(1, 3));
  canvas.Fill(axes, map, {.color = color});
  canvas.Fill(
      data, map,
      {.color = random.Chance(0.5f) ? color : RandomColor(random, 30, 180)});
}

void DrawScribble(Canvas& canvas, Random& random, const PageMap& map,
                  const Box& box, Color color) {
  Path path;
  std::vector<Point> points;
  const int loops = random.Integer(3, 8);
  const float high = random.Uniform(0.2f, 0.5f);
  for (int i = 0; i <= loops * 10; ++i) {
    const float t = static_cast<float>(i) / static_cast<float>(loops * 10),
                a = kTurn * t * static_cast<float>(loops);
    points.push_back(
        In(box, t * 0.85f + 0.08f * std::cos(a),
           0.5f + high * std::sin(a) * (0.4f + 0.6f * std::cos(t * 5))));
  }
  AddStroke(path, points, random.Uniform(1, 2.5f));
  canvas.Fill(path, map, {.color = color});
}

void ScatterDistractors(Canvas& canvas, Random& random, int count) {
  const float width = static_cast<float>(canvas.width()),
              height = static_cast<float>(canvas.height());
  for (int i = 0; i < count; ++i) {
    const float w = random.LogUniform(0.04f, 0.7f) * width,
                h = w * random.LogUniform(0.25f, 3.0f);
    const Point at{random.Uniform(0, width), random.Uniform(0, height)};
    const Box place{at.x - w / 2, at.y - h / 2, at.x + w / 2, at.y + h / 2},
        box{0, 0, w, h};
    const PageMap map =
        Tilted(random, place, random.Chance(0.6f) ? 0.05f : 0.8f);
    const Color below = canvas.Average(
        static_cast<int>(place.left), static_cast<int>(place.top),
        static_cast<int>(w), static_cast<int>(h));
    const Color color =
        random.Chance(0.7f)
            ? RandomContrast(random, below, random.Uniform(10, 100))
            : RandomColor(random);
    const float weights[] = {2.0f, 1.5f, 1.5f, 1.2f, 1,
                             1.2f, 0.5f, 0.4f, 0.5f, 0.4f};
    switch (random.Weighted(weights)) {
      case 0:
        DrawShapes(canvas, random, map, box, color);
        break;
      case 1:
        DrawStripes(canvas, random, map, box, color);
        break;
      case 2:
        DrawGrid(canvas, random, map, box, color);
        break;
      case 3:
        DrawLeaves(canvas, random, map, box, color);
        break;
      case 4:
        DrawCables(canvas, random, map, box, color);
        break;
      case 5:
        DrawIcon(canvas, random, map, box, color);
        break;
      case 6:
        DrawBarcode(canvas, random, map, box, color);
        break;
      case 7:
        DrawMatrixCode(canvas, random, map, box, color);
        break;
      case 8:
        DrawArrow(canvas, random, map, box, color);
        break;
      default:
        DrawPhoto(canvas, random, map, box);
        break;
    }
  }
}

}  // namespace munja::train
