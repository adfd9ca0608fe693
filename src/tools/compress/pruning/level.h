// The pruning level: the share of each layer's filters that goes.
#ifndef MUNJA_COMPRESS_PRUNING_LEVEL_H_
#define MUNJA_COMPRESS_PRUNING_LEVEL_H_

#include <string>
#include <string_view>

#include "base/status.h"

namespace munja::compress {

// "0.7", "70" and "70%" are the same. kInvalidArgument: not a number, below 0,
// above 100 %.
Result<double> ParseLevel(std::string_view text);

// floor(n (1 - level)) of n filters are kept, at least one while the level is
// below 1.
int KeptFilters(int filters, double level);

// The largest multiple of `multiple` that is not above `kept`, but at least one
// multiple, as far as the filters suffice.
int RoundedToMultiple(int kept, int multiple, int filters);

// kInvalidArgument, with the layer's name: the level leaves it no filter.
Status CheckLevel(double level, const std::string& layer, int filters);

}  // namespace munja::compress

#endif  // MUNJA_COMPRESS_PRUNING_LEVEL_H_
