// A page brought upright, and the way back.
#ifndef MUNJA_READING_ORIENT_UPRIGHT_PAGE_H_
#define MUNJA_READING_ORIENT_UPRIGHT_PAGE_H_

#include "base/status.h"
#include "base/thread_pool.h"
#include "geometry/quad.h"
#include "image/image.h"
#include "reading/find/boxes.h"

namespace munja::ocr {

// The rotation that brings a page upright: the skew is taken back first.
struct PageTurn {
  int quarters = 0;  // Clockwise, 0 to 3.
  float skew = 0;
  bool is_none() const { return quarters == 0 && skew == 0; }
};

class UprightPage {
 public:
  // `seen_side`: pixels of the longer side that the detector sees at most. A
  // page that would have more than half as many again is made smaller first.
  // Pixels beyond the page repeat its edge. `pool` may be null. kOutOfMemory.
  static Result<UprightPage> Create(const image::ImageView& page, PageTurn turn,
                                    int seen_side, ThreadPool* pool);
  image::ImageView view() const { return pixels_.view(); }
  // From where a box lies in it to where it lies in the page as it was: the
  // quad may reach out of the page, the outline does not. False where the box
  // is beside that page.
  bool MapBack(TextBox* box) const;

 private:
  geometry::Point Back(geometry::Point point) const;

  // Turns the page, which is as large as it shall be.
  static Result<UprightPage> Turn(const image::ImageView& page, PageTurn turn,
                                  ThreadPool* pool);

  PageTurn turn_;
  int width_ = 0, height_ = 0;            // Size of the page that was turned,
  int page_width_ = 0, page_height_ = 0;  // and of the one that was given.
  image::Image pixels_;
};

}  // namespace munja::ocr

#endif  // MUNJA_READING_ORIENT_UPRIGHT_PAGE_H_
