#include "hal/serialize.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace munja::hal {
namespace {

std::vector<uint8_t> Bytes(const Model& model,
                           const std::vector<uint32_t>& pools) {
  ByteWriter to;
  PutModel(model, pools, to);
  return to.Take();
}

Model SomeModel() {
  Model model;
  Subgraph& main = model.subgraphs.emplace_back();
  main.operands.resize(4);
  main.operations = {{MUNJA_NN_ADD, {0, 1, 2}, {3}}};
  main.inputs = {0, 1};
  main.outputs = {3};
  model.operand_values.resize(4);
  Operand& operand = main.operands.emplace_back();
  operand.type = MUNJA_NN_TENSOR_QUANT8_SYMM_PER_CHANNEL;
  operand.channels = ChannelScales{1, {0.5f, 2.0f}};
  operand.extension_data = std::vector<uint8_t>{1, 2, 3};
  model.subgraphs.push_back(model.subgraphs[0]);
  model.pools.resize(2);
  model.extensions = {{"com.example.x", 7}};
  model.is_relaxed = true;
  return model;
}

TEST(Serialize, Model_IsReadBackTheSame) {
  const std::vector<uint8_t> bytes = Bytes(SomeModel(), {4, 9});
  std::vector<uint32_t> pools;
  ByteReader from(bytes);
  const Model model = GetModel(from, pools);
  EXPECT_TRUE(from.IsDone());
  EXPECT_EQ(pools, (std::vector<uint32_t>{4, 9}));
  EXPECT_EQ(model.pools.size(), 2u);
  EXPECT_EQ(Bytes(model, pools), bytes);
  EXPECT_EQ(model.subgraphs[1].operands[4].channels,
            (ChannelScales{1, {0.5f, 2.0f}}));
}

// Truncation is detected anywhere, and nothing beyond the end is read.
TEST(Serialize, TruncatedModel_IsDetected) {
  const std::vector<uint8_t> bytes = Bytes(SomeModel(), {4, 9});
  for (size_t size = 0; size < bytes.size(); ++size) {
    const std::vector<uint8_t> part(bytes.begin(),
                                    bytes.begin() + static_cast<long>(size));
    std::vector<uint32_t> pools;
    ByteReader from(part);
    GetModel(from, pools);
    EXPECT_FALSE(from.IsDone()) << size;
  }
  std::vector<uint8_t> longer = bytes;
  longer.push_back(0);
  std::vector<uint32_t> pools;
  ByteReader from(longer);
  GetModel(from, pools);
  EXPECT_TRUE(from.ok());
  EXPECT_FALSE(from.IsDone());
}

// Counts larger than the remaining bytes allocate nothing.
TEST(Serialize, HugeCount_IsDetected) {
  ByteWriter to;
  to.Put(uint32_t{0xFFFFFFFF});
  to.Put(uint64_t{0xFFFFFFFFFFFFFFFF});
  std::vector<uint32_t> pools;
  ByteReader from(to.bytes());
  EXPECT_TRUE(GetModel(from, pools).subgraphs.empty());
  EXPECT_FALSE(from.ok());
  ByteWriter list;
  list.Put(uint64_t{0xFFFFFFFFFFFFFFFC});
  ByteReader of_list(list.bytes());
  EXPECT_TRUE(of_list.GetList<uint32_t>().empty());
  EXPECT_FALSE(of_list.ok());
}

}  // namespace
}  // namespace munja::hal
