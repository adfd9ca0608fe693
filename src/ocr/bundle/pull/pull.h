// Downloading bundles.
#ifndef MUNJA_BUNDLE_PULL_PULL_H_
#define MUNJA_BUNDLE_PULL_PULL_H_

#include <cstdint>
#include <functional>
#include <string>

#include "base/status.h"
#include "bundle/manifest.h"

namespace munja::bundle {

struct PullOptions {
  // Above the bundle's folder: BASE/NAME/bundle.json. https, or http to this
  // machine.
  std::string base_url;
  // The folder that gets the bundle; made when absent.
  std::string folder;
  // File, bytes so far, bytes in all (0: unknown); false stops with kCancelled.
  std::function<bool(const std::string&, uint64_t, uint64_t)> progress;
};

// Downloads a bundle and gives its folder. Files come into FOLDER/NAME.part,
// where an interrupted call finds them again and goes on; when every size and
// SHA-256 is right that folder is put in the place of FOLDER/NAME
// (PutInPlace). A bundle that is there already and complete is left as it is; a
// folder with files that are not a bundle's is kIo.
//   kInvalidArgument  the name or the address
//   kUnavailable      no connection, or another call is at the same bundle
//   kNotFound         the server has no such file
//   kMalformed        a file is not what bundle.json says
//   kIo, kCancelled
Result<std::string> Pull(const std::string& name, const PullOptions& options);

// Downloads one file, unless it is there already. What came of an interrupted
// call is at PATH.part and resumed. Folders are made; options.base_url and
// options.folder are not used. Errors as above.
Status Fetch(const std::string& url, const std::string& path,
             const FileEntry& entry, const PullOptions& options);

}  // namespace munja::bundle

#endif  // MUNJA_BUNDLE_PULL_PULL_H_
