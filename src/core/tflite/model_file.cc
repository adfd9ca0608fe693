#include "tflite/model_file.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "base/buffer.h"

namespace munja::tflite {
namespace {

// Offsets in a FlatBuffer are 32-bit and signed; data beyond is addressed by
// Buffer.offset.
constexpr size_t kFlatBufferLimit = FLATBUFFERS_MAX_BUFFER_SIZE - 1;

// The deepest honest nesting is model, subgraph, tensor, sparsity, dimension,
// vector.
flatbuffers::Verifier MakeVerifier(std::span<const uint8_t> bytes) {
  return flatbuffers::Verifier(bytes.data(),
                               std::min(bytes.size(), kFlatBufferLimit),
                               /*max_depth=*/16, /*max_tables=*/1000000);
}

}  // namespace

ModelFile::ModelFile(std::span<const uint8_t> bytes,
                     std::shared_ptr<const void> owner)
    : bytes_(bytes),
      owner_(std::move(owner)),
      verifier_(std::make_unique<flatbuffers::Verifier>(MakeVerifier(bytes))),
      // The factor covers honest files: one node of 50 bytes becomes about a
      // kilobyte of names and attributes.
      budget_((size_t{64} << 20) + 32 * bytes.size()) {}

Result<ModelFile> ModelFile::Open(std::span<const uint8_t> bytes,
                                  std::shared_ptr<const void> owner) {
  if (bytes.empty()) return Malformed("the file is empty");
  if (bytes.size() < 8 || !fb::ModelBufferHasIdentifier(bytes.data()))
    return Malformed("not a .tflite model: the identifier TFL3 is missing");
  flatbuffers::Verifier verifier = MakeVerifier(bytes);
  if (!fb::VerifyModelBuffer(verifier))
    return Malformed(
        "the model is damaged or cut off: its tables do not lie inside of "
        "its " +
        std::to_string(bytes.size()) + " bytes");
  ModelFile file(bytes, std::move(owner));
  const fb::Model& model = file.model();
  if (model.version() != kSchemaVersion)
    return Unsupported("the model has schema version " +
                       std::to_string(model.version()) + ", not " +
                       std::to_string(kSchemaVersion));
  if (model.subgraphs() == nullptr || model.subgraphs()->size() == 0)
    return Malformed("the model has no subgraph");
  return file;
}

Status ModelFile::Spend(size_t bytes) {
  if (bytes > budget_)
    return Malformed("the model unfolds into far more data than it holds");
  budget_ -= bytes;
  return Status();
}

Result<std::span<const uint8_t>> ModelFile::Range(uint64_t offset,
                                                  uint64_t size) const {
  if (offset > bytes_.size() || size > bytes_.size() - offset)
    return Malformed("data at offset " + std::to_string(offset) + " of " +
                     std::to_string(size) + " bytes lies outside of the file");
  return bytes_.subspan(offset, size);
}

Result<std::optional<std::span<const uint8_t>>> ModelFile::BufferBytes(
    uint32_t index) const {
  using Bytes = std::optional<std::span<const uint8_t>>;
  const auto* buffers = model().buffers();
  const size_t count = buffers == nullptr ? 0 : buffers->size();
  if (index >= count)
    return Malformed("there is no buffer " + std::to_string(index) + ", only " +
                     std::to_string(count));
  // Buffer 0 stands for "no data", whatever it holds.
  if (index == 0) return Bytes();
  const fb::Buffer& buffer = *buffers->Get(index);
  if (const auto* data = buffer.data())
    return Bytes(std::span<const uint8_t>(data->data(), data->size()));
  if (buffer.offset() <= 1) return Bytes();
  auto range = Range(buffer.offset(), buffer.size());
  if (!range.ok())
    return std::move(range).TakeStatus().With("buffer " +
                                              std::to_string(index));
  return Bytes(*range);
}

Result<std::optional<graph::Constant>> ModelFile::BufferConstant(
    uint32_t index, size_t alignment) {
  using Found = std::optional<graph::Constant>;
  MUNJA_ASSIGN_OR_RETURN(const auto bytes, BufferBytes(index));
  if (!bytes) return Found();
  if (bytes->empty() ||
      reinterpret_cast<uintptr_t>(bytes->data()) % alignment == 0)
    return Found(graph::Constant{*bytes, owner_});
  MUNJA_RETURN_IF_ERROR(Spend(bytes->size()));
  MUNJA_ASSIGN_OR_RETURN(Buffer copy, Buffer::Allocate(bytes->size()));
  std::memcpy(copy.data(), bytes->data(), bytes->size());
  auto owner = std::make_shared<const Buffer>(std::move(copy));
  const std::span<const uint8_t> span(owner->data(), bytes->size());
  return Found(graph::Constant{span, std::move(owner)});
}

}  // namespace munja::tflite
