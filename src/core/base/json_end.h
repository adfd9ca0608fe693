// TakenApartAtEnd: JSON values whose destruction needs no memory. That of
// nlohmann::json makes a list of the children of each array and object, and
// where there is no memory for it the process ends: a destructor cannot throw.
// A tree that is taken apart from its leaves never has a value with children.
#ifndef MUNJA_BASE_JSON_END_H_
#define MUNJA_BASE_JSON_END_H_

namespace munja {

// For a variable that holds a tree, right behind it.
template <class Json>
class TakenApartAtEnd {
 public:
  explicit TakenApartAtEnd(Json& json) : json_(json) {}
  ~TakenApartAtEnd() { TakeApart(json_, 0); }
  TakenApartAtEnd(const TakenApartAtEnd&) = delete;
  TakenApartAtEnd& operator=(const TakenApartAtEnd&) = delete;

 private:
  // Deeper values, which no sensible file has, are left to the destructor,
  // which does not call itself.
  static constexpr int kDeepest = 200;

  static void TakeApart(Json& json, int depth) noexcept {
    if (!json.is_structured() || depth == kDeepest) return;
    for (Json& child : json) TakeApart(child, depth + 1);
    json.clear();
  }

  Json& json_;
};

}  // namespace munja

#endif  // MUNJA_BASE_JSON_END_H_
