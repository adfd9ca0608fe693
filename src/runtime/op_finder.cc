#include "runtime/op_finder.h"

#include <algorithm>

namespace munja::runtime {

const ops::OpImpl* FindImplementation(const graph::Node& node,
                                      OpFinder find_op) {
  if (node.is_custom &&
      std::none_of(node.op.begin(), node.op.end(),
                   [](char c) { return c >= 'a' && c <= 'z'; }))
    return nullptr;
  return find_op(node.op);
}

bool TakesVersion(const ops::OpImpl& op, const graph::Node& node) {
  // Custom operators carry no version that means anything.
  return node.is_custom ||
         (node.version >= op.min_version && node.version <= op.max_version);
}

}  // namespace munja::runtime
