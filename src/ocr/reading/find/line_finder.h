// LineFinder: from an image to the boxes of its lines.
#ifndef MUNJA_READING_FIND_LINE_FINDER_H_
#define MUNJA_READING_FIND_LINE_FINDER_H_

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "base/status.h"
#include "base/thread_pool.h"
#include "image/image.h"
#include "reading/find/box_fit.h"
#include "reading/find/boxes.h"
#include "reading/find/detection_sink.h"
#include "reading/find/detector.h"
#include "reading/find/page_tiles.h"
#include "reading/network/config.h"

namespace munja::ocr {

// The result of a pass of the detector over an image.
struct Detection {
  Detector::Output output;  // Valid until the detector runs again.
  std::vector<TextBox> boxes;
  std::vector<TextBox> low_score;  // low_score_boxes.h
  bool is_tiled =
      false;  // The output is the last tile's; `boxes` are complete.
};

// One caller at a time.
class LineFinder {
 public:
  // `pool` may be null.
  LineFinder(Detector detector, const Config& config,
             std::shared_ptr<ThreadPool> pool)
      : detector_(std::move(detector)),
        config_(config),
        pool_(std::move(pool)) {}

  // The boxes of an image, in no order but always the same one: the first pass
  // and what follows. `with_low_score`: also boxes that may be no lines.
  // `sink` may be null.
  Result<std::vector<TextBox>> Find(const image::ImageView& image,
                                    bool with_low_score, DetectionSink* sink);

  // The same in steps. The first pass finds what can be found at the usual
  // size; of a page that is seen in tiles (page_tiles.h), everything.
  Result<Detection> FirstPass(const image::ImageView& image,
                              bool with_low_score);
  // Then comes a high-resolution pass over dense pages, if there is memory for
  // it, and boxes are fitted to their ink and joined. `is_shown`: the detection
  // is valid for Show() also if the high-resolution pass does not count.
  Result<std::vector<TextBox>> Complete(const image::ImageView& image,
                                        bool with_low_score, bool is_shown,
                                        Detection* detection);
  // Shows the last detection to the sink.
  static Status Show(const image::ImageView& image, const Detection& detection,
                     std::span<const TextBox> boxes, DetectionSink* sink);

  // The longest side of an image of this size that any pass sees, in pixels
  // that the detector gets of all of it.
  int SeenSide(const image::ImageView& image) const;

  // Another that shares weights and threads, with memory of its own. While this
  // one runs, too.
  Result<LineFinder> Fork() const;

  // Frees the memory of earlier runs; no detection is valid any more.
  Status FreeMemory();

 private:
  // All boxes of a page, tile by tile.
  Result<Detection> FindInTiles(const image::ImageView& image,
                                std::span<const PageTile> tiles,
                                bool with_low_score);
  // FirstPass and Complete for an image that is seen as a whole.
  Result<Detection> LookAtWhole(const image::ImageView& image,
                                bool with_low_score);
  Result<std::vector<TextBox>> CompleteWhole(const image::ImageView& image,
                                             bool with_low_score, bool is_shown,
                                             Detection* detection);
  // The boxes in what the detector just put out.
  Result<Detection> FindIn(const image::ImageView& image,
                           const Detector::Output& output, bool with_low_score);
  // The lines to which those found join: with low scores, and within the limit.
  Result<std::vector<TextBox>> Finish(const image::ImageView& image,
                                      Detection* detection);
  // Adds the lines of an image in which none was found and whose letters may be
  // too large for the detector.
  Status FindLargeLetters(const image::ImageView& image, bool is_shown,
                          Detection* detection, std::vector<TextBox>* boxes);
  // Replaces the detection if more is found in a larger image.
  Status HighResolutionPass(const image::ImageView& image, bool with_low_score,
                            bool is_shown, Detection* detection);
  // Moves the output into memory that the next run does not overwrite.
  Status Keep(Detector::Output* output);

  Detector detector_;
  Config config_;
  std::shared_ptr<ThreadPool> pool_;
  // Memory that is used again.
  BoxFitter fitter_;
  BoxMemory box_memory_;
  image::Image kept_input_;
  Buffer kept_map_;
};

}  // namespace munja::ocr

#endif  // MUNJA_READING_FIND_LINE_FINDER_H_
