// PageFeeder: threads that make pages into batches ahead of training.
#ifndef MUNJA_TRAIN_PAGE_FEEDER_H_
#define MUNJA_TRAIN_PAGE_FEEDER_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "base/status.h"
#include "synth/sample.h"
#include "train/page_batch.h"

namespace munja::train {

struct PageFeedSettings {
  int pages = 4;           // Pages of a batch.
  int crops_per_page = 2;  // A page costs more to make than to cut.
  PageCropSettings crop;
};

// One caller. Batch b holds crops of the pages from b * pages on; what comes
// depends on seed, settings and position only.
class PageFeeder {
 public:
  // Thread-safe; the same index gives the same sample.
  using Maker = std::function<Result<PageSample>(uint64_t index)>;

  PageFeeder(Maker maker, const PageFeedSettings& settings, uint64_t seed,
             int threads, uint64_t start);
  ~PageFeeder();
  PageFeeder(const PageFeeder&) = delete;
  PageFeeder& operator=(const PageFeeder&) = delete;

  // Waits for the next batch; what the maker failed with.
  Result<PageBatch> Next();
  // Number of the batch that Next() gives next.
  uint64_t position() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace munja::train

#endif  // MUNJA_TRAIN_PAGE_FEEDER_H_
