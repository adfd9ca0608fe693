// Pipeline: from a page to a document. Start reading here.
#ifndef MUNJA_READING_PIPELINE_H_
#define MUNJA_READING_PIPELINE_H_

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/thread_pool.h"
#include "document/document.h"
#include "image/image.h"
#include "reading/find/line_finder.h"
#include "reading/network/config.h"
#include "reading/read/line_readers.h"
#include "reading/read/page_line.h"
#include "reading/stage_sink.h"
#include "text/language.h"

namespace munja::ocr {

// The networks of a bundle, as sessions, and what they were trained with.
struct Networks {
  std::string name;  // The name of the bundle, which goes into documents.
  std::unique_ptr<runtime::Session> detector, recognizer;
  std::unique_ptr<runtime::Session> classifier;  // May be null.
  // Reads lines again that the recognizer, which is faster, read with low
  // confidence. May be null.
  std::unique_ptr<runtime::Session> exact_recognizer;
  std::shared_ptr<const text::Dictionary> dictionary;
  text::Language language;  // May be empty.
  // By class, nonzero: it may be read (text/allow_list.h). Null: all are. The
  // recognizers then give the probabilities of all classes.
  std::shared_ptr<const std::vector<char>> allowed = nullptr;
};

// One caller at a time (many: SharedPipeline). Lines are read by all threads of
// the pool at once; the document does not depend on how many there are.
class Pipeline {
 public:
  // `pool` may be null: everything runs on the calling thread.
  static Result<std::unique_ptr<Pipeline>> Create(
      Networks networks, const Config& config,
      std::shared_ptr<ThreadPool> pool);

  // Reads a page. Lines come in reading order; those below `min_confidence` (by
  // default the config's) are left out. `sink` may be null.
  Result<document::Document> Recognize(
      const image::ImageView& page, StageSink* sink = nullptr,
      std::optional<float> min_confidence = std::nullopt);

  // The boxes only, in reading order.
  Result<std::vector<TextBox>> Detect(const image::ImageView& page,
                                      StageSink* sink = nullptr);

  // The boxes that Recognize() reads, in no order: also those in which reading
  // has to tell whether they are lines. Each starts where its text starts.
  // `quarters`: turns clockwise that make the page upright; where they are not
  // known, they are found out and set unless there are no boxes.
  Result<std::vector<TextBox>> FindBoxes(const image::ImageView& page,
                                         std::optional<int>* quarters);

  // Reads the lines in these quads, which start where their text starts. The
  // document has a line for each, in this order.
  Result<document::Document> RecognizeBoxes(
      const image::ImageView& page, std::span<const geometry::Quad> quads);
  // The same for boxes of FindBoxes(); one that is no line has no text.
  Result<document::Document> RecognizeBoxes(const image::ImageView& page,
                                            std::span<const TextBox> boxes);

  // Reads an image that is one line of text; wide margins do no harm. The
  // document has that line.
  Result<document::Document> RecognizeLine(const image::ImageView& line);

  // Another that shares weights and threads, with memory of its own. While this
  // one reads, too.
  Result<std::unique_ptr<Pipeline>> Fork() const;

  const Config& config() const { return config_; }
  const std::string& name() const { return name_; }

 private:
  using Clock = std::chrono::steady_clock;

  Pipeline(std::string name, LineFinder finder, LineReaders readers,
           const Config& config, std::shared_ptr<ThreadPool> pool)
      : name_(std::move(name)),
        finder_(std::move(finder)),
        readers_(std::move(readers)),
        config_(config),
        pool_(std::move(pool)) {}

  // All of Recognize() but what the document says of the page.
  Result<document::Document> ReadPage(const image::ImageView& page,
                                      StageSink* sink,
                                      std::optional<float> min_confidence);
  // Replaces the result of a page by what its contrast of colors says, if that
  // is more.
  Status ReadByColor(const image::ImageView& page,
                     std::optional<float> min_confidence,
                     document::Document* result);
  // `quarters`: set to the turns clockwise that make the page upright; may be
  // null.
  Result<std::vector<PageLine>> FindLines(const image::ImageView& page,
                                          DetectionSink* sink,
                                          int* quarters = nullptr);
  Status ReadLines(const image::ImageView& page, StageSink* sink,
                   std::vector<PageLine>* lines);
  // These lines, read since `start`.
  document::Document DocumentOf(const image::ImageView& page,
                                std::span<const PageLine> lines,
                                Clock::time_point start) const;
  Result<std::vector<PageLine>> ReadBoxes(const image::ImageView& page,
                                          std::span<const TextBox> boxes);
  // Replaces lines under stamps by what is read without the stamps' color, if
  // that is more.
  Status ReadUnderStamps(const image::ImageView& page,
                         std::vector<PageLine>* lines);
  // Reads low-confidence lines again and drops what is no text.
  Status FinishLines(const image::ImageView& page,
                     std::vector<PageLine>* lines);

  std::string name_;
  LineFinder finder_;
  LineReaders readers_;
  Config config_;
  std::shared_ptr<ThreadPool> pool_;
};

}  // namespace munja::ocr

#endif  // MUNJA_READING_PIPELINE_H_
