// KernelCache: compiled kernels and known wrong ones, in files. Any number of
// processes may use one folder: files are written whole and renamed, read whole
// and checked; damaged files are replaced.
#ifndef MUNJA_DELEGATES_OPENCL_KERNEL_CACHE_H_
#define MUNJA_DELEGATES_OPENCL_KERNEL_CACHE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace munja::delegates::opencl {

class KernelCache {
 public:
  // Empty: keeps nothing. The folder is made when something is saved.
  explicit KernelCache(std::string folder) : folder_(std::move(folder)) {}

  // Loads the entry of this exact key. kNotFound also where the file belongs to
  // another key, is truncated or damaged.
  Result<std::vector<uint8_t>> Load(std::string_view key) const;
  // Failures only go to the log.
  void Save(std::string_view key, std::span<const uint8_t> bytes) const;
  void Remove(std::string_view key) const;

  std::string PathOf(std::string_view key) const;
  bool is_used() const { return !folder_.empty(); }

 private:
  const std::string folder_;
};

// $XDG_CACHE_HOME/munja/opencl, else ~/.cache/munja/opencl; empty without both.
std::string UsualCacheFolder();

}  // namespace munja::delegates::opencl

#endif  // MUNJA_DELEGATES_OPENCL_KERNEL_CACHE_H_
