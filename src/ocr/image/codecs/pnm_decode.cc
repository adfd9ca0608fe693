// PNM: PBM, PGM and PPM, plain (P1 to P3) and raw (P4 to P6), up to 16 bits a
// sample.
#include <algorithm>
#include <string>
#include <utility>

#include "base/control.h"
#include "image/codecs/codec.h"

namespace munja::image::codecs::pnm {
namespace {

bool IsSpace(uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Reads the numbers of a header or of a plain image.
class Reader {
 public:
  explicit Reader(Bytes bytes) : bytes_(bytes) {}
  size_t left() const { return bytes_.size() - at_; }
  const uint8_t* here() const { return bytes_.data() + at_; }
  // Whether the byte before here() is a digit.
  bool after_digit() const {
    return at_ > 0 && bytes_[at_ - 1] >= '0' && bytes_[at_ - 1] <= '9';
  }

  // Skips white space and comments ('#' to the end of the line).
  void SkipSpace() {
    while (at_ < bytes_.size()) {
      if (bytes_[at_] == '#') {
        while (at_ < bytes_.size() && bytes_[at_] != '\n' &&
               bytes_[at_] != '\r') {
          ++at_;
        }
      } else if (IsSpace(bytes_[at_])) {
        ++at_;
      } else {
        return;
      }
    }
  }
  // A decimal number; -1 when there is none or it is above 2^24.
  int Number() {
    SkipSpace();
    int value = -1;
    while (at_ < bytes_.size() && bytes_[at_] >= '0' && bytes_[at_] <= '9') {
      value = (value < 0 ? 0 : value) * 10 + (bytes_[at_] - '0');
      if (value > 1 << 24) return -1;
      ++at_;
    }
    return value;
  }
  // A digit of a plain bitmap, where white space is optional; -1 as above.
  int Bit() {
    SkipSpace();
    if (at_ >= bytes_.size() || (bytes_[at_] != '0' && bytes_[at_] != '1'))
      return -1;
    return bytes_[at_++] - '0';
  }
  void Skip(size_t count) { at_ += count; }

 private:
  Bytes bytes_;
  size_t at_ = 0;
};

struct Header {
  int kind = 0;  // 1 to 6, the digit of the signature.
  int width = 0, height = 0, max = 1;
  int white = 1;  // The sample that is shown as white.
  bool bitmap() const { return kind == 1 || kind == 4; }
  bool plain() const { return kind <= 3; }
  int channels() const { return kind == 3 || kind == 6 ? 3 : 1; }
};

uint8_t Scale(uint32_t value, const Header& header) {
  const auto max = static_cast<uint32_t>(header.white);
  value = value > max ? max : value;
  return static_cast<uint8_t>((value * 255 + max / 2) / max);
}

// Makes RGB of a row of gray levels.
void Store(const Header& header, const uint8_t* samples, uint8_t* rgb) {
  for (int x = 0; x < header.width; ++x)
    for (int c = 0; c < 3; ++c) rgb[3 * x + c] = samples[x];
}

// Reads one sample after the other. Each row is first put, one byte a sample,
// at the end of its own RGB row, where Store() never overtakes it.
Status ReadPlain(const Header& header, Reader& reader, Image& image) {
  const int count = header.width * header.channels();
  int last = 0;
  for (int y = 0; y < header.height && !IsStopped(); ++y) {
    uint8_t* const row = image.row(y);
    uint8_t* const samples = row + (3 * header.width - count);
    for (int i = 0; i < count; ++i) {
      const int value = header.bitmap() ? reader.Bit() : reader.Number();
      if (value < 0) {
        if (reader.left() == 0) return CutOff(y, header.height);
        return Malformed("row " + std::to_string(y + 1) +
                         " holds something that is not a number");
      }
      last = value;
      // A set bit is black.
      samples[i] = header.bitmap()
                       ? static_cast<uint8_t>(value == 0 ? 255 : 0)
                       : Scale(static_cast<uint32_t>(value), header);
    }
    if (count < 3 * header.width) Store(header, samples, row);
  }
  // A number that touches the end of the file may have lost digits, 255 cut off
  // is 25, unless one more would make it larger than any.
  if (!header.bitmap() && reader.left() == 0 && reader.after_digit() &&
      last <= header.max / 10) {
    return Malformed("the file ends in a number; a line end must follow it");
  }
  return Status();
}

Status ReadRaw(const Header& header, Reader& reader, Image& image) {
  const size_t count = static_cast<size_t>(header.width) *
                       static_cast<size_t>(header.channels());
  const size_t sample_bytes = header.max > 255 ? 2 : 1;
  const size_t row_bytes =
      header.bitmap() ? (count + 7) / 8 : count * sample_bytes;
  for (int y = 0; y < header.height && !IsStopped(); ++y) {
    if (reader.left() < row_bytes) return CutOff(y, header.height);
    const uint8_t* const in = reader.here();
    uint8_t* const row = image.row(y);
    uint8_t* const samples = row + (image.stride() - count);
    for (size_t i = 0; i < count; ++i) {
      if (header.bitmap()) {
        samples[i] = (in[i / 8] >> (7 - i % 8) & 1) != 0 ? 0 : 255;
      } else if (sample_bytes == 2) {
        samples[i] = Scale(
            static_cast<uint32_t>(in[2 * i]) << 8 | in[2 * i + 1], header);
      } else {
        samples[i] = header.white == 255 ? in[i] : Scale(in[i], header);
      }
    }
    if (count < image.stride()) Store(header, samples, row);
    reader.Skip(row_bytes);
  }
  return Status();
}

// The sample that is shown as white: what the header states, or the largest one
// if all of 16 bits are small.
int White(const Header& header, Reader reader) {
  const size_t count = static_cast<size_t>(header.width) *
                       static_cast<size_t>(header.height) *
                       static_cast<size_t>(header.channels());
  if (header.max <= static_cast<int>(kLargestSmallSample)) return header.max;
  if (!header.plain() && reader.left() < 2 * count) return header.max;
  int largest = 0;
  for (size_t i = 0; i < count; ++i) {
    const int sample =
        header.plain() ? reader.Number()
                       : reader.here()[2 * i] << 8 | reader.here()[2 * i + 1];
    largest = std::max(largest, sample);
    if (sample < 0 || largest > static_cast<int>(kLargestSmallSample))
      return header.max;
  }
  return largest == 0 ? header.max : largest;
}

}  // namespace

bool Sniff(Bytes bytes) {
  return bytes.size() >= 3 && bytes[0] == 'P' && bytes[1] >= '1' &&
         bytes[1] <= '6' && (IsSpace(bytes[2]) || bytes[2] == '#');
}

Result<Image> Decode(Bytes bytes, const DecodeLimits& limits) {
  Header header;
  header.kind = bytes[1] - '0';
  Reader reader(bytes);
  reader.Skip(2);
  header.width = reader.Number();
  header.height = reader.Number();
  if (!header.bitmap()) header.max = reader.Number();
  if (header.width < 0 || header.height < 0 || header.max < 0) {
    return Malformed(reader.left() == 0
                         ? "the file ends inside its header"
                         : "the header states no width, height and maximum");
  }
  MUNJA_RETURN_IF_ERROR(CheckSize(header.width, header.height, limits));
  if (header.max < 1 || header.max > 65535) {
    return Malformed("the header states a maximum of " +
                     std::to_string(header.max));
  }
  // Every sample takes a bit at least: do not get memory for what cannot be
  // there.
  const int64_t samples =
      int64_t{header.width} * header.height * header.channels();
  if (static_cast<int64_t>(reader.left()) < samples / 8)
    return CutOff(0, header.height);
  MUNJA_ASSIGN_OR_RETURN(Image image,
                         Image::Create(header.width, header.height));
  if (header.plain()) {
    header.white = White(header, reader);
    MUNJA_RETURN_IF_ERROR(ReadPlain(header, reader, image));
  } else {
    // One white space character ends the header.
    if (reader.left() == 0 || !IsSpace(*reader.here()))
      return Malformed("the header is not followed by a space");
    reader.Skip(1);
    header.white = White(header, reader);
    MUNJA_RETURN_IF_ERROR(ReadRaw(header, reader, image));
  }
  return image;
}

}  // namespace munja::image::codecs::pnm
