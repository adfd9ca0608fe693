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
#include "reading/read/reading.h"

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

// Counts which way lines are read better.
class TurnVotes {
 public:
  // Adds the readings of one line; null: not read so.
  void Add(std::array<const Reading*, 2> ways);
  // By how many quarter turns clockwise the page comes upright; 0 where no way
  // is clearly read better than the others, by most lines and in their mean.
  int Turns() const;

 private:
  struct Votes {
    double confidence = 0;
    int lines = 0, wins = 0;  // Wins: the line is read better no other way.
  };
  std::array<Votes, 4> votes_;  // By quarter turns.
};

}  // namespace munja::ocr

#endif  // MUNJA_READING_ORIENT_QUARTER_TURNS_H_
