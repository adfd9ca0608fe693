// Lines that were read with low confidence are re-recognized: by the exact
// recognizer, in other crops, upside down.
#ifndef MUNJA_READING_RETRY_LINE_RETRIES_H_
#define MUNJA_READING_RETRY_LINE_RETRIES_H_

#include <cstddef>
#include <span>

#include "base/status.h"
#include "geometry/quad.h"
#include "image/image.h"
#include "reading/read/line_readers.h"
#include "reading/read/page_line.h"
#include "reading/read/reading.h"
#include "text/ctc.h"

namespace munja::ocr {

// Re-recognizes some of the lines, all of which are read once. Whether and how
// a line is retried depends on the other lines, too: upside down if some of
// them are, in other crops only if most are not in a script that the network
// does not know. Where memory runs out the readings stay as they are, with a
// warning. Lines in boxes with low scores are read once.
Status RetryLines(LineReaders& readers, const image::ImageView& page,
                  std::span<PageLine> lines);

// The rules of the retries, for tests.

// The quad with its sides moved outward by `fraction` of its shorter side
// (inward when negative).
geometry::Quad Grow(const geometry::Quad& quad, float fraction);

// The box of a line a little wider or a little tighter, i < kRecrops.
inline constexpr int kRecrops = 3;
geometry::Quad Recrop(const geometry::Quad& quad, int i);
// How many pixels its sides lie further out.
float RecropGrowth(const geometry::Quad& quad, int i);

// Whether another recognizer or crop may make text of what was read.
bool MayBecomeText(const Reading& reading);
// Takes what was read in one of the crops, in their order: if it has more
// confidence, and if it agrees with what was read first, which then stands.
// Whether the line is settled: it agrees, or has so much confidence that no
// other crop says more. The polygon stays: it is the box's, not that of a wider
// crop.
bool AcceptRecrop(Reading& again, const text::CtcLine& first, Reading& reading);

// Whether so many lines of a page have low confidence that it must be in a
// script that the network does not know: no other crop will help.
bool IsUnknownScript(size_t low_confidence, size_t lines);

// Whether a reading upside down could count against this one, after all other
// crops. Confidences are at most 1.
bool MayBeUpsideDown(const Reading& reading);
// Takes the reading upside down if it has clearly more confidence; if it is
// several letters, than what was read first, in the same box. Whether it has.
bool AcceptUpsideDown(Reading& again, const text::CtcLine& first,
                      Reading& reading);
// Whether a page reads so well as it lies that its low-confidence lines, too,
// stand as the others do.
bool IsUpright(std::span<const PageLine> lines);

}  // namespace munja::ocr

#endif  // MUNJA_READING_RETRY_LINE_RETRIES_H_
