#include "reading/orient/quarter_turns.h"

#include <algorithm>
#include <cmath>

#include "base/control.h"
#include "reading/find/line_place.h"

namespace munja::ocr {
namespace {

using geometry::LongerSide;
using geometry::Point;
using geometry::Quad;

// Fewer lines are a sign or a label, which stands as it likes.
constexpr int kMinLines = 3;
// The share of all lines, by their lengths, from which on the others are not
// asked.
constexpr float kMajority = 0.75f;
constexpr size_t kSample = 6;  // Lines that lie alike.
// This many lines that are read well as they lie are enough.
constexpr size_t kUprightSample = 2;
// Lines read with less confidence either way show nothing: columns of Chinese,
// for example, run downwards without being rotated.
constexpr float kMinConfidence = 0.6f;
// The margin in mean confidence of the better way. Upright pages stay.
constexpr double kVoteMargin = 0.06;

// Appends what is read in these lines, one after the other.
Status ReadSample(LineReaders& readers, const image::ImageView& page,
                  std::span<PageLine> lines, std::span<const size_t> sample,
                  Pass pass, std::vector<Reading>* readings) {
  std::vector<ReadingJob> jobs;
  for (const size_t line : sample) jobs.push_back(JobOf(lines, line, pass));
  MUNJA_RETURN_IF_ERROR(readers.Run(page, lines, jobs));
  for (ReadingJob& job : jobs) readings->push_back(std::move(job.result));
  return Status();
}

}  // namespace

Result<int> FindQuarterTurns(LineReaders& readers, const image::ImageView& page,
                             std::span<PageLine> lines) {
  if (!readers.config().rules.Has(Rule::kQuarterTurns)) return 0;
  const std::vector<size_t> sample = TurnSample(lines, readers.config());
  if (sample.empty()) return 0;
  // They are no part of what a page has to be read.
  const ControlScope silent(CurrentControl(), ControlScope::kSilent);
  const std::span<const size_t> all(sample);
  const bool has_classifier = readers.has_classifier();
  std::vector<Reading> readings, turned;
  const bool is_vertical =
      IsVertical(lines[sample[0]].box.quad, readers.config());
  const bool may_be_upright = !is_vertical && !has_classifier;
  const size_t first = may_be_upright ? kUprightSample : all.size();
  MUNJA_RETURN_IF_ERROR(ReadSample(readers, page, lines, all.first(first),
                                   Pass::kFirst, &readings));
  const bool is_upright =
      may_be_upright &&
      std::all_of(readings.begin(), readings.end(), [](const Reading& reading) {
        return reading.text.confidence >= kReliable;
      });
  if (!is_upright) {
    MUNJA_RETURN_IF_ERROR(ReadSample(readers, page, lines, all.subspan(first),
                                     Pass::kFirst, &readings));
    if (!has_classifier)
      MUNJA_RETURN_IF_ERROR(
          ReadSample(readers, page, lines, all, Pass::kUpsideDown, &turned));
    TurnVotes votes;
    for (size_t i = 0; i < readings.size(); ++i)
      votes.Add({&readings[i], i < turned.size() ? &turned[i] : nullptr});
    if (const int turns = votes.Turns(); turns != 0) return turns;
  }
  // The classifier's word on a line is part of what comes next.
  if (has_classifier) return 0;
  for (size_t i = 0; i < readings.size(); ++i) {
    lines[sample[i]].reading = std::move(readings[i]);
    lines[sample[i]].is_read = true;
  }
  return 0;
}

std::vector<size_t> TurnSample(std::span<const PageLine> lines,
                               const RecognizerConfig& config) {
  std::vector<size_t> lying, vertical;
  float lying_length = 0, vertical_length = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].box.is_low_score) continue;
    const Quad& quad = lines[i].box.quad;
    const bool stands = IsVertical(quad, config);
    // A box of one or two letters lies no way.
    if (LineWidth(quad, config) < 2 * config.height) continue;
    (stands ? vertical : lying).push_back(i);
    (stands ? vertical_length : lying_length) += LongerSide(quad);
  }
  const auto by_use = [&](size_t a, size_t b) {
    const int wa = LineWidth(lines[a].box.quad, config);
    const int wb = LineWidth(lines[b].box.quad, config);
    return wa != wb && IsBetterSample(wa, wb, config.height);
  };
  for (std::vector<size_t>* way : {&lying, &vertical}) {
    std::stable_sort(way->begin(), way->end(), by_use);
    if (way->size() < size_t{kMinLines}) way->clear();
    way->resize(std::min(way->size(), kSample));
  }
  const float all = vertical_length + lying_length;
  if (lying_length >= kMajority * all) return lying;
  if (vertical_length >= kMajority * all) return vertical;
  if (vertical_length > lying_length) lying.swap(vertical);
  lying.insert(lying.end(), vertical.begin(), vertical.end());
  return lying;
}

void TurnVotes::Add(std::array<const Reading*, 2> ways) {
  float best = 0;
  for (const Reading* way : ways)
    if (way != nullptr) best = std::max(best, way->text.confidence);
  if (best < kMinConfidence) return;
  for (const Reading* way : ways) {
    if (way == nullptr) continue;
    const Point along = way->polygon[1] - way->polygon[0];
    const size_t turns = std::abs(along.x) >= std::abs(along.y)
                             ? (along.x >= 0 ? 0 : 2)
                             : (along.y < 0 ? 1 : 3);
    votes_[turns].confidence += way->text.confidence;
    ++votes_[turns].lines;
    votes_[turns].wins += way->text.confidence == best;
  }
}

int TurnVotes::Turns() const {
  const auto mean = [](const Votes& v) {
    return v.lines == 0 ? 0.0 : v.confidence / v.lines;
  };
  int lines = 0;
  for (const Votes& v : votes_) lines = std::max(lines, v.lines);
  size_t best = 0;
  // Where a classifier turns single lines, few say the other way.
  const auto speaks = [&](const Votes& v) { return 2 * v.lines > lines; };
  for (size_t turns = 1; turns < votes_.size(); ++turns)
    if (speaks(votes_[turns]) && mean(votes_[turns]) > mean(votes_[best]))
      best = turns;
  if (votes_[best].lines < kMinLines ||
      3 * votes_[best].wins < 2 * votes_[best].lines)
    return 0;
  for (size_t turns = 0; turns < votes_.size(); ++turns)
    if (turns != best && speaks(votes_[turns]) &&
        mean(votes_[best]) < mean(votes_[turns]) + kVoteMargin)
      return 0;
  return static_cast<int>(best);
}

}  // namespace munja::ocr
