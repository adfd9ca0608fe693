// A model of the protocol by which the threads of a pool share loops, run in
// every order of its steps: thread_pool.cc names the steps that it mirrors, and
// must be changed together with it. One caller, two workers, a few loops, then
// the destructor. In each order every range is run once, no worker is in a loop
// that has returned, no thread sleeps permanently, and what a body throws comes
// to the caller.
//
// The model is sequentially consistent. That the orders of memory in the code
// are enough for it to hold is what ThreadSanitizer looks at, in the tests of
// thread_pool_test.cc.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace munja {
namespace {

constexpr int kThreads = 3;  // The first one is the caller.
constexpr int kRanges = 4;   // Per loop.

enum Step : uint8_t {
  // The caller, in TryRun.
  kDeal,        // [C1]
  kSetBusy,     // [C2]
  kLockEpoch,   // [C3], in three: the mutex, the number, the mutex.
  kNextEpoch,   //
  kFreeEpoch,   //
  kWakeAll,     // [C4]
  kAskBusy,     // [C6]
  kLockDone,    // [C7]: the mutex, then ask, then sleep or go on.
  kAskDone,     //
  kFallAsleep,  //
  kSleepDone,   // In the wait.
  kFreeDone,    //
  kReturn,      // [C8]
  kLockStop,    // [D1], in four.
  kSetStop,     //
  kStopEpoch,   //
  kFreeStop,    //
  kWakeToStop,  // [D2]
  kJoin,        // [D3]
  // Any thread, in RunRanges: [R1], as Share::Take does it.
  kLoadShare,
  kSwapShare,
  kInBody,
  kMarkThrown,  // [R2], in two.
  kKeepThrown,
  kClearShare,  // [R3], share by share.
  // A worker, in Work.
  kAskEpoch,   // [W1]
  kLockWake,   // [W2], as [C7].
  kAskWake,    //
  kDoze,       //
  kSleepWake,  // In the wait.
  kFreeWake,   //
  kTakeEpoch,  // [W3]
  kLessBusy,   // [W4]
  kLockTell,   // [W5], in three.
  kTellDone,   //
  kFreeTell,   //
  kEnd,
};

// Bytes only, so that two are the same when their memory is.
struct Thread {
  uint8_t step, seen, share, first, end, range;
};
struct State {
  uint8_t epoch, busy, stop, has_thrown, thrown, loop, is_running;
  uint8_t mutex;  // Its thread's number + 1.
  uint8_t first[kThreads], end[kThreads];
  uint8_t runs[kRanges];
  Thread threads[kThreads];

  std::string_view bytes() const {
    return {reinterpret_cast<const char*>(this), sizeof *this};
  }
  friend bool operator==(const State& a, const State& b) {
    return a.bytes() == b.bytes();
  }
};
struct Hash {
  size_t operator()(const State& s) const {
    return std::hash<std::string_view>()(s.bytes());
  }
};

// Faults that the code does not have: the model must find them.
enum class Fault {
  kNone,
  kEpochWithoutLock,
  kTellWithoutLock,
  kReturnsEarly,
  kThrowsAtOnce,
  kForgetsThrown,
};

struct Setting {
  int loops = 1;
  // Bit r of the l-th: the body throws in range r of loop l.
  std::vector<unsigned> throws = {};
  Fault fault = Fault::kNone;
  bool has_spurious_wakes = false;
};

class Model {
 public:
  explicit Model(Setting setting) : setting_(std::move(setting)) {
    setting_.throws.resize(static_cast<size_t>(setting_.loops));
  }

  // The first thing that can go wrong; empty: nothing can.
  std::string Explore() {
    State first;
    std::memset(&first, 0, sizeof first);
    first.threads[0].step = kDeal;
    for (int t = 1; t < kThreads; ++t) first.threads[t].step = kAskEpoch;
    Enter(first);
    while (!stack_.empty() && wrong_.empty()) {
      Frame& frame = stack_.back();
      if (frame.next == frame.successors.size()) {
        visited_[frame.state] = kDone;
        stack_.pop_back();
        continue;
      }
      const State state = frame.successors[frame.next++];
      const auto found = visited_.find(state);
      if (found == visited_.end())
        Enter(state);
      else if (found->second == kOpen && !setting_.has_spurious_wakes)
        wrong_ = "threads may loop permanently";
    }
    return wrong_;
  }

  size_t states() const { return visited_.size(); }
  // Some order ran a loop's ranges on all threads.
  bool has_shared() const { return has_shared_; }

 private:
  enum Color : uint8_t { kOpen, kDone };
  struct Frame {
    State state;
    std::vector<State> successors;
    size_t next = 0;
  };

  void Enter(const State& state) {
    visited_[state] = kOpen;
    Frame frame{state, {}, 0};
    for (int t = 0; t < kThreads; ++t) {
      State next = state;
      if (Advance(next, t)) frame.successors.push_back(next);
    }
    bool is_end = true;
    for (const Thread& thread : state.threads) is_end &= thread.step == kEnd;
    if (frame.successors.empty() && !is_end) Fail("threads sleep permanently");
    if (setting_.has_spurious_wakes) {
      for (int t = 0; t < kThreads; ++t) {
        State next = state;
        if (WakeOne(next, t)) frame.successors.push_back(next);
      }
    }
    stack_.push_back(std::move(frame));
  }

  void Fail(const char* what) {
    if (wrong_.empty()) wrong_ = what;
  }

  static bool WakeOne(State& s, int t) {
    uint8_t& step = s.threads[t].step;
    if (step != kSleepDone && step != kSleepWake) return false;
    step = step == kSleepDone ? kLockDone : kLockWake;
    return true;
  }

  static bool Lock(State& s, int t) {
    if (s.mutex != 0) return false;
    s.mutex = static_cast<uint8_t>(t + 1);
    return true;
  }

  static void BeginRanges(Thread& me) {
    me.share = 0;  // How many shares it has been through.
    me.step = kLoadShare;
  }

  static void EndRanges(Thread& me, int t) {
    me.share = me.first = me.end = me.range = 0;
    me.step = t == 0 ? kAskBusy : kLessBusy;
  }

  // The second half of Take, after its read.
  static void Look(Thread& me, int t) {
    if (me.first != me.end) {
      me.step = kSwapShare;
      return;
    }
    me.step = kLoadShare;
    me.first = me.end = 0;
    if (++me.share == kThreads) EndRanges(me, t);
  }

  void CheckReturn(const State& s) {
    const unsigned throws = setting_.throws[s.loop];
    bool has_thrown = false;
    for (int r = 0; r < kRanges; ++r) {
      has_thrown |= s.runs[r] != 0 && ((throws >> r) & 1) != 0;
      if (s.runs[r] == 0 && throws == 0) Fail("a range is left out");
    }
    if ((throws != 0) != has_thrown) Fail("a range that throws is left out");
    if (has_thrown != (s.thrown != 0)) Fail("what is thrown is lost");
  }

  // One step of thread t; false: it waits.
  bool Advance(State& s, int t) {
    Thread& me = s.threads[t];
    const Fault fault = setting_.fault;
    const int share = (t + me.share) % kThreads;
    switch (static_cast<Step>(me.step)) {
      case kDeal: {
        const int each = kRanges / kThreads, more = kRanges % kThreads;
        int first = 0;
        for (int i = 0; i < kThreads; ++i) {
          s.first[i] = static_cast<uint8_t>(first);
          first += each + (i < more ? 1 : 0);
          s.end[i] = static_cast<uint8_t>(first);
        }
        std::memset(s.runs, 0, sizeof s.runs);
        s.is_running = 1;
        me.step = kSetBusy;
        return true;
      }
      case kSetBusy:
        s.busy = kThreads - 1;
        me.step = fault == Fault::kEpochWithoutLock ? kNextEpoch : kLockEpoch;
        return true;
      case kLockEpoch:
        if (!Lock(s, t)) return false;
        me.step = kNextEpoch;
        return true;
      case kNextEpoch:
        ++s.epoch;
        me.step = fault == Fault::kEpochWithoutLock ? kWakeAll : kFreeEpoch;
        return true;
      case kFreeEpoch:
        s.mutex = 0;
        me.step = kWakeAll;
        return true;
      case kWakeAll:
      case kWakeToStop:
        for (int i = 1; i < kThreads; ++i)
          if (s.threads[i].step == kSleepWake) s.threads[i].step = kLockWake;
        if (me.step == kWakeToStop)
          me.step = kJoin;
        else
          BeginRanges(me);
        return true;
      case kAskBusy:
        // The spins before are orders in which this step comes later.
        me.step =
            s.busy == 0 || fault == Fault::kReturnsEarly ? kReturn : kLockDone;
        return true;
      case kLockDone:
        if (!Lock(s, t)) return false;
        me.step = kAskDone;
        return true;
      case kAskDone:
        me.step = s.busy == 0 ? kFreeDone : kFallAsleep;
        return true;
      case kFallAsleep:
        s.mutex = 0;
        me.step = kSleepDone;
        return true;
      case kFreeDone:
        s.mutex = 0;
        me.step = kReturn;
        return true;
      case kReturn:
        CheckReturn(s);
        s.is_running = 0;
        if (fault != Fault::kForgetsThrown) s.has_thrown = 0;
        s.thrown = 0;
        ++s.loop;
        me.step = s.loop < setting_.loops ? kDeal : kLockStop;
        return true;
      case kLockStop:
        if (!Lock(s, t)) return false;
        me.step = kSetStop;
        return true;
      case kSetStop:
        s.stop = 1;
        me.step = kStopEpoch;
        return true;
      case kStopEpoch:
        ++s.epoch;
        me.step = kFreeStop;
        return true;
      case kFreeStop:
        s.mutex = 0;
        me.step = kWakeToStop;
        return true;
      case kJoin:
        for (int i = 1; i < kThreads; ++i)
          if (s.threads[i].step != kEnd) return false;
        me.step = kEnd;
        return true;

      case kLoadShare:
        if (s.is_running == 0) Fail("a worker is in a loop that has returned");
        me.first = s.first[share];
        me.end = s.end[share];
        Look(me, t);
        return true;
      case kSwapShare:
        if (s.is_running == 0) Fail("a worker is in a loop that has returned");
        if (s.first[share] != me.first || s.end[share] != me.end) {
          me.first = s.first[share];
          me.end = s.end[share];
          Look(me, t);
          return true;
        }
        me.range = me.share == 0 ? s.first[share]++ : --s.end[share];
        if (++s.runs[me.range] > 1) Fail("a range is run twice");
        me.step = kInBody;
        return true;
      case kInBody: {
        if (s.is_running == 0) Fail("a worker is in a loop that has returned");
        int inside = 0;
        for (const Thread& thread : s.threads) inside += thread.step == kInBody;
        has_shared_ |= inside == kThreads;
        const bool throws = ((setting_.throws[s.loop] >> me.range) & 1) != 0;
        me.range = 0;
        me.first = me.end = 0;
        me.step = throws ? kMarkThrown : kLoadShare;
        if (throws && fault == Fault::kThrowsAtOnce && t == 0) {
          s.thrown = 1;
          me.step = kReturn;
        }
        return true;
      }
      case kMarkThrown:
        me.step = s.has_thrown == 0 ? kKeepThrown : kClearShare;
        s.has_thrown = 1;
        me.share = 0;
        return true;
      case kKeepThrown:
        s.thrown = 1;
        me.step = kClearShare;
        return true;
      case kClearShare:
        if (s.is_running == 0) Fail("a worker is in a loop that has returned");
        s.first[me.share] = s.end[me.share] = 0;
        if (++me.share == kThreads) EndRanges(me, t);
        return true;

      case kAskEpoch:
        me.step = s.epoch == me.seen ? kLockWake : kTakeEpoch;
        return true;
      case kLockWake:
        if (!Lock(s, t)) return false;
        me.step = kAskWake;
        return true;
      case kAskWake:
        me.step = s.epoch == me.seen ? kDoze : kFreeWake;
        return true;
      case kDoze:
        s.mutex = 0;
        me.step = kSleepWake;
        return true;
      case kFreeWake:
        s.mutex = 0;
        me.step = kTakeEpoch;
        return true;
      case kTakeEpoch:
        me.seen = s.epoch;
        if (s.stop != 0)
          me.step = kEnd;
        else
          BeginRanges(me);
        return true;
      case kLessBusy:
        me.step = kAskEpoch;
        if (--s.busy == 0)
          me.step = fault == Fault::kTellWithoutLock ? kTellDone : kLockTell;
        return true;
      case kLockTell:
        if (!Lock(s, t)) return false;
        me.step = kTellDone;
        return true;
      case kTellDone:
        if (s.threads[0].step == kSleepDone) s.threads[0].step = kLockDone;
        me.step = fault == Fault::kTellWithoutLock ? kAskEpoch : kFreeTell;
        return true;
      case kFreeTell:
        s.mutex = 0;
        me.step = kAskEpoch;
        return true;
      case kSleepDone:
      case kSleepWake:
      case kEnd:
        return false;
    }
    return false;
  }

  Setting setting_;
  std::unordered_map<State, Color, Hash> visited_;
  std::vector<Frame> stack_;
  std::string wrong_;
  bool has_shared_ = false;
};

TEST(ThreadPoolModel, TwoLoops_AreRightInEveryOrder) {
  Model model({.loops = 2});
  EXPECT_EQ(model.Explore(), "");
  EXPECT_TRUE(model.has_shared());
  EXPECT_GT(model.states(), 50000u);
}

TEST(ThreadPoolModel, SpuriousWakes_DoNoHarm) {
  EXPECT_EQ(Model({.loops = 1, .has_spurious_wakes = true}).Explore(), "");
}

TEST(ThreadPoolModel, ThrowingBodies_DoNoHarm) {
  // Any one range, two of them, all; and a loop after that.
  for (const unsigned throws : {1u, 2u, 4u, 8u, 3u, 15u})
    EXPECT_EQ(Model({.loops = 1, .throws = {throws}}).Explore(), "") << throws;
  EXPECT_EQ(Model({.loops = 2, .throws = {2, 0}}).Explore(), "");
}

// The model is sharp: it finds what goes wrong when a step is left out.
TEST(ThreadPoolModel, InjectedFaults_AreFound) {
  const auto wrong = [](Fault fault, std::vector<unsigned> throws) {
    return Model({.loops = 2, .throws = std::move(throws), .fault = fault})
        .Explore();
  };
  EXPECT_EQ(wrong(Fault::kEpochWithoutLock, {}), "threads sleep permanently");
  EXPECT_EQ(wrong(Fault::kTellWithoutLock, {}), "threads sleep permanently");
  EXPECT_NE(wrong(Fault::kReturnsEarly, {}), "");
  EXPECT_NE(wrong(Fault::kThrowsAtOnce, {1, 0}), "");
  EXPECT_NE(wrong(Fault::kForgetsThrown, {1, 1}), "");
}

}  // namespace
}  // namespace munja
