// Compression by zlib, whole and in pieces.
#ifndef MUNJA_DOCUMENT_WRITERS_DEFLATE_H_
#define MUNJA_DOCUMENT_WRITERS_DEFLATE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"

struct z_stream_s;

namespace munja::document {

class Deflater {
 public:
  Deflater();
  ~Deflater();
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  Status Begin();
  Status Add(std::string_view bytes);
  // All of it; nothing may follow.
  Result<std::string> Finish();

 private:
  Status Run(std::string_view bytes, int flush);

  std::unique_ptr<z_stream_s> stream_;
  std::string out_;
};

Result<std::string> Deflate(std::string_view bytes);

// Undoes it; bytes behind the end are ignored. kMalformed: damaged or cut off.
// kOutOfMemory: more than `most` bytes.
Result<std::string> Inflate(std::string_view bytes, size_t most);

}  // namespace munja::document

#endif  // MUNJA_DOCUMENT_WRITERS_DEFLATE_H_
