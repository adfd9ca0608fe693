// Keys that clients identify themselves with.
#ifndef MUNJA_SERVER_KEYS_H_
#define MUNJA_SERVER_KEYS_H_

#include <string>
#include <utility>
#include <vector>

namespace munja::server {

// The keys of a file: one in each line, a name before it or not
// ("alice 6f9a..."), '#' begins a comment.
class ApiKeys {
 public:
  // Returns what is wrong with the file, "" for nothing.
  std::string Load(const std::string& file);
  bool empty() const { return keys_.empty(); }
  // The name of the key's owner, never empty; "" for a wrong key.
  std::string OwnerOf(const std::string& key) const;

 private:
  std::vector<std::pair<std::string, std::string>> keys_;  // Name and key.
};

}  // namespace munja::server

#endif  // MUNJA_SERVER_KEYS_H_
