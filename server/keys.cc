#include "server/keys.h"

#include <fstream>
#include <sstream>

#include "server/text.h"

namespace munja::server {

std::string ApiKeys::Load(const std::string& file) {
  std::ifstream in(file);
  if (!in) return file + ": the keys cannot be read";
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    std::vector<std::string> all;
    for (std::string word; words >> word;) all.push_back(word);
    if (all.empty()) continue;
    if (all.size() > 2 || all.back().size() < 16)
      return file + ": line " + std::to_string(number) +
             " is not a key of at least 16 characters, with or without a name "
             "before it";
    const std::string name =
        all.size() == 2 ? all[0] : "key" + std::to_string(number);
    keys_.emplace_back(name, all.back());
  }
  return keys_.empty() ? file + ": there is no key in it" : "";
}

std::string ApiKeys::OwnerOf(const std::string& key) const {
  std::string owner;
  for (const auto& [name, known] : keys_)
    if (SameSecret(key, known)) owner = name;
  return owner;
}

}  // namespace munja::server
