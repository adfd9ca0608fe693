#include "base/control.h"

#include <cmath>
#include <cstdio>
#include <new>
#include <string>
#include <utility>

namespace munja {
namespace {

thread_local Control* current = nullptr;
thread_local ControlScope::Role role = ControlScope::kTelling;

}  // namespace

MemoryAccount* MemoryAccount::Create(size_t limit) noexcept {
  return new (std::nothrow) MemoryAccount(limit);
}

bool MemoryAccount::Take(size_t bytes) noexcept {
  size_t used = used_.load(std::memory_order_relaxed);
  do {
    if (used > limit_ || bytes > limit_ - used) return false;
  } while (!used_.compare_exchange_weak(used, used + bytes,
                                        std::memory_order_relaxed));
  owners_.fetch_add(1, std::memory_order_relaxed);
  size_t peak = peak_.load(std::memory_order_relaxed);
  while (peak < used + bytes &&
         !peak_.compare_exchange_weak(peak, used + bytes,
                                      std::memory_order_relaxed)) {
  }
  return true;
}

void MemoryAccount::Give(size_t bytes) noexcept {
  used_.fetch_sub(bytes, std::memory_order_relaxed);
  Release();
}

void MemoryAccount::Release() noexcept {
  if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

Control::Control(const Limits& limits, Progress progress)
    : limits_(limits), progress_(std::move(progress)) {
  Restart();
}

Control::~Control() {
  if (MemoryAccount* const account = account_.load()) account->Release();
}

void Control::Cancel() noexcept {
  int expected = kGoOn;
  stop_.compare_exchange_strong(expected, kCancelled);
}

bool Control::PassDeadline() noexcept {
  int expected = kGoOn;
  stop_.compare_exchange_strong(expected, kTimedOut);
  return true;
}

void Control::Restart() noexcept {
  // Centuries would overflow the clock.
  constexpr double kMostSeconds = 1e9;
  has_deadline_ = limits_.seconds > 0 && limits_.seconds < kMostSeconds;
  if (has_deadline_) {
    deadline_ =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(
                           std::chrono::duration<double>(limits_.seconds));
  }
  stop_.store(kGoOn);
}

Status Control::Check() {
  if (!IsStopped()) return Status();
  if (stop_.load() == kCancelled) return Cancelled("cancelled by the caller");
  char text[80];
  std::snprintf(text, sizeof text,
                "not done within the %g seconds that are allowed",
                limits_.seconds);
  return TimedOut(text);
}

MemoryAccount* Control::account() noexcept {
  MemoryAccount* account = account_.load(std::memory_order_acquire);
  if (account != nullptr) return account;
  MemoryAccount* const made = MemoryAccount::Create(limits_.memory);
  if (made == nullptr) return nullptr;
  if (account_.compare_exchange_strong(account, made,
                                       std::memory_order_acq_rel))
    return made;
  made->Release();  // Another thread was first.
  return account;
}

void Control::Report(const char* what, uint64_t done, uint64_t total) {
  if (progress_ != nullptr && !IsStopped() && !progress_(what, done, total))
    Cancel();
}

Control* CurrentControl() noexcept { return current; }

ControlScope::ControlScope(Control* control, Role new_role) noexcept
    : previous_(std::exchange(current, control)),
      previous_role_(std::exchange(role, new_role)) {}

ControlScope::~ControlScope() {
  current = previous_;
  role = previous_role_;
}

void ReportProgress(const char* what, uint64_t done, uint64_t total) {
  if (current != nullptr && role == ControlScope::kTelling)
    current->Report(what, done, total);
}

Status TakeMemory(size_t bytes, MemoryAccount** account) {
  *account = nullptr;
  if (current == nullptr) return Status();
  MemoryAccount* const of_call = current->account();
  if (of_call == nullptr) return OutOfMemory("out of memory");
  if (!of_call->Take(bytes)) {
    return OutOfMemory("cannot allocate " + std::to_string(bytes) +
                       " bytes: " + std::to_string(of_call->used()) + " of " +
                       std::to_string(of_call->limit()) +
                       " that are allowed are in use");
  }
  *account = of_call;
  return Status();
}

Result<MemoryClaim> MemoryClaim::Take(size_t bytes) {
  MemoryClaim claim;
  MUNJA_RETURN_IF_ERROR(TakeMemory(bytes, &claim.account_));
  claim.bytes_ = bytes;
  return claim;
}

}  // namespace munja
