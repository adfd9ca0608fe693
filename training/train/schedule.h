// The learning rate over a training, and how far the training has come.
#ifndef MUNJA_TRAIN_SCHEDULE_H_
#define MUNJA_TRAIN_SCHEDULE_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "base/status.h"
#include "bundle/fields.h"

namespace munja::train {

// A linear warm-up, then half a cosine down to `final_rate` of the peak. The
// whole is measured in minutes of training or, where `steps` is set, in steps.
struct Schedule {
  float minutes = 0;  // Minutes of all runs together.
  uint64_t steps = 0;
  float learning_rate = 1e-3f;  // The peak.
  float final_rate = 0.02f;     // Part of the peak that is left at the end.
  uint64_t warmup_steps = 200;

  // Reads its members from `fields`.
  void Read(bundle::Fields& fields);
  // kMalformed names the member of `path` that is out of range.
  Status Validate(const std::string& path) const;

  // In [0, 1]; 1 is the end.
  double Progress(uint64_t step, double seconds) const;
  double LearningRate(uint64_t step, double seconds) const;
};

// The settings that both trainers share; part of the recipe's "training"
// objects.
struct OptimizerSettings {
  // The decay of AdamW applies to weights of two and more dimensions.
  float weight_decay = 0.02f;
  float beta1 = 0.9f, beta2 = 0.99f;
  float clip = 1.0f;        // Bound of the gradient's norm.
  float average = 0.9995f;  // Decay of the averaged weights (EMA).

  void Read(bundle::Fields& fields);
  Status Validate(const std::string& path) const;
};

// When a run looks up from its work.
struct Pace {
  float report_seconds = 15;    // A line in the log.
  float evaluate_minutes = 10;  // 0: at the end only.
  float checkpoint_minutes = 2.5f;

  void Read(bundle::Fields& fields);
  Status Validate(const std::string& path) const;
};

// kMalformed, "PATH.NAME is VALUE, wants LOW to HIGH", when it is not there.
Status CheckRange(const std::string& path, const char* name, double value,
                  double low, double high);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_SCHEDULE_H_
