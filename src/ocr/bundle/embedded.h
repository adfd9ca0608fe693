// The default bundle inside the library.
#ifndef MUNJA_BUNDLE_EMBEDDED_H_
#define MUNJA_BUNDLE_EMBEDDED_H_

#include <memory>

#include "bundle/files.h"

namespace munja::bundle {

// Its name among other bundles, and what stands for its path.
inline constexpr char kDefaultName[] = "default";
inline constexpr char kEmbeddedPlace[] = "embedded:default";

// Null when this was built without one.
std::shared_ptr<const Files> EmbeddedBundle();

}  // namespace munja::bundle

#endif  // MUNJA_BUNDLE_EMBEDDED_H_
