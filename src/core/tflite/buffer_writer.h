// BufferWriter: the data of a model file being written.
#ifndef MUNJA_TFLITE_BUFFER_WRITER_H_
#define MUNJA_TFLITE_BUFFER_WRITER_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "flatbuffers/flatbuffers.h"
#include "tflite/schema_generated.h"

namespace munja::tflite {

// Buffer 0 is the empty one that stands for "no data". The bytes that are
// added must outlive the writer.
class BufferWriter {
 public:
  explicit BufferWriter(flatbuffers::FlatBufferBuilder& builder);
  // The number of a buffer with these bytes; equal bytes get equal numbers.
  uint32_t AddShared(std::span<const uint8_t> bytes);
  uint32_t Add(std::span<const uint8_t> bytes);
  flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<fb::Buffer>>>
  Finish();

 private:
  flatbuffers::FlatBufferBuilder& builder_;
  std::vector<flatbuffers::Offset<fb::Buffer>> buffers_;
  std::unordered_map<std::string_view, uint32_t> known_;
};

}  // namespace munja::tflite

#endif  // MUNJA_TFLITE_BUFFER_WRITER_H_
