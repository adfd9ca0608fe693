// SHA-256 of files, by OpenSSL, or by libmd in WebAssembly.
#ifndef MUNJA_BUNDLE_SHA256_H_
#define MUNJA_BUNDLE_SHA256_H_

#include <cstdint>
#include <span>
#include <string>

#include "base/status.h"

namespace munja::bundle {

// 64 lower-case hexadecimal digits. kUnavailable when OpenSSL refuses.
Result<std::string> Sha256(std::span<const uint8_t> bytes);

}  // namespace munja::bundle

#endif  // MUNJA_BUNDLE_SHA256_H_
