#include "munja/tools/prune.h"

#include <algorithm>
#include <memory>
#include <string>

#include "base/thread_pool.h"
#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/handles.h"
#include "capi/tools/lists.h"
#include "compress/pruning/level.h"
#include "prune/prune_network.h"

using munja::InvalidArgument;
using munja::Result;
using munja::Status;
using munja::capi::ErrorOf;
using munja::capi::KeepError;
using munja::capi::KeepReport;
using munja::capi::LongGuard;
using munja::capi::ReadOptions;
using munja::capi::RequireAll;
using munja::compress::Criterion;
using munja::tools::Pruning;

namespace {

Result<Criterion> CriterionOf(munja_prune_criterion criterion) {
  switch (criterion) {
    case MUNJA_PRUNE_L1:
      return Criterion::kL1;
    case MUNJA_PRUNE_L2:
      return Criterion::kL2;
    case MUNJA_PRUNE_GEOMETRIC_MEDIAN:
      return Criterion::kGeometricMedian;
    case MUNJA_PRUNE_BATCH_NORM:
      return Criterion::kBatchNorm;
    case MUNJA_PRUNE_RANDOM:
      return Criterion::kRandom;
    case MUNJA_PRUNE_CLUSTERS:
      return Criterion::kClusters;
  }
  return InvalidArgument("unknown criterion " +
                         std::to_string(static_cast<int>(criterion)));
}

Result<Pruning> ReadPruning(const munja_prune_options& o) {
  Pruning job;
  if ((o.sparsity == nullptr) == (o.budget == 0))
    return InvalidArgument("either a sparsity or a budget must be given");
  if (!(o.budget >= 0 && o.budget <= 1))
    return InvalidArgument("budget must be above 0 and at most 1");
  job.budget.share = o.budget;
  if (o.sparsity != nullptr) {
    MUNJA_ASSIGN_OR_RETURN(job.options.level,
                           munja::compress::ParseLevel(o.sparsity));
  }
  if (o.profile != nullptr) job.budget.profile = o.profile;
  MUNJA_ASSIGN_OR_RETURN(job.options.criterion, CriterionOf(o.criterion));
  if (o.clusters < MUNJA_CLUSTERS_RATIO || o.clusters > MUNJA_CLUSTERS_KEPT)
    return InvalidArgument("unknown number of clusters " +
                           std::to_string(static_cast<int>(o.clusters)));
  if (o.clusters == MUNJA_CLUSTERS_KEPT)
    job.options.centers = munja::compress::Centers::kKept;
  if (o.calibrate != nullptr) job.calibrate = o.calibrate;
  if (o.model != nullptr) job.bundle = o.model;
  if (o.max_images < 0)
    return InvalidArgument("max_images must not be negative");
  if (o.max_images > 0) job.pictures = o.max_images;
  job.options.seed = o.seed;
  if (o.round_to < 0 || o.round_to > 1024)
    return InvalidArgument("round_to must be 0 to 1024");
  job.options.multiple = std::max(1, o.round_to);
  if (o.threads < 0 || o.threads > 1024)
    return InvalidArgument("threads must be 0 to 1024");
  job.options.pool = std::make_shared<munja::ThreadPool>(o.threads);
  return job;
}

}  // namespace

extern "C" {

munja_status munja_prune(const char* network,
                         const munja_prune_options* options, const char* output,
                         char** report) {
  const auto prune = [&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(network, output));
    munja_prune_options o;
    MUNJA_RETURN_IF_ERROR(ReadOptions(options, &o));
    MUNJA_ASSIGN_OR_RETURN(Pruning job, ReadPruning(o));
    const munja::ControlScope scope(munja::capi::ControlOf(o.control));
    MUNJA_ASSIGN_OR_RETURN(
        const auto made,
        munja::tools::PruneNetwork(network, std::move(job), output));
    return KeepReport(made, report);
  };
  return KeepError(ErrorOf(options), LongGuard(prune));
}

}  // extern "C"
