// LineFeeder: threads that make line pictures into batches ahead of training.
#ifndef MUNJA_TRAIN_LINE_FEEDER_H_
#define MUNJA_TRAIN_LINE_FEEDER_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "base/status.h"
#include "synth/sample.h"
#include "train/character_classes.h"
#include "train/line_batch.h"

namespace munja::train {

// Which batch comes next. Lines are made in chunks; chunk k holds the samples
// from k * chunk_lines on.
struct FeedPosition {
  uint64_t chunk = 0;
  uint64_t batch = 0;  // In the chunk.
  friend bool operator==(const FeedPosition&, const FeedPosition&) = default;
};

struct LineFeedSettings {
  int height = 32;
  int max_width = 400;       // Columns of a line.
  int batch_columns = 8192;  // Columns of all lines of a batch.
  int max_batch = 128;       // Lines.
  int reuse = 1;             // Times each line is used, changed each time.
  int chunk_lines = 1024;
  LineChanges changes;
};

// One caller. What comes depends on seed, settings and position only, not on
// the number of threads.
class LineFeeder {
 public:
  // Thread-safe; the same index gives the same sample.
  using Maker = std::function<Result<LineSample>(uint64_t index)>;

  // `classes` must outlive this.
  LineFeeder(Maker maker, const CharacterClasses* classes,
             const LineFeedSettings& settings, uint64_t seed, int threads,
             FeedPosition start);
  ~LineFeeder();
  LineFeeder(const LineFeeder&) = delete;
  LineFeeder& operator=(const LineFeeder&) = delete;

  // Waits for the next batch. What the maker failed with; kMalformed when a
  // whole chunk holds no usable line.
  Result<LineBatch> Next();
  // The position of the batch that Next() gives next.
  FeedPosition position() const;
  // Lines that were too long or not of the alphabet, since the start.
  uint64_t skipped() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace munja::train

#endif  // MUNJA_TRAIN_LINE_FEEDER_H_
