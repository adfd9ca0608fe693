#include "ocr/second_look.h"

#include <algorithm>
#include <utility>

namespace munja::ocr {
namespace {

using geometry::Length;
using geometry::Point;
using geometry::Quad;

// By how much the cuts differ from the box, in its heights: less than a stroke
// of a letter, so that no neighbor comes in and nothing is lost.
constexpr float kGrowth[] = {0.08f, -0.06f, 0.04f};

// Text upside down is read with confidence now and then ("SIS", "pod"): what
// stands upright needs to be clearly worse before it is turned.
constexpr float kTurnMargin = 0.1f;

Point Unit(Point p) {
  const float length = Length(p);
  return length > 0 ? p * (1.0f / length) : Point{};
}

Status ReadAgain(const image::ImageView& page, const Quad& quad, bool turn,
                 float margin, Recognizer& recognizer, Reading& best) {
  auto line = CutLine(page, quad, recognizer.contract());
  if (!line.ok()) {
    // A box that shrinks to nothing has nothing to say.
    if (line.status().code() == Code::kInvalidArgument) return Status();
    return std::move(line).TakeStatus();
  }
  if (turn) MUNJA_RETURN_IF_ERROR(TurnAround(*line));
  MUNJA_ASSIGN_OR_RETURN(text::CtcText text,
                         recognizer.Read(line->pixels.view()));
  if (text.confidence > best.text.confidence + margin)
    best = {std::move(text), line->polygon};
  return Status();
}

}  // namespace

Quad Grow(const Quad& quad, float fraction) {
  const float distance =
      fraction * std::min(Length(quad[1] - quad[0]), Length(quad[3] - quad[0]));
  Quad grown = quad;
  for (int i = 0; i < 4; ++i) {
    const Point next = Unit(quad[i] - quad[(i + 1) % 4]);
    const Point previous = Unit(quad[i] - quad[(i + 3) % 4]);
    grown[i] = quad[i] + next * distance + previous * distance;
  }
  return grown;
}

Status SecondLook(const image::ImageView& page, const Quad& quad,
                  bool is_turned, bool try_upside_down, Recognizer& recognizer,
                  Reading& reading) {
  const Quad polygon = reading.polygon;  // The box's, not that of a wider cut.
  for (const float growth : kGrowth) {
    MUNJA_RETURN_IF_ERROR(ReadAgain(page, Grow(quad, growth), is_turned, 0.0f,
                                    recognizer, reading));
  }
  reading.polygon = polygon;
  if (!try_upside_down) return Status();
  return ReadAgain(page, quad, !is_turned, kTurnMargin, recognizer, reading);
}

}  // namespace munja::ocr
