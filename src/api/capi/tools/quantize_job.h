// The options of quantization as the wing below takes them.
#ifndef MUNJA_CAPI_TOOLS_QUANTIZE_JOB_H_
#define MUNJA_CAPI_TOOLS_QUANTIZE_JOB_H_

#include "base/status.h"
#include "munja/tools/quantize.h"
#include "quantize/quantize_model.h"

namespace munja::capi {

// `calibration` may be null.
Result<tools::QuantizeJob> ReadJob(const munja_quantize_options& options,
                                   const munja_calibration* calibration);
// For all networks of a model. Either may be null.
Result<tools::QuantizeJob> ReadModelJob(const munja_quantize_options* options,
                                        const munja_calibration* calibration);

}  // namespace munja::capi

#endif  // MUNJA_CAPI_TOOLS_QUANTIZE_JOB_H_
