// The lines of a page as it is meant to be read, however it lies in the image.
#ifndef MUNJA_READING_ORIENT_UPRIGHT_LINES_H_
#define MUNJA_READING_ORIENT_UPRIGHT_LINES_H_

#include <span>
#include <vector>

#include "base/status.h"
#include "base/thread_pool.h"
#include "image/image.h"
#include "reading/find/line_finder.h"
#include "reading/network/config.h"
#include "reading/orient/upright_page.h"
#include "reading/read/line_readers.h"
#include "reading/read/page_line.h"

namespace munja::ocr {

// Puts boxes into reading order and tells them their blocks and rows.
std::vector<TextBox> InReadingOrder(const std::vector<TextBox>& boxes);

// The same for lines of a page that may lie any way: boxes start where the
// upright page has their top left.
void PutInReadingOrder(std::vector<PageLine>* lines);

// The lines in these boxes, not read yet.
std::vector<PageLine> LinesIn(const std::vector<TextBox>& boxes);

// Finds the lines of pages, all passes over a page included.
class Orienter {
 public:
  // The others must live longer. `pool` and `sink` may be null.
  Orienter(const Config& config, LineFinder& finder, LineReaders& readers,
           ThreadPool* pool, DetectionSink* sink)
      : config_(config),
        finder_(finder),
        readers_(readers),
        pool_(pool),
        sink_(sink) {}

  // The lines in reading order, with boxes in the page as it was given. A page
  // that is skewed or rotated by quarter turns is deskewed or rotated to find
  // them. Lines that were read to see how the page lies stay read. `quarters`:
  // set to the turns clockwise that make the page upright; may be null.
  Result<std::vector<PageLine>> FindLines(const image::ImageView& page,
                                          int* quarters = nullptr) const;

 private:
  struct View;
  // The page as it lies, or deskewed if it is far skewed.
  Result<View> FindView(const image::ImageView& page) const;
  // The page with this skew taken back.
  Result<View> Deskew(const image::ImageView& page, float skew) const;
  // The page with this turn taken back; it is shown.
  Result<View> Turn(const image::ImageView& page, const PageTurn& turn) const;
  // By how many quarters the page is rotated.
  Result<int> QuarterTurns(const View& view, std::span<PageLine> lines) const;
  // Sets what the passes after the first one find. The boxes are in reading
  // order: the skew and the sample of lines are taken from them, and sums of
  // floats and ties depend on their order.
  Status Complete(View* view) const;
  Status Show(const View& view) const;

  const Config& config_;
  LineFinder& finder_;
  LineReaders& readers_;
  ThreadPool* pool_;
  DetectionSink* sink_;
};

}  // namespace munja::ocr

#endif  // MUNJA_READING_ORIENT_UPRIGHT_LINES_H_
