// Two, three and four numbers, which operators on coordinates use.
#ifndef MUNJA_TFLITE_DELEGATES_GPU_COMMON_TYPES_H_
#define MUNJA_TFLITE_DELEGATES_GPU_COMMON_TYPES_H_

#include <cstddef>
#include <cstdint>

namespace tflite {
namespace gpu {

template <class T>
struct Vec2 {
  T x{}, y{};

  constexpr Vec2() = default;
  template <class S>
  constexpr explicit Vec2(S v) : x(static_cast<T>(v)), y(static_cast<T>(v)) {}
  template <class A, class B>
  constexpr Vec2(A x_, B y_) : x(static_cast<T>(x_)), y(static_cast<T>(y_)) {}
  template <class S>
  constexpr Vec2(const Vec2<S>& v) : Vec2(v.x, v.y) {}  // NOLINT: converts

  static constexpr int size() { return 2; }
  constexpr T& operator[](size_t n) { return n == 0 ? x : y; }
  constexpr T operator[](size_t n) const { return n == 0 ? x : y; }
  friend constexpr bool operator==(const Vec2& a, const Vec2& b) {
    return a.x == b.x && a.y == b.y;
  }
  friend constexpr bool operator!=(const Vec2& a, const Vec2& b) {
    return !(a == b);
  }
};

template <class T>
struct Vec3 {
  T x{}, y{}, z{};

  constexpr Vec3() = default;
  template <class S>
  constexpr explicit Vec3(S v) : Vec3(v, v, v) {}
  template <class A, class B, class C>
  constexpr Vec3(A x_, B y_, C z_)
      : x(static_cast<T>(x_)), y(static_cast<T>(y_)), z(static_cast<T>(z_)) {}
  template <class S>
  constexpr Vec3(const Vec3<S>& v) : Vec3(v.x, v.y, v.z) {}  // NOLINT: converts

  static constexpr int size() { return 3; }
  constexpr T& operator[](size_t n) { return n == 0 ? x : n == 1 ? y : z; }
  constexpr T operator[](size_t n) const { return n == 0 ? x : n == 1 ? y : z; }
  friend constexpr bool operator==(const Vec3& a, const Vec3& b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
  }
  friend constexpr bool operator!=(const Vec3& a, const Vec3& b) {
    return !(a == b);
  }
};

template <class T>
struct Vec4 {
  T x{}, y{}, z{}, w{};

  constexpr Vec4() = default;
  template <class S>
  constexpr explicit Vec4(S v) : Vec4(v, v, v, v) {}
  template <class A, class B, class C, class D>
  constexpr Vec4(A x_, B y_, C z_, D w_)
      : x(static_cast<T>(x_)),
        y(static_cast<T>(y_)),
        z(static_cast<T>(z_)),
        w(static_cast<T>(w_)) {}
  template <class S>
  constexpr Vec4(const Vec4<S>& v)  // NOLINT: converts
      : Vec4(v.x, v.y, v.z, v.w) {}

  static constexpr int size() { return 4; }
  constexpr T& operator[](size_t n) {
    return n == 0 ? x : n == 1 ? y : n == 2 ? z : w;
  }
  constexpr T operator[](size_t n) const {
    return n == 0 ? x : n == 1 ? y : n == 2 ? z : w;
  }
  friend constexpr bool operator==(const Vec4& a, const Vec4& b) {
    return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
  }
  friend constexpr bool operator!=(const Vec4& a, const Vec4& b) {
    return !(a == b);
  }
};

using float2 = Vec2<float>;
using byte2 = Vec2<int8_t>;
using ubyte2 = Vec2<uint8_t>;
using short2 = Vec2<int16_t>;
using ushort2 = Vec2<uint16_t>;
using int2 = Vec2<int32_t>;
using uint2 = Vec2<uint32_t>;

using float3 = Vec3<float>;
using byte3 = Vec3<int8_t>;
using ubyte3 = Vec3<uint8_t>;
using short3 = Vec3<int16_t>;
using ushort3 = Vec3<uint16_t>;
using int3 = Vec3<int32_t>;
using uint3 = Vec3<uint32_t>;

using float4 = Vec4<float>;
using byte4 = Vec4<int8_t>;
using ubyte4 = Vec4<uint8_t>;
using short4 = Vec4<int16_t>;
using ushort4 = Vec4<uint16_t>;
using int4 = Vec4<int32_t>;
using uint4 = Vec4<uint32_t>;

}  // namespace gpu
}  // namespace tflite

#endif  // MUNJA_TFLITE_DELEGATES_GPU_COMMON_TYPES_H_
