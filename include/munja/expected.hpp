// Results as values, for the headers that throw nothing.
#ifndef MUNJA_EXPECTED_HPP_
#define MUNJA_EXPECTED_HPP_

// A compiler asked for less gives a hundred errors that say something else.
// 201709: GCC 10 with -std=c++20.
#ifdef _MSVC_LANG
#if _MSVC_LANG < 201709L
#error "Munja's C++ headers need C++20: compile with /std:c++20"
#endif
#elif __cplusplus < 201709L
#error "Munja's C++ headers need C++20: compile with -std=c++20"
#endif

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "munja/types.h"

namespace munja::api {

template <auto Free>
struct Deleter {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
// Frees what the C interface made.
template <class T, auto Free>
using Handle = std::unique_ptr<T, Deleter<Free>>;

// What a call gave: a status and, unless it is MUNJA_OK, why.
class [[nodiscard]] Failure {
 public:
  Failure() = default;
  Failure(munja_status status, std::string message)
      : status_(status), message_(std::move(message)) {}
  bool ok() const { return status_ == MUNJA_OK; }
  munja_status status() const { return status_; }
  const std::string& message() const { return message_; }

 private:
  munja_status status_ = MUNJA_OK;
  std::string message_;
};

// Of a call of the C interface that was just made in this thread.
inline Failure LastFailure(munja_status status) {
  return status == MUNJA_OK ? Failure() : Failure(status, munja_last_error());
}

// A value, or why there is none. Look at ok() before the value.
template <class T>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : value_(std::move(value)) {}              // NOLINT
  Expected(Failure failure) : failure_(std::move(failure)) {}  // NOLINT
  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  // ok() when there is a value.
  const Failure& failure() const { return failure_; }
  munja_status status() const { return failure_.status(); }
  const std::string& message() const { return failure_.message(); }

 private:
  std::optional<T> value_;
  Failure failure_;
};

}  // namespace munja::api

#endif  // MUNJA_EXPECTED_HPP_
