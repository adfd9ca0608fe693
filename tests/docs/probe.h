// Which element types an operator takes: found out by running it.
#ifndef MUNJA_TESTS_DOCS_PROBE_H_
#define MUNJA_TESTS_DOCS_PROBE_H_

#include <optional>

#include "ops/op.h"
#include "ops/testing.h"
#include "tensor/element_type.h"

namespace munja::docs {

// A node of this operator whose main input has this type and that runs; none
// when no try does. Tries a few shapes, types of the other operands and
// quantizations, with options that mean little.
std::optional<ops::TestNode> FindNode(const ops::OpImpl& op, ElementType type);

// Whether the probe has a way to try the operator at all: those that call
// subgraphs or need resources have none.
bool CanProbe(std::string_view op);

}  // namespace munja::docs

#endif  // MUNJA_TESTS_DOCS_PROBE_H_
