// Any bytes as the files of a bundle: lines "--file NAME--", each followed by
// the file. Sizes and sums of the table are made to fit, so that the files
// themselves are looked at.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "bundle/bundle.h"
#include "bundle/sha256.h"

using munja::bundle::FileEntry;

extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1:max_allocation_size_mb=256";
}

namespace {

std::vector<std::pair<std::string, std::string>> Split(std::string_view all) {
  constexpr std::string_view kBegin = "--file ", kEnd = "--\n";
  std::vector<std::pair<std::string, std::string>> files;
  size_t at = all.find(kBegin);
  while (at != std::string_view::npos && files.size() < 16) {
    const size_t name = at + kBegin.size();
    const size_t name_end = all.find(kEnd, name);
    if (name_end == std::string_view::npos) break;
    const size_t text = name_end + kEnd.size();
    at = all.find(kBegin, text);
    files.emplace_back(
        all.substr(name, name_end - name),
        all.substr(text, at == std::string_view::npos ? at : at - text));
  }
  return files;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto files = Split({reinterpret_cast<const char*>(data), size});
  for (auto& [name, text] : files) {
    if (name != munja::bundle::kManifestFile) continue;
    auto manifest = munja::bundle::ParseManifest(text);
    if (!manifest.ok()) continue;
    for (const FileEntry* listed : manifest->files()) {
      // The list is of the manifest's own members.
      auto* const entry = const_cast<FileEntry*>(listed);
      for (const auto& [other, bytes] : files) {
        if (other != entry->file) continue;
        entry->bytes = bytes.size();
        const auto sum = munja::bundle::Sha256(
            {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
        if (sum.ok()) entry->sha256 = *sum;
      }
    }
    text = munja::bundle::ToJson(*manifest);
    break;
  }
  // Each in memory of its own, whose end the sanitizer watches.
  std::vector<munja::Buffer> memory;
  std::vector<munja::bundle::NamedBytes> named;
  for (const auto& [name, text] : files) {
    auto copy = munja::Buffer::Allocate(text.size());
    if (!copy.ok()) return 0;
    if (!text.empty()) std::memcpy(copy->data(), text.data(), text.size());
    named.emplace_back(name, std::span(copy->data(), text.size()));
    memory.push_back(std::move(*copy));
  }
  const auto in_memory = munja::bundle::MemoryFiles("memory", std::move(named));
  const auto bundle = munja::bundle::LoadBundle(in_memory);
  if (!bundle.ok()) {
    if (bundle.status().code() == munja::Code::kInternal) std::abort();
    return 0;
  }
  const auto engine =
      munja::bundle::CreatePipeline(*bundle, bundle->manifest.config, nullptr);
  if (!engine.ok() && engine.status().code() == munja::Code::kInternal)
    std::abort();
  return 0;
}
