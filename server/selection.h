// Pages that a request names: "1-3,7,9-".
#ifndef MUNJA_SERVER_SELECTION_H_
#define MUNJA_SERVER_SELECTION_H_

#include <string>
#include <string_view>
#include <vector>

namespace munja::server {

// Sets *pages to the indices, from 0, that `text` names in a file of `count`
// pages, in ascending order; "": all. Returns what is wrong, "" for nothing.
std::string SelectPages(std::string_view text, int count,
                        std::vector<int>* pages);

}  // namespace munja::server

#endif  // MUNJA_SERVER_SELECTION_H_
