// Result<T>: a value, or why there is none. Shared by all C++ headers of Munja.
#ifndef MUNJA_RESULT_HPP_
#define MUNJA_RESULT_HPP_

// An older standard would give a hundred errors instead of this one.
// 201709: GCC 10 with -std=c++20.
#ifdef _MSVC_LANG
#if _MSVC_LANG < 201709L
#error "Munja's C++ headers need C++20: compile with /std:c++20"
#endif
#elif __cplusplus < 201709L
#error "Munja's C++ headers need C++20: compile with -std=c++20"
#endif

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "munja/types.h"

// The inline namespace keeps these inline classes apart from those of other
// versions in one program.
namespace munja {
inline namespace v0 {

template <auto Free>
struct Deleter {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
// Owns an object of the C interface.
template <class T, auto Free>
using Handle = std::unique_ptr<T, Deleter<Free>>;

// Takes over text that the C interface allocated.
inline std::string TakeText(char* text) {
  const Handle<char, munja_free> owner(text);
  return text != nullptr ? std::string(text) : std::string();
}

namespace internal {

inline const char* OrNull(const std::string& text) {
  return text.empty() ? nullptr : text.c_str();
}

}  // namespace internal

// Success, or a failure with its code and message.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(munja_status code, std::string message)
      : code_(code), message_(std::move(message)) {}
  bool ok() const { return code_ == MUNJA_OK; }
  munja_status code() const { return code_; }
  const std::string& message() const { return message_; }

 private:
  munja_status code_ = MUNJA_OK;
  std::string message_;
};

// The status of a call of the C interface that this thread has just made.
inline Status StatusOf(munja_status code) {
  return code == MUNJA_OK ? Status() : Status(code, munja_last_error());
}

// Thrown by Result::value() and by constructors.
class Error : public std::runtime_error {
 public:
  explicit Error(const Status& status)
      : std::runtime_error(status.message()), code_(status.code()) {}
  munja_status code() const { return code_; }

 private:
  munja_status code_;
};

// Throws Error for a failure. Without exceptions (-fno-exceptions) it prints
// the message and ends the program.
inline void Check(const Status& status) {
  if (status.ok()) return;
#if defined(__cpp_exceptions)
  throw Error(status);
#else
  std::fprintf(stderr, "munja: %s\n", status.message().c_str());
  std::abort();
#endif
}
inline void Check(munja_status code) { Check(StatusOf(code)); }

// A value, or the failure that prevented it.
//
//   auto image = munja::Image::Load(path);
//   if (!image.ok()) return Report(image.error().message());
//   Use(*image);
// or
//   Use(munja::Image::Load(path).value());  // Throws munja::Error.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}           // NOLINT
  Result(Status failure) : error_(std::move(failure)) {}  // NOLINT
  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }
  T& value() & { return Check(error_), *value_; }
  const T& value() const& { return Check(error_), *value_; }
  // By value, so that a loop over the value of a call's result may use it.
  T value() && { return Check(error_), std::move(*value_); }
  // Only if ok().
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return std::move(*value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  // ok() if there is a value.
  const Status& error() const { return error_; }
  munja_status code() const { return error_.code(); }
  const std::string& message() const { return error_.message(); }

 private:
  std::optional<T> value_;
  Status error_;
};

namespace internal {

// Calls `get(&text)`, which allocates a text in the C interface.
template <class Get>
Result<std::string> TextOf(const Get& get) {
  char* text = nullptr;
  const Status status = StatusOf(get(&text));
  if (!status.ok()) return status;
  return TakeText(text);
}

}  // namespace internal

}  // namespace v0
}  // namespace munja

#endif  // MUNJA_RESULT_HPP_
