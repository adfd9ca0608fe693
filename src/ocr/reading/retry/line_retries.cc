#include "reading/retry/line_retries.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "reading/find/line_place.h"
#include "reading/find/out_of_memory.h"
#include "reading/read/text_evidence.h"

namespace munja::ocr {
namespace {

using geometry::Point;
using geometry::Quad;
using geometry::ShorterSide;
using geometry::Unit;

// How far the sides of the crops lie outside the box, in its heights: less than
// a stroke of a letter, so that no neighbor comes in and nothing is lost.
constexpr float kGrowth[kRecrops] = {0.04f, -0.06f, 0.08f};

// Readings with less confidence are no text, or far from it.
constexpr float kHopeless = 0.4f;

// A crop that is read with this confidence ends the retries.
constexpr float kSettled = 0.95f;

// Fewer lines may have low confidence for any reason.
constexpr size_t kManyLines = 8;

// Text upside down is read with confidence now and then ("SIS", "pod"): what
// stands upright needs to be clearly worse before it is turned.
constexpr float kTurnMargin = 0.1f;

// On an upright page so many lines, and half of all, read well. Lines of a
// letter or two, which may be read either way, are not counted.
constexpr size_t kUprightLines = 8;
constexpr size_t kMinUprightBytes = 3;

// How many low-confidence lines of another page show whether it is upside down.
constexpr size_t kUpsideDownSample = 4;

// Lines with less confidence may be upside down also where others are not.
constexpr float kHardlyRead = 0.88f;
// They must then show so many letters: one alone may be read in any speck, and
// three digits are digits upside down, too. A line that is shorter than this,
// in its heights, has no room for them.
constexpr float kSureText = 3.5f;
constexpr float kRoomForText = 1.5f;

// The largest mean of probabilities, with its rounding.
constexpr float kAboveOne = 1.0f + 1e-4f;

bool AcceptExact(Reading& again, const text::CtcLine&, Reading& reading) {
  std::swap(reading, again);
  return true;
}

struct LineRetry {
  Pass pass;
  int attempts;
  // Whether the reading may be replaced.
  bool (*may_help)(const Reading& reading);
  // Takes the new reading if it is better. `first`: the reading in the box of
  // the line, before any other crop. Returns whether the line needs no other
  // attempt.
  bool (*accept)(Reading& again, const text::CtcLine& first, Reading& reading);
};
constexpr LineRetry kExact = {Pass::kExact, 1, MayBecomeText, AcceptExact};
bool AcceptSurer(Reading& again, const text::CtcLine&, Reading& reading) {
  text::CtcLine nothing;
  nothing.text = "\n";  // Which no crop gives.
  return AcceptRecrop(again, nothing, reading);
}

constexpr LineRetry kOtherCrops = {Pass::kRecrop, kRecrops, MayBecomeText,
                                   AcceptRecrop};
constexpr LineRetry kSurerCrops = {Pass::kRecrop, kRecrops, MayBecomeText,
                                   AcceptSurer};
constexpr LineRetry kUpsideDown = {Pass::kUpsideDown, 1, MayBeUpsideDown,
                                   AcceptUpsideDown};

bool AcceptReliable(Reading& again, const text::CtcLine& first,
                    Reading& reading) {
  return again.text.confidence >= kReliable &&
         TextEvidence(again.text) >= kSureText &&
         AcceptUpsideDown(again, first, reading);
}

constexpr LineRetry kAloneUpsideDown = {Pass::kUpsideDown, 1, MayBeUpsideDown,
                                        AcceptReliable};

// The retries of one page.
class Retries {
 public:
  Retries(LineReaders& readers, const image::ImageView& page,
          std::span<PageLine> lines)
      : readers_(readers), page_(page), lines_(lines), first_(lines.size()) {
    FindLowConfidence();
  }

  Status Run() {
    // A page in an unknown script is not worth the time.
    const Rules& rules = readers_.config().rules;
    const auto is_unknown_script = [&](size_t lines) {
      return rules.Has(Rule::kUnknownPages) &&
             IsUnknownScript(low_confidence_.size(), lines);
    };
    if (readers_.has_exact() && rules.Has(Rule::kExactReading) &&
        !is_unknown_script(lines_.size())) {
      MUNJA_RETURN_IF_ERROR(Retry(kExact, low_confidence_));
      FindLowConfidence();
    }
    const auto low_scores = std::count_if(
        lines_.begin(), lines_.end(),
        [](const PageLine& line) { return line.box.is_low_score; });
    const bool is_unknown =
        is_unknown_script(lines_.size() - static_cast<size_t>(low_scores));
    if (!is_unknown && rules.Has(Rule::kOtherCuts))
      MUNJA_RETURN_IF_ERROR(
          Retry(rules.Has(Rule::kAgreeingCuts) ? kOtherCrops : kSurerCrops,
                low_confidence_));
    if (readers_.has_classifier() || !rules.Has(Rule::kUpsideDown))
      return Status();
    return RetryUpsideDown(is_unknown);
  }

 private:
  // A line that no attempt has settled yet, and what was read in its box.
  struct Open {
    size_t line;
    const text::CtcLine* first;
  };

  void FindLowConfidence() {
    low_confidence_.clear();
    for (size_t i = 0; i < lines_.size(); ++i)
      if (lines_[i].reading.text.confidence < readers_.config().second_look &&
          !lines_[i].box.is_low_score) {
        low_confidence_.push_back(i);
        first_[i] = lines_[i].reading.text;
      }
  }

  // Sets settled_.
  Status Retry(const LineRetry& retry, std::span<const size_t> lines) {
    settled_.clear();
    std::vector<Open> open;
    for (const size_t i : lines)
      if (retry.may_help(lines_[i].reading)) open.push_back({i, &first_[i]});
    std::vector<ReadingJob> jobs;
    for (int i = 0; i < retry.attempts && !open.empty(); ++i) {
      jobs.clear();
      for (const Open& line : open) {
        ReadingJob& job =
            jobs.emplace_back(JobOf(lines_, line.line, retry.pass));
        if (retry.pass != Pass::kRecrop) continue;
        job.growth = RecropGrowth(job.quad, i);
        job.quad = Recrop(job.quad, i);
      }
      MUNJA_RETURN_IF_ERROR(readers_.Run(page_, lines_, jobs));
      size_t next = 0;
      std::erase_if(open, [&](const Open& line) {
        if (!retry.accept(jobs[next++].result, *line.first,
                          lines_[line.line].reading))
          return false;
        settled_.push_back(line.line);
        return true;
      });
    }
    return Status();
  }

  // Vertical lines, a few others, and the rest if one of these is upside down.
  Status RetryUpsideDown(bool is_unknown) {
    const RecognizerConfig& config = readers_.config();
    std::vector<size_t> lines = low_confidence_;
    std::erase_if(
        lines, [&](size_t i) { return !MayBeUpsideDown(lines_[i].reading); });
    // Which way a vertical line runs is a guess for each of them.
    const auto is_vertical = [&](size_t i) {
      return !is_unknown && IsVertical(lines_[i].box.quad, config);
    };
    const auto others =
        std::stable_partition(lines.begin(), lines.end(), is_vertical);
    std::sort(others, lines.end(), [&](size_t a, size_t b) {
      const int wa = LineWidth(lines_[a].box.quad, config);
      const int wb = LineWidth(lines_[b].box.quad, config);
      return wa != wb ? IsBetterSample(wa, wb, config.height) : a < b;
    });
    const size_t sample = IsUpright(lines_) ? 0 : kUpsideDownSample;
    const size_t first = std::min(
        lines.size(), static_cast<size_t>(others - lines.begin()) + sample);
    const std::span<const size_t> all(lines);
    MUNJA_RETURN_IF_ERROR(Retry(kUpsideDown, all.first(first)));
    if (!std::all_of(settled_.begin(), settled_.end(), is_vertical))
      return Retry(kUpsideDown, all.subspan(first));
    // Others of these may be, but then they are read well that way.
    return is_unknown ? Status() : RetryAlone(all.subspan(first));
  }

  // A few of these lines that are some text, and the rest if one of them is
  // upside down.
  Status RetryAlone(std::span<const size_t> lines) {
    const RecognizerConfig& config = readers_.config();
    const float room = kRoomForText * static_cast<float>(config.height);
    std::vector<size_t> alone(lines.begin(), lines.end());
    std::erase_if(alone, [&](size_t i) {
      return first_[i].confidence >= kHardlyRead ||
             static_cast<float>(LineWidth(lines_[i].box.quad, config)) < room;
    });
    const auto hopeless = std::stable_partition(
        alone.begin(), alone.end(),
        [&](size_t i) { return MayBecomeText(lines_[i].reading); });
    const std::span<const size_t> all(alone);
    const size_t first = std::min(static_cast<size_t>(hopeless - alone.begin()),
                                  kUpsideDownSample);
    MUNJA_RETURN_IF_ERROR(Retry(kAloneUpsideDown, all.first(first)));
    if (settled_.empty()) return Status();
    return Retry(kAloneUpsideDown, all.subspan(first));
  }

  LineReaders& readers_;
  const image::ImageView& page_;
  std::span<PageLine> lines_;
  std::vector<size_t> low_confidence_;
  std::vector<text::CtcLine> first_;  // These lines, read in their boxes.
  std::vector<size_t> settled_;       // By the last retry.
};

}  // namespace

Status RetryLines(LineReaders& readers, const image::ImageView& page,
                  std::span<PageLine> lines) {
  Status status = Retries(readers, page, lines).Run();
  if (IsSkippedForMemory(status, "low-confidence lines are not all re-read"))
    return Status();
  return status;
}

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

Quad Recrop(const Quad& quad, int i) { return Grow(quad, kGrowth[i]); }

float RecropGrowth(const Quad& quad, int i) {
  return kGrowth[i] * ShorterSide(quad);
}

bool MayBecomeText(const Reading& reading) {
  return reading.text.confidence >= kHopeless;
}

bool AcceptRecrop(Reading& again, const text::CtcLine& first,
                  Reading& reading) {
  text::CtcLine& other = again.text;
  const bool agrees = other.text == first.text;
  if (agrees && first.confidence > other.confidence)
    reading.text = first;
  else if (agrees || other.confidence > reading.text.confidence)
    std::swap(reading.text, other);
  return agrees || reading.text.confidence >= kSettled;
}

bool IsUnknownScript(size_t low_confidence, size_t lines) {
  return low_confidence >= kManyLines && 4 * low_confidence >= 3 * lines;
}

bool MayBeUpsideDown(const Reading& reading) {
  return reading.text.confidence + kTurnMargin < kAboveOne;
}

bool AcceptUpsideDown(Reading& again, const text::CtcLine& first,
                      Reading& reading) {
  const float sure = again.text.confidence;
  // The surest of several crops of any line has some confidence.
  const bool is_surer_than_first = sure > first.confidence + kTurnMargin &&
                                   sure > reading.text.confidence &&
                                   TextEvidence(again.text) >= kSureText;
  if (!is_surer_than_first && !(sure > reading.text.confidence + kTurnMargin))
    return false;
  std::swap(reading, again);
  return true;
}

bool IsUpright(std::span<const PageLine> lines) {
  const auto well = static_cast<size_t>(
      std::count_if(lines.begin(), lines.end(), [](const PageLine& line) {
        return line.reading.text.confidence >= kReliable &&
               line.reading.text.text.size() >= kMinUprightBytes;
      }));
  return well >= kUprightLines && 2 * well >= lines.size();
}

}  // namespace munja::ocr
