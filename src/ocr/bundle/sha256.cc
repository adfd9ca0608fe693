#include "bundle/sha256.h"

#include <openssl/evp.h>

#include <algorithm>
#include <memory>

#include "base/control.h"
#include "base/hex.h"

namespace munja::bundle {

Result<std::string> Sha256(std::span<const uint8_t> bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  const std::unique_ptr<EVP_MD_CTX, Free> context(EVP_MD_CTX_new());
  bool is_fine = context != nullptr &&
                 EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
  // A part at a time: files may be large.
  constexpr size_t kPart = size_t{1} << 20;
  for (size_t at = 0; is_fine && at < bytes.size(); at += kPart) {
    MUNJA_RETURN_IF_ERROR(CheckControl());
    const auto part = bytes.subspan(at, std::min(kPart, bytes.size() - at));
    is_fine = EVP_DigestUpdate(context.get(), part.data(), part.size()) == 1;
  }
  if (!is_fine || EVP_DigestFinal_ex(context.get(), digest, &length) != 1)
    return Unavailable("OpenSSL cannot compute SHA-256 here");
  return Hex(std::span(digest).first(length));
}

}  // namespace munja::bundle
