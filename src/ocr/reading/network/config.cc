#include "reading/network/config.h"

#include <cstdio>
#include <utility>

namespace munja::ocr {
namespace {

// Collects the first field that is out of range.
class Ranges {
 public:
  void Check(const char* field, double value, double lo, double hi) {
    if (!status_.ok() || (value >= lo && value <= hi))
      return;  // NaN fails, too
    char text[160];
    std::snprintf(text, sizeof text, "%s is %g, must be in [%g, %g]", field,
                  value, lo, hi);
    status_ = InvalidArgument(text);
  }
  void CheckNormalization(const std::string& network, const Normalization& n) {
    for (int c = 0; c < 3; ++c) {
      Check((network + ".mean").c_str(), n.mean[c], -4.0, 4.0);
      Check((network + ".deviation").c_str(), n.deviation[c], 1e-6, 255.0);
    }
  }
  Status Take() { return std::move(status_); }

 private:
  Status status_;
};

}  // namespace

Result<Config> NamedConfig(const std::string& name) {
  Config config;
  config.name = name;
  if (name == "ppocrv6") return config;
  if (name == "ppocrv5") {
    config.detector.threshold = 0.3f;
    config.detector.box_threshold = 0.6f;
    config.detector.unclip_ratio = 1.5f;
    config.detector.max_candidates = 1000;
    return config;
  }
  return NotFound("no configuration named '" + name +
                  "'; known are ppocrv6, ppocrv5");
}

// Several times what networks are trained with, and no more: the time that a
// page takes grows with each of these.
Status Validate(const Config& config) {
  constexpr int kMaxSide = 8192;
  Ranges ranges;
  const DetectorConfig& d = config.detector;
  ranges.Check("detector.side_multiple", d.side_multiple, 1, 256);
  ranges.Check("detector.dense_limit_side", d.dense_limit_side, 0, kMaxSide);
  ranges.Check("detector.dense_height", d.dense_height, 1.0, 100.0);
  ranges.Check("detector.limit_side", d.limit_side, d.side_multiple, kMaxSide);
  ranges.Check("detector.max_side", d.max_side, d.side_multiple, kMaxSide);
  ranges.Check("detector.threshold", d.threshold, 0.0, 1.0);
  ranges.Check("detector.box_threshold", d.box_threshold, 0.0, 1.0);
  ranges.Check("detector.faint_threshold", d.faint_threshold, 0.0, 1.0);
  ranges.Check("detector.unclip_ratio", d.unclip_ratio, 0.0, 5.0);
  ranges.Check("detector.max_candidates", d.max_candidates, 1, 10000);
  ranges.Check("detector.min_side", d.min_side, 0.0, 1000.0);
  ranges.Check("detector.join_gap", d.join_gap, 0.0, 10.0);
  ranges.CheckNormalization("detector", d.normalization);
  const RecognizerConfig& r = config.recognizer;
  ranges.Check("recognizer.height", r.height, 8, 128);
  ranges.Check("recognizer.width_multiple", r.width_multiple, 1, 64);
  ranges.Check("recognizer.min_width", r.min_width, r.width_multiple, 1024);
  // A window must hold the overlap of two windows and something new.
  ranges.Check("recognizer.max_width", r.max_width, 16.0 * r.height, 16384);
  ranges.Check("recognizer.second_look", r.second_look, 0.0, 1.0);
  ranges.Check("recognizer.language_weight", r.language_weight, 0.0, 10.0);
  ranges.Check("recognizer.faint_confidence", r.faint_confidence, 0.0, 1.0);
  ranges.Check("recognizer.words_weight", r.words_weight, 0.0, 100.0);
  ranges.Check("recognizer.unknown_likelihood", r.unknown_likelihood, 0.5, 1.0);
  ranges.Check("recognizer.confidence_slope", r.confidence_slope, 0.01, 100.0);
  ranges.Check("recognizer.confidence_offset", r.confidence_offset, -100.0,
               100.0);
  ranges.Check("recognizer.tall_ratio", r.tall_ratio, 1.0, 1e6);
  ranges.CheckNormalization("recognizer", r.normalization);
  const ClassifierConfig& c = config.classifier;
  ranges.Check("classifier.width", c.width, 8, 1024);
  ranges.Check("classifier.height", c.height, 8, 1024);
  ranges.Check("classifier.threshold", c.threshold, 0.0, 1.0);
  ranges.CheckNormalization("classifier", c.normalization);
  ranges.Check("min_confidence", config.min_confidence, 0.0, 1.0);
  return ranges.Take();
}

}  // namespace munja::ocr
