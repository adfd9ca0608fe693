// Detector: from a page to its probability map.
#ifndef MUNJA_READING_FIND_DETECTOR_H_
#define MUNJA_READING_FIND_DETECTOR_H_

#include <memory>
#include <span>

#include "base/buffer.h"
#include "base/status.h"
#include "base/thread_pool.h"
#include "image/image.h"
#include "reading/find/probability_map.h"
#include "reading/network/config.h"
#include "reading/network/network_input.h"
#include "runtime/session.h"

namespace munja::ocr {

// How a page is given to the detector: scaled, then placed in an input whose
// sides are multiples of the network's.
struct DetectorInput {
  int width = 0, height = 0;                // Size of the input.
  int scaled_width = 0, scaled_height = 0;  // Size of the page in it.
  int left = 0, top = 0;                    // Where the page starts in it.
  friend bool operator==(const DetectorInput&, const DetectorInput&) = default;
};

// A part of a detector's input, in its pixels.
struct InputZone {
  int left = 0, top = 0, width = 0, height = 0;
  friend bool operator==(const InputZone&, const InputZone&) = default;
};

// The longer (or shorter) side is brought to the config's limit; then, by
// the config's fit, the page is padded to the next multiples or stretched to
// the nearest ones.
DetectorInput PlanDetectorInput(int page_width, int page_height,
                                const DetectorConfig& config);

// The longest side that any input may have, the high-resolution pass included.
int MaxSide(const DetectorConfig& config);

// Where a page of this size lies in the input.
Placement PlaceInInput(int page_width, int page_height,
                       const DetectorInput& input);

// One caller at a time.
class Detector {
 public:
  // The session must take one NHWC tensor of three channels (CheckImageInput)
  // with free (or fitting) height and width and give one map; kInvalidArgument
  // otherwise.
  static Result<Detector> Create(std::unique_ptr<runtime::Session> session,
                                 const DetectorConfig& config);

  // The page as the network saw it, and what it saw in it. Both hold until the
  // next call. `pool` may be null.
  struct Output {
    ProbabilityMap map;
    image::ImageView input;
  };
  Result<Output> Run(const image::ImageView& page, ThreadPool* pool) {
    return Run(page, config_.limit_side, {}, pool);
  }
  // The same with another limit than the config's and, where there are zones
  // of the input of that limit, with these alone looked at: elsewhere the map
  // is 0. They lie apart, their sides are multiples of the config's.
  Result<Output> Run(const image::ImageView& page, int limit_side,
                     std::span<const InputZone> zones, ThreadPool* pool);

  // How Run() gives a page to the network.
  DetectorInput PlanInput(const image::ImageView& page, int limit_side) const;

  // Another that shares the weights, with memory of its own. `pool` as in
  // Session::Fork. While this one runs, too.
  Result<Detector> Fork(std::shared_ptr<ThreadPool> pool) const;

  const DetectorConfig& config() const { return config_; }
  const runtime::Session& session() const { return *session_; }
  runtime::Session& session() { return *session_; }

 private:
  Detector(std::unique_ptr<runtime::Session> session,
           const DetectorConfig& config)
      : session_(std::move(session)),
        config_(config),
        input_(session_->inputs()[0], config.normalization) {}

  // The map of an image whose size the network takes; valid until the next
  // call.
  Result<TensorView> RunNetwork(const image::ImageView& input,
                                ThreadPool* pool);
  // The same for the zones of a larger one, put together in map_.
  Status RunZones(const image::ImageView& input,
                  std::span<const InputZone> zones, ThreadPool* pool);

  std::unique_ptr<runtime::Session> session_;
  DetectorConfig config_;
  image::Image resized_, padded_;
  ImageInput input_;
  Buffer map_;
};

}  // namespace munja::ocr

#endif  // MUNJA_READING_FIND_DETECTOR_H_
