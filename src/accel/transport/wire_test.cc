#include "transport/wire.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "hal/fence.h"
#include "hal/validate.h"
#include "transport/channel.h"
#include "transport/remote.h"
#include "transport/shared_memory.h"
#include "transport/testing.h"

namespace munja::hal {
namespace {

WireDevice SomeDevice() {
  WireDevice device;
  device.name = "some-device";
  device.version_string = "1";
  device.operands = {{3, {1, 2}}, {4, {3, 4}}};
  device.extensions = {{"a.b", {{1, 1, 4}}}};
  return device;
}

TEST(Wire, Device_IsReadBackAndChecked) {
  ByteWriter to;
  PutDevice(SomeDevice(), to);
  ByteReader from(to.bytes());
  const WireDevice device = GetDevice(from);
  EXPECT_TRUE(from.IsDone());
  EXPECT_TRUE(CheckDevice(device).ok());
  EXPECT_EQ(device.operands[1].performance.power, 4.0f);
  EXPECT_EQ(device.extensions[0].types[0].element_bytes, 4u);
  const std::vector<std::function<void(WireDevice&)>> wrongs = {
      [](WireDevice& d) { d.name = ""; },
      [](WireDevice& d) { d.name = "a\x1b[0m"; },
      [](WireDevice& d) { d.version_string = ""; },
      [](WireDevice& d) { d.type = 5; },
      [](WireDevice& d) { d.type = 0; },
      [](WireDevice& d) { d.hal_version = 9; },
      [](WireDevice& d) { d.model_cache_files = 33; },
      [](WireDevice& d) { d.operands[1].type = 3; },
      [](WireDevice& d) { d.operands[0].performance.time = NAN; },
      [](WireDevice& d) { d.relaxed_scalar.power = -1; },
      [](WireDevice& d) { d.extensions[0].name = "\n"; }};
  for (size_t i = 0; i < wrongs.size(); ++i) {
    WireDevice wrong = SomeDevice();
    wrongs[i](wrong);
    EXPECT_EQ(CheckDevice(wrong).code(), Code::kMalformed) << i;
  }
}

// The answer takes its time: a host has a tenth less, 20 ms at most.
TEST(Wire, DeadlineForAHost_IsALittleEarlier) {
  constexpr uint64_t kMillisecond = 1'000'000;
  EXPECT_EQ(DeadlineForHost({UINT64_MAX, false}), UINT64_MAX);
  EXPECT_EQ(DeadlineForHost({MonotonicNow() + kMillisecond, true}), 0u);
  EXPECT_EQ(DeadlineForHost({1, false}), 1u);  // It has passed.
  const uint64_t near = MonotonicNow() + 100 * kMillisecond;
  EXPECT_GE(DeadlineForHost({near, false}), near - 10 * kMillisecond);
  const uint64_t far = MonotonicNow() + 1'000'000 * kMillisecond;
  EXPECT_EQ(DeadlineForHost({far, false}), far - 20 * kMillisecond);
}

TEST(Wire, Result_IsCheckedByTheRules) {
  const auto is_right = [](int32_t status, std::vector<OutputShape> shapes,
                           munja_nn_timing timing, bool measure) {
    return CheckAnswer({status, std::move(shapes), timing}, 1, measure).ok();
  };
  constexpr uint64_t kNo = MUNJA_NN_NO_TIME;
  const munja_nn_timing none = {kNo, kNo};
  EXPECT_TRUE(is_right(MUNJA_NN_NONE, {}, none, true));
  EXPECT_TRUE(is_right(MUNJA_NN_NONE, {{true, {1}}}, {2, 3}, true));
  EXPECT_TRUE(is_right(MUNJA_NN_NONE, {}, {kNo, 3}, true));
  EXPECT_TRUE(is_right(3, {{false, {1}}}, none, true));
  EXPECT_TRUE(is_right(MUNJA_NN_GENERAL_FAILURE, {}, none, true));
  EXPECT_FALSE(is_right(9, {}, none, true));
  EXPECT_FALSE(is_right(-1, {}, none, true));
  EXPECT_FALSE(is_right(MUNJA_NN_GENERAL_FAILURE, {{true, {}}}, none, true));
  EXPECT_FALSE(is_right(MUNJA_NN_GENERAL_FAILURE, {}, {1, 2}, true));
  EXPECT_FALSE(is_right(MUNJA_NN_NONE, {}, {1, 2}, false));
  EXPECT_FALSE(is_right(MUNJA_NN_NONE, {}, {4, 3}, true));
  EXPECT_FALSE(is_right(MUNJA_NN_NONE, {{true, {}}, {true, {}}}, none, true));
  EXPECT_FALSE(is_right(MUNJA_NN_NONE, {{false, {}}}, none, true));
  EXPECT_FALSE(is_right(3, {}, none, true));
  EXPECT_FALSE(is_right(3, {{true, {1}}}, none, true));
}

class Sockets : public testing::Test {
 protected:
  void SetUp() override {
    std::array<int, 2> ends = {-1, -1};
    ASSERT_EQ(
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
    a_ = Descriptor(ends[0]);
    b_ = Descriptor(ends[1]);
  }
  Descriptor a_, b_;
};

TEST_F(Sockets, Message_CarriesAnySizeAndFiles) {
  auto memory = SharedMemory::Create(100);
  ASSERT_TRUE(memory.ok());
  (*memory)->data()[7] = 77;
  for (const size_t size : {size_t{0}, size_t{5}, kInlineBytes,
                            kInlineBytes + 1, size_t{10'000'000}}) {
    Outgoing message;
    message.type = MessageType::kPrepare;
    message.serial = size + 3;
    message.payload.resize(size, 9);
    message.files = {(*memory)->fd(), (*memory)->fd()};
    ASSERT_EQ(Send(a_.get(), message, true), Transfer::kDone);
    Message got;
    ASSERT_EQ(Receive(b_.get(), kMaxToHost, true, &got), Transfer::kDone);
    EXPECT_EQ(got.type, MessageType::kPrepare);
    EXPECT_EQ(got.serial, size + 3);
    EXPECT_EQ(got.payload, message.payload);
    ASSERT_EQ(got.files.size(), 2u);
    auto mapped =
        SharedMemory::Map(std::move(got.files[1]), 0, 100, SharedMemory::kRead);
    ASSERT_TRUE(mapped.ok());
    EXPECT_EQ((*mapped)->data()[7], 77);
  }
}

TEST_F(Sockets, MalformedMessageAndEnd_AreDetected) {
  const auto receive = [&](uint64_t most) {
    Message got;
    return Receive(b_.get(), most, false, &got);
  };
  EXPECT_EQ(receive(100), Transfer::kLater);
  for (const size_t size : {1, 23, 24, 100, 40'000}) {
    const std::vector<uint8_t> junk(size, 0x5a);
    ASSERT_GT(send(a_.get(), junk.data(), junk.size(), 0), 0);
    EXPECT_EQ(receive(kMaxToHost), Transfer::kNonsense) << size;
  }
  Outgoing message;
  message.payload.resize(200);
  ASSERT_EQ(Send(a_.get(), message, true), Transfer::kDone);
  EXPECT_EQ(receive(100), Transfer::kNonsense) << "longer than allowed";
  message.files = {1234567};
  EXPECT_EQ(Send(a_.get(), message, true), Transfer::kNonsense);
  a_.Close();
  EXPECT_EQ(receive(100), Transfer::kClosed);
  message.files.clear();
  // Without a signal.
  EXPECT_EQ(Send(b_.get(), message, true), Transfer::kClosed);
}

TEST_F(Sockets, NonBlockingCall_DoesNotWait) {
  Outgoing message;
  message.payload.resize(10'000);
  Transfer result = Transfer::kDone;
  int sent = 0;
  while ((result = Send(a_.get(), message, false)) == Transfer::kDone) ++sent;
  EXPECT_EQ(result, Transfer::kLater);
  EXPECT_GT(sent, 0);
}

// A file that another process can shorten could crash its reader.
TEST(SharedMemory, UnsealedFile_IsRefused) {
  auto made = SharedMemory::Create(5000);
  ASSERT_TRUE(made.ok());
  const int file = (*made)->fd();
  EXPECT_NE(ftruncate(file, 100), 0);
  EXPECT_NE(ftruncate(file, 10'000), 0);
  EXPECT_TRUE(IsSealedMemory(file, 0, 5000));
  EXPECT_TRUE(IsSealedMemory(file, 4999, 1));
  EXPECT_FALSE(IsSealedMemory(file, 0, 5001));
  EXPECT_FALSE(IsSealedMemory(file, 5001, 1));
  EXPECT_FALSE(IsSealedMemory(file, UINT64_MAX, 2));
  EXPECT_FALSE(IsSealedMemory(file, 0, 0));
  EXPECT_FALSE(IsSealedMemory(-1, 0, 1));
  const Descriptor open(memfd_create("x", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(ftruncate(open.get(), 5000), 0);
  EXPECT_FALSE(IsSealedMemory(open.get(), 0, 5000));
  EXPECT_EQ(SharedMemory::Map(Descriptor(dup(open.get())), 0, 5000,
                              SharedMemory::kRead)
                .status()
                .code(),
            Code::kInvalidArgument);
  EXPECT_FALSE(SharedMemory::Create(0).ok());
  EXPECT_FALSE(SharedMemory::Create(UINT64_MAX).ok());
  (*made)->data()[4200] = 42;
  auto part = SharedMemory::Map(Descriptor(dup(file)), 4200, 10,
                                SharedMemory::kReadWrite);
  ASSERT_TRUE(part.ok());
  EXPECT_EQ((*part)->data()[0], 42);
  EXPECT_TRUE((*part)->is_writable());
}

}  // namespace
}  // namespace munja::hal
