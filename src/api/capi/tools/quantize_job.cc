#include "capi/tools/quantize_job.h"

#include <cmath>
#include <memory>
#include <string>

#include "base/thread_pool.h"
#include "capi/runtime/arguments.h"
#include "capi/tools/lists.h"

namespace munja::capi {

using compress::Precision;
using compress::QuantizeOptions;
using compress::RangeMethod;
using tools::QuantizeJob;

namespace {

// In the order of the enumerations of munja/tools/quantize.h.
constexpr Precision kModes[] = {Precision::kInt8, Precision::kInt16,
                                Precision::kDynamic, Precision::kWeights};
constexpr RangeMethod kRanges[] = {RangeMethod::kMse, RangeMethod::kMinMax,
                                   RangeMethod::kPercentile,
                                   RangeMethod::kEntropy};
constexpr Precision kFallbacks[] = {Precision::kFloat, Precision::kDynamic,
                                    Precision::kInt16};

template <class T, size_t n>
Result<T> At(const T (&values)[n], int index, const char* what) {
  if (index >= 0 && static_cast<size_t>(index) < n)
    return T(values[static_cast<size_t>(index)]);
  return InvalidArgument(std::string("unknown ") + what + " " +
                         std::to_string(index));
}

}  // namespace

Result<QuantizeJob> ReadJob(const munja_quantize_options& o,
                            const munja_calibration* calibration) {
  QuantizeJob job;
  QuantizeOptions& q = job.options;
  MUNJA_ASSIGN_OR_RETURN(q.mode, At(kModes, o.mode, "mode"));
  MUNJA_ASSIGN_OR_RETURN(q.range.method, At(kRanges, o.range, "range"));
  if (!(o.percentile >= 0 && o.percentile <= 100))
    return InvalidArgument("percentile must be 0 to 100");
  if (o.percentile > 0) q.range.percentile = o.percentile;
  if (!std::isfinite(o.max_loss) || o.max_loss < 0)
    return InvalidArgument("max_loss must not be negative");
  if (o.max_loss > 0) q.max_loss = o.max_loss;
  if (!(o.max_changed >= 0 && o.max_changed <= 1))
    return InvalidArgument("max_changed must be 0 to 1");
  if (o.max_changed > 0) job.max_changed = o.max_changed;
  MUNJA_ASSIGN_OR_RETURN(q.keep,
                         TextsOf(o.exclude, o.exclude_count, "exclude"));
  MUNJA_ASSIGN_OR_RETURN(q.kept, At(kFallbacks, o.fallback, "fallback"));
  q.equalize = o.skip_equalization == 0;
  q.rounding.error_feedback = o.nearest_rounding == 0;
  q.tune_bias = o.skip_bias_tuning == 0;
  q.rounding.correct_bias = o.skip_bias_correction == 0;
  q.integer_io = o.integer_io != 0;
  q.float_logits = o.integer_logits == 0;
  job.allow_noise = o.allow_noise != 0;
  job.keep_float = o.keep_float != 0;
  if (o.threads < 0 || o.threads > 1024)
    return InvalidArgument("threads must be 0 to 1024");
  q.pool = std::make_shared<ThreadPool>(o.threads);
  if (calibration != nullptr) {
    munja_calibration c;
    MUNJA_RETURN_IF_ERROR(ReadOptions(calibration, &c));
    auto& pictures = job.calibration.emplace();
    MUNJA_ASSIGN_OR_RETURN(pictures.files,
                           TextsOf(c.images, c.image_count, "image"));
    if (c.max_pages < 0 || c.max_lines < 0)
      return InvalidArgument("the counts of the calibration do not fit");
    pictures.are_lines = c.are_lines != 0;
    if (c.max_pages > 0) pictures.max_pages = static_cast<size_t>(c.max_pages);
    if (c.max_lines > 0) pictures.max_lines = static_cast<size_t>(c.max_lines);
  }
  return job;
}

Result<QuantizeJob> ReadModelJob(const munja_quantize_options* options,
                                 const munja_calibration* calibration) {
  munja_quantize_options o;
  MUNJA_RETURN_IF_ERROR(ReadOptions(options, &o));
  MUNJA_ASSIGN_OR_RETURN(QuantizeJob job, ReadJob(o, calibration));
  if (job.options.integer_io)
    return InvalidArgument(
        "the networks of a model have float inputs and outputs: integer_io "
        "is for single networks");
  return job;
}

}  // namespace munja::capi
