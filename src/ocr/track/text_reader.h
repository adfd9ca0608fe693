// TextReader: finds and reads the lines of a frame. PipelineReader does it with
// an engine's networks.
#ifndef MUNJA_TRACK_TEXT_READER_H_
#define MUNJA_TRACK_TEXT_READER_H_

#include <optional>
#include <span>
#include <vector>

#include "base/status.h"
#include "geometry/quad.h"
#include "image/image.h"
#include "reading/shared_pipeline.h"
#include "track/lines.h"

namespace munja::track {

// One caller at a time.
class TextReader {
 public:
  virtual ~TextReader() = default;
  // Boxes in pixels of the frame, which start where their text starts. `side`:
  // the longer side of what the detector gets; 0: its own choice. `is_new`: the
  // frame may show something else, which may lie another way, than those
  // before.
  virtual Result<std::vector<FoundBox>> Search(const image::ImageView& frame,
                                               int side, bool is_new) = 0;
  // A reading for each box; what is no text is empty.
  virtual Result<std::vector<LineReading>> Read(
      const image::ImageView& frame, std::span<const FoundBox> boxes) = 0;
};

class PipelineReader : public TextReader {
 public:
  // The pipeline must outlive it. `min_confidence`: none: the model's own.
  PipelineReader(ocr::SharedPipeline& pipeline,
                 std::optional<float> min_confidence)
      : pipeline_(pipeline), min_confidence_(min_confidence) {}
  Result<std::vector<FoundBox>> Search(const image::ImageView& frame, int side,
                                       bool is_new) override;
  Result<std::vector<LineReading>> Read(
      const image::ImageView& frame, std::span<const FoundBox> boxes) override;

 private:
  ocr::SharedPipeline& pipeline_;
  std::optional<float> min_confidence_;
  image::Image small_;  // Its memory is used again.
  // Turns clockwise that make the text upright, once they are known.
  std::optional<int> quarters_;
};

}  // namespace munja::track

#endif  // MUNJA_TRACK_TEXT_READER_H_
