// TfLiteInterpreter and TfLiteSignatureRunner.
#ifndef MUNJA_TFLITE_API_INTERPRETER_H_
#define MUNJA_TFLITE_API_INTERPRETER_H_

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tensorflow/lite/core/c/c_api.h"
#include "tflite_api/options.h"
#include "tflite_api/runner_subgraph.h"
#include "tflite_api/subgraph_runner.h"

namespace munja::compat {

// One call at a time may change an interpreter: sees that there is another one.
class InterpreterUse {
 public:
  InterpreterUse(std::atomic<bool>& is_in_use, const Reporter& reporter)
      : is_in_use_(is_in_use),
        is_allowed_(!is_in_use.exchange(true, std::memory_order_acquire)) {
    if (!is_allowed_)
      reporter.Report("The interpreter is in use by another thread.");
  }
  ~InterpreterUse() {
    if (is_allowed_) is_in_use_.store(false, std::memory_order_release);
  }
  InterpreterUse(const InterpreterUse&) = delete;
  InterpreterUse& operator=(const InterpreterUse&) = delete;
  bool is_allowed() const { return is_allowed_; }

 private:
  std::atomic<bool>& is_in_use_;
  const bool is_allowed_;
};

// Names of a signature's tensors, sorted.
using NamedTensors = std::vector<std::pair<std::string, int>>;

// Null when it cannot be made; the reason was reported. `with_builtins`: with
// the operators of this library.
TfLiteInterpreter* CreateInterpreter(const TfLiteModel* model,
                                     const TfLiteInterpreterOptions* options,
                                     bool with_builtins);

}  // namespace munja::compat

struct TfLiteInterpreter {
  munja::compat::RunnerContext context;
  std::atomic<bool> is_in_use{false};  // By a call that changes it.
  // By subgraph; [0] always. Those of signatures are made when asked for.
  std::map<int, std::unique_ptr<munja::compat::SubgraphRunner>> runners;
  // The same as C++ sources see them; made when asked for.
  std::map<int, std::unique_ptr<munja::compat::RunnerSubgraph>> shown;

  munja::compat::SubgraphRunner& main() const { return *runners.at(0); }
  // Null when it cannot be made.
  munja::compat::SubgraphRunner* Runner(int subgraph);
};

struct TfLiteSignatureRunner {
  TfLiteInterpreter* interpreter;
  munja::compat::SubgraphRunner* runner;  // The interpreter's.
  std::string key;
  munja::compat::NamedTensors inputs, outputs;
};

#endif  // MUNJA_TFLITE_API_INTERPRETER_H_
