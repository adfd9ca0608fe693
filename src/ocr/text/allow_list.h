// AllowList: the classes of a dictionary that a text may have.
#ifndef MUNJA_TEXT_ALLOW_LIST_H_
#define MUNJA_TEXT_ALLOW_LIST_H_

#include <string_view>
#include <vector>

#include "base/status.h"
#include "text/dictionary.h"

namespace munja::text {

// One entry per class; nonzero: allowed. CTC's blank always is, and a symbol is
// if all its characters are among `allowed` (UTF-8; empty: any) and none is
// among `denied`. kInvalidArgument: not UTF-8, or the dictionary has no such
// symbol.
Result<std::vector<char>> AllowedClasses(const Dictionary& dictionary,
                                         std::string_view allowed,
                                         std::string_view denied = {});

}  // namespace munja::text

#endif  // MUNJA_TEXT_ALLOW_LIST_H_
