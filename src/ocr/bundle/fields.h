// Fields: reads the members of a JSON object, each at most once, and
// remembers the first thing that is wrong.
#ifndef MUNJA_BUNDLE_FIELDS_H_
#define MUNJA_BUNDLE_FIELDS_H_

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace munja::bundle {

// Parses without exceptions; kMalformed says that the text is not JSON.
Result<nlohmann::json> ParseJson(std::string_view text);

// A member that is absent leaves its target as it was.
class Fields {
 public:
  // `path` is what messages call the object: "detector" gives
  // "detector.threshold". `json` must outlive this.
  Fields(const nlohmann::json& json, std::string path);

  void Read(const char* name, float* value);
  void Read(const char* name, int* value);
  void Read(const char* name, uint64_t* value);
  void Read(const char* name, bool* value);
  void Read(const char* name, std::string* value);
  void Read(const char* name, std::array<float, 3>* value);
  // A setting of earlier versions: it is accepted and has no effect, with a
  // note.
  void IgnoreRemoved(const char* name);
  // The member as it is; null when absent.
  const nlohmann::json* Child(const char* name);
  std::string PathOf(const char* name) const;

  // A failure that the caller found in a member.
  void Fail(Status status);
  // The first failure, or kMalformed when a member was never asked for and
  // `refuse_unknown` is set: a misspelled threshold must not pass for a
  // default.
  Status Finish(bool refuse_unknown);

 private:
  void Wrong(const char* name, const char* expected);

  const nlohmann::json& json_;
  std::string path_;
  std::vector<std::string> asked_, removed_;
  Status status_;
};

}  // namespace munja::bundle

#endif  // MUNJA_BUNDLE_FIELDS_H_
