// LineReaders: reads the lines of a page with all threads.
#ifndef MUNJA_READING_READ_LINE_READERS_H_
#define MUNJA_READING_READ_LINE_READERS_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/thread_pool.h"
#include "image/image.h"
#include "reading/find/boxes.h"
#include "reading/read/cropper.h"
#include "reading/read/orientation_classifier.h"
#include "reading/read/recognizer.h"
#include "reading/retry/line_retries.h"

namespace munja::ocr {

// Of lines with these widths, the widest first, how many to read side by side,
// each on one of the threads; the others are then read one after the other by
// all threads together, so that none waits long for another at the end.
size_t LinesSideBySide(std::span<const int> widths, int threads);

// A line, by its box, that was read before all are.
struct KnownLine {
  size_t line = 0;
  Reading reading;
};

// One caller at a time. What is read in a line depends on this line alone, but
// whether it is looked at again also on the others: upside down when some of
// them stand on their heads, not at all where the writing is unknown. Memory is
// kept for the next page.
class LineReaders {
 public:
  // `pool` may be null. The recognizers' sessions may share runs with it.
  // `exact` reads the lines again that `recognizer` is not sure of, and their
  // other cuts.
  static Result<LineReaders> Create(
      Recognizer recognizer, std::optional<Recognizer> exact,
      std::optional<OrientationClassifier> classifier,
      std::shared_ptr<ThreadPool> pool);

  // Others that share weights and threads. While these read, too.
  Result<LineReaders> Fork() const;

  // Cuts all boxes out of the page, and turns those that the classifier finds
  // upside down.
  Status CutAll(const image::ImageView& page, std::span<const TextBox> boxes,
                std::vector<LineImage>& lines);
  // By how many quarter turns clockwise the page comes upright, as a few of its
  // lines show. `known`: what was read as ReadAll() of these boxes would, which
  // takes it as done.
  Result<int> FindQuarterTurns(const image::ImageView& page,
                               std::span<const TextBox> boxes,
                               std::vector<KnownLine>* known);
  // Reads the line in each box; faint specks (faint_boxes.h) have none.
  // `lines`: what CutAll just made of the boxes, or nothing; then each is cut
  // when it is its turn. The failure of the first line that failed. `known` is
  // moved from.
  Status ReadAll(const image::ImageView& page, std::span<const TextBox> boxes,
                 std::span<const LineImage> lines,
                 std::vector<Reading>& readings,
                 std::span<KnownLine> known = {});

  const text::Dictionary& dictionary() const {
    return readers_[0].recognizer.dictionary();
  }

 private:
  // What one thread needs to read lines.
  struct Reader {
    Recognizer recognizer;
    std::optional<Recognizer> exact;
    std::optional<OrientationClassifier> classifier;
    LineImage line;  // The one that it reads.
  };
  enum class Look { kFirst, kExact, kOtherCut, kUpsideDown };
  struct Task {
    size_t line = 0;
    Look look = Look::kFirst;
    int cut = 0;      // Of kOtherCut.
    size_t slot = 0;  // Of the result.
    int width = 0;
  };
  // A doubtful line whose first reading no other cut has given yet.
  struct Open {
    size_t line = 0;
    text::CtcLine first;
  };
  // What a page of lines is read from.
  struct Page {
    const image::ImageView& pixels;
    std::span<const TextBox> boxes;
    std::span<const LineImage> lines;
  };

  LineReaders(std::vector<Reader> readers, std::shared_ptr<ThreadPool> pool)
      : readers_(std::move(readers)), pool_(std::move(pool)) {}

  // All that doubtful lines are read again for; `readings` are those of before
  // where that fails.
  Status ReadDoubtful(const Page& page, std::vector<Reading>& readings);
  // Sets doubtful_: lines read with less confidence than the contract's
  // second_look. Not those in faint boxes: one look is enough for them.
  void FindDoubtful(const Page& page, std::span<const Reading> readings);
  // Reads by the exact recognizer what is doubtful but may become text. What
  // stays doubtful is looked at again as without it.
  Status ReadExactly(const Page& page, std::vector<Reading>& readings);
  // Read the doubtful lines again; upside down those on end, a few others, and
  // the rest when one of these stands on its head.
  Status ReadOtherCuts(const Page& page, std::vector<Reading>& readings);
  Status ReadUpsideDown(const Page& page, bool is_unknown,
                        std::vector<Reading>& readings);
  Status ReadSample(const Page& page, std::span<const size_t> lines, Look look,
                    std::vector<Reading>& readings);
  void AddTask(const Page& page, size_t line, Look look, int cut);
  // Runs tasks_, results in results_ by slot.
  Status RunTasks(const Page& page);
  Status Run(const Page& page, const Task& task, Reader& reader);
  // Cuts a box out as the classifier says it stands.
  Status Cut(const image::ImageView& page, const TextBox& box, size_t line,
             OrientationClassifier* classifier, LineImage& cut);

  std::vector<Reader> readers_;  // One for each thread.
  std::shared_ptr<ThreadPool> pool_;
  // Of the page being read.
  std::vector<char> is_turned_;  // By line: the classifier turned it.
  std::vector<size_t> doubtful_;
  std::vector<Open> open_;
  std::vector<Task> tasks_;
  std::vector<int> widths_;
  std::vector<Reading> results_;
  std::vector<Status> statuses_;
};

}  // namespace munja::ocr

#endif  // MUNJA_READING_READ_LINE_READERS_H_
