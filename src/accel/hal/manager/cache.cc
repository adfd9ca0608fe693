#include "hal/manager/cache.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/file.h"
#include "base/folder.h"
#include "base/hex.h"

namespace munja::hal {
namespace {

constexpr std::string_view kMagic = "munja-nn-cache-1";
constexpr std::string_view kSuffix = ".nncache";
// Size limit of one entry; larger ones are not kept.
constexpr size_t kMaxEntry = size_t{1} << 30;

class Sha256 {
 public:
  Sha256()
      : context_(EVP_MD_CTX_new()),
        is_fine_(context_ != nullptr &&
                 EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) ==
                     1) {}
  void Add(const void* data, size_t size) {
    if (is_fine_ && size > 0)
      is_fine_ = EVP_DigestUpdate(context_.get(), data, size) == 1;
  }
  template <class T>
  void Add(const T& number) {
    static_assert(std::is_trivially_copyable_v<T>);
    Add(&number, sizeof number);
  }
  void Add(std::string_view text) {
    Add(text.size());
    Add(text.data(), text.size());
  }
  Result<CacheToken> Finish() {
    static_assert(MUNJA_NN_CACHE_TOKEN_BYTES == 32);
    CacheToken digest = {};
    if (!is_fine_ ||
        EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr) != 1)
      return Unavailable("OpenSSL cannot compute SHA-256 here");
    return digest;
  }

 private:
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  const std::unique_ptr<EVP_MD_CTX, Free> context_;
  bool is_fine_;
};

void AddOperand(const Model& model, const Operand& operand, Sha256& hash) {
  hash.Add(operand.type);
  hash.Add(operand.lifetime);
  hash.Add(operand.dimensions.size());
  hash.Add(operand.dimensions.data(),
           operand.dimensions.size() * sizeof(uint32_t));
  hash.Add(operand.scale);
  hash.Add(operand.zero_point);
  const bool has_channels = operand.channels.has_value();
  hash.Add(has_channels);
  if (has_channels) {
    hash.Add(operand.channels->dimension);
    hash.Add(operand.channels->scales.size());
    hash.Add(operand.channels->scales.data(),
             operand.channels->scales.size() * sizeof(float));
  }
  const bool has_data = operand.extension_data.has_value();
  hash.Add(has_data);
  if (has_data) {
    hash.Add(operand.extension_data->size());
    hash.Add(operand.extension_data->data(), operand.extension_data->size());
  }
  // Where constants lie does not count, what they are does.
  if (operand.lifetime == MUNJA_NN_LIFETIME_SUBGRAPH)
    hash.Add(operand.location.offset);
  if (!operand.is_constant()) return;
  hash.Add(operand.location.length);
  hash.Add(model.ConstantData(operand), operand.location.length);
}

void AddIndices(const std::vector<uint32_t>& indices, Sha256& hash) {
  hash.Add(indices.size());
  hash.Add(indices.data(), indices.size() * sizeof(uint32_t));
}

uint64_t ReadNumber(std::span<const uint8_t> bytes, size_t at) {
  uint64_t number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

bool WriteWhole(int fd, std::span<const uint8_t> bytes) {
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t n = pwrite(fd, bytes.data() + at, bytes.size() - at,
                             static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += static_cast<size_t>(n);
  }
  return true;
}

}  // namespace

Result<CacheToken> DigestOf(std::span<const uint8_t> bytes) {
  Sha256 hash;
  hash.Add(bytes.data(), bytes.size());
  return hash.Finish();
}

Result<CacheToken> TokenOf(const Model& model, const Device& device,
                           int32_t preference, int32_t priority) {
  Sha256 hash;
  hash.Add(kMagic);
  hash.Add(std::string_view(device.name()));
  hash.Add(std::string_view(device.table().version_string));
  hash.Add(preference);
  hash.Add(priority);
  hash.Add(model.is_relaxed);
  hash.Add(model.extensions.size());
  for (const ExtensionPrefix& extension : model.extensions) {
    hash.Add(std::string_view(extension.name));
    hash.Add(extension.prefix);
  }
  hash.Add(model.subgraphs.size());
  for (const Subgraph& subgraph : model.subgraphs) {
    hash.Add(subgraph.operands.size());
    for (const Operand& operand : subgraph.operands)
      AddOperand(model, operand, hash);
    hash.Add(subgraph.operations.size());
    for (const Operation& operation : subgraph.operations) {
      hash.Add(operation.type);
      AddIndices(operation.inputs, hash);
      AddIndices(operation.outputs, hash);
    }
    AddIndices(subgraph.inputs, hash);
    AddIndices(subgraph.outputs, hash);
  }
  return hash.Finish();
}

Result<CacheFiles> CacheFiles::Make(const CacheToken& token,
                                    uint32_t model_files, uint32_t data_files) {
  CacheFiles made;
  for (uint32_t i = 0; i < model_files + data_files; ++i) {
    Descriptor file(memfd_create("munja-nn-cache", MFD_CLOEXEC));
    if (file.get() < 0)
      return IoError(
          SystemMessage("a cache file in memory", "cannot make it", errno));
    made.fds_.push_back(file.get());
    made.files_.push_back(std::move(file));
  }
  munja_nn_cache& cache = made.cache_;
  cache.struct_size = sizeof cache;
  cache.model_fds = made.fds_.data();
  cache.data_fds = made.fds_.data() + model_files;
  cache.model_fd_count = model_files;
  cache.data_fd_count = data_files;
  std::copy(token.begin(), token.end(), cache.token);
  return made;
}

std::string CompilationCache::PathOf(const CacheToken& token) const {
  return folder_ + "/" + Hex(token) + std::string(kSuffix);
}

// magic | token | model files | data files | size of each | bytes of each |
// SHA-256 of all that; numbers have 8 bytes.
Result<CacheFiles> Unpack(std::span<const uint8_t> all, const CacheToken& token,
                          uint32_t model_files, uint32_t data_files) {
  const size_t count = size_t{model_files} + data_files;
  const size_t head = kMagic.size() + token.size() + 16 + 8 * count;
  if (all.size() < head + token.size()) return Malformed("the file is cut off");
  const size_t end = all.size() - token.size();
  MUNJA_ASSIGN_OR_RETURN(const CacheToken digest, DigestOf(all.first(end)));
  if (std::memcmp(digest.data(), all.data() + end, digest.size()) != 0)
    return Malformed("the file is damaged");
  if (std::memcmp(all.data(), kMagic.data(), kMagic.size()) != 0 ||
      std::memcmp(all.data() + kMagic.size(), token.data(), token.size()) != 0)
    return Malformed("it is of something else");
  size_t at = kMagic.size() + token.size();
  if (ReadNumber(all, at) != model_files ||
      ReadNumber(all, at + 8) != data_files)
    return Malformed("the device wants another number of files");
  MUNJA_ASSIGN_OR_RETURN(CacheFiles files,
                         CacheFiles::Make(token, model_files, data_files));
  at += 16;
  size_t begin = head;
  for (size_t i = 0; i < count; ++i, at += 8) {
    const uint64_t size = ReadNumber(all, at);
    if (size > end - begin) return Malformed("its parts are longer than it");
    if (!WriteWhole(files.fd(i), all.subspan(begin, size)))
      return IoError(
          SystemMessage("a cache file in memory", "cannot write it", errno));
    begin += size;
  }
  if (begin != end) return Malformed("it is longer than its parts");
  return files;
}

Result<std::vector<uint8_t>> Pack(const CacheToken& token,
                                  const CacheFiles& files, uint64_t limit) {
  std::vector<uint8_t> bytes(kMagic.begin(), kMagic.end());
  const auto append = [&](const void* data, size_t size) {
    const auto* from = static_cast<const uint8_t*>(data);
    bytes.insert(bytes.end(), from, from + size);
  };
  append(token.data(), token.size());
  for (const uint64_t number : {uint64_t{files.get()->model_fd_count},
                                uint64_t{files.get()->data_fd_count}})
    append(&number, sizeof number);
  uint64_t total = 0;
  std::vector<uint64_t> sizes;
  for (size_t i = 0; i < files.count(); ++i) {
    struct stat status = {};
    if (fstat(files.fd(i), &status) != 0)
      return IoError(
          SystemMessage("what a driver compiled", "cannot look at it", errno));
    sizes.push_back(static_cast<uint64_t>(status.st_size));
    total += sizes.back();
    append(&sizes.back(), sizeof sizes.back());
  }
  if (total == 0) return std::vector<uint8_t>();
  if (total > std::min<uint64_t>(limit, kMaxEntry / 2))
    return OutOfMemory(
        "what a driver compiled is larger than the cache's "
        "limit");
  for (size_t i = 0; i < files.count(); ++i) {
    const size_t begin = bytes.size();
    bytes.resize(begin + sizes[i]);
    for (size_t at = 0; at < sizes[i];) {
      const ssize_t n = pread(files.fd(i), bytes.data() + begin + at,
                              sizes[i] - at, static_cast<off_t>(at));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0)
        return IoError(
            SystemMessage("what a driver compiled", "cannot read it", errno));
      at += static_cast<size_t>(n);
    }
  }
  MUNJA_ASSIGN_OR_RETURN(const CacheToken digest, DigestOf(bytes));
  append(digest.data(), digest.size());
  return bytes;
}

Result<CacheFiles> CompilationCache::Load(const CacheToken& token,
                                          uint32_t model_files,
                                          uint32_t data_files) const {
  const std::string path = PathOf(token);
  MUNJA_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes,
                         ReadFile(path, kMaxEntry));
  auto files = Unpack(bytes, token, model_files, data_files);
  if (files.ok()) {
    utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // Used last now.
    return files;
  }
  if (files.status().code() != Code::kMalformed) return files;
  Remove(token);
  return Malformed(path + ": " + std::string(files.status().message()) +
                   "; it will be made anew");
}

Status CompilationCache::Save(const CacheToken& token,
                              const CacheFiles& files) const {
  MUNJA_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes,
                         Pack(token, files, limit_).With(folder_));
  if (bytes.empty()) return Status();  // The driver chose to save nothing.
  // Private to the owner: its content becomes code of a device.
  if (mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST)
    return IoError(SystemMessage(folder_, "cannot make the folder", errno));
  MUNJA_RETURN_IF_ERROR(WriteFile(PathOf(token), bytes));
  KeepLimit();
  return Status();
}

void CompilationCache::Remove(const CacheToken& token) const {
  unlink(PathOf(token).c_str());
}

void CompilationCache::KeepLimit() const {
  const auto names = NamesIn(folder_);
  if (!names.ok()) return;
  // Oldest first.
  std::vector<std::tuple<int64_t, int64_t, std::string, uint64_t>> files;
  uint64_t total = 0;
  for (const std::string& name : *names) {
    struct stat status = {};
    const std::string path = folder_ + "/" + name;
    if (!name.ends_with(kSuffix) || lstat(path.c_str(), &status) != 0) continue;
    const auto size = static_cast<uint64_t>(status.st_size);
    files.emplace_back(status.st_mtim.tv_sec, status.st_mtim.tv_nsec, path,
                       size);
    total += size;
  }
  std::ranges::sort(files);
  for (const auto& [seconds, nanoseconds, path, size] : files) {
    if (total <= limit_) return;
    if (unlink(path.c_str()) == 0) total -= size;
  }
}

}  // namespace munja::hal
