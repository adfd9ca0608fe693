#ifndef MUNJA_BASE_ENVIRONMENT_H_
#define MUNJA_BASE_ENVIRONMENT_H_

#include <cstdlib>
#include <string>

namespace munja {

// A variable of the environment; empty where it is not set.
inline std::string Environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace munja

#endif  // MUNJA_BASE_ENVIRONMENT_H_
