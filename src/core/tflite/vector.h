// Copies of FlatBuffers vectors.
#ifndef MUNJA_TFLITE_VECTOR_H_
#define MUNJA_TFLITE_VECTOR_H_

#include <cstring>
#include <string>
#include <vector>

#include "flatbuffers/flatbuffers.h"

namespace munja::tflite {

// Null: empty. FlatBuffers' verifier checks that vectors are complete, not
// that 64-bit elements are aligned, so the elements are copied as bytes.
template <class To, class From>
std::vector<To> CopyVector(const flatbuffers::Vector<From>* from) {
  std::vector<To> to;
  if (from == nullptr) return to;
  to.reserve(from->size());
  for (size_t i = 0; i < from->size(); ++i) {
    From element;
    std::memcpy(&element, from->Data() + i * sizeof element, sizeof element);
    to.push_back(static_cast<To>(element));
  }
  return to;
}

// Null: empty.
inline std::string CopyString(const flatbuffers::String* from) {
  return from == nullptr ? std::string() : from->str();
}

}  // namespace munja::tflite

#endif  // MUNJA_TFLITE_VECTOR_H_
