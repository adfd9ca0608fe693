// The sample: a delegate that computes a few float operators with plain loops.
// It is here to be read, copied and tested against, not to be fast.
#ifndef MUNJA_DELEGATES_SAMPLE_SAMPLE_DELEGATE_H_
#define MUNJA_DELEGATES_SAMPLE_SAMPLE_DELEGATE_H_

#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "runtime/delegate.h"

namespace munja::delegates::sample {

struct Options {
  std::set<std::string, std::less<>> operators;  // Empty: all it can.
  runtime::Delegate::Limits limits;
  // "judge", "compile", "prepare" or "eval": fails there, for tests of what
  // happens then.
  std::string fail_in;
};

class SampleDelegate final : public runtime::Delegate {
 public:
  explicit SampleDelegate(Options options) : options_(std::move(options)) {}

  std::string_view name() const override { return "sample"; }
  Result<std::vector<NodeSupport>> CheckSupport(
      const graph::Graph& graph, const graph::Subgraph& subgraph) override;
  Result<std::unique_ptr<ops::Kernel>> Compile(
      const graph::Graph& graph, const graph::Subgraph& subgraph,
      const runtime::Partition& partition) override;
  bool serves_many_sessions() const override { return true; }
  Limits limits() const override { return options_.limits; }

 private:
  const Options options_;
};

// operators=ADD,MUL  max_partitions=N  min_nodes=N  fail_in=PHASE.
// kInvalidArgument names what is not understood.
Result<std::shared_ptr<runtime::Delegate>> Make(
    std::span<const runtime::DelegateOption> options);

}  // namespace munja::delegates::sample

#endif  // MUNJA_DELEGATES_SAMPLE_SAMPLE_DELEGATE_H_
