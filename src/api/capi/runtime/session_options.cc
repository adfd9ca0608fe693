#include "capi/runtime/session_options.h"

#include <string>

#include "capi/runtime/arguments.h"
#include "capi/runtime/handles.h"
#include "capi/runtime/op_context.h"

namespace munja::capi {
namespace {

Result<const graph::Signature*> FindSignature(const graph::Graph& graph,
                                              const char* key) {
  std::string known;
  for (const graph::Signature& signature : graph.signatures) {
    if (signature.key == key) return &signature;
    known += (known.empty() ? "" : ", ") + signature.key;
  }
  return NotFound("the model has no signature '" + std::string(key) + "', " +
                  (known.empty() ? "it has none" : "only " + known));
}

}  // namespace

Result<std::shared_ptr<ThreadPool>> PoolOf(int32_t threads) {
  if (threads < 0 || threads > 1024)
    return InvalidArgument("threads must be 0 to 1024");
  return threads == 1 ? nullptr : std::make_shared<ThreadPool>(threads);
}

Result<runtime::Precision> PrecisionOf(munja_precision precision,
                                       bool no_winograd) {
  switch (precision) {
    case MUNJA_PRECISION_DEFAULT:
    case MUNJA_PRECISION_FLOAT32:
      return no_winograd ? runtime::Precision::kDirect
                         : runtime::Precision::kFloat32;
    case MUNJA_PRECISION_FLOAT16:
      if (no_winograd)
        return InvalidArgument("no_winograd needs precision float32");
      return runtime::Precision::kReduced;
    case MUNJA_PRECISION_MIXED:
      return InvalidArgument("precision mixed is for engines only");
  }
  return InvalidArgument("unknown precision " +
                         std::to_string(static_cast<int>(precision)));
}

Result<std::vector<std::shared_ptr<runtime::Delegate>>> ReadDelegates(
    munja_delegate* const* delegates, int32_t count) {
  if (count < 0 || (count > 0 && delegates == nullptr))
    return InvalidArgument("delegate_count does not fit the delegates");
  std::vector<std::shared_ptr<runtime::Delegate>> read;
  for (int32_t i = 0; i < count; ++i) {
    MUNJA_RETURN_IF_ERROR(RequireAll(delegates[i]));
    read.push_back(delegates[i]->delegate);
  }
  return read;
}

Result<SessionChoices> ReadSessionOptions(
    const munja_network& model, const munja_session_options* options) {
  munja_session_options o;
  MUNJA_RETURN_IF_ERROR(ReadOptions(options, &o));
  if (o.max_plans < 0) return InvalidArgument("max_plans is negative");
  // As many as one operator keeps of a row (kernels/classes/arg_max_score.h).
  constexpr int32_t kMostBest = 5;
  if (o.top_k < 0 || o.top_k > kMostBest)
    return InvalidArgument("top_k is " + std::to_string(o.top_k) +
                           ", wants 0 to " + std::to_string(kMostBest));
  SessionChoices choices;
  runtime::SessionOptions& made = choices.options;
  MUNJA_ASSIGN_OR_RETURN(made.pool, PoolOf(o.threads));
  if (o.resolver != nullptr)
    made.resolver =
        std::make_shared<const runtime::Resolver>(o.resolver->resolver);
  if (o.signature != nullptr) {
    MUNJA_ASSIGN_OR_RETURN(choices.signature,
                           FindSignature(*model.graph, o.signature));
    made.subgraph = choices.signature->subgraph;
  }
  MUNJA_ASSIGN_OR_RETURN(made.delegates,
                         ReadDelegates(o.delegates, o.delegate_count));
  if (o.max_plans > 0) made.max_plans = o.max_plans;
  made.profile = o.profile != 0;
  made.reference_kernels = o.reference_kernels != 0;
  MUNJA_ASSIGN_OR_RETURN(made.precision,
                         PrecisionOf(o.precision, o.no_winograd != 0));
  made.run_passes = o.disable_optimizations == 0;
  made.top_k = o.top_k;
  choices.control = o.control;
  return choices;
}

}  // namespace munja::capi
