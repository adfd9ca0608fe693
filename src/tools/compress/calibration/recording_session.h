// RecordingSession: a session that keeps what it was given.
#ifndef MUNJA_COMPRESS_CALIBRATION_RECORDING_SESSION_H_
#define MUNJA_COMPRESS_CALIBRATION_RECORDING_SESSION_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/status.h"
#include "compress/calibration/observe.h"
#include "runtime/session.h"

namespace munja::compress {

// Inputs of at most `limit` runs: when more come, each is kept with the same
// probability, drawn from a fixed sequence. Thread-safe.
class Recording {
 public:
  explicit Recording(size_t limit) : limit_(limit) {}
  void Add(std::span<const TensorView> inputs);
  int64_t runs() const { return runs_; }
  std::vector<Sample> Take() { return std::move(samples_); }

 private:
  const size_t limit_;
  std::mutex mutex_;
  int64_t runs_ = 0;
  uint64_t random_ = 1;
  std::vector<Sample> samples_;
};

// Runs as `session` does and records the float32 inputs of all callers: so a
// network is calibrated on exactly the data that its pipeline feeds it. Forks
// record, too.
std::unique_ptr<runtime::Session> Record(
    std::unique_ptr<runtime::Session> session,
    std::shared_ptr<Recording> recording);

}  // namespace munja::compress

#endif  // MUNJA_COMPRESS_CALIBRATION_RECORDING_SESSION_H_
