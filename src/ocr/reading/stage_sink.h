// StageSink: is shown what passes between the stages of the pipeline.
#ifndef MUNJA_READING_STAGE_SINK_H_
#define MUNJA_READING_STAGE_SINK_H_

#include <span>

#include "document/document.h"
#include "reading/find/detection_sink.h"
#include "reading/read/page_line.h"

namespace munja::ocr {

// Called after those of DetectionSink, on the caller's thread.
class StageSink : public DetectionSink {
 public:
  // In reading order, with their crops; nothing is read yet.
  virtual Status OnLines(std::span<const PageLine>) { return Status(); }
  virtual Status OnDocument(const document::Document&) { return Status(); }
};

}  // namespace munja::ocr

#endif  // MUNJA_READING_STAGE_SINK_H_
