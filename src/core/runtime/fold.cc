#include "runtime/fold.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/thread_pool.h"
#include "runtime/node_context.h"

namespace munja::runtime {
namespace {

// Outputs up to 1 MiB, or up to eight times the inputs (DEQUANTIZE of 4 bits
// to float), are worth holding; FILL or TILE may ask for any size.
constexpr size_t kSmallOutput = size_t{1} << 20;
constexpr size_t kMaxGrowth = 8;

}  // namespace

Result<std::vector<graph::FoldedOutput>> FoldNode(
    const graph::Subgraph& subgraph, const graph::Node& node,
    const ops::MakeOptions& options, const Resolver& resolver) {
  const auto op = resolver.Find(node);
  if (!op || !op->Takes(node))
    return Unsupported("no implementation of " + node.op);
  // Its results may differ from run to run.
  if (op->is_stateful) return Unsupported(node.op + " keeps state");
  const ops::NodeInfo info(subgraph, node, options);
  MUNJA_ASSIGN_OR_RETURN(const std::unique_ptr<ops::Kernel> kernel,
                         op->make(info));
  ThreadPool pool(1);
  // Views of this node alone; NodeContext wants a table by value, which for a
  // single node would be as long as the graph.
  graph::Node local;
  std::vector<TensorView> views;
  size_t input_bytes = 0;
  for (int i = 0; i < info.inputs(); ++i) {
    if (info.input(i) == nullptr) {
      local.inputs.push_back(graph::kNoValue);
      continue;
    }
    local.inputs.push_back(static_cast<graph::ValueId>(views.size()));
    views.push_back(info.constant(i));
    input_bytes += views.back().bytes;
  }
  for (int i = 0; i < info.outputs(); ++i) {
    local.outputs.push_back(static_cast<graph::ValueId>(views.size()));
    TensorView view;
    view.type = info.output(i).type;
    view.quantization = &info.output(i).quantization;
    views.push_back(view);
  }
  NodeContext context(local, views, pool);
  Preparation preparation(context);
  MUNJA_RETURN_IF_ERROR(preparation.Run(*kernel));
  if (preparation.has_deferred() || kernel->needs_host())
    return Unsupported(node.op + " has to run in a session");
  if (OutputBytes(context) > std::max(kSmallOutput, input_bytes * kMaxGrowth))
    return OutOfMemory("the outputs are too large to be held as constants");
  MUNJA_ASSIGN_OR_RETURN(
      std::vector<Buffer> buffers,
      EvaluateNow(*kernel, context, preparation.scratch_bytes()));
  std::vector<graph::FoldedOutput> outputs;
  for (size_t i = 0; i < buffers.size(); ++i) {
    auto owner = std::make_shared<const Buffer>(std::move(buffers[i]));
    graph::FoldedOutput output;
    output.shape = context.output_views[i].shape;
    output.data.bytes = {owner->data(), owner->size()};
    output.data.owner = std::move(owner);
    outputs.push_back(std::move(output));
  }
  return outputs;
}

}  // namespace munja::runtime
