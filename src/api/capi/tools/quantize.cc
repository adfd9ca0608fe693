#include "munja/tools/quantize.h"

#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/handles.h"
#include "capi/tools/lists.h"
#include "capi/tools/quantize_job.h"
#include "quantize/quantize_model.h"

using munja::InvalidArgument;
using munja::Status;
using munja::capi::ErrorOf;
using munja::capi::KeepError;
using munja::capi::KeepReport;
using munja::capi::LongGuard;
using munja::capi::ReadJob;
using munja::capi::ReadModelJob;
using munja::capi::ReadOptions;
using munja::capi::RequireAll;
using munja::capi::TextOf;
using munja::tools::QuantizeJob;

extern "C" {

munja_status munja_quantize(const char* model, const char* role,
                            const char* network,
                            const munja_calibration* calibration,
                            const munja_quantize_options* options,
                            const char* output, char** report) {
  const auto quantize = [&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(output));
    if (role == nullptr) MUNJA_RETURN_IF_ERROR(RequireAll(network));
    munja_quantize_options o;
    MUNJA_RETURN_IF_ERROR(ReadOptions(options, &o));
    MUNJA_ASSIGN_OR_RETURN(const QuantizeJob job, ReadJob(o, calibration));
    if (job.keep_float)
      return InvalidArgument(
          "keep_float is for whole models: a single network is written alone");
    const munja::ControlScope scope(munja::capi::ControlOf(o.control));
    auto made = role == nullptr
                    ? munja::tools::QuantizeFile(network, job, output)
                    : munja::tools::QuantizeRole(TextOf(model), role,
                                                 TextOf(network), job, output);
    if (!made.ok()) return std::move(made).TakeStatus();
    return KeepReport(*made, report);
  };
  return KeepError(ErrorOf(options), LongGuard(quantize));
}

munja_status munja_model_quantize(const char* model,
                                  const munja_calibration* calibration,
                                  const munja_quantize_options* options,
                                  const char* directory, char** report) {
  const auto quantize = [&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(directory));
    MUNJA_ASSIGN_OR_RETURN(const QuantizeJob job,
                           ReadModelJob(options, calibration));
    munja_quantize_options o;
    MUNJA_RETURN_IF_ERROR(ReadOptions(options, &o));
    const munja::ControlScope scope(munja::capi::ControlOf(o.control));
    MUNJA_ASSIGN_OR_RETURN(const auto made, munja::tools::QuantizeModel(
                                                TextOf(model), job, directory));
    return KeepReport(made, report);
  };
  return KeepError(ErrorOf(options), LongGuard(quantize));
}

}  // extern "C"
