// .tflite file -> Graph.
#ifndef MUNJA_TFLITE_READ_H_
#define MUNJA_TFLITE_READ_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"
#include "graph/graph.h"

namespace munja::tflite {

// Constants point into `bytes`, and each keeps `owner` alive; a null owner
// means that the bytes may go away, so they are copied. Bytes that do not
// begin at a multiple of 16 are copied as well, and so is a constant that is
// not aligned for its elements.
//
// Every node gets all scalar options of its operator, with the schema's
// defaults where the file leaves them out. The result has passed
// graph::Verify. kMalformed: not a .tflite file, or a damaged one;
// kUnsupported: well formed, but newer or larger than this reader knows. Data
// that is understood as far as the container goes (sparsity, custom and
// blockwise quantization) is marked in Value::unsupported instead.
Result<std::shared_ptr<graph::Graph>> Read(std::span<const uint8_t> bytes,
                                           std::shared_ptr<const void> owner);

// Maps the file. Messages name the path.
Result<std::shared_ptr<graph::Graph>> ReadFile(const std::string& path);

}  // namespace munja::tflite

#endif  // MUNJA_TFLITE_READ_H_
