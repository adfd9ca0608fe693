#include "tflite/associated_files.h"

#include <memory>
#include <utility>

#include "tflite/zip_directory.h"

#if MUNJA_HAVE_LIBZIP
#include <zip.h>
#endif

namespace munja::tflite {

#if MUNJA_HAVE_LIBZIP
namespace {

constexpr size_t kMaxFiles = 64;
constexpr size_t kMaxDirectory = size_t{1} << 20;
constexpr uint64_t kMaxTotal = uint64_t{1} << 26;

struct ZipError {
  ZipError() { zip_error_init(&error); }
  ~ZipError() { zip_error_fini(&error); }
  ZipError(const ZipError&) = delete;
  ZipError& operator=(const ZipError&) = delete;
  std::string text() { return zip_error_strerror(&error); }
  zip_error_t error;
};

// Closes without writing.
struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, Discard>;
struct CloseFile {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
struct FreeSource {
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};
using Source = std::unique_ptr<zip_source_t, FreeSource>;

Result<Archive> Open(Source source, int flags) {
  ZipError error;
  Archive archive(zip_open_from_source(source.get(), flags, &error.error));
  if (archive == nullptr)
    return Malformed("the archive of packed files cannot be opened: " +
                     error.text());
  // The archive has taken the reference.
  (void)source.release();
  return archive;
}

Result<Source> MakeSource(std::span<const uint8_t> bytes) {
  ZipError error;
  Source source(zip_source_buffer_create(bytes.data(), bytes.size(),
                                         /*freep=*/0, &error.error));
  if (source == nullptr)
    return OutOfMemory("no archive of packed files: " + error.text());
  return source;
}

Result<std::vector<uint8_t>> ReadEntry(zip_t* archive, uint64_t index,
                                       uint64_t size) {
  const std::unique_ptr<zip_file_t, CloseFile> file(
      zip_fopen_index(archive, index, 0));
  if (file == nullptr)
    return Malformed(std::string("cannot be unpacked: ") +
                     zip_strerror(archive));
  std::vector<uint8_t> bytes(size);
  uint64_t done = 0;
  while (done < size) {
    const zip_int64_t n =
        zip_fread(file.get(), bytes.data() + done, size - done);
    if (n <= 0) return Malformed("is damaged or cut off");
    done += static_cast<uint64_t>(n);
  }
  // Reading on to the end makes libzip check length and checksum.
  uint8_t more;
  if (zip_fread(file.get(), &more, 1) != 0)
    return Malformed("is longer than it says or has a wrong checksum");
  return bytes;
}

}  // namespace

Result<AssociatedFiles> ReadAssociatedFiles(std::span<const uint8_t> model) {
  AssociatedFiles files;
  const auto directory = FindZipDirectory(model);
  if (!directory || directory->entries == 0) return files;
  if (directory->entries > kMaxFiles || directory->size > kMaxDirectory)
    return OutOfMemory("the model is packed with " +
                       std::to_string(directory->entries) + " files, at most " +
                       std::to_string(kMaxFiles) + " are read");
  MUNJA_ASSIGN_OR_RETURN(Source source,
                         MakeSource(model.subspan(directory->base)));
  MUNJA_ASSIGN_OR_RETURN(const Archive archive,
                         Open(std::move(source), ZIP_RDONLY));
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  if (count < 0 || static_cast<size_t>(count) > kMaxFiles)
    return Malformed("the archive of packed files is damaged");
  uint64_t total = 0;
  for (zip_uint64_t i = 0; i < static_cast<zip_uint64_t>(count); ++i) {
    zip_stat_t stat;
    if (zip_stat_index(archive.get(), i, 0, &stat) != 0 ||
        (stat.valid & ZIP_STAT_NAME) == 0 || (stat.valid & ZIP_STAT_SIZE) == 0)
      return Malformed("the archive of packed files is damaged");
    const std::string name = stat.name;
    if (name.ends_with('/') && stat.size == 0) continue;  // A folder.
    MUNJA_RETURN_IF_ERROR(CheckEntryName(name));
    if (stat.size > kMaxTotal - total)
      return OutOfMemory("the packed files are longer than " +
                         std::to_string(kMaxTotal) + " bytes");
    total += stat.size;
    auto bytes = ReadEntry(archive.get(), i, stat.size);
    if (!bytes.ok())
      return std::move(bytes).TakeStatus().With("packed file '" + name + "'");
    if (!files.try_emplace(name, std::move(*bytes)).second)
      return Malformed("there are two packed files '" + name + "'");
  }
  return files;
}

namespace {

Result<std::vector<uint8_t>> WriteArchive(const AssociatedFiles& files) {
  MUNJA_ASSIGN_OR_RETURN(Source source, MakeSource({}));
  // One reference for us, to read the result from, and one for the archive.
  zip_source_keep(source.get());
  const Source result(source.get());
  MUNJA_ASSIGN_OR_RETURN(Archive archive,
                         Open(std::move(source), ZIP_CREATE | ZIP_TRUNCATE));
  for (const auto& [name, bytes] : files) {
    MUNJA_ASSIGN_OR_RETURN(Source content, MakeSource(bytes));
    const zip_int64_t index = zip_file_add(archive.get(), name.c_str(),
                                           content.get(), ZIP_FL_ENC_UTF_8);
    if (index < 0)
      return InvalidArgument("file '" + name + "' cannot be packed: " +
                             zip_strerror(archive.get()));
    (void)content.release();
    // January 1, 1980, the first day that the format has.
    const auto i = static_cast<zip_uint64_t>(index);
    if (zip_set_file_compression(archive.get(), i, ZIP_CM_STORE, 0) != 0 ||
        zip_file_set_dostime(archive.get(), i, 0, (1 << 5) | 1, 0) != 0)
      return Internal(zip_strerror(archive.get()));
  }
  if (zip_close(archive.get()) != 0)
    return OutOfMemory(std::string("the files cannot be packed: ") +
                       zip_strerror(archive.get()));
  (void)archive.release();
  zip_stat_t stat;
  if (zip_source_stat(result.get(), &stat) != 0 ||
      (stat.valid & ZIP_STAT_SIZE) == 0 || zip_source_open(result.get()) != 0)
    return Internal("the packed files cannot be read back");
  std::vector<uint8_t> out(stat.size);
  const zip_int64_t n = zip_source_read(result.get(), out.data(), out.size());
  zip_source_close(result.get());
  if (n < 0 || static_cast<uint64_t>(n) != stat.size)
    return Internal("the packed files cannot be read back");
  return out;
}

}  // namespace

Status AppendAssociatedFiles(const AssociatedFiles& files,
                             std::vector<uint8_t>& model) {
  if (files.empty()) return Status();
  uint64_t total = 0;
  for (const auto& [name, bytes] : files) {
    MUNJA_RETURN_IF_ERROR(CheckEntryName(name).With("'" + name + "'"));
    total += bytes.size();
  }
  if (files.size() > kMaxFiles || total > kMaxTotal)
    return OutOfMemory("more than " + std::to_string(kMaxFiles) + " files or " +
                       std::to_string(kMaxTotal) +
                       " bytes cannot be packed with a model");
  MUNJA_ASSIGN_OR_RETURN(std::vector<uint8_t> archive, WriteArchive(files));
  MUNJA_RETURN_IF_ERROR(ShiftZipOffsets(model.size(), archive));
  model.insert(model.end(), archive.begin(), archive.end());
  return Status();
}

#else  // MUNJA_HAVE_LIBZIP

Result<AssociatedFiles> ReadAssociatedFiles(std::span<const uint8_t> model) {
  const auto directory = FindZipDirectory(model);
  if (!directory || directory->entries == 0) return AssociatedFiles();
  return Unsupported(
      "the model is packed with other files, and this build has no libzip to "
      "read them");
}

Status AppendAssociatedFiles(const AssociatedFiles& files,
                             std::vector<uint8_t>& model) {
  (void)model;
  if (files.empty()) return Status();
  return Unsupported(
      "files cannot be packed with a model: this build has no libzip");
}

#endif  // MUNJA_HAVE_LIBZIP

}  // namespace munja::tflite
