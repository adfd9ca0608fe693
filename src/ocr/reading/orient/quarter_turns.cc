#include "reading/orient/quarter_turns.h"

#include <algorithm>
#include <cmath>

#include "base/control.h"
#include "reading/find/line_place.h"
#include "reading/orient/stacks.h"
#include "reading/read/cropper.h"
#include "reading/read/text_evidence.h"

namespace munja::ocr {
namespace {

using geometry::LongerSide;
using geometry::Point;
using geometry::Quad;

// Fewer lines may be a sign or a label, which stands as it likes. Their text
// must say clearly which way the page stands.
constexpr int kMinLines = 3;
// Clear is so much evidence, and so many times that of each other way.
constexpr float kClearEvidence = 8;
constexpr float kClearRatio = 1.4f;
// So many lines that are read any way are enough not to ask shorter ones.
constexpr int kCast = 2;
// The share of all lines, by their lengths, from which on the others are not
// asked.
constexpr float kMajority = 0.75f;
constexpr size_t kSample = 6;  // Lines that lie alike.
// This many lines that are read well as they lie are enough.
constexpr size_t kUprightSample = 2;
// Where longer lines show nothing, so many short ones are read.
constexpr size_t kShortSample = 12;
// The part of a line's evidence by which one way must be ahead. Upright pages
// stay.
constexpr float kVoteMargin = 0.12f;
// Less evidence for each height of a line's length speaks for nothing: columns
// of Chinese, for example, run downwards without being rotated.
constexpr float kLeastEvidence = 0.3f;
// So many lines of a stack show which way they are read.
constexpr size_t kCellSample = 4;
// Where so many lines are none, the others of the sample are not asked.
constexpr int kStackSample = 2;

// By how many quarter turns clockwise a line comes upright that starts in the
// first corner and runs to the second.
size_t TurnsOf(const Quad& polygon) {
  const Point along = polygon[1] - polygon[0];
  if (std::abs(along.x) >= std::abs(along.y)) return along.x >= 0 ? 0 : 2;
  return along.y < 0 ? 1 : 3;
}

float MostOf(const TurnVotes::Evidence& evidence) {
  return *std::max_element(evidence.begin(), evidence.end());
}

// Adds what speaks for short lines across a box, either way. `is_likely`: the
// box alone says so, whether or not there are clear gaps in its ink.
Status AddAcross(LineReaders& readers, const image::ImageView& page,
                 const PageLine& line, bool is_likely,
                 TurnVotes::Evidence* evidence) {
  MUNJA_ASSIGN_OR_RETURN(const LineImage crop,
                         CutLine(page, line.box.quad, readers.config()));
  const Stack stack = StackIn(crop);
  if (!is_likely && !stack.is_spaced) return Status();
  std::vector<PageLine> cells;
  for (const Quad& quad : stack.cells) {
    if (cells.size() == kCellSample) break;
    cells.push_back({{.quad = quad, .score = line.box.score}});
  }
  if (cells.empty()) return Status();
  std::vector<ReadingJob> jobs;
  for (size_t i = 0; i < cells.size(); ++i)
    for (const Pass pass : {Pass::kFirst, Pass::kUpsideDown})
      jobs.push_back(JobOf(cells, i, pass));
  MUNJA_RETURN_IF_ERROR(readers.Run(page, cells, jobs));
  // Unread ones are taken to be like these.
  const float scale =
      static_cast<float>(stack.cells.size()) / static_cast<float>(cells.size());
  for (const ReadingJob& job : jobs)
    (*evidence)[TurnsOf(job.result.polygon)] +=
        scale * TextEvidence(job.result.text);
  return Status();
}

// Whether there is room for a letter or two only.
bool IsShort(const PageLine& line, const RecognizerConfig& config) {
  return LineWidth(line.box.quad, config) < 2 * config.height;
}

float HeightsOf(const PageLine& line, const RecognizerConfig& config) {
  return static_cast<float>(LineWidth(line.box.quad, config)) /
         static_cast<float>(config.height);
}

// Keeps so many lines that show most for their price.
void KeepBest(std::span<const PageLine> lines, const RecognizerConfig& config,
              size_t count, std::vector<size_t>* sample) {
  std::stable_sort(sample->begin(), sample->end(), [&](size_t a, size_t b) {
    const int wa = LineWidth(lines[a].box.quad, config);
    const int wb = LineWidth(lines[b].box.quad, config);
    return wa != wb && IsBetterSample(wa, wb, config.height);
  });
  sample->resize(std::min(sample->size(), count));
}

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

// Reads a sample one way and, unless lines lie that are read well, the others.
// Short lines may lie any way.
Status Vote(LineReaders& readers, const image::ImageView& page,
            std::span<PageLine> lines, std::span<const size_t> sample,
            bool are_short, TurnVotes* votes) {
  const RecognizerConfig& config = readers.config();
  const bool has_classifier = readers.has_classifier();
  const bool may_be_upright = !are_short && !has_classifier &&
                              !IsVertical(lines[sample[0]].box.quad, config);
  const size_t first = may_be_upright ? kUprightSample : sample.size();
  std::vector<Reading> readings, turned;
  MUNJA_RETURN_IF_ERROR(ReadSample(readers, page, lines, sample.first(first),
                                   Pass::kFirst, &readings));
  const bool is_upright =
      may_be_upright &&
      std::all_of(readings.begin(), readings.end(), [](const Reading& reading) {
        return reading.text.confidence >= kReliable;
      });
  if (!is_upright) {
    MUNJA_RETURN_IF_ERROR(ReadSample(
        readers, page, lines, sample.subspan(first), Pass::kFirst, &readings));
    if (!has_classifier)
      MUNJA_RETURN_IF_ERROR(
          ReadSample(readers, page, lines, sample, Pass::kUpsideDown, &turned));
  }
  int stacks = kStackSample;  // So many more lines may be none.
  for (size_t i = 0; i < readings.size(); ++i) {
    TurnVotes::Evidence evidence{};
    PageLine& line = lines[sample[i]];
    bool is_sure = false;
    for (const std::vector<Reading>* way : {&readings, &turned}) {
      if (i >= way->size()) continue;
      const Reading& reading = (*way)[i];
      evidence[TurnsOf(reading.polygon)] += TextEvidence(reading.text);
      is_sure = is_sure || reading.text.confidence >= kReliable;
    }
    const bool is_vertical = IsVertical(line.box.quad, config);
    if (!has_classifier && !is_upright && (are_short || stacks > 0) &&
        (!is_sure || is_vertical)) {
      const float along = MostOf(evidence);
      const bool is_likely = !is_sure && (is_vertical || are_short);
      MUNJA_RETURN_IF_ERROR(
          AddAcross(readers, page, line, is_likely, &evidence));
      stacks += MostOf(evidence) > along ? kStackSample : -1;
    }
    if (MostOf(evidence) >= kLeastEvidence * HeightsOf(line, config))
      votes->Add(evidence);
    // The classifier's word on a line is part of what comes next.
    if (has_classifier) continue;
    line.reading = std::move(readings[i]);
    line.is_read = true;
  }
  return Status();
}

}  // namespace

Result<int> FindQuarterTurns(LineReaders& readers, const image::ImageView& page,
                             std::span<PageLine> lines) {
  const RecognizerConfig& config = readers.config();
  if (!config.rules.Has(Rule::kQuarterTurns)) return 0;
  // They are no part of what a page has to be read.
  const ControlScope silent(CurrentControl(), ControlScope::kSilent);
  TurnVotes votes;
  if (const std::vector<size_t> sample = TurnSample(lines, config);
      !sample.empty())
    MUNJA_RETURN_IF_ERROR(Vote(readers, page, lines, sample, false, &votes));
  if (votes.AreCast()) return votes.Turns();
  // Short lines are read well also as they do not lie.
  votes = {};
  const std::vector<size_t> sample = ShortSample(lines, config);
  if (sample.empty()) return 0;
  const auto vote = [&](std::span<const size_t> part) {
    return Vote(readers, page, lines, part, true, &votes);
  };
  const std::span<const size_t> all(sample);
  MUNJA_RETURN_IF_ERROR(vote(all.first(kSample)));
  if (votes.Best() != 0) MUNJA_RETURN_IF_ERROR(vote(all.subspan(kSample)));
  return votes.Turns();
}

std::vector<size_t> TurnSample(std::span<const PageLine> lines,
                               const RecognizerConfig& config) {
  std::vector<size_t> lying, vertical;
  float lying_length = 0, vertical_length = 0;
  for (const bool are_low_score : {false, true}) {
    // One line needs the word of another, be it in doubt whether it is one.
    if (are_low_score && lying.size() + vertical.size() != 1) break;
    for (size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].box.is_low_score != are_low_score ||
          IsShort(lines[i], config))
        continue;
      const Quad& quad = lines[i].box.quad;
      const bool stands = IsVertical(quad, config);
      (stands ? vertical : lying).push_back(i);
      (stands ? vertical_length : lying_length) += LongerSide(quad);
    }
  }
  const size_t found = lying.size() + vertical.size();
  if (found < size_t{kCast}) return {};
  // On a page of few lines each one counts.
  const bool are_few = found < 2 * size_t{kMinLines};
  for (std::vector<size_t>* way : {&lying, &vertical}) {
    if (!are_few && way->size() < size_t{kMinLines}) way->clear();
    KeepBest(lines, config, kSample, way);
  }
  const float all = vertical_length + lying_length;
  if (!are_few && lying_length >= kMajority * all) return lying;
  if (!are_few && vertical_length >= kMajority * all) return vertical;
  if (vertical_length > lying_length) lying.swap(vertical);
  lying.insert(lying.end(), vertical.begin(), vertical.end());
  return lying;
}

std::vector<size_t> ShortSample(std::span<const PageLine> lines,
                                const RecognizerConfig& config) {
  std::vector<size_t> sample;
  for (size_t i = 0; i < lines.size(); ++i)
    if (!lines[i].box.is_low_score && IsShort(lines[i], config))
      sample.push_back(i);
  if (sample.size() < kSample) sample.clear();
  KeepBest(lines, config, kShortSample, &sample);
  return sample;
}

bool TurnVotes::AreCast() const { return lines_ >= kCast; }

void TurnVotes::Add(const Evidence& evidence) {
  const auto best = std::max_element(evidence.begin(), evidence.end());
  if (!(*best > 0)) return;
  for (size_t turns = 0; turns < evidence.size(); ++turns) {
    shares_[turns] += evidence[turns] / *best;
    sums_[turns] += evidence[turns];
  }
  ++wins_[static_cast<size_t>(best - evidence.begin())];
  ++lines_;
}

size_t TurnVotes::Best() const {
  return static_cast<size_t>(std::max_element(shares_.begin(), shares_.end()) -
                             shares_.begin());
}

bool TurnVotes::IsClear(size_t best) const {
  if (wins_[best] < kCast || sums_[best] < kClearEvidence) return false;
  for (size_t turns = 0; turns < sums_.size(); ++turns)
    if (turns != best && sums_[best] < kClearRatio * sums_[turns]) return false;
  return true;
}

int TurnVotes::Turns() const {
  const size_t best = Best();
  if (3 * wins_[best] < 2 * lines_) return 0;
  if (wins_[best] < kMinLines && !IsClear(best)) return 0;
  const float margin = kVoteMargin * static_cast<float>(lines_);
  for (size_t turns = 0; turns < shares_.size(); ++turns)
    if (turns != best && shares_[best] < shares_[turns] + margin) return 0;
  return static_cast<int>(best);
}

}  // namespace munja::ocr
