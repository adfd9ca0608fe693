// Pages that are rotated by 90, 180 or 270 degrees: a few of their lines, read
// one way and the other, show which way the text runs.
#ifndef MUNJA_READING_ORIENT_QUARTER_TURNS_H_
#define MUNJA_READING_ORIENT_QUARTER_TURNS_H_

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "base/status.h"
#include "image/image.h"
#include "reading/network/config.h"
#include "reading/read/line_readers.h"
#include "reading/read/page_line.h"

namespace munja::ocr {

// By how many quarter turns clockwise the page comes upright. Lines that are
// read well as they lie stay read.
Result<int> FindQuarterTurns(LineReaders& readers, const image::ImageView& page,
                             std::span<PageLine> lines);

// Lines whose readings show which way the page stands: some of those that lie
// as most do, the cheapest that show it first, and where others lie across,
// some of these. None where there are too few to speak for the page.
std::vector<size_t> TurnSample(std::span<const PageLine> lines,
                               const RecognizerConfig& config);

// The same of boxes of one or two letters, which lie no way by themselves.
std::vector<size_t> ShortSample(std::span<const PageLine> lines,
                                const RecognizerConfig& config);

// Counts which way lines are read better.
class TurnVotes {
 public:
  // The evidence of one line (TextEvidence) by the quarter turns clockwise that
  // would bring it upright.
  using Evidence = std::array<float, 4>;
  void Add(const Evidence& evidence);
  // The way that has most evidence so far; 0 where there is none.
  size_t Best() const;
  // By how many quarter turns clockwise the page comes upright; 0 where most
  // lines are not clearly read better one way.
  int Turns() const;
  // Whether enough lines were read any way.
  bool AreCast() const;

 private:
  // Whether the text of a few lines suffices.
  bool IsClear(size_t best) const;

  // Sums, of each line in parts of its best way and as they are, and lines read
  // best that way.
  std::array<float, 4> shares_{}, sums_{};
  std::array<int, 4> wins_{};
  int lines_ = 0;
};

}  // namespace munja::ocr

#endif  // MUNJA_READING_ORIENT_QUARTER_TURNS_H_
