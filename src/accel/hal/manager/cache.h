// CompilationCache: what drivers compiled, kept in files. Drivers see anonymous
// memory only; what lies in a file is read whole and checked before.
#ifndef MUNJA_HAL_MANAGER_CACHE_H_
#define MUNJA_HAL_MANAGER_CACHE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/status.h"
#include "hal/device.h"
#include "hal/model.h"
#include "munja/driver.h"

namespace munja::hal {

using CacheToken = std::array<uint8_t, MUNJA_NN_CACHE_TOKEN_BYTES>;

// SHA-256 over all of the model, its constants too, what the device calls
// itself and its version, and how it was asked to compile. kUnavailable:
// OpenSSL refuses.
Result<CacheToken> TokenOf(const Model& model, const Device& device,
                           int32_t preference, int32_t priority);

// Files of one prepared model, in memory, as munja_nn_cache has them.
class CacheFiles {
 public:
  static Result<CacheFiles> Make(const CacheToken& token, uint32_t model_files,
                                 uint32_t data_files);
  const munja_nn_cache* get() const { return &cache_; }
  size_t count() const { return files_.size(); }
  int fd(size_t i) const { return fds_[i]; }  // Model files first.

 private:
  std::vector<Descriptor> files_;
  std::vector<int32_t> fds_;
  munja_nn_cache cache_ = {};
};

// The content of a file of the cache, and back. Pack: nothing where the files
// are empty; kOutOfMemory: they have more bytes than the limit. Unpack:
// kMalformed, and nothing of it, for anything else than what was packed.
Result<std::vector<uint8_t>> Pack(const CacheToken& token,
                                  const CacheFiles& files, uint64_t limit);
Result<CacheFiles> Unpack(std::span<const uint8_t> bytes,
                          const CacheToken& token, uint32_t model_files,
                          uint32_t data_files);
// SHA-256. kUnavailable: OpenSSL refuses.
Result<CacheToken> DigestOf(std::span<const uint8_t> bytes);

// Any thread, and any number of processes with the same folder.
class CompilationCache {
 public:
  // The folder is made when something is saved. limit: bytes of all files; what
  // was not used for longest goes first.
  CompilationCache(std::string folder, uint64_t limit)
      : folder_(std::move(folder)), limit_(limit) {}

  // Loads the entry of the token. kNotFound: there is none. kMalformed: it is
  // damaged or another's, and was removed.
  Result<CacheFiles> Load(const CacheToken& token, uint32_t model_files,
                          uint32_t data_files) const;
  // Without effect where nothing is in the files. kIo, kOutOfMemory.
  Status Save(const CacheToken& token, const CacheFiles& files) const;
  // Removes an entry that the device refused although it is intact.
  void Remove(const CacheToken& token) const;

  std::string PathOf(const CacheToken& token) const;

 private:
  void KeepLimit() const;

  const std::string folder_;
  const uint64_t limit_;
};

}  // namespace munja::hal

#endif  // MUNJA_HAL_MANAGER_CACHE_H_
