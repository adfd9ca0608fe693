// Operators of old sets in the words of later ones.
#ifndef MUNJA_IMPORT_ONNX_OLD_SETS_H_
#define MUNJA_IMPORT_ONNX_OLD_SETS_H_

#include "import/onnx/context.h"

namespace munja::importer::onnx {

// Set 9 has only one mean per channel. Set 7 aligns operands by their last
// axes; before, `broadcast` allowed different sizes at all, and `axis` gave the
// position of the second operand. Some operators computed their training form
// unless `is_test` was given: refused.
Status FromOldSet(Context& context, Operator* op);

}  // namespace munja::importer::onnx

#endif  // MUNJA_IMPORT_ONNX_OLD_SETS_H_
