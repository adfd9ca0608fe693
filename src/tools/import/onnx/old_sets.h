// Operators of old sets in the words of later ones.
#ifndef MUNJA_IMPORT_ONNX_OLD_SETS_H_
#define MUNJA_IMPORT_ONNX_OLD_SETS_H_

#include "import/onnx/context.h"

namespace munja::foreign::onnx {

// Set 9 has one mean for each channel alone. Set 7 aligns operands by their
// last axes; before, `broadcast` allowed other sizes at all, and `axis` said
// where the second operand begins. Some operators computed what training needs
// unless `is_test` was given: refused.
Status FromOldSet(Context& context, Operator* op);

}  // namespace munja::foreign::onnx

#endif  // MUNJA_IMPORT_ONNX_OLD_SETS_H_
