#include "reading/retry/line_retries.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/log.h"

namespace munja::ocr {
namespace {

using geometry::Point;
using geometry::Quad;
using geometry::ShorterSide;
using geometry::Unit;

// By how much the cuts differ from the box, in its heights: less than a stroke
// of a letter, so that no neighbor comes in and nothing is lost.
constexpr float kGrowth[kSecondCuts] = {0.04f, -0.06f, 0.08f};

// What is read with less confidence is no text, or far from it.
constexpr float kHopeless = 0.4f;

// A cut that is read with this confidence ends the looking.
constexpr float kSureCut = 0.95f;

// Fewer lines may be doubtful for any reason.
constexpr size_t kManyLines = 8;

// Text upside down is read with confidence now and then ("SIS", "pod"): what
// stands upright needs to be clearly worse before it is turned.
constexpr float kTurnMargin = 0.1f;

// On an upright page so many lines, and half of all, read well; not counted are
// those of a letter or two, which may be read either way.
constexpr size_t kUprightLines = 8;
constexpr size_t kTellingBytes = 3;

// Heights of a line in which there are letters enough to see which way they
// stand.
constexpr int kEnoughHeights = 5;

// What rounding may add to a mean of probabilities.
constexpr float kAboveOne = 1.0f + 1e-4f;

}  // namespace

Quad Grow(const Quad& quad, float fraction) {
  const float distance = fraction * ShorterSide(quad);
  Quad grown = quad;
  for (int i = 0; i < 4; ++i) {
    const Point next = Unit(quad[i] - quad[(i + 1) % 4]);
    const Point previous = Unit(quad[i] - quad[(i + 3) % 4]);
    grown[i] = quad[i] + next * distance + previous * distance;
  }
  return grown;
}

Quad SecondCut(const Quad& quad, int i) { return Grow(quad, kGrowth[i]); }

float SecondGrowth(const Quad& quad, int i) {
  return kGrowth[i] * ShorterSide(quad);
}

bool MayBecomeText(const Reading& reading) {
  return reading.text.confidence >= kHopeless;
}

bool TakeCut(text::CtcLine& other, const text::CtcLine& first,
             Reading& reading) {
  const bool agrees = other.text == first.text;
  if (agrees && first.confidence > other.confidence)
    reading.text = first;
  else if (agrees || other.confidence > reading.text.confidence)
    std::swap(reading.text, other);
  return agrees || reading.text.confidence >= kSureCut;
}

bool IsUnknownWriting(size_t doubtful, size_t lines) {
  return doubtful >= kManyLines && 4 * doubtful >= 3 * lines;
}

bool StandsUpright(std::span<const Reading> readings) {
  const auto well = static_cast<size_t>(
      std::count_if(readings.begin(), readings.end(), [](const Reading& r) {
        return r.text.confidence >= kReadsWell &&
               r.text.text.size() >= kTellingBytes;
      }));
  return well >= kUprightLines && 2 * well >= readings.size();
}

bool MayBeUpsideDown(const Reading& reading) {
  return reading.text.confidence + kTurnMargin < kAboveOne;
}

bool TellsMore(int a, int b, int height) {
  const int enough = kEnoughHeights * height;
  if ((a >= enough) != (b >= enough)) return a >= enough;
  return a >= enough ? a < b : a > b;
}

bool TakeIfUpsideDown(Reading& turned, Reading& reading) {
  if (!(turned.text.confidence > reading.text.confidence + kTurnMargin))
    return false;
  std::swap(reading, turned);
  return true;
}

bool IsDoneWithout(const Status& status, const char* what) {
  if (status.code() != Code::kOutOfMemory) return false;
  Log(Severity::kWarning,
      std::string(what) + ": " + std::string(status.message()));
  return true;
}

}  // namespace munja::ocr
