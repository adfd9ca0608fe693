#include "compress/quantization/cost.h"

#include <vector>

#include "runtime/float_io.h"
#include "runtime/session.h"

namespace munja::compress {
namespace {

// Cost of one multiply-accumulate relative to float32, from the total run times
// of PP-OCRv6 tiny's detector and recognizer on x86 (docs/lab/performance.md).
double CostOf(ElementType computes_in) {
  switch (computes_in) {
    case ElementType::kInt8:
      return 1 / 2.2;
    case ElementType::kInt16:
      return 1 / 0.93;
    default:
      return 1;
  }
}

}  // namespace

Result<RunCost> CountCost(const graph::Graph& graph, const Sample& sample,
                          const std::shared_ptr<ThreadPool>& pool) {
  runtime::SessionOptions options;
  options.pool = pool;
  options.run_passes = false;
  options.profile = true;
  MUNJA_ASSIGN_OR_RETURN(
      auto made, runtime::CreateSession(
                     std::make_shared<const graph::Graph>(graph), options));
  const auto session = runtime::WithFloatIo(std::move(made));
  MUNJA_RETURN_IF_ERROR(session->Run(ViewsOf(sample)).TakeStatus());
  RunCost cost;
  for (const runtime::NodeProfile& row : session->Profile()) {
    cost.multiply_accumulates[row.name] += row.multiply_accumulates;
    cost.total +=
        static_cast<double>(row.multiply_accumulates) * CostOf(row.computes_in);
  }
  return cost;
}

}  // namespace munja::compress
