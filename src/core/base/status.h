// Status and Result: errors as values, with a code chosen by what the caller
// should do.
#ifndef MUNJA_BASE_STATUS_H_
#define MUNJA_BASE_STATUS_H_

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/str_cat.h"

namespace munja {

// Numeric values are part of the C ABI (include/munja/types.h mirrors them).
enum class Code : int32_t {
  kOk = 0,
  kInvalidArgument = 1,  // The caller broke a documented precondition.
  kMalformed = 2,    // Bytes from outside (model, image, dictionary) are wrong.
  kUnsupported = 3,  // Well formed, but not implemented here.
  kOutOfMemory = 4,  // An allocation failed or a stated limit would be passed.
  kIo = 5,           // The operating system refused to read or write.
  kNotFound = 6,     // A file, tensor, signature or device does not exist.
  kUnavailable = 7,  // A device, driver, server or library is absent or lost.
  kCancelled = 8,
  kInternal = 9,   // A bug in this library.
  kTimedOut = 10,  // A stated limit of time would be passed.
  // Not a fault: what is asked before a run depends on values that come with
  // it.
  kNeedsValues = 11,
};

// "malformed", "not found", ...
const char* CodeName(Code code);

// Success is a null pointer, so the good path carries eight bytes and no
// allocation; a failure owns its code and a message made for a person. What
// only failures need is not inlined: there are thousands of places that return
// one, and each would make the code around it longer.
class [[nodiscard]] Status {
 public:
  Status() = default;
  [[gnu::cold]] Status(Code code, std::string message);
  Status(Status&& other) noexcept : rep_(std::exchange(other.rep_, nullptr)) {}
  Status& operator=(Status&& other) noexcept {
    Status moved(std::move(other));
    std::swap(rep_, moved.rep_);
    return *this;
  }
  ~Status() {
    if (rep_ != nullptr) [[unlikely]]
      Free(rep_);
  }
  bool ok() const { return rep_ == nullptr; }
  Code code() const { return rep_ != nullptr ? CodeOf(*rep_) : Code::kOk; }
  std::string_view message() const;
  // Adds where we were: "node 17 (CONV_2D): " + message. The parts of the
  // context are put together for a failure only.
  template <class... P>
  Status With(const P&... context) && {
    if (rep_ != nullptr) [[unlikely]] {
      const StrPart parts[] = {StrPart(context)...};
      AddContext(parts, sizeof...(P));
    }
    return std::move(*this);
  }
  Status Clone() const;

 private:
  struct Rep;
  static Code CodeOf(const Rep& rep);
  [[gnu::cold]] static void Free(Rep* rep) noexcept;
  [[gnu::cold]] void AddContext(const StrPart* parts, size_t count);

  Rep* rep_ = nullptr;
};

// A failure whose message is its parts, one behind the other (see StrCat):
//
//   return Malformed(Describe(node), ": want ", 4, " dimensions");
[[gnu::cold]] Status MakeStatus(Code code, const StrPart* parts, size_t count);

#define MUNJA_STATUS_MAKER(name, code)                       \
  template <class... P>                                      \
  [[gnu::always_inline]] inline Status name(const P&... p) { \
    const StrPart parts[] = {StrPart(p)...};                 \
    return MakeStatus(code, parts, sizeof...(P));            \
  }
MUNJA_STATUS_MAKER(InvalidArgument, Code::kInvalidArgument)
MUNJA_STATUS_MAKER(Malformed, Code::kMalformed)
MUNJA_STATUS_MAKER(Unsupported, Code::kUnsupported)
MUNJA_STATUS_MAKER(OutOfMemory, Code::kOutOfMemory)
MUNJA_STATUS_MAKER(IoError, Code::kIo)
MUNJA_STATUS_MAKER(NotFound, Code::kNotFound)
MUNJA_STATUS_MAKER(Unavailable, Code::kUnavailable)
MUNJA_STATUS_MAKER(Cancelled, Code::kCancelled)
MUNJA_STATUS_MAKER(TimedOut, Code::kTimedOut)
MUNJA_STATUS_MAKER(NeedsValues, Code::kNeedsValues)
MUNJA_STATUS_MAKER(Internal, Code::kInternal)
#undef MUNJA_STATUS_MAKER

// A value or a failure. Not a std::variant, whose visitors take the compiler
// longer than the functions that return results do.
template <class T>
class [[nodiscard]] Result {
 public:
  // NOLINTBEGIN(google-explicit-constructor): `return value;`, `return status;`
  Result(T value) : ok_(true), value_(std::move(value)) {}
  Result(Status status) : ok_(false), status_(std::move(status)) {
    assert(!status_.ok());
  }
  // NOLINTEND(google-explicit-constructor)
  Result(Result&& other) noexcept(std::is_nothrow_move_constructible_v<T>)
      : ok_(other.ok_) {
    if (ok_)
      std::construct_at(&value_, std::move(other.value_));
    else
      std::construct_at(&status_, std::move(other.status_));
  }
  Result& operator=(Result&& other) noexcept(
      std::is_nothrow_move_constructible_v<T>) {
    if (this != &other) {
      std::destroy_at(this);
      std::construct_at(this, std::move(other));
    }
    return *this;
  }
  ~Result() {
    if (ok_)
      value_.~T();
    else
      status_.~Status();
  }
  bool ok() const { return ok_; }
  T& value() & { return value_; }
  const T& value() const& { return value_; }
  T&& value() && { return std::move(value_); }
  T* operator->() { return &value_; }
  const T* operator->() const { return &value_; }
  T& operator*() & { return value_; }
  const T& operator*() const& { return value_; }
  Status TakeStatus() && { return ok_ ? Status() : std::move(status_); }
  // Only when !ok().
  const Status& status() const { return status_; }
  // Adds where we were to a failure; a value passes through.
  template <class... P>
  Result With(const P&... context) && {
    if (ok_) return std::move(*this);
    return Result(std::move(status_).With(context...));
  }

 private:
  bool ok_;
  union {
    T value_;
    Status status_;
  };
};

#define MUNJA_CONCAT_INNER(a, b) a##b
#define MUNJA_CONCAT(a, b) MUNJA_CONCAT_INNER(a, b)

#define MUNJA_RETURN_IF_ERROR(expr) \
  MUNJA_RETURN_IF_ERROR_IMPL(MUNJA_CONCAT(munja_error_, __LINE__), expr)
// NOLINTBEGIN(bugprone-macro-parentheses): `tmp` is a name that is declared.
#define MUNJA_RETURN_IF_ERROR_IMPL(tmp, expr)                \
  do {                                                       \
    if (::munja::Status tmp = (expr); !tmp.ok()) return tmp; \
  } while (0)
// NOLINTEND(bugprone-macro-parentheses)

#define MUNJA_ASSIGN_OR_RETURN(decl, expr) \
  MUNJA_ASSIGN_OR_RETURN_IMPL(MUNJA_CONCAT(munja_result_, __LINE__), decl, expr)
// NOLINTBEGIN(bugprone-macro-parentheses): `decl` is a declaration.
#define MUNJA_ASSIGN_OR_RETURN_IMPL(tmp, decl, expr) \
  auto tmp = (expr);                                 \
  if (!tmp.ok()) return std::move(tmp).TakeStatus(); \
  decl = std::move(tmp).value()
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace munja

#endif  // MUNJA_BASE_STATUS_H_
