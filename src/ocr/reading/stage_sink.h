// StageSink: a look at what passes between the stages of the pipeline.
#ifndef MUNJA_READING_STAGE_SINK_H_
#define MUNJA_READING_STAGE_SINK_H_

#include <span>

#include "document/document.h"
#include "image/image.h"
#include "reading/find/boxes.h"
#include "reading/find/probability_map.h"
#include "reading/read/cropper.h"

namespace munja::ocr {

// Called in this order, on the caller's thread; what is passed holds only
// during the call. The defaults do nothing.
class StageSink {
 public:
  virtual ~StageSink() = default;
  virtual Status OnInput(const image::ImageView&) { return Status(); }
  virtual Status OnTextMap(const TextMap&) { return Status(); }
  virtual Status OnBoxes(const image::ImageView&, std::span<const TextBox>) {
    return Status();
  }
  // In reading order; upright, at the recognizer's height.
  virtual Status OnLines(std::span<const LineImage>) { return Status(); }
  virtual Status OnDocument(const document::Document&) { return Status(); }
};

}  // namespace munja::ocr

#endif  // MUNJA_READING_STAGE_SINK_H_
