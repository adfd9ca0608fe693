#include "transport/queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "hal/fence.h"
#include "transport/channel.h"
#include "transport/packet.h"

namespace munja::hal {
namespace {

class Queue : public testing::Test {
 protected:
  void SetUp() override {
    auto made = SharedMemory::Create(kQueueBytes);
    ASSERT_TRUE(made.ok());
    memory_ = *made;
    // The other side's own view of the same memory.
    auto mapped = SharedMemory::Map(Descriptor(dup(memory_->fd())), 0,
                                    kQueueBytes, SharedMemory::kReadWrite);
    ASSERT_TRUE(mapped.ok());
    mapped_ = *mapped;
  }
  QueueControl* control() {
    return reinterpret_cast<QueueControl*>(memory_->data());
  }

  std::shared_ptr<SharedMemory> memory_, mapped_;
  const std::atomic<bool> never_{false};
};

std::vector<Element> Numbers(uint32_t first, size_t count) {
  std::vector<Element> packet(count);
  for (size_t i = 0; i < count; ++i)
    packet[i] = {first, {static_cast<uint32_t>(i)}};
  return packet;
}

TEST_F(Queue, Packet_StaysWholeAroundTheEnd) {
  QueueWriter writer(memory_->data());
  QueueReader reader(mapped_->data());
  std::vector<Element> packet;
  for (uint32_t i = 1; i < 500; ++i) {
    const std::vector<Element> sent = Numbers(i, i * 7 % kQueueElements + 1);
    ASSERT_TRUE(writer.Write(sent).ok());
    ASSERT_TRUE(reader.IsReady());
    ASSERT_TRUE(reader.Read(&packet).ok());
    ASSERT_EQ(packet, sent);
    ASSERT_FALSE(reader.IsReady());
  }
}

TEST_F(Queue, FullQueue_RefusesPackets) {
  QueueWriter writer(memory_->data());
  QueueReader reader(mapped_->data());
  EXPECT_EQ(writer.Write(Numbers(1, kQueueElements + 1)).code(),
            Code::kOutOfMemory);
  EXPECT_EQ(writer.Write({}).code(), Code::kOutOfMemory);
  EXPECT_TRUE(writer.Write(Numbers(1, kQueueElements)).ok());
  EXPECT_EQ(writer.Write(Numbers(2, 1)).code(), Code::kOutOfMemory);
  std::vector<Element> packet;
  EXPECT_TRUE(reader.Read(&packet).ok());
  EXPECT_EQ(packet, Numbers(1, kQueueElements));
  EXPECT_TRUE(writer.Write(Numbers(2, 1)).ok());
}

// Positions belong to the other side, who may write anything there.
TEST_F(Queue, InvalidPosition_IsDetected) {
  QueueWriter writer(memory_->data());
  QueueReader reader(mapped_->data());
  std::vector<Element> packet;
  for (const uint32_t position : {kQueueElements + 1, 0x80000000u, ~0u}) {
    control()->written = position;
    EXPECT_TRUE(reader.IsReady());
    EXPECT_EQ(reader.Read(&packet).code(), Code::kMalformed);
  }
  control()->written = 0;
  EXPECT_FALSE(reader.IsReady());
  for (const uint32_t position : {1u, 0x80000000u, ~kQueueElements}) {
    control()->read = position;
    EXPECT_EQ(writer.Write(Numbers(1, 1)).code(), Code::kMalformed);
  }
  control()->read = 0;
  EXPECT_TRUE(writer.Write(Numbers(1, 1)).ok());
  EXPECT_TRUE(reader.Read(&packet).ok());
  EXPECT_EQ(packet, Numbers(1, 1));
}

TEST_F(Queue, Wait_EndsByPacketDeadlineOrClose) {
  QueueReader reader(mapped_->data());
  EXPECT_FALSE(reader.Wait(MonotonicNow() + 3'000'000, never_));
  EXPECT_FALSE(reader.Wait(0, never_));
  std::atomic<bool> is_over{false};
  std::thread ender([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    is_over = true;
    QueueReader(memory_->data()).Ring();
  });
  EXPECT_FALSE(reader.Wait(UINT64_MAX, is_over));
  ender.join();
  QueueWriter writer(memory_->data());
  EXPECT_TRUE(writer.Write(Numbers(1, 1)).ok());
  EXPECT_TRUE(reader.Wait(0, never_));
}

// One thread there and one here: nothing is lost, no waiter sleeps on.
TEST_F(Queue, TwoThreads_ExchangePackets) {
  auto back = SharedMemory::Create(kQueueBytes);
  ASSERT_TRUE(back.ok());
  constexpr uint32_t kRounds = 3000;
  std::thread other([&] {
    QueueReader reader(mapped_->data());
    QueueWriter writer((*back)->data());
    std::vector<Element> packet;
    for (uint32_t i = 0; i < kRounds; ++i) {
      ASSERT_TRUE(reader.Wait(UINT64_MAX, never_));
      ASSERT_TRUE(reader.Read(&packet).ok());
      ASSERT_EQ(packet, Numbers(i, i % 5 + 1));
      if (i % 100 == 0)
        std::this_thread::sleep_for(std::chrono::microseconds(300));
      ASSERT_TRUE(writer.Write(Numbers(~i, 1)).ok());
    }
  });
  QueueWriter writer(memory_->data());
  QueueReader reader((*back)->data());
  std::vector<Element> packet;
  for (uint32_t i = 0; i < kRounds; ++i) {
    ASSERT_TRUE(writer.Write(Numbers(i, i % 5 + 1)).ok());
    ASSERT_TRUE(reader.Wait(UINT64_MAX, never_));
    ASSERT_TRUE(reader.Read(&packet).ok());
    ASSERT_EQ(packet, Numbers(~i, 1));
  }
  other.join();
}

WireRequest SomeRequest() {
  WireRequest request;
  request.inputs = {{false, {0, 16, 32}, {2, 4}}, {true, {}, {}}};
  request.outputs = {{false, {1, 0, 8}, {}}};
  request.pools = {{false, 7, uint64_t{5} << 32}, {true, 3, 0}};
  request.options = {true, 0x123456789abcdef0, 77};
  return request;
}

TEST(Packets, Request_IsReadBack) {
  const std::vector<Element> packet = RequestPacket(SomeRequest(), 42);
  // The order of HAL 1.2: information, inputs with their dimensions, outputs,
  // pools, timing.
  std::vector<uint32_t> tags;
  for (const Element& element : packet) tags.push_back(element.tag);
  EXPECT_EQ(tags, (std::vector<uint32_t>{0, 1, 2, 2, 1, 3, 5, 5, 6}));
  const auto read = ReadRequestPacket(packet);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->number, 42u);
  const WireRequest& request = read->request;
  ASSERT_EQ(request.inputs.size(), 2u);
  EXPECT_EQ(request.inputs[0].location, (Location{0, 16, 32}));
  EXPECT_EQ(request.inputs[0].dimensions, (Dimensions{2, 4}));
  EXPECT_TRUE(request.inputs[1].has_no_value);
  EXPECT_EQ(request.pools, SomeRequest().pools);
  EXPECT_TRUE(request.options.measure);
  EXPECT_EQ(request.options.deadline_ns, 0x123456789abcdef0u);
  EXPECT_EQ(request.options.loop_timeout_ns, 77u);
}

TEST(Packets, Result_IsReadBack) {
  Execution answer;
  answer.status = MUNJA_NN_OUTPUT_INSUFFICIENT_SIZE;
  answer.outputs = {{false, {3, 5}}, {true, {}}};
  answer.timing = {1, uint64_t{1} << 40};
  const auto read = ReadResultPacket(ResultPacket(answer, 9));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->number, 9u);
  EXPECT_EQ(read->answer.status, answer.status);
  ASSERT_EQ(read->answer.outputs.size(), 2u);
  EXPECT_FALSE(read->answer.outputs[0].is_sufficient);
  EXPECT_EQ(read->answer.outputs[0].dimensions, (Dimensions{3, 5}));
  EXPECT_EQ(read->answer.timing.in_driver, uint64_t{1} << 40);
}

// Every element removed, doubled or taken for another kind, and every word
// that must be 0 or tells a number changed, is seen.
template <class Read>
void ExpectAllDamageSeen(const std::vector<Element>& good, Read&& read) {
  ASSERT_TRUE(read(good).ok());
  EXPECT_FALSE(read({}).ok());
  EXPECT_FALSE(read(std::vector<Element>(1)).ok()) << "says it has none";
  for (size_t i = 0; i < good.size(); ++i) {
    std::vector<Element> removed = good, doubled = good;
    removed.erase(removed.begin() + static_cast<ptrdiff_t>(i));
    EXPECT_FALSE(read(removed).ok()) << i;
    doubled.insert(doubled.begin() + static_cast<ptrdiff_t>(i), good[i]);
    EXPECT_FALSE(read(doubled).ok()) << i;
    for (uint32_t tag = 0; tag < 9; ++tag) {
      std::vector<Element> changed = good;
      changed[i].tag = tag;
      EXPECT_EQ(read(changed).ok(), tag == good[i].tag) << i << " " << tag;
    }
  }
  for (const size_t word : {0, 1, 2}) {
    std::vector<Element> changed = good;
    ++changed[0].words[word];
    if (good[0].words[0] == 6 && word == 1) continue;  // A result's status.
    EXPECT_FALSE(read(changed).ok()) << word;
  }
}

TEST(Packets, DamagedRequest_IsDetected) {
  ExpectAllDamageSeen(
      RequestPacket(SomeRequest(), 1),
      [](const std::vector<Element>& p) { return ReadRequestPacket(p); });
}

TEST(Packets, DamagedResult_IsDetected) {
  Execution answer;
  answer.outputs = {{true, {3, 5}}, {true, {}}};
  const std::vector<Element> packet = ResultPacket(answer, 1);
  ASSERT_EQ(packet[0].words[0], 6u);
  ExpectAllDamageSeen(packet, [](const std::vector<Element>& p) {
    return ReadResultPacket(p);
  });
  for (size_t i = 0; i < packet.size(); ++i)
    if (packet[i].tag != kExecutionTiming) {
      std::vector<Element> dirty = packet;
      dirty[i].words[4] = 1;
      EXPECT_FALSE(ReadResultPacket(dirty).ok()) << i;
    }
}

}  // namespace
}  // namespace munja::hal
