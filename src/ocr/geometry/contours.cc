#include "geometry/contours.h"

#include <cstring>

#include "base/control.h"

namespace munja::geometry {
namespace {

// Marks of the working copy. A pixel of a border whose right neighbor is
// outside gets kRight: a hole border must not start there again.
constexpr int8_t kOutside = 0, kFresh = 1, kSeen = 2, kRight = -2;
constexpr uint64_t kEightFresh = 0x0101010101010101u;

// Directions 0..7 turn counter-clockwise on the screen, from the right.
constexpr int kStepX[8] = {1, 1, 0, -1, -1, -1, 0, 1};
constexpr int kStepY[8] = {0, -1, -1, -1, 0, 1, 1, 1};

class Tracer {
 public:
  // `memory` outlives the tracer.
  static Result<Tracer> Create(const uint8_t* bitmap, int width, int height,
                               size_t stride, Buffer* memory) {
    // A frame of outside pixels, and room to read eight at a time.
    const size_t pitch = static_cast<size_t>(width) + 10;
    const size_t bytes = pitch * (static_cast<size_t>(height) + 2);
    if (memory->size() < bytes) {
      *memory = Buffer();
      MUNJA_ASSIGN_OR_RETURN(*memory, Buffer::Allocate(bytes));
    }
    std::memset(memory->data(), 0, bytes);
    Tracer tracer(width, height, static_cast<ptrdiff_t>(pitch),
                  memory->as<int8_t>());
    for (int y = 0; y < height; ++y) {
      MarkRow(bitmap + static_cast<size_t>(y) * stride,
              static_cast<size_t>(width), tracer.Row(y));
    }
    return tracer;
  }

  // Cut short when the call is to end.
  Contours Run(size_t max_contours) {
    Contours contours;
    for (int y = 0; y < height_ && !IsStopped(); ++y) {
      int8_t* row = Row(y);
      int8_t previous = kOutside;
      for (int x = 0; x <= width_; ++x) {
        const int8_t mark = row[x];
        // Eight more of the same, outside or inside, start no border.
        if (mark == previous && (mark == kOutside || mark == kFresh)) {
          uint64_t eight;
          std::memcpy(&eight, row + x, sizeof eight);
          if (eight == (mark == kOutside ? 0 : kEightFresh)) x += 7;
          continue;
        }
        const bool starts_outer = previous == kOutside && mark == kFresh;
        const bool starts_hole = mark == kOutside && previous > 0;
        if (starts_outer || starts_hole) {
          if (contours.size() >= max_contours) return contours;
          const int start_x = starts_hole ? x - 1 : x;
          contours.push_back(Follow(start_x, y, starts_hole));
        }
        previous = row[x];
      }
    }
    return contours;
  }

 private:
  Tracer(int width, int height, ptrdiff_t pitch, int8_t* marks)
      : width_(width), height_(height), pitch_(pitch), marks_(marks) {
    for (int s = 0; s < 8; ++s) step_[s] = kStepY[s] * pitch_ + kStepX[s];
  }

  // kFresh where `in` is not zero; `out` is zero before.
  static void MarkRow(const uint8_t* in, size_t width, int8_t* out) {
    constexpr uint64_t kLowBits = 0x7f * kEightFresh;
    size_t x = 0;
    for (; x + 8 <= width; x += 8) {
      uint64_t eight;
      std::memcpy(&eight, in + x, sizeof eight);
      if (eight == 0) continue;
      // The sum carries into a byte's top bit where any lower bit is set, and
      // never beyond.
      eight = ((((eight & kLowBits) + kLowBits) | eight) >> 7) & kEightFresh;
      std::memcpy(out + x, &eight, sizeof eight);
    }
    for (; x < width; ++x) out[x] = in[x] != 0 ? kFresh : kOutside;
  }

  int8_t* Row(int y) { return marks_ + (y + 1) * pitch_ + 1; }

  // Follows one border around, back to where it started.
  std::vector<PixelPoint> Follow(int x, int y, bool is_hole) {
    std::vector<PixelPoint> border;
    int8_t* const start = Row(y) + x;
    // The side that is known to be outside: left of an outer border's first
    // pixel, right of a hole border's.
    const int outside = is_hole ? 0 : 4;
    int s = outside;
    do {
      s = (s - 1) & 7;
    } while (start[step_[s]] == kOutside && s != outside);
    if (s == outside) {  // Nothing around: a single pixel.
      *start = kRight;
      border.push_back({x, y});
      return border;
    }
    int8_t* const last = start + step_[s];
    int8_t* current = start;
    int came_in = s ^ 4;
    for (;;) {
      int next = s;
      do {
        ++next;
      } while (current[step_[next & 7]] == kOutside);
      s = next & 7;
      // The search went past direction 8, which is 0: the right neighbor is
      // outside.
      if (next > 8)
        *current = kRight;
      else if (*current == kFresh)
        *current = kSeen;
      if (s != came_in) {
        border.push_back({x, y});
        came_in = s;
      }
      x += kStepX[s];
      y += kStepY[s];
      int8_t* const neighbor = current + step_[s];
      if (neighbor == start && current == last) return border;
      current = neighbor;
      s = (s + 4) & 7;
    }
  }

  int width_, height_;
  ptrdiff_t pitch_;
  int8_t* marks_;
  ptrdiff_t step_[8];
};

}  // namespace

Result<Contours> FindContours(const uint8_t* bitmap, int width, int height,
                              size_t stride, size_t max_contours,
                              Buffer* memory) {
  if (width <= 0 || height <= 0) return Contours();
  Buffer own;
  MUNJA_ASSIGN_OR_RETURN(Tracer tracer,
                         Tracer::Create(bitmap, width, height, stride,
                                        memory != nullptr ? memory : &own));
  Contours contours = tracer.Run(max_contours);
  MUNJA_RETURN_IF_ERROR(CheckControl());
  return contours;
}

}  // namespace munja::geometry
