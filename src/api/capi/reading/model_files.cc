#include "capi/reading/model_files.h"

#include <map>
#include <utility>
#include <vector>

#include "base/file.h"
#include "bundle/bundle.h"

namespace munja::capi {

Result<std::shared_ptr<const bundle::Files>> FilesOf(const munja_file* files,
                                                     int32_t count) {
  if (count < 0 || files == nullptr)
    return InvalidArgument("file_count does not fit the files");
  std::map<std::string, std::vector<uint8_t>> copies;
  for (int32_t i = 0; i < count; ++i) {
    const munja_file& file = files[i];
    if (file.name == nullptr || *file.name == 0)
      return InvalidArgument("file " + std::to_string(i) + " has no name");
    std::vector<uint8_t> bytes;
    if (file.data != nullptr) {
      const auto* const data = static_cast<const uint8_t*>(file.data);
      bytes.assign(data, data + file.size);
    } else if (file.size > 0) {
      MUNJA_ASSIGN_OR_RETURN(bytes,
                             ReadDescriptor(file.fd, file.offset,
                                            static_cast<int64_t>(file.size)));
    }
    if (!copies.emplace(file.name, std::move(bytes)).second)
      return InvalidArgument("two files are named " + std::string(file.name));
  }
  return bundle::OwnedFiles("memory", std::move(copies));
}

Result<std::shared_ptr<const text::WordList>> ReadWordList(
    const std::string& path) {
  constexpr size_t kMostBytes = size_t{64} << 20;
  MUNJA_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes,
                         ReadStream(path, kMostBytes));
  return text::WordList::Parse(
             {reinterpret_cast<const char*>(bytes.data()), bytes.size()})
      .With(path);
}

}  // namespace munja::capi
