#include "train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace munja::train {
namespace {

std::string Number(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

Status CheckRange(const std::string& path, const char* name, double value,
                  double low, double high) {
  if (value >= low && value <= high) return Status();
  return Malformed(path + "." + name + " is " + Number(value) + ", wants " +
                   Number(low) + " to " + Number(high));
}

void Schedule::Read(bundle::Fields& fields) {
  fields.Read("minutes", &minutes);
  fields.Read("steps", &steps);
  fields.Read("learning_rate", &learning_rate);
  fields.Read("final_rate", &final_rate);
  fields.Read("warmup_steps", &warmup_steps);
}

Status Schedule::Validate(const std::string& path) const {
  if ((minutes > 0) == (steps > 0)) {
    return Malformed(path + " wants either 'minutes' or 'steps'");
  }
  MUNJA_RETURN_IF_ERROR(CheckRange(path, "minutes", minutes, 0, 1e6));
  MUNJA_RETURN_IF_ERROR(
      CheckRange(path, "learning_rate", learning_rate, 1e-8, 1));
  return CheckRange(path, "final_rate", final_rate, 0, 1);
}

double Schedule::Progress(uint64_t step, double seconds) const {
  const double progress =
      steps > 0 ? static_cast<double>(step) / static_cast<double>(steps)
                : seconds / (60.0 * minutes);
  return std::clamp(progress, 0.0, 1.0);
}

double Schedule::LearningRate(uint64_t step, double seconds) const {
  const double warm = step >= warmup_steps
                          ? 1.0
                          : static_cast<double>(step + 1) /
                                static_cast<double>(warmup_steps + 1);
  const double cosine =
      0.5 + 0.5 * std::cos(std::numbers::pi * Progress(step, seconds));
  return learning_rate * warm * (final_rate + (1 - final_rate) * cosine);
}

void OptimizerSettings::Read(bundle::Fields& fields) {
  fields.Read("weight_decay", &weight_decay);
  fields.Read("beta1", &beta1);
  fields.Read("beta2", &beta2);
  fields.Read("clip", &clip);
  fields.Read("average", &average);
}

Status OptimizerSettings::Validate(const std::string& path) const {
  MUNJA_RETURN_IF_ERROR(CheckRange(path, "weight_decay", weight_decay, 0, 1));
  MUNJA_RETURN_IF_ERROR(CheckRange(path, "beta1", beta1, 0, 0.9999));
  MUNJA_RETURN_IF_ERROR(CheckRange(path, "beta2", beta2, 0, 0.99999));
  MUNJA_RETURN_IF_ERROR(CheckRange(path, "clip", clip, 1e-3, 1e6));
  return CheckRange(path, "average", average, 0, 0.999999);
}

void Pace::Read(bundle::Fields& fields) {
  fields.Read("report_seconds", &report_seconds);
  fields.Read("evaluate_minutes", &evaluate_minutes);
  fields.Read("checkpoint_minutes", &checkpoint_minutes);
}

Status Pace::Validate(const std::string& path) const {
  MUNJA_RETURN_IF_ERROR(
      CheckRange(path, "report_seconds", report_seconds, 0, 1e6));
  MUNJA_RETURN_IF_ERROR(
      CheckRange(path, "evaluate_minutes", evaluate_minutes, 0, 1e6));
  return CheckRange(path, "checkpoint_minutes", checkpoint_minutes, 0.01, 1e6);
}

}  // namespace munja::train
