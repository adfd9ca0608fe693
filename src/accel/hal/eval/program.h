// A model prepared for many runs: the largest parts that can be lowered are
// compiled once; the rest runs operation by operation.
#ifndef MUNJA_HAL_EVAL_PROGRAM_H_
#define MUNJA_HAL_EVAL_PROGRAM_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "base/status.h"
#include "base/thread_pool.h"
#include "hal/eval/executor.h"
#include "hal/model.h"
#include "runtime/delegate.h"

namespace munja::hal {

class Program {
 public:
  // model: valid. Its parts share the threads of `pool` (null: the caller's),
  // and what `delegate` (null: none) takes of them runs there. It serves many
  // sessions.
  static Result<std::unique_ptr<Program>> Create(
      Model model, std::shared_ptr<ThreadPool> pool,
      std::shared_ptr<runtime::Delegate> delegate = nullptr);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  const Model& model() const { return model_; }
  // As Evaluate() of the model. Any number of threads at once.
  Result<std::vector<Tensor>> Run(std::vector<Tensor> inputs,
                                  const EvalOptions& options) const;
  // Number of compiled operations of the main subgraph.
  size_t compiled_operations() const;

 private:
  struct Part;

  explicit Program(Model model);
  Result<std::vector<Tensor>> RunParts(std::vector<Tensor> inputs,
                                       const EvalOptions& options) const;

  const Model model_;
  std::vector<Part> parts_;  // In their order.
};

// Which operations of the main subgraph of a valid model would run on the
// delegate from the first node to the last. A failure: the delegate takes
// nothing at all.
Result<std::vector<bool>> OperationsTakenBy(runtime::Delegate& delegate,
                                            const Model& model);

}  // namespace munja::hal

#endif  // MUNJA_HAL_EVAL_PROGRAM_H_
