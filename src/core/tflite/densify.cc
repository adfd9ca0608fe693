// Dimensions are visited in an order of their own, those of the blocks last:
// a tree with one level for each. A dense level has every index below each
// node of the level above, a compressed one those that it lists: the children
// of node i are indices[segments[i]] to indices[segments[i + 1] - 1]. The
// leaves, in order, are the stored values.
#include "tflite/densify.h"

#include <array>
#include <cstring>
#include <string>

namespace munja::tflite {
namespace {

// A vector of integers of one of three widths, which values() reads alike.
class IndexVector {
 public:
  static Result<IndexVector> Read(fb::SparseIndexVector type,
                                  const void* table) {
    IndexVector out;
    const auto take = [&](const auto* vector) {
      if (vector == nullptr || vector->values() == nullptr) return false;
      out.data_ = vector->values()->Data();
      out.size_ = vector->values()->size();
      return true;
    };
    bool is_read = false;
    switch (type) {
      case fb::SparseIndexVector::Int32Vector:
        out.width_ = 4;
        is_read = take(static_cast<const fb::Int32Vector*>(table));
        break;
      case fb::SparseIndexVector::Uint16Vector:
        out.width_ = 2;
        is_read = take(static_cast<const fb::Uint16Vector*>(table));
        break;
      case fb::SparseIndexVector::Uint8Vector:
        out.width_ = 1;
        is_read = take(static_cast<const fb::Uint8Vector*>(table));
        break;
      default:
        break;
    }
    if (!is_read) return Malformed("a sparse dimension lacks its indices");
    return out;
  }

  size_t size() const { return size_; }
  int64_t operator[](size_t i) const {
    const uint8_t* at = data_ + i * width_;
    if (width_ == 1) return *at;
    if (width_ == 2) return flatbuffers::ReadScalar<uint16_t>(at);
    return flatbuffers::ReadScalar<int32_t>(at);
  }

 private:
  const uint8_t* data_ = nullptr;
  size_t size_ = 0, width_ = 1;
};

struct Level {
  bool is_dense = true;
  int64_t size = 0;   // Indices are less than this.
  size_t stride = 0;  // In elements of the dense tensor.
  IndexVector segments, indices;
};

class Tree {
 public:
  // Fills and checks the levels; `leaves` is how many values they tell of.
  Status Read(const fb::SparsityParameters& from, const Shape& shape);
  size_t leaves() const { return leaves_; }
  void Scatter(const uint8_t* values, size_t size, uint8_t* out) const {
    size_t next = 0;
    Visit(0, 0, 0, values, size, &next, out);
  }

 private:
  void Visit(int level, size_t node, size_t at, const uint8_t* values,
             size_t size, size_t* next, uint8_t* out) const;

  static constexpr int kMaxLevels = 2 * kMaxRank;
  std::array<Level, kMaxLevels> levels_;
  int count_ = 0;
  size_t leaves_ = 1;
};

// Checks a compressed level below `parents` nodes.
Status CheckCompressed(const Level& level, size_t parents) {
  if (level.segments.size() != parents + 1)
    return Malformed("a sparse dimension has " +
                     std::to_string(level.segments.size()) +
                     " row pointers for " + std::to_string(parents) + " rows");
  int64_t last = 0;
  for (size_t i = 0; i <= parents; ++i) {
    const int64_t segment = level.segments[i];
    if (segment < last || (i == 0 && segment != 0))
      return Malformed("the row pointers of a sparse dimension do not rise");
    last = segment;
  }
  if (static_cast<size_t>(last) != level.indices.size())
    return Malformed(
        "a sparse dimension has " + std::to_string(level.indices.size()) +
        " indices, its row pointers end at " + std::to_string(last));
  for (size_t i = 0; i < level.indices.size(); ++i) {
    const int64_t index = level.indices[i];
    if (index < 0 || index >= level.size)
      return Malformed("a sparse dimension of " + std::to_string(level.size) +
                       " has index " + std::to_string(index));
  }
  return Status();
}

Status Tree::Read(const fb::SparsityParameters& from, const Shape& shape) {
  const auto* order = from.traversal_order();
  const auto* map = from.block_map();
  const auto* metadata = from.dim_metadata();
  const int rank = shape.rank();
  const int blocks = map == nullptr ? 0 : static_cast<int>(map->size());
  count_ = rank + blocks;
  if (order == nullptr || metadata == nullptr || blocks > rank ||
      order->size() != static_cast<uint32_t>(count_) ||
      metadata->size() != order->size())
    return Malformed("its sparsity does not fit rank " + std::to_string(rank));

  // Which level each dimension has: first the tensor's, then the blocks'.
  std::array<int, kMaxLevels> level_of;
  level_of.fill(-1);
  for (int i = 0; i < count_; ++i) {
    const int32_t dim = order->Get(static_cast<uint32_t>(i));
    if (dim < 0 || dim >= count_ || level_of[dim] >= 0 ||
        (dim >= rank) != (i >= rank))
      return Malformed("the order of its sparse dimensions is none");
    level_of[dim] = i;
  }
  // Blocks divide dimensions; their sizes are dense.
  std::array<int64_t, kMaxRank> block_size;
  block_size.fill(1);
  std::array<bool, kMaxRank> has_block{};
  for (int b = 0; b < blocks; ++b) {
    const int32_t dim = map->Get(static_cast<uint32_t>(b));
    if (dim < 0 || dim >= rank || has_block[dim])
      return Malformed("its sparse blocks do not divide its dimensions");
    has_block[dim] = true;
    const int64_t size =
        metadata->Get(static_cast<uint32_t>(level_of[rank + b]))->dense_size();
    if (size < 1 || shape[dim] % size != 0)
      return Malformed("sparse blocks of " + std::to_string(size) +
                       " do not divide " + shape.ToString());
    block_size[dim] = size;
  }
  std::array<size_t, kMaxRank> stride;
  size_t step = 1;
  for (int i = rank - 1; i >= 0; --i) {
    stride[i] = step;
    step *= static_cast<size_t>(shape[i]);
  }
  const size_t elements = step;

  for (int i = 0; i < count_; ++i) {
    const fb::DimensionMetadata& data =
        *metadata->Get(static_cast<uint32_t>(i));
    const int32_t dim = order->Get(static_cast<uint32_t>(i));
    Level& level = levels_[i];
    if (dim < rank) {
      level.size = shape[dim] / block_size[dim];
      level.stride = stride[dim] * static_cast<size_t>(block_size[dim]);
    } else {
      const int32_t divided = map->Get(static_cast<uint32_t>(dim - rank));
      level.size = block_size[divided];
      level.stride = stride[divided];
    }
    level.is_dense = data.format() == 0;
    if (level.is_dense) {
      if (data.dense_size() != level.size)
        return Malformed("a dense dimension of size " +
                         std::to_string(data.dense_size()) + " stands for " +
                         std::to_string(level.size));
      leaves_ *= static_cast<size_t>(level.size);
    } else if (data.format() == 1 && dim < rank) {
      MUNJA_ASSIGN_OR_RETURN(
          level.segments,
          IndexVector::Read(data.array_segments_type(), data.array_segments()));
      MUNJA_ASSIGN_OR_RETURN(
          level.indices,
          IndexVector::Read(data.array_indices_type(), data.array_indices()));
      MUNJA_RETURN_IF_ERROR(CheckCompressed(level, leaves_));
      leaves_ = level.indices.size();
    } else {
      return Unsupported("has a sparse dimension of kind " +
                         std::to_string(data.format()));
    }
    // Keeps the product small, and each element is stored once at most.
    if (leaves_ > elements)
      return Malformed("its sparse dimensions tell of more values than " +
                       shape.ToString() + " has");
  }
  return Status();
}

void Tree::Visit(int depth, size_t node, size_t at, const uint8_t* values,
                 size_t size, size_t* next, uint8_t* out) const {
  if (depth == count_) {
    std::memcpy(out + at * size, values + *next * size, size);
    ++*next;
    return;
  }
  const Level& level = levels_[depth];
  if (level.is_dense) {
    const auto count = static_cast<size_t>(level.size);
    for (size_t i = 0; i < count; ++i)
      Visit(depth + 1, node * count + i, at + i * level.stride, values, size,
            next, out);
    return;
  }
  const auto end = static_cast<size_t>(level.segments[node + 1]);
  for (auto i = static_cast<size_t>(level.segments[node]); i < end; ++i)
    Visit(depth + 1, i,
          at + static_cast<size_t>(level.indices[i]) * level.stride, values,
          size, next, out);
}

}  // namespace

Result<Buffer> Densify(const fb::SparsityParameters& sparsity,
                       const Shape& shape, size_t size,
                       std::span<const uint8_t> values) {
  Tree tree;
  MUNJA_RETURN_IF_ERROR(tree.Read(sparsity, shape));
  if (values.size() / size != tree.leaves() || values.size() % size != 0)
    return Malformed("its sparse dimensions tell of " +
                     std::to_string(tree.leaves()) + " values, but it has " +
                     std::to_string(values.size()) + " bytes");
  MUNJA_ASSIGN_OR_RETURN(
      Buffer out,
      Buffer::AllocateZeroed(static_cast<size_t>(shape.elements()) * size));
  if (tree.leaves() > 0) tree.Scatter(values.data(), size, out.data());
  return out;
}

}  // namespace munja::tflite
