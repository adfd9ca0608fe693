// Pipeline: from a page to a document. Start reading here.
#ifndef MUNJA_OCR_PIPELINE_H_
#define MUNJA_OCR_PIPELINE_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/thread_pool.h"
#include "document/document.h"
#include "image/image.h"
#include "ocr/box_fit.h"
#include "ocr/boxes.h"
#include "ocr/contract.h"
#include "ocr/cropper.h"
#include "ocr/detector.h"
#include "ocr/line_readers.h"
#include "ocr/page_turn.h"
#include "ocr/stage_sink.h"
#include "text/language_search.h"

namespace munja::ocr {

// The networks of a bundle, as sessions, and what they were trained with.
struct Networks {
  std::string name;  // Of the bundle; goes into documents.
  std::unique_ptr<runtime::Session> detector, recognizer;
  std::unique_ptr<runtime::Session> classifier;  // May be null.
  // Reads the lines again that the recognizer, which is faster, is not sure of.
  // May be null.
  std::unique_ptr<runtime::Session> exact_recognizer;
  std::shared_ptr<const text::Dictionary> dictionary;
  text::Language language;  // May be empty.
};

// One caller at a time (many: SharedPipeline). Lines are read by all threads of
// the pool at once; the document does not depend on how many there are.
class Pipeline {
 public:
  // `pool` may be null: everything runs on the calling thread.
  static Result<std::unique_ptr<Pipeline>> Create(
      Networks networks, const Contract& contract,
      std::shared_ptr<ThreadPool> pool);

  // Reads a page. Lines come in
  // reading order; those below `min_confidence` (by default the contract's) are
  // left out. `sink` may be null.
  Result<document::Document> Recognize(
      const image::ImageView& page, StageSink* sink = nullptr,
      std::optional<float> min_confidence = std::nullopt);

  // The boxes only, in reading order.
  Result<std::vector<TextBox>> Detect(const image::ImageView& page,
                                      StageSink* sink = nullptr);

  // Reads a picture that is one line of text.
  Result<document::Line> RecognizeLine(const image::ImageView& line);

  // Another that shares weights and threads, with memory of its own. While this
  // one reads, too.
  Result<std::unique_ptr<Pipeline>> Fork() const;

  const Contract& contract() const { return contract_; }
  const std::string& name() const { return name_; }

 private:
  Pipeline(std::string name, Detector detector, LineReaders readers,
           const Contract& contract, std::shared_ptr<ThreadPool> pool)
      : name_(std::move(name)),
        detector_(std::move(detector)),
        readers_(std::move(readers)),
        contract_(contract),
        pool_(std::move(pool)) {}

  // What the detector saw of a page, which holds until it looks again.
  struct Sight {
    Detector::Output output;
    std::vector<TextBox> firm, faint;
  };
  // A first look. `with_faint`: also faint boxes, which may be no lines.
  Result<Sight> Look(const image::ImageView& page, bool with_faint);
  // The boxes of sight->output.
  Status FindIn(const image::ImageView& page, bool with_faint, Sight* sight);
  // The boxes in reading order, after a closer look where it pays.
  Result<std::vector<TextBox>> LookCloser(const image::ImageView& page,
                                          bool with_faint, StageSink* sink,
                                          Sight* sight);
  // Both.
  Result<std::vector<TextBox>> Find(const image::ImageView& page,
                                    bool with_faint, StageSink* sink);

  // The boxes that Find() finds, where a page lies far askew in that page laid
  // straight. By how many radians it was askew; 0 where it was not.
  Result<float> FindStraight(const image::ImageView& page, StageSink* sink,
                             std::vector<TextBox>* boxes,
                             UprightPage* straight);

  // The boxes that Find() finds once the page is brought upright, where it is
  // turned. `known`: lines that were read to see whether it is.
  Status FindUpright(const image::ImageView& page, StageSink* sink,
                     std::vector<TextBox>* boxes,
                     std::vector<KnownLine>* known);

  std::string name_;
  Detector detector_;
  LineReaders readers_;
  Contract contract_;
  std::shared_ptr<ThreadPool> pool_;
  // Of the page being read; here so that their memory serves again.
  BoxFitter fitter_;
  BoxMemory box_memory_;
  std::vector<LineImage> lines_;
  std::vector<Reading> readings_;
};

}  // namespace munja::ocr

#endif  // MUNJA_OCR_PIPELINE_H_
