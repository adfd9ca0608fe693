// DetectionSink: is shown what the detector gets and finds.
#ifndef MUNJA_READING_FIND_DETECTION_SINK_H_
#define MUNJA_READING_FIND_DETECTION_SINK_H_

#include <span>

#include "base/status.h"
#include "image/image.h"
#include "reading/find/boxes.h"
#include "reading/find/probability_map.h"

namespace munja::ocr {

// Called in this order for each image in which lines are looked for, the last
// of which is the one that is read. What is passed is valid only during the
// call. The defaults do nothing.
class DetectionSink {
 public:
  virtual ~DetectionSink() = default;
  virtual Status OnInput(const image::ImageView&) { return Status(); }
  virtual Status OnProbabilityMap(const ProbabilityMap&) { return Status(); }
  virtual Status OnBoxes(const image::ImageView&, std::span<const TextBox>) {
    return Status();
  }
};

}  // namespace munja::ocr

#endif  // MUNJA_READING_FIND_DETECTION_SINK_H_
