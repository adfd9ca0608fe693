// Bands: depth-first tiling of a chain of steps of a plan, by rows. Each
// thread makes some bands of the last map, and for each of them, step by step,
// the rows of the maps before that are missing. These are kept for as long as
// rows below need them and then given up: no map but the last one is ever
// stored whole, and rows are read from the second-level cache into which they
// have just been written. Each element is computed as it would be without.
#ifndef MUNJA_RUNTIME_BANDS_H_
#define MUNJA_RUNTIME_BANDS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/thread_pool.h"
#include "ops/support/row_kernel.h"
#include "runtime/node_context.h"
#include "runtime/profiler.h"

namespace munja::runtime {

class Bands {
 public:
  // Where an input of a stage comes from: the number of the stage that makes
  // it, memory where the rows of a whole map lie, or nothing of that kind.
  static constexpr int kWholeMap = -1, kNoRows = -2;

  struct Stage {
    size_t node;
    const ops::RowKernel* kernel;  // Can split rows.
    const NodeContext* context;    // Prepared; outlives the bands.
    std::vector<int> sources;      // By input.
  };

  struct Limits {
    // A thread's cache: for the rows that it keeps and a band of the last map.
    size_t bytes = 0;
    int threads = 1;
    // Where the bands of one thread end and those of the next begin, both make
    // the rows that both need: at most this part of what a thread makes.
    double repeated = 1.0 / 8;
  };
  // Stages in the order of a run; every one but the last is a source. Null
  // where the limits cannot be kept.
  static std::unique_ptr<Bands> Make(std::vector<Stage> stages,
                                     const Limits& limits);

  const std::vector<Stage>& stages() const { return stages_; }
  int32_t count() const { return count_; }
  // Memory for the rows of all threads.
  size_t bytes() const { return worker_bytes_ * workers_.size(); }
  void Bind(uint8_t* memory) { memory_ = memory; }

  // All contexts are bound to memory. `profiler` may be null; of the time of
  // the run each stage is given its part.
  void Run(ThreadPool& pool, Profiler* profiler);

 private:
  // The rows of the map that a stage makes. Vectors have an entry for each
  // band.
  struct Rows {
    int32_t height = 0;
    int32_t step = 1;  // Rows are made in multiples of it.
    size_t row_bytes = 0;
    ElementType type = ElementType::kFloat32;
    // A band makes rows [begin, end[band]). The thread that has just made the
    // band before goes on where it stopped, at end[band - 1]; any other begins
    // at fresh[band], since it lacks the rows above that later stages read.
    std::vector<int32_t> end, fresh;
    // The thread that goes on may give up its rows before this one.
    std::vector<int32_t> kept;
    int32_t capacity = 0;  // So many rows have room in a thread's memory,
    size_t offset = 0;     // from this byte on.
  };
  struct Worker {
    int32_t next = -1;           // The band before which nothing is missing.
    std::vector<int32_t> first;  // For each stage the first row in memory.
    std::vector<ops::RowSource> inputs;  // Scratch for RunStage.
    std::vector<int64_t> nanoseconds;    // Spent in each stage.
  };

  Bands() = default;
  void ChooseTypes();
  bool Place(int32_t band_rows, const Limits& limits);
  bool PlaceRows(size_t stage);
  double RepeatedRows(size_t stage) const;
  void RunBand(int32_t band, int worker, bool is_timed);
  void RunStage(size_t stage, int32_t band, bool continues, int worker);

  std::vector<Stage> stages_;
  std::vector<Rows> rows_;  // By stage.
  std::vector<Worker> workers_;
  int32_t count_ = 0;
  size_t worker_bytes_ = 0;
  uint8_t* memory_ = nullptr;
};

}  // namespace munja::runtime

#endif  // MUNJA_RUNTIME_BANDS_H_
