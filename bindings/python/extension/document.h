#ifndef MUNJA_PYTHON_DOCUMENT_H_
#define MUNJA_PYTHON_DOCUMENT_H_

#include "binding.h"

namespace munja_python {

// Lines, words and characters keep their document alive.
struct Document {
  std::shared_ptr<const munja::Page> page;
};

}  // namespace munja_python

#endif  // MUNJA_PYTHON_DOCUMENT_H_
