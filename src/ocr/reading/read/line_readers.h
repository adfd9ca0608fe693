// LineReaders: reads the lines of a page with all threads.
#ifndef MUNJA_READING_READ_LINE_READERS_H_
#define MUNJA_READING_READ_LINE_READERS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/thread_pool.h"
#include "image/image.h"
#include "reading/read/orientation_classifier.h"
#include "reading/read/page_line.h"
#include "reading/read/recognizer.h"

namespace munja::ocr {

// How many lines with these widths, the widest first, are read in parallel,
// each by one thread; the others are then read one after the other by all
// threads together, so that no thread waits long at the end.
size_t LinesSideBySide(std::span<const int> widths, int threads);

// How a line is read.
enum class Pass : uint8_t {
  kFirst,
  kExact,       // By the exact recognizer.
  kRecrop,      // By that, if there is one, in a crop of another size.
  kUpsideDown,  // Rotated by 180 degrees against the first pass.
};

// A line that is to be read, and what comes of it.
struct ReadingJob {
  size_t line = 0;
  Pass pass = Pass::kFirst;
  geometry::Quad quad{};  // The quad to crop: the line's box or, to recrop it,
  float growth = 0;       // one whose sides lie so many pixels further out.
  Reading result = {};
};

// One caller at a time. What a job gives depends on its line alone. Memory is
// kept for the next page.
class LineReaders {
 public:
  // `pool` may be null. The recognizers' sessions may share runs with it.
  // `exact` is for Pass::kExact and kRecrop.
  static Result<LineReaders> Create(
      Recognizer recognizer, std::optional<Recognizer> exact,
      std::optional<OrientationClassifier> classifier,
      std::shared_ptr<ThreadPool> pool);

  // Others that share weights and threads. While these read, too.
  Result<LineReaders> Fork() const;

  // Makes the crops of all lines before they are read, with those upright that
  // the classifier finds upside down.
  Status CropAll(const image::ImageView& page, std::span<PageLine> lines);

  // The first pass over the lines that are not read yet. A line without a crop
  // is cropped when it is its turn; IsLowScoreSpeck() has no text. The failure
  // of the first line that failed.
  Status ReadAll(const image::ImageView& page, std::span<PageLine> lines);

  // Runs jobs, which come out in their order. `lines` are changed by the
  // classifier only. A box that shrinks to nothing is read as an empty text.
  Status Run(const image::ImageView& page, std::span<PageLine> lines,
             std::vector<ReadingJob>& jobs);

  // Frees the memory of earlier runs. What config() and dictionary() returned
  // stays valid.
  Status FreeMemory();

  bool has_exact() const { return readers_[0].exact.has_value(); }
  bool has_classifier() const { return readers_[0].classifier.has_value(); }
  const RecognizerConfig& config() const {
    return readers_[0].recognizer.config();
  }
  const text::Dictionary& dictionary() const {
    return readers_[0].recognizer.dictionary();
  }

 private:
  // The networks and memory of one thread.
  struct Reader {
    Recognizer recognizer;
    std::optional<Recognizer> exact;
    std::optional<OrientationClassifier> classifier;
    LineImage crop;  // The line that it reads.
  };
  // A job in the queue.
  struct Queued {
    ReadingJob* job;
    int width;  // Width of the crop.
    Status status = {};
  };

  LineReaders(std::vector<Reader> readers, std::shared_ptr<ThreadPool> pool)
      : readers_(std::move(readers)), pool_(std::move(pool)) {}

  // Runs queue_, in that order over all threads.
  void RunQueue(const image::ImageView& page, std::span<PageLine> lines);
  // Runs those jobs again, one by one, for which there was no memory beside the
  // others.
  Status RunAlone(const image::ImageView& page, std::span<PageLine> lines);
  Status Run(const image::ImageView& page, PageLine& line, ReadingJob& job,
             Reader& reader) const;
  // Crops the line as the classifier, if there is one, says it stands.
  Status Crop(const image::ImageView& page, PageLine& line,
              std::optional<OrientationClassifier>& classifier,
              LineImage& crop) const;

  std::vector<Reader> readers_;  // One for each thread.
  std::shared_ptr<ThreadPool> pool_;
  std::vector<Queued> queue_;
  std::vector<int> widths_;
};

// The job that reads a line in its own box.
inline ReadingJob JobOf(std::span<const PageLine> lines, size_t line,
                        Pass pass) {
  return {line, pass, lines[line].box.quad};
}

}  // namespace munja::ocr

#endif  // MUNJA_READING_READ_LINE_READERS_H_
