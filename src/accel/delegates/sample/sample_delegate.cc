#include "delegates/sample/sample_delegate.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "delegates/sample/partition_kernel.h"
#include "delegates/sample/step.h"

namespace munja::delegates::sample {
namespace {

using runtime::DelegateOption;

Status BadOption(const DelegateOption& option, const std::string& wants) {
  return InvalidArgument("delegate sample: option " + option.key + "=" +
                         option.value + " wants " + wants);
}

Result<int> ReadCount(const DelegateOption& option) {
  int count = 0;
  const char* end = option.value.data() + option.value.size();
  const auto [stop, error] = std::from_chars(option.value.data(), end, count);
  if (error != std::errc() || stop != end || count < 0)
    return BadOption(option, "a whole number from 0 on");
  return count;
}

Status ReadOperators(const DelegateOption& option, Options* options) {
  for (size_t at = 0; at <= option.value.size();) {
    const size_t end =
        std::min(option.value.find(',', at), option.value.size());
    const std::string op = option.value.substr(at, end - at);
    if (!HasStep(op)) return BadOption(option, "operators that it has");
    options->operators.insert(op);
    at = end + 1;
  }
  return Status();
}

Status Fail(std::string_view phase) {
  return Unavailable("told to fail in " + std::string(phase));
}

}  // namespace

Result<std::vector<SampleDelegate::NodeSupport>> SampleDelegate::CheckSupport(
    const graph::Graph&, const graph::Subgraph& subgraph) {
  if (options_.fail_in == "judge") return Fail("judge");
  std::vector<NodeSupport> support;
  for (const graph::Node& node : subgraph.nodes) {
    if (!options_.operators.empty() && !options_.operators.contains(node.op)) {
      support.push_back({false, "the option operators does not list it"});
      continue;
    }
    const auto step = MakeStep(subgraph, node);
    support.push_back(
        {step.ok(), step.ok() ? "" : std::string(step.status().message())});
  }
  return support;
}

Result<std::unique_ptr<ops::Kernel>> SampleDelegate::Compile(
    const graph::Graph&, const graph::Subgraph& subgraph,
    const runtime::Partition& partition) {
  if (options_.fail_in == "compile") return Fail("compile");
  MUNJA_ASSIGN_OR_RETURN(auto kernel,
                         PartitionKernel::Make(subgraph, partition));
  if (options_.fail_in == "prepare") kernel->FailInPrepare(Fail("prepare"));
  if (options_.fail_in == "eval") kernel->FailInEval(Fail("eval"));
  return std::unique_ptr<ops::Kernel>(std::move(kernel));
}

Result<std::shared_ptr<runtime::Delegate>> Make(
    std::span<const DelegateOption> given) {
  static constexpr std::string_view kPhases[] = {"judge", "compile", "prepare",
                                                 "eval"};
  Options options;
  for (const DelegateOption& option : given) {
    if (option.key == "operators") {
      MUNJA_RETURN_IF_ERROR(ReadOperators(option, &options));
    } else if (option.key == "max_partitions") {
      MUNJA_ASSIGN_OR_RETURN(options.limits.max_partitions, ReadCount(option));
    } else if (option.key == "min_nodes") {
      MUNJA_ASSIGN_OR_RETURN(options.limits.min_nodes, ReadCount(option));
    } else if (option.key == "fail_in") {
      if (std::find(std::begin(kPhases), std::end(kPhases), option.value) ==
          std::end(kPhases))
        return BadOption(option, "judge, compile, prepare or eval");
      options.fail_in = option.value;
    } else {
      return InvalidArgument("delegate sample has no option '" + option.key +
                             "': operators, max_partitions, min_nodes, "
                             "fail_in");
    }
  }
  return std::shared_ptr<runtime::Delegate>(
      std::make_shared<SampleDelegate>(std::move(options)));
}

}  // namespace munja::delegates::sample
