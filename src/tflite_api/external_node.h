// ExternalNode: one node that functions of the TensorFlow Lite C API run.
#ifndef MUNJA_TFLITE_API_EXTERNAL_NODE_H_
#define MUNJA_TFLITE_API_EXTERNAL_NODE_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "base/status.h"
#include "tensorflow/lite/c/common.h"

namespace munja::compat {

class GraphContext;

// Owns what init returned, and the memory that the functions ask for. The
// context outlives the node.
class ExternalNode {
 public:
  // `name` is for messages: "custom operator 'Sin'". The numbers are tensors
  // of the context, kTfLiteOptionalTensor where an optional one is absent.
  ExternalNode(GraphContext& context, const TfLiteRegistration& registration,
               std::string name, std::span<const int> inputs,
               std::span<const int> outputs);
  ~ExternalNode();
  ExternalNode(const ExternalNode&) = delete;
  ExternalNode& operator=(const ExternalNode&) = delete;

  // Each is the function of the registration; a failure holds what it
  // reported, which goes to the log when there is none. Init may be called
  // again: what was made before is freed first.
  Status Init(const char* buffer, size_t length);
  Status Prepare();
  Status Invoke();

  TfLiteNode& c() { return node_; }
  const TfLiteRegistration& registration() const { return registration_; }
  const std::string& name() const { return name_; }
  std::span<const int> inputs() const;
  std::span<const int> outputs() const;
  // Prepare answered that no output shape is known before the run.
  bool has_unknown_shapes() const { return has_unknown_shapes_; }

  // Memory that lives during Invoke only: of temporaries in the arena and
  // scratch buffers; known after Prepare. 64-byte aligned.
  size_t arena_bytes() const { return arena_bytes_; }
  // Points them at `arena`, and persistent ones at memory of the node.
  Status PlaceTemporaries(void* arena);

  // The context's functions of the same names, for this node.
  void* AllocatePersistent(size_t bytes);
  TfLiteStatus RequestScratch(size_t bytes, int* index);
  void* Scratch(int index) const;

 private:
  Status Failure(const char* what, TfLiteStatus status);
  // Logs reports of a function that did not fail.
  void LogReports();
  void Free();

  GraphContext& context_;
  TfLiteRegistration registration_;
  std::string name_;
  TfLiteNode node_{};
  bool has_unknown_shapes_ = false;
  struct Block {  // A scratch buffer in the arena.
    size_t offset, bytes;
  };
  std::vector<Block> scratch_;
  char* arena_ = nullptr;  // During Invoke.
  size_t arena_bytes_ = 0;
  std::vector<Buffer> persistent_;  // Until the node is freed.
  struct Kept {                     // Memory of a persistent temporary.
    int tensor;
    Buffer data;
  };
  std::vector<Kept> kept_;
};

}  // namespace munja::compat

#endif  // MUNJA_TFLITE_API_EXTERNAL_NODE_H_
