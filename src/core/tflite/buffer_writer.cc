#include "tflite/buffer_writer.h"

namespace munja::tflite {

BufferWriter::BufferWriter(flatbuffers::FlatBufferBuilder& builder)
    : builder_(builder) {
  buffers_.push_back(fb::CreateBuffer(builder_));
}

uint32_t BufferWriter::AddShared(std::span<const uint8_t> bytes) {
  const std::string_view key(reinterpret_cast<const char*>(bytes.data()),
                             bytes.size());
  if (const auto it = known_.find(key); it != known_.end()) return it->second;
  const uint32_t index = Add(bytes);
  known_.emplace(key, index);
  return index;
}

uint32_t BufferWriter::Add(std::span<const uint8_t> bytes) {
  // Kernels and other runtimes load vectors from here.
  builder_.ForceVectorAlignment(bytes.size(), 1, 16);
  const auto data = builder_.CreateVector(bytes.data(), bytes.size());
  buffers_.push_back(fb::CreateBuffer(builder_, data));
  return static_cast<uint32_t>(buffers_.size() - 1);
}

flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<fb::Buffer>>>
BufferWriter::Finish() {
  return builder_.CreateVector(buffers_);
}

}  // namespace munja::tflite
