// ModelFile: verified access to the bytes of a .tflite file.
#ifndef MUNJA_TFLITE_MODEL_FILE_H_
#define MUNJA_TFLITE_MODEL_FILE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/status.h"
#include "flatbuffers/flatbuffers.h"
#include "graph/graph.h"
#include "tflite/schema_generated.h"

namespace munja::tflite {

// Version of the schema; the only one that is read or written.
inline constexpr uint32_t kSchemaVersion = 3;

class ModelFile {
 public:
  // Verifies the container wholly. `bytes` begin at a multiple of 16.
  static Result<ModelFile> Open(std::span<const uint8_t> bytes,
                                std::shared_ptr<const void> owner);

  const fb::Model& model() const { return *fb::GetModel(bytes_.data()); }
  // For what the schema does not describe: option tables.
  flatbuffers::Verifier& verifier() { return *verifier_; }

  // FlatBuffers lets many places share one vector, so a small file can unfold
  // into much memory. Callers that copy `bytes` out of the file ask here first;
  // kMalformed when the file asks for far more than its own size.
  Status Spend(size_t bytes);

  // The bytes of buffer `index`, nothing if it holds none.
  Result<std::optional<std::span<const uint8_t>>> BufferBytes(
      uint32_t index) const;
  // The same as a constant whose address is a multiple of `alignment`.
  Result<std::optional<graph::Constant>> BufferConstant(uint32_t index,
                                                        size_t alignment);
  // The range [offset, offset + size) of the file.
  Result<std::span<const uint8_t>> Range(uint64_t offset, uint64_t size) const;

 private:
  ModelFile(std::span<const uint8_t> bytes, std::shared_ptr<const void> owner);

  std::span<const uint8_t> bytes_;
  std::shared_ptr<const void> owner_;
  std::unique_ptr<flatbuffers::Verifier> verifier_;
  size_t budget_;
};

}  // namespace munja::tflite

#endif  // MUNJA_TFLITE_MODEL_FILE_H_
