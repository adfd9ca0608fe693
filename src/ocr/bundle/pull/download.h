// One file over HTTPS, resumed where an earlier try stopped.
#ifndef MUNJA_BUNDLE_PULL_DOWNLOAD_H_
#define MUNJA_BUNDLE_PULL_DOWNLOAD_H_

#include <cstdint>
#include <functional>
#include <string>

#include "base/status.h"

namespace munja::bundle {

// https to anywhere, or http to localhost, 127.0.0.1 or [::1];
// kInvalidArgument says so otherwise.
Status CheckAddress(const std::string& url);

// kUnavailable: libcurl is not installed.
Status CheckDownloads();

struct DownloadOptions {
  uint64_t max_bytes = 0;  // More than this is kMalformed.
  bool resume = false;     // Go on after what `path` holds already.
  // Bytes that `path` holds so far; false stops with kCancelled.
  std::function<bool(uint64_t)> progress;
};

// Writes what `url` holds to `path`. On failure `path` keeps what came, for
// the next try. A server that ignores the wish to resume sends all again.
Status Download(const std::string& url, const std::string& path,
                const DownloadOptions& options);

}  // namespace munja::bundle

#endif  // MUNJA_BUNDLE_PULL_DOWNLOAD_H_
