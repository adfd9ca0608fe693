// StrCat: one string of texts, numbers and descriptions.
//
// It is for messages: the caller only lists the parts, all formatting is out of
// line. That keeps the many error messages of readers and converters small to
// compile and out of the way of the code that works.
#ifndef MUNJA_BASE_STR_CAT_H_
#define MUNJA_BASE_STR_CAT_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace munja {

// Types with a Describe() of their own namespace, or a member ToString(), can
// be parts; it is called only when the string is made.
template <class T>
concept HasDescribe = requires(const T& t) {
  { Describe(t) } -> std::same_as<std::string>;
};
template <class T>
concept HasToString = !HasDescribe<T> && requires(const T& t) {
  { t.ToString() } -> std::same_as<std::string>;
};

// Refers to its argument, so it must not outlive the call that it is made for.
class StrPart {
 public:
  // NOLINTBEGIN(google-explicit-constructor): conversion is what it is for.
  StrPart(std::string_view text)
      : kind_(Kind::kText), data_(text.data()), size_(text.size()) {}
  StrPart(const char* text) : kind_(Kind::kLiteral), data_(text) {}
  StrPart(const std::string& text)
      : kind_(Kind::kText), data_(text.data()), size_(text.size()) {}
  StrPart(char c) : kind_(Kind::kChar), signed_(c) {}
  StrPart(bool) = delete;
  template <std::signed_integral T>
  StrPart(T v) : kind_(Kind::kSigned), signed_(v) {}
  template <std::unsigned_integral T>
  StrPart(T v) : kind_(Kind::kUnsigned), unsigned_(v) {}
  // As std::to_string() writes it.
  StrPart(double v) : kind_(Kind::kDouble), double_(v) {}
  StrPart(float v) : StrPart(static_cast<double>(v)) {}
  template <class T>
  requires HasDescribe<T> || HasToString<T> StrPart(const T& t)
      : kind_(Kind::kObject), data_(&t) {
    write_ = [](const void* object) -> std::string {
      if constexpr (HasDescribe<T>)
        return Describe(*static_cast<const T*>(object));
      else
        return static_cast<const T*>(object)->ToString();
    };
  }
  // NOLINTEND(google-explicit-constructor)

 private:
  enum class Kind : uint8_t {
    kText,
    kLiteral,
    kChar,
    kSigned,
    kUnsigned,
    kDouble,
    kObject
  };
  friend std::string StrCatParts(const StrPart* parts, size_t count);

  Kind kind_;
  union {
    const void* data_;
    int64_t signed_;
    uint64_t unsigned_;
    double double_;
  };
  union {
    size_t size_;
    std::string (*write_)(const void*);
  };
};

std::string StrCatParts(const StrPart* parts, size_t count);

template <class... P>
std::string StrCat(const P&... p) {
  const StrPart parts[] = {StrPart(p)...};
  return StrCatParts(parts, sizeof...(P));
}

}  // namespace munja

#endif  // MUNJA_BASE_STR_CAT_H_
