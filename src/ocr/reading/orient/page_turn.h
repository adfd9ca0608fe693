// Pages that stand on end, on their heads or askew: which way the text of a
// page runs is seen by a few of its lines, and the page is brought upright
// before it is read, so that boxes, order and text are those of the page as it
// was meant.
#ifndef MUNJA_READING_ORIENT_PAGE_TURN_H_
#define MUNJA_READING_ORIENT_PAGE_TURN_H_

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/status.h"
#include "base/thread_pool.h"
#include "geometry/quad.h"
#include "image/image.h"
#include "reading/find/boxes.h"
#include "reading/network/config.h"
#include "reading/retry/line_retries.h"

namespace munja::ocr {

// Lines whose readings show which way the page stands: some of those that lie
// as most do, the cheapest that show it first, and where others lie across,
// some of these. None where there are too few to speak for the page.
std::vector<size_t> TurnSample(std::span<const TextBox> boxes,
                               const RecognizerContract& contract);

// What lines say that were read one way and the other.
class TurnVotes {
 public:
  // Of one line; null: not read so.
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

// By how many radians, clockwise, the lines of most of the page run askew from
// the page's sides, between an eighth turn either way; 0 where it is too little
// to harm, or the lines do not run alike. A page that was laid straight once is
// looked at more closely: what is left of its skew counts in few lines, too.
float Skew(std::span<const TextBox> boxes, const RecognizerContract& contract,
           bool was_laid_straight = false);

// The same, but only where a page is far askew, by all boxes, also short and
// faint ones: what of the lines is found there is mostly pieces. A guess; the
// page laid straight says whether it was right.
float RoughSkew(std::span<const TextBox> boxes);

// Whether the skew is so large that boxes are too rough to be read, and show it
// only roughly.
bool IsFarAskew(float skew);

// What brings a page upright: the skew is taken back first.
struct PageTurn {
  int quarters = 0;  // Clockwise, 0 to 3.
  float skew = 0;
  bool is_none() const { return quarters == 0 && skew == 0; }
};

// A page brought upright and the way back.
class UprightPage {
 public:
  // `seen_side`: pixels of the longer side that the detector sees at most. A
  // page that would have more than half as many again is made smaller before.
  // Pixels beyond the page repeat its edge. `pool` may be null. kOutOfMemory.
  static Result<UprightPage> Create(const image::ImageView& page, PageTurn turn,
                                    int seen_side, ThreadPool* pool);
  image::ImageView view() const { return pixels_.view(); }
  // From where a box lies in it to where it lies in the page as it was: the
  // quad may reach out of the page, the outline does not. False where the box
  // is beside that page.
  bool TakeBack(TextBox* box) const;

 private:
  geometry::Point Back(geometry::Point point) const;

  // Turns the page, which is as large as it shall be.
  static Result<UprightPage> Turn(const image::ImageView& page, PageTurn turn,
                                  ThreadPool* pool);

  PageTurn turn_;
  int width_ = 0, height_ = 0;            // Of the page that was turned,
  int page_width_ = 0, page_height_ = 0;  // and of the one that was given.
  image::Image pixels_;
};

}  // namespace munja::ocr

#endif  // MUNJA_READING_ORIENT_PAGE_TURN_H_
