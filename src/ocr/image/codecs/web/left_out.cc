// The formats that a web page's build leaves out.
#include <cstring>

#include "image/codecs/codec.h"

namespace munja::image::codecs {

namespace tiff {

bool Sniff(Bytes bytes) {
  return bytes.size() >= 4 && (std::memcmp(bytes.data(), "II*\0", 4) == 0 ||
                               std::memcmp(bytes.data(), "MM\0*", 4) == 0);
}

int Count(Bytes) { return 0; }

Result<Image> Decode(Bytes, const DecodeLimits&) {
  return Unsupported("this build of the library reads no TIFF pictures");
}

}  // namespace tiff

namespace pdf {

bool Sniff(Bytes bytes) {
  return bytes.size() >= 5 && std::memcmp(bytes.data(), "%PDF-", 5) == 0;
}

Status Available() {
  return Unsupported("this build of the library reads no PDF files");
}

int Count(Bytes) { return 0; }

Result<Image> Decode(Bytes, const DecodeLimits&) { return Available(); }

Result<std::vector<WordPlace>> Words(Bytes, int) { return Available(); }

}  // namespace pdf

}  // namespace munja::image::codecs
