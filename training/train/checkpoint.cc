#include "train/checkpoint.h"

#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "bundle/fields.h"

namespace munja::train {
namespace {

// File: magic, length of the header, header (JSON), values of all tensors in
// the header's order as little-endian float32, checksum of all before.
constexpr std::string_view kMagic = "MUNJACK1";
constexpr size_t kFixed = 8 + 8 + 8;

uint64_t Checksum(std::span<const uint8_t> bytes) {
  // FNV-1a over words of eight bytes: finds what is cut or changed.
  uint64_t hash = 0xCBF29CE484222325u;
  size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + i, 8);
    hash = (hash ^ word) * 0x100000001B3u;
    hash ^= hash >> 29;
  }
  for (; i < bytes.size(); ++i) hash = (hash ^ bytes[i]) * 0x100000001B3u;
  return hash;
}

void Append(const void* data, size_t size, std::vector<uint8_t>& out) {
  const auto* bytes = static_cast<const uint8_t*>(data);
  out.insert(out.end(), bytes, bytes + size);
}

Result<int64_t> Elements(const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (int64_t side : shape) {
    if (side < 0 || side > (int64_t{1} << 31)) return Malformed("bad shape");
    count *= side;
    if (count > (int64_t{1} << 31)) return Malformed("bad shape");
  }
  return count;
}

bool IsShape(const nlohmann::json& json) {
  if (!json.is_array() || json.size() > 8) return false;
  for (const auto& side : json)
    if (!side.is_number_integer()) return false;
  return true;
}

bool IsHeader(const nlohmann::json& h) {
  if (!h.is_object()) return false;
  for (const char* name : {"kind", "recipe", "recipe_path"})
    if (!h.contains(name) || !h[name].is_string()) return false;
  if (!h.contains("alphabet") || !h["alphabet"].is_array()) return false;
  for (const auto& entry : h["alphabet"])
    if (!entry.is_string()) return false;
  if (!h.contains("progress") || !h["progress"].is_object()) return false;
  if (!h.contains("tensors") || !h["tensors"].is_array()) return false;
  for (const auto& t : h["tensors"]) {
    if (!t.is_object() || !t.contains("name") || !t["name"].is_string() ||
        !t.contains("shape") || !IsShape(t["shape"]))
      return false;
  }
  return true;
}

Result<Checkpoint> Parse(std::span<const uint8_t> bytes) {
  if (bytes.size() < kFixed ||
      std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0)
    return Malformed("this is not a checkpoint of munja-train");
  uint64_t stored = 0, header_size = 0;
  std::memcpy(&stored, bytes.data() + bytes.size() - 8, 8);
  if (Checksum(bytes.first(bytes.size() - 8)) != stored)
    return Malformed("the checkpoint is cut short or damaged");
  std::memcpy(&header_size, bytes.data() + 8, 8);
  if (header_size > bytes.size() - kFixed)
    return Malformed("the checkpoint's header is damaged");
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + 16,
                              header_size);
  MUNJA_ASSIGN_OR_RETURN(const nlohmann::json header, bundle::ParseJson(text));
  if (!IsHeader(header)) return Malformed("the checkpoint's header is damaged");
  Checkpoint checkpoint;
  checkpoint.kind = header["kind"].get<std::string>();
  checkpoint.recipe = header["recipe"].get<std::string>();
  checkpoint.recipe_path = header["recipe_path"].get<std::string>();
  checkpoint.alphabet = header["alphabet"].get<std::vector<std::string>>();
  checkpoint.progress = header["progress"];
  size_t at = 16 + header_size;
  const size_t end = bytes.size() - 8;
  for (const auto& entry : header["tensors"]) {
    CheckpointTensor tensor;
    tensor.shape = entry["shape"].get<std::vector<int64_t>>();
    MUNJA_ASSIGN_OR_RETURN(const int64_t count, Elements(tensor.shape));
    const size_t size = static_cast<size_t>(count) * sizeof(float);
    if (size > end - at) return Malformed("the checkpoint is cut short");
    tensor.values.resize(static_cast<size_t>(count));
    if (size > 0) std::memcpy(tensor.values.data(), bytes.data() + at, size);
    at += size;
    checkpoint.tensors[entry["name"].get<std::string>()] = std::move(tensor);
  }
  if (at != end) return Malformed("the checkpoint has bytes left over");
  return checkpoint;
}

}  // namespace

Status WriteCheckpoint(const std::string& path, const Checkpoint& checkpoint) {
  nlohmann::json header = {{"kind", checkpoint.kind},
                           {"recipe", checkpoint.recipe},
                           {"recipe_path", checkpoint.recipe_path},
                           {"alphabet", checkpoint.alphabet},
                           {"progress", checkpoint.progress},
                           {"tensors", nlohmann::json::array()}};
  for (const auto& [name, tensor] : checkpoint.tensors)
    header["tensors"].push_back({{"name", name}, {"shape", tensor.shape}});
  const std::string text =
      header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::vector<uint8_t> bytes;
  Append(kMagic.data(), kMagic.size(), bytes);
  const uint64_t size = text.size();
  Append(&size, 8, bytes);
  Append(text.data(), text.size(), bytes);
  for (const auto& [_, tensor] : checkpoint.tensors)
    Append(tensor.values.data(), tensor.values.size() * sizeof(float), bytes);
  const uint64_t checksum = Checksum(bytes);
  Append(&checksum, 8, bytes);
  return WriteFile(path, bytes);
}

Result<Checkpoint> ReadCheckpoint(const std::string& path) {
  MUNJA_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, ReadFile(path));
  return Parse(bytes).With(path);
}

}  // namespace munja::train
