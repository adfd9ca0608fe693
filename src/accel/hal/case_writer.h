// A case as a file that munja nn-test runs: what a test found, kept.
#ifndef MUNJA_HAL_CASE_WRITER_H_
#define MUNJA_HAL_CASE_WRITER_H_

#include <string>

#include "hal/cases.h"

namespace munja::hal {

// JSON of the format "nnspec-json-1" with this one example. Of models without
// types and operations of extensions.
std::string WriteCase(const Case& example);

}  // namespace munja::hal

#endif  // MUNJA_HAL_CASE_WRITER_H_
