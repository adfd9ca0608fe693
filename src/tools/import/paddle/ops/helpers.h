// Helpers that several families of operators share.
#ifndef MUNJA_IMPORT_PADDLE_OPS_HELPERS_H_
#define MUNJA_IMPORT_PADDLE_OPS_HELPERS_H_

#include "import/paddle/writer.h"

namespace munja::importer::paddle {

// The axis counted from the front.
inline int64_t FromFront(Writer& w, int64_t axis, ValueId x) {
  return w.Axis(axis, w.rank(x));
}

}  // namespace munja::importer::paddle

#endif  // MUNJA_IMPORT_PADDLE_OPS_HELPERS_H_
