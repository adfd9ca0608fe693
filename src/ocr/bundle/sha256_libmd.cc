// SHA-256 where OpenSSL is not there to build with: WebAssembly.
#include <sha2.h>

#include <algorithm>
#include <array>

#include "base/control.h"
#include "base/hex.h"
#include "bundle/sha256.h"

namespace munja::bundle {

Result<std::string> Sha256(std::span<const uint8_t> bytes) {
  SHA2_CTX context;
  SHA256Init(&context);
  // A part at a time: files may be large.
  constexpr size_t kPart = size_t{1} << 20;
  for (size_t at = 0; at < bytes.size(); at += kPart) {
    MUNJA_RETURN_IF_ERROR(CheckControl());
    const auto part = bytes.subspan(at, std::min(kPart, bytes.size() - at));
    SHA256Update(&context, part.data(), part.size());
  }
  std::array<uint8_t, SHA256_DIGEST_LENGTH> digest;
  SHA256Final(digest.data(), &context);
  return Hex(digest);
}

}  // namespace munja::bundle
