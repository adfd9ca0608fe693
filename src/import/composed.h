// Operators that several formats have and .tflite has not, made of others.
// Context is that of a front end: its Step() adds a node.
#ifndef MUNJA_IMPORT_COMPOSED_H_
#define MUNJA_IMPORT_COMPOSED_H_

#include "base/status.h"
#include "import/model.h"

namespace munja::foreign {

// log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|)), which cannot overflow.
// one: a constant.
template <class Context, class Source>
Result<ValueId> LogOnePlusExp(Context& context, const Source& source, ValueId x,
                              ValueId one) {
  MUNJA_ASSIGN_OR_RETURN(const ValueId top,
                         context.Step(source, "top", "Relu", {x}));
  ValueId y = x;
  for (const char* step : {"Abs", "Neg", "Exp"}) {
    MUNJA_ASSIGN_OR_RETURN(y, context.Step(source, step, step, {y}));
  }
  MUNJA_ASSIGN_OR_RETURN(y, context.Step(source, "moved", "Add", {y, one}));
  MUNJA_ASSIGN_OR_RETURN(y, context.Step(source, "log", "Log", {y}));
  return context.Step(source, "softplus", "Add", {top, y});
}

}  // namespace munja::foreign

#endif  // MUNJA_IMPORT_COMPOSED_H_
