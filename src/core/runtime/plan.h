// Plan: a program made ready for one set of input shapes: every shape, every
// table and every address within the arena.
#ifndef MUNJA_RUNTIME_PLAN_H_
#define MUNJA_RUNTIME_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/buffer.h"
#include "base/status.h"
#include "base/thread_pool.h"
#include "runtime/bands.h"
#include "runtime/node_context.h"
#include "runtime/profiler.h"
#include "runtime/program.h"

namespace munja::runtime {

// More than any network for text needs on an image that fits in memory, and
// less than would let a hostile model push the machine into swapping.
inline constexpr size_t kMaxArenaBytes = sizeof(size_t) > 4
                                             ? static_cast<size_t>(uint64_t{8}
                                                                   << 30)
                                             : size_t{1} << 30;

// Results of an evaluation at plan time: sizes and other small
// tables that later shapes depend on.
inline constexpr size_t kMaxKnownBytes = size_t{64} << 10;

class Plan {
 public:
  // `inputs` has as many shapes as the program has inputs, all static and
  // fitting. The pool must outlive the plan. Errors name the node.
  static Result<std::unique_ptr<Plan>> Make(const Program& program,
                                            std::span<const Shape> inputs,
                                            ThreadPool& pool);

  std::span<const Shape> input_shapes() const { return input_shapes_; }
  size_t arena_bytes() const { return arena_bytes_; }

  // Points every view into this memory: arena_bytes() at `arena`, one buffer
  // for each variable of the program. Nothing to do when it already does.
  void Bind(uint8_t* arena, std::span<Buffer> variables);

  // Runs; bound before. `inputs` point at the data of each input, which has
  // the shape of input_shapes() and is not written. `profiler` may be null.
  Status Run(const Program& program, std::span<void* const> inputs,
             Profiler* profiler);

  // Tells the profiler the shapes and sizes of each step.
  void DescribeTo(const Program& program, Profiler& profiler) const;

  // In the program's order. Hold until the next run of any plan in the arena.
  std::span<const TensorView> outputs() const { return outputs_; }

  // A kernel's steps, for profile and tests.
  size_t steps() const { return steps_.size(); }
  // Steps that run by bands; for tests.
  size_t banded_steps() const;

 private:
  friend class PlanBuilder;

  enum class Storage : uint8_t { kNone, kFixed, kInput, kVariable, kArena };
  // Where a value lies: fixed data that never moves (constants, values known
  // at plan time; their views point there already), the caller's input number
  // `at`, variable number `at`, or byte `at` of the arena.
  struct Placement {
    Storage storage = Storage::kNone;
    size_t at = 0;
  };
  struct Step {
    size_t node;
    std::unique_ptr<NodeContext> context;  // Kernels may hold its address.
    size_t scratch_bytes = 0, scratch_offset = 0;
    std::vector<std::pair<int, int>> in_place;
  };
  // Steps [first, end), which run by bands.
  struct Chain {
    size_t first, end;
    std::unique_ptr<Bands> bands;
    size_t offset;  // Offset of their memory.
  };
  struct InputSlot {
    TensorView* view;
    size_t input;
  };
  // An input that is also an output: copied, since outputs are the session's.
  struct OutputCopy {
    size_t input, output, offset;
  };

  Plan() = default;
  void BindView(graph::ValueId value, TensorView* view, uint8_t* arena,
                std::span<Buffer> variables) const;

  std::vector<Shape> input_shapes_;
  std::vector<Placement> placements_;  // By value.
  std::vector<graph::ValueId> output_values_;
  std::vector<Step> steps_;
  std::vector<Chain> chains_;  // In the order of the run.
  std::vector<Buffer> known_;  // Data of values known at plan time.
  std::vector<InputSlot> input_slots_;
  std::vector<OutputCopy> copies_;
  std::vector<TensorView> outputs_;
  size_t arena_bytes_ = 0;
  uint8_t* arena_ = nullptr;
  bool is_bound_ = false;
};

}  // namespace munja::runtime

#endif  // MUNJA_RUNTIME_PLAN_H_
