// SecondLook: lines that were read with little confidence are read again in
// slightly other cuts, and upside down; a text that comes twice counts, else
// the surest.
#ifndef MUNJA_READING_RETRY_LINE_RETRIES_H_
#define MUNJA_READING_RETRY_LINE_RETRIES_H_

#include <cstddef>
#include <span>

#include "base/status.h"
#include "geometry/quad.h"
#include "text/ctc.h"

namespace munja::ocr {

// A reading and where the text starts that was read. The marks of the text lie
// in the polygon, also those that were read in another cut.
struct Reading {
  text::CtcLine text;
  geometry::Quad polygon{};
};

// The quad with its sides moved outward by `fraction` of its shorter side
// (inward when negative).
geometry::Quad Grow(const geometry::Quad& quad, float fraction);

// The box of a line a little wider or a little tighter, i < kSecondCuts.
inline constexpr int kSecondCuts = 3;
geometry::Quad SecondCut(const geometry::Quad& quad, int i);
// By how many pixels its sides lie further out.
float SecondGrowth(const geometry::Quad& quad, int i);

// Whether other cuts may make text of what was read.
bool MayBecomeText(const Reading& reading);
// Takes what was read in one of those cuts, in their order: when it is surer,
// and when it agrees with what was read first, which then stands. Whether that
// ends the looking: it agrees, or is so sure that no other cut says more. The
// polygon stays: it is the box's, not that of a wider cut.
bool TakeCut(text::CtcLine& other, const text::CtcLine& first,
             Reading& reading);

// Whether so many lines of a page are doubtful that it must be in a writing
// that the network does not know: no other cut will help.
bool IsUnknownWriting(size_t doubtful, size_t lines);

// Whether any reading upside down could count against this one, after all
// second cuts. Confidences are at most 1.
bool MayBeUpsideDown(const Reading& reading);
// Takes the reading upside down when it is clearly surer. Whether it is.
bool TakeIfUpsideDown(Reading& turned, Reading& reading);
// What is read with this confidence stands as it was read.
inline constexpr float kReadsWell = 0.9f;
// Whether a page reads so well as it lies that its doubtful lines, too, stand
// as the others do.
bool StandsUpright(std::span<const Reading> readings);
// How many doubtful lines of another page show whether it is upside down, and
// whether a line that is `a` wide shows it better for its price than one that
// is `b` wide: wide enough for some letters, but no wider.
inline constexpr size_t kTurnedSample = 4;
bool TellsMore(int a, int b, int height);

// Looks that only make a page's text better are done without where there is no
// memory for them: whether `status`, of such a look, says so. It is logged as a
// warning, after `what` is the matter with the page then.
bool IsDoneWithout(const Status& status, const char* what);

}  // namespace munja::ocr

#endif  // MUNJA_READING_RETRY_LINE_RETRIES_H_
