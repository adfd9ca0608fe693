#include "bundle/search.h"

#ifndef __EMSCRIPTEN__
#include <dlfcn.h>
#endif

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "base/environment.h"
#include "base/file.h"
#include "base/folder.h"
#include "bundle/bundle.h"
#include "bundle/catalog.h"
#include "bundle/manifest.h"

namespace munja::bundle {
namespace {

namespace fs = std::filesystem;

bool IsBundle(const std::string& folder) {
  return IsRegularFile(folder + "/" + kManifestFile);
}

// The bundle folders inside `folder`, by name.
std::vector<FoundBundle> BundlesIn(const std::string& folder) {
  if (IsBundle(folder)) return {{FolderName(folder), FolderFiles(folder)}};
  std::vector<FoundBundle> found;
  const auto names = NamesIn(folder);
  if (!names.ok()) return found;
  for (const std::string& name : *names) {
    const std::string path = folder + "/" + name;
    // "x.part" is a download that has not come to its end.
    if (IsPlainName(name) && !name.ends_with(".part") && IsBundle(path))
      found.push_back({name, FolderFiles(path)});
  }
  return found;
}

// The folders of $MUNJA_MODELS.
std::vector<std::string> ChosenFolders() {
  std::vector<std::string> folders;
  std::stringstream list(Environment("MUNJA_MODELS"));
  for (std::string folder; std::getline(list, folder, ':');)
    if (!folder.empty()) folders.push_back(folder);
  return folders;
}

std::shared_ptr<const Files> ByName(const std::vector<FoundBundle>& all,
                                    const std::string& name) {
  for (const FoundBundle& bundle : all)
    if (bundle.name == name) return bundle.files;
  return nullptr;
}

// The folder of the library that holds this function, or of the program if it
// is linked into that.
std::string OwnFolder() {
#ifndef __EMSCRIPTEN__
  Dl_info info;
  std::error_code error;
  if (dladdr(reinterpret_cast<const void*>(&IsBundle), &info) != 0 &&
      info.dli_fname != nullptr)
    return fs::absolute(info.dli_fname, error).parent_path().string();
#endif
  return "";
}

void AddFoldersBeside(const fs::path& folder,
                      std::vector<std::string>* folders) {
  if (folder.empty()) return;
  for (const fs::path& path :
       {folder / "models", folder.parent_path() / "share/munja/models"})
    if (std::find(folders->begin(), folders->end(), path) == folders->end())
      folders->push_back(path.string());
}

std::string JoinFolders() {
  std::string all;
  for (const std::string& folder : SearchFolders())
    all += (all.empty() ? "" : ", ") + folder;
  return all;
}

// "; 'munja models get NAME' downloads it (31 MB)"
std::string HintOfCatalog(const std::string& name) {
  const CatalogModel* const model = FindInCatalog(name);
  if (model == nullptr) return "";
  const uint64_t megabytes = (model->bytes() + 500'000) / 1'000'000;
  return "; 'munja models get " + name + "' downloads and converts it (" +
         std::to_string(megabytes) + " MB)";
}

}  // namespace

Result<std::string> DataFolder() {
  if (const std::string data = Environment("XDG_DATA_HOME"); !data.empty())
    return data + "/munja/models";
  if (const std::string home = Environment("HOME"); !home.empty())
    return home + "/.local/share/munja/models";
  return NotFound("neither XDG_DATA_HOME nor HOME is set");
}

Result<std::string> CacheFolder() {
  if (const std::string cache = Environment("XDG_CACHE_HOME"); !cache.empty())
    return cache + "/munja";
  if (const std::string home = Environment("HOME"); !home.empty())
    return home + "/.cache/munja";
  return NotFound("neither XDG_CACHE_HOME nor HOME is set");
}

std::vector<std::string> SearchFolders() {
  std::vector<std::string> folders = ChosenFolders();
  if (Result<std::string> data = DataFolder(); data.ok())
    folders.push_back(*data);
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) AddFoldersBeside(program.parent_path(), &folders);
  AddFoldersBeside(OwnFolder(), &folders);
  return folders;
}

std::vector<FoundBundle> ListBundles(std::shared_ptr<const Files> embedded) {
  std::vector<FoundBundle> all;
  for (const std::string& folder : SearchFolders()) {
    for (FoundBundle& bundle : BundlesIn(folder))
      if (ByName(all, bundle.name) == nullptr) all.push_back(std::move(bundle));
  }
  if (embedded != nullptr && ByName(all, kDefaultName) == nullptr)
    all.push_back({kDefaultName, std::move(embedded)});
  return all;
}

Result<std::shared_ptr<const Files>> FindBundle(
    const std::string& name, std::shared_ptr<const Files> embedded) {
  if (name == kEmbeddedPlace) {
    if (embedded != nullptr) return embedded;
    return NotFound(name + ": this was built without a default model");
  }
  if (!name.empty() && IsDirectory(name)) {
    if (IsBundle(name)) return FolderFiles(name);
    return NotFound(name + ": the folder has no " + kManifestFile);
  }
  if (name.empty()) {
    for (const std::string& folder : ChosenFolders()) {
      const std::vector<FoundBundle> chosen = BundlesIn(folder);
      if (!chosen.empty()) return chosen.front().files;
    }
  }
  const std::vector<FoundBundle> all = ListBundles(std::move(embedded));
  if (auto found = ByName(all, name.empty() ? kDefaultName : name))
    return found;
  if (!name.empty() && IsRegularFile(name))
    return NotFound(name + ": is a file; a bundle is a folder with " +
                    kManifestFile);
  if (name.find('/') != name.npos)
    return NotFound(name + ": there is no such folder");
  if (!name.empty())
    return NotFound("no model '" + name +
                    "': neither a folder nor a bundle in " + JoinFolders() +
                    HintOfCatalog(name));
  if (all.empty())
    return NotFound("no model is installed; looked in " + JoinFolders());
  return all.front().files;
}

Result<std::shared_ptr<const Files>> FindBundleFor(
    std::string_view languages, std::shared_ptr<const Files> embedded) {
  MUNJA_ASSIGN_OR_RETURN(auto usual, FindBundle("", embedded));
  const auto names_all = [&](const Files& files) {
    const Result<Manifest> manifest = LoadManifest(files);
    return manifest.ok() && NamesLanguages(*manifest, languages);
  };
  if (names_all(*usual)) return usual;
  for (const FoundBundle& bundle : ListBundles(std::move(embedded)))
    if (names_all(*bundle.files)) return bundle.files;
  return usual;
}

}  // namespace munja::bundle
