// LineFinder: from a page to the boxes of its lines, in reading order.
#ifndef MUNJA_READING_FIND_LINE_FINDER_H_
#define MUNJA_READING_FIND_LINE_FINDER_H_

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/thread_pool.h"
#include "image/image.h"
#include "reading/find/box_fit.h"
#include "reading/find/boxes.h"
#include "reading/find/detector.h"
#include "reading/network/config.h"
#include "reading/orient/page_turn.h"
#include "reading/stage_sink.h"

namespace munja::ocr {

// One caller at a time.
class LineFinder {
 public:
  // `pool` may be null.
  LineFinder(Detector detector, const Contract& contract,
             std::shared_ptr<ThreadPool> pool)
      : detector_(std::move(detector)),
        contract_(contract),
        pool_(std::move(pool)) {}

  // The boxes of a page: a look at it, and a closer one where that pays.
  // `with_faint`: also faint boxes, which may be no lines.
  Result<std::vector<TextBox>> Find(const image::ImageView& page,
                                    bool with_faint, StageSink* sink);

  // The same with faint boxes, where a page lies far askew in that page laid
  // straight. By how many radians it was askew; 0 where it was not.
  Result<float> FindStraight(const image::ImageView& page, StageSink* sink,
                             std::vector<TextBox>* boxes,
                             UprightPage* straight);

  // Another that shares weights and threads, with memory of its own. While this
  // one runs, too.
  Result<LineFinder> Fork() const;

 private:
  // What the detector saw of a page, which holds until it looks again.
  struct Sight {
    Detector::Output output;
    std::vector<TextBox> firm, faint;
  };
  // A first look.
  Result<Sight> Look(const image::ImageView& page, bool with_faint);
  // The boxes of sight->output.
  Status FindIn(const image::ImageView& page, bool with_faint, Sight* sight);
  // The boxes in reading order, after a closer look where it pays and there is
  // memory for it.
  Result<std::vector<TextBox>> LookCloser(const image::ImageView& page,
                                          bool with_faint, Sight* sight);
  Status LookAtZones(const image::ImageView& page, int limit,
                     std::span<const InputZone> zones, bool with_faint,
                     Sight* sight);
  // FindStraight() of a page whose boxes are found as it lies.
  Result<float> FindStraighter(const image::ImageView& page, StageSink* sink,
                               std::vector<TextBox>* boxes,
                               UprightPage* straight);
  // Takes back the skew and finds the boxes.
  Status LayStraight(const image::ImageView& page, float skew, Sight* sight,
                     std::vector<TextBox>* boxes, UprightPage* straight);
  static Status Show(const image::ImageView& page, const Sight& sight,
                     std::span<const TextBox> boxes, StageSink* sink);

  Detector detector_;
  Contract contract_;
  std::shared_ptr<ThreadPool> pool_;
  // Here so that their memory serves again.
  BoxFitter fitter_;
  BoxMemory box_memory_;
};

}  // namespace munja::ocr

#endif  // MUNJA_READING_FIND_LINE_FINDER_H_
