// Guard: no exception leaves a function of the C API.
#ifndef MUNJA_TFLITE_API_GUARD_H_
#define MUNJA_TFLITE_API_GUARD_H_

#include <exception>
#include <new>
#include <utility>

#include "tflite_api/reporter.h"

namespace munja::compat {

// Gives what body() gives, or `failure` when it throws: the standard library
// does when there is no memory.
template <class T, class Body>
T Guard(const Reporter& reporter, T failure, Body&& body) noexcept {
  try {
    return std::forward<Body>(body)();
  } catch (const std::bad_alloc&) {
    reporter.Report("out of memory");
  } catch (const std::exception& e) {
    reporter.Report("%s", e.what());
  } catch (...) {
    reporter.Report("an exception of an unknown kind");
  }
  return failure;
}

}  // namespace munja::compat

#endif  // MUNJA_TFLITE_API_GUARD_H_
