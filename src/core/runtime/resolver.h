// Resolver: where a session gets its operators from.
#ifndef MUNJA_RUNTIME_RESOLVER_H_
#define MUNJA_RUNTIME_RESOLVER_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "graph/graph.h"
#include "ops/op.h"

namespace munja::runtime {

// Nothing registers itself: what is not in the resolver does not run. A
// resolver does not change once a session was given it.
class Resolver {
 public:
  using Maker = std::function<Result<std::unique_ptr<ops::Kernel>>(
      const ops::NodeInfo& info)>;
  // A table of operators: ops::FindOp, or a smaller one.
  using Table = const ops::OpImpl* (*)(std::string_view name);

  struct Operator {
    int min_version = 1, max_version = 1;
    Maker make;
    // Kernels keep state of their own between calls, so that forks of a
    // session must not share them.
    bool is_stateful = false;
    // Not null: makes the Maker for a session. `shared` is the same for all
    // such operators of the session, null before the first one fills it.
    std::function<Maker(std::shared_ptr<void>& shared)> for_session = nullptr;

    // Versions of custom operators mean nothing.
    bool Takes(const graph::Node& node) const {
      return node.is_custom ||
             (node.version >= min_version && node.version <= max_version);
    }
  };

  explicit Resolver(Table table = ops::FindOp) : table_(table) {}

  // Adds an operator, or takes the place of what has this name: a builtin by
  // its schema name, a custom one by its own.
  void Add(std::string name, bool is_custom, Operator op);

  // The same with operators made for one session.
  static std::shared_ptr<const Resolver> ForSession(
      const std::shared_ptr<const Resolver>& resolver);

  // The operator of a node, whatever its version. A custom operator never
  // finds a builtin one of the table: those are all capitals.
  std::optional<Operator> Find(const graph::Node& node) const;
  // Whether a builtin operator of this name can run.
  bool Has(std::string_view name) const;
  // A stateful operator takes the place of a builtin one: code of a caller,
  // which knows the options that the schema has and none that passes add.
  bool ReplacesBuiltins() const;

 private:
  Table table_;
  std::map<std::string, Operator, std::less<>> builtin_, custom_;
};

}  // namespace munja::runtime

#endif  // MUNJA_RUNTIME_RESOLVER_H_
