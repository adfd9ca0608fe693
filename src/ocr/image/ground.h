// The ground that transparent images are laid over.
#ifndef MUNJA_IMAGE_GROUND_H_
#define MUNJA_IMAGE_GROUND_H_

#include <utility>

#include "base/status.h"
#include "base/thread_pool.h"
#include "image/image.h"

namespace munja::image {

// The image that `draw` makes over a ground of the level that it is given:
// white or, where next to nothing is seen then and more over black, black.
// `may_be_transparent`: false if the ground cannot matter.
Result<Image> OverWhiteOrBlack(bool may_be_transparent,
                               FunctionRef<Result<Image>(uint8_t ground)> draw);

}  // namespace munja::image

#endif  // MUNJA_IMAGE_GROUND_H_
