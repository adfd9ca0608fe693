// Files packed behind a model: a ZIP archive appended to the .tflite file, by
// the TFLite Metadata convention.
#ifndef MUNJA_TFLITE_ASSOCIATED_FILES_H_
#define MUNJA_TFLITE_ASSOCIATED_FILES_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace munja::tflite {

using AssociatedFiles = std::map<std::string, std::vector<uint8_t>>;

// The archive at the end of `model`; none: empty. kMalformed: a damaged
// archive, or a name that would lead out of a folder. kOutOfMemory: more or
// larger files than any model has. kUnsupported: this build cannot read
// archives.
Result<AssociatedFiles> ReadAssociatedFiles(std::span<const uint8_t> model);

// Appends an archive with stored, not compressed, entries whose offsets count
// from the start of `model`, as the convention wants. The same files give the
// same bytes. kUnsupported: this build cannot write archives.
Status AppendAssociatedFiles(const AssociatedFiles& files,
                             std::vector<uint8_t>& model);

}  // namespace munja::tflite

#endif  // MUNJA_TFLITE_ASSOCIATED_FILES_H_
