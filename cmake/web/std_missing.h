// Names of C++20 that libc++ before 15 lacks and the sources use: that of
// Debian's emscripten is 13. Included before every file of the presets "web"
// and "android".
#ifndef MUNJA_STD_MISSING_H_
#define MUNJA_STD_MISSING_H_

#ifdef __cplusplus
#include <version>
#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 15000
#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

namespace std {

#if _LIBCPP_VERSION < 14000
template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}
#endif

namespace ranges {

template <class Range, class T>
constexpr auto find(Range&& range, const T& value) {
  return std::find(std::begin(range), std::end(range), value);
}
template <class Range, class T, class F>
constexpr auto find(Range&& range, const T& value, F project) {
  return std::find_if(
      std::begin(range), std::end(range),
      [&](const auto& each) { return std::invoke(project, each) == value; });
}
template <class Range, class F>
constexpr auto find_if(Range&& range, F fits) {
  return std::find_if(std::begin(range), std::end(range), std::move(fits));
}
template <class Range, class T>
constexpr auto count(Range&& range, const T& value) {
  return std::count(std::begin(range), std::end(range), value);
}
template <class Range, class F>
constexpr bool all_of(Range&& range, F fits) {
  return std::all_of(std::begin(range), std::end(range), std::move(fits));
}
template <class Range, class F>
constexpr bool any_of(Range&& range, F fits) {
  return std::any_of(std::begin(range), std::end(range), std::move(fits));
}
template <class Range, class F>
constexpr bool none_of(Range&& range, F fits) {
  return std::none_of(std::begin(range), std::end(range), std::move(fits));
}
template <class Range, class F>
constexpr void for_each(Range&& range, F call) {
  std::for_each(std::begin(range), std::end(range), std::move(call));
}
template <class A, class B>
constexpr bool equal(A&& a, B&& b) {
  return std::equal(std::begin(a), std::end(a), std::begin(b), std::end(b));
}
template <class Range, class Out>
constexpr Out copy(Range&& range, Out out) {
  return std::copy(std::begin(range), std::end(range), out);
}

}  // namespace ranges
}  // namespace std
#endif
#endif  // __cplusplus

#endif  // MUNJA_STD_MISSING_H_
