#include "document/writers/deflate.h"

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace munja::document {

Deflater::Deflater() = default;

Deflater::~Deflater() {
  if (stream_ != nullptr) deflateEnd(stream_.get());
}

Status Deflater::Begin() {
  auto stream = std::make_unique<z_stream_s>();
  constexpr int kLevel = 6;
  if (deflateInit(stream.get(), kLevel) != Z_OK)
    return Status(Code::kOutOfMemory, "no memory to compress with");
  stream_ = std::move(stream);
  return Status();
}

Status Deflater::Run(std::string_view bytes, int flush) {
  constexpr size_t kPiece = size_t{1} << 30;  // zlib counts with 32 bits.
  do {
    const std::string_view piece = bytes.substr(0, kPiece);
    bytes.remove_prefix(piece.size());
    // zlib does not write there.
    stream_->next_in =
        reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    stream_->avail_in = static_cast<uInt>(piece.size());
    const int how = bytes.empty() ? flush : Z_NO_FLUSH;
    do {
      constexpr size_t kRoom = size_t{64} << 10;
      const size_t size = out_.size();
      out_.resize(size + kRoom);
      stream_->next_out = reinterpret_cast<Bytef*>(out_.data() + size);
      stream_->avail_out = static_cast<uInt>(kRoom);
      if (deflate(stream_.get(), how) == Z_STREAM_ERROR)
        return Status(Code::kInternal, "zlib does not compress");
      out_.resize(size + kRoom - stream_->avail_out);
    } while (stream_->avail_out == 0);
  } while (!bytes.empty());
  return Status();
}

Status Deflater::Add(std::string_view bytes) { return Run(bytes, Z_NO_FLUSH); }

Result<std::string> Deflater::Finish() {
  MUNJA_RETURN_IF_ERROR(Run({}, Z_FINISH));
  return std::move(out_);
}

Result<std::string> Deflate(std::string_view bytes) {
  Deflater deflater;
  MUNJA_RETURN_IF_ERROR(deflater.Begin());
  MUNJA_RETURN_IF_ERROR(deflater.Add(bytes));
  return deflater.Finish();
}

Result<std::string> Inflate(std::string_view bytes, size_t most) {
  z_stream_s stream{};
  if (inflateInit(&stream) != Z_OK) return OutOfMemory("no memory to unpack");
  const std::unique_ptr<z_stream_s, int (*)(z_stream_s*)> end(&stream,
                                                              inflateEnd);
  std::string out;
  int said = Z_OK;
  // zlib counts with 32 bits, and does not write to its input.
  constexpr size_t kPiece = size_t{1} << 30, kRoom = size_t{64} << 10;
  while (said == Z_OK) {
    if (stream.avail_in == 0) {
      const std::string_view piece = bytes.substr(0, kPiece);
      bytes.remove_prefix(piece.size());
      stream.next_in =
          reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
      stream.avail_in = static_cast<uInt>(piece.size());
    }
    const size_t size = out.size();
    out.resize(size + kRoom);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + size);
    stream.avail_out = static_cast<uInt>(kRoom);
    said = inflate(&stream, Z_NO_FLUSH);
    out.resize(size + kRoom - stream.avail_out);
    if (out.size() > most)
      return OutOfMemory("more than " + std::to_string(most) +
                         " bytes are packed there");
  }
  if (said != Z_STREAM_END) return Malformed("packed bytes are damaged");
  return out;
}

}  // namespace munja::document
