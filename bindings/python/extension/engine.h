// An engine that any number of threads may share.
#ifndef MUNJA_PYTHON_ENGINE_H_
#define MUNJA_PYTHON_ENGINE_H_

#include <memory>
#include <utility>

#include "binding.h"

namespace munja_python {

// Any number of threads may read; close() waits for none of them.
class Engine {
 public:
  explicit Engine(std::shared_ptr<munja::Engine> engine)
      : engine_(std::move(engine)) {}
  std::shared_ptr<munja::Engine> get() const {
    if (engine_ == nullptr)
      Raise({MUNJA_INVALID_ARGUMENT, "the engine is closed"});
    return engine_;
  }
  void Close() {
    std::shared_ptr<munja::Engine> engine = std::move(engine_);
    engine_ = nullptr;
    const nb::gil_scoped_release release;
    engine.reset();
  }
  bool is_closed() const { return engine_ == nullptr; }

 private:
  std::shared_ptr<munja::Engine> engine_;
};

}  // namespace munja_python

#endif  // MUNJA_PYTHON_ENGINE_H_
