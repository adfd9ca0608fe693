// Lays out scratch memory: the same code counts in Prepare and hands out in
// Eval.
#ifndef MUNJA_OPS_SUPPORT_SCRATCH_PIECES_H_
#define MUNJA_OPS_SUPPORT_SCRATCH_PIECES_H_

#include <cstddef>
#include <cstdint>

namespace munja::ops {

class ScratchPieces {
 public:
  // Without memory it only counts: pieces are then null.
  explicit ScratchPieces(void* memory = nullptr)
      : memory_(static_cast<uint8_t*>(memory)) {}

  // Aligned to 64 bytes.
  template <class T>
  T* Take(size_t count) {
    void* piece = memory_ == nullptr ? nullptr : memory_ + bytes_;
    bytes_ += (count * sizeof(T) + 63) / 64 * 64;
    return static_cast<T*>(piece);
  }
  size_t bytes() const { return bytes_; }

 private:
  uint8_t* memory_;
  size_t bytes_ = 0;
};

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_SCRATCH_PIECES_H_
