#include "delegates/opencl/kernel_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/environment.h"
#include "base/file.h"
#include "base/hex.h"
#include "base/log.h"

namespace munja::delegates::opencl {
namespace {

constexpr std::string_view kMagic = "munja opencl 2\n";
constexpr size_t kMaxFile = size_t{64} << 20;

// FNV-1a: finds damage, and gives files their names; the whole key is compared.
uint64_t HashOf(std::span<const uint8_t> bytes) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const uint8_t b : bytes) hash = (hash ^ b) * 0x100000001b3u;
  return hash;
}

std::span<const uint8_t> BytesOfText(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

void Append(std::vector<uint8_t>& to, std::span<const uint8_t> bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

void AppendNumber(std::vector<uint8_t>& to, uint64_t n) {
  for (int i = 0; i < 8; ++i) to.push_back(static_cast<uint8_t>(n >> 8 * i));
}

uint64_t NumberAt(const uint8_t* bytes) {
  uint64_t n = 0;
  for (int i = 7; i >= 0; --i) n = n << 8 | bytes[i];
  return n;
}

}  // namespace

std::string KernelCache::PathOf(std::string_view key) const {
  std::vector<uint8_t> hash;
  AppendNumber(hash, HashOf(BytesOfText(key)));
  return folder_ + "/" + Hex(hash) + ".kernels";
}

Result<std::vector<uint8_t>> KernelCache::Load(std::string_view key) const {
  if (!is_used()) return NotFound("there is no cache");
  const std::string path = PathOf(key);
  MUNJA_ASSIGN_OR_RETURN(const std::vector<uint8_t> file,
                         ReadFile(path, kMaxFile));
  std::vector<uint8_t> head;
  Append(head, BytesOfText(kMagic));
  AppendNumber(head, key.size());
  Append(head, BytesOfText(key));
  const size_t begin = head.size() + 16;
  if (file.size() < begin ||
      std::memcmp(file.data(), head.data(), head.size()) != 0 ||
      NumberAt(file.data() + head.size()) != file.size() - begin)
    return NotFound(path + " is not what was saved");
  const std::span<const uint8_t> bytes = std::span(file).subspan(begin);
  if (NumberAt(file.data() + head.size() + 8) != HashOf(bytes))
    return NotFound(path + " is damaged");
  return std::vector<uint8_t>(bytes.begin(), bytes.end());
}

void KernelCache::Save(std::string_view key,
                       std::span<const uint8_t> bytes) const {
  if (!is_used()) return;
  std::vector<uint8_t> file;
  Append(file, BytesOfText(kMagic));
  AppendNumber(file, key.size());
  Append(file, BytesOfText(key));
  AppendNumber(file, bytes.size());
  AppendNumber(file, HashOf(bytes));
  Append(file, bytes);
  std::error_code error;
  const bool is_new = std::filesystem::create_directories(folder_, error);
  // Its owner's alone: what lies here is given to a driver. A folder that was
  // there belongs to a user, who decides who may write to it.
  if (!error && is_new)
    std::filesystem::permissions(folder_, std::filesystem::perms::owner_all,
                                 error);
  const Status status =
      error ? IoError(folder_ + ": " + error.message())
            : WriteFile(PathOf(key), std::span<const uint8_t>(file));
  if (!status.ok())
    Log(Severity::kWarning, "delegate opencl: compiled kernels are not kept: " +
                                std::string(status.message()));
}

void KernelCache::Remove(std::string_view key) const {
  if (!is_used()) return;
  std::error_code error;
  std::filesystem::remove(PathOf(key), error);
}

std::string UsualCacheFolder() {
  if (const std::string cache = Environment("XDG_CACHE_HOME");
      cache.starts_with('/'))
    return cache + "/munja/opencl";
  const std::string home = Environment("HOME");
  return home.starts_with('/') ? home + "/.cache/munja/opencl" : "";
}

}  // namespace munja::delegates::opencl
