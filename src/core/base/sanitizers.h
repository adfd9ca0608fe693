// Which sanitizers this code is compiled with.
#ifndef MUNJA_BASE_SANITIZERS_H_
#define MUNJA_BASE_SANITIZERS_H_

// GCC says it by macros, Clang by __has_feature.
#if defined(__SANITIZE_ADDRESS__)
#define MUNJA_ADDRESS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MUNJA_ADDRESS_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define MUNJA_THREAD_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MUNJA_THREAD_SANITIZED 1
#endif
#endif
#ifndef MUNJA_ADDRESS_SANITIZED
#define MUNJA_ADDRESS_SANITIZED 0
#endif
#ifndef MUNJA_THREAD_SANITIZED
#define MUNJA_THREAD_SANITIZED 0
#endif

namespace munja {

inline constexpr bool kAddressSanitized = MUNJA_ADDRESS_SANITIZED != 0;
inline constexpr bool kThreadSanitized = MUNJA_THREAD_SANITIZED != 0;
inline constexpr bool kSanitized = kAddressSanitized || kThreadSanitized;

// For tests that draw many cases: sanitized code is some ten times as slow, and
// looks for errors that each case can show. How often something is right is
// counted where the code is not sanitized.
constexpr int FewerIfSanitized(int cases) {
  return kSanitized ? (cases + 9) / 10 : cases;
}

}  // namespace munja

#endif  // MUNJA_BASE_SANITIZERS_H_
