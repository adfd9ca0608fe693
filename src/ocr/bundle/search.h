// Where bundles lie: the folders that are searched, in order, and the bundle
// inside the library.
#ifndef MUNJA_BUNDLE_SEARCH_H_
#define MUNJA_BUNDLE_SEARCH_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "bundle/embedded.h"
#include "bundle/files.h"

namespace munja::bundle {

// $MUNJA_MODELS (folders separated by ':'), the user's data folder,
// "models" beside the running program, "../share/munja/models" from it, and the
// same two for the library. A folder may be a bundle itself or hold bundles.
std::vector<std::string> SearchFolders();

// $XDG_DATA_HOME/munja/models or ~/.local/share/munja/models; it need not
// exist. kNotFound when neither variable is set.
Result<std::string> DataFolder();

// $XDG_CACHE_HOME/munja or ~/.cache/munja; it need not exist. kNotFound as
// above.
Result<std::string> CacheFolder();

struct FoundBundle {
  std::string name;  // The folder's own name, "default" for the embedded one.
  std::shared_ptr<const Files> files;
};
// Every folder with a bundle.json, then the embedded bundle (null: none); an
// earlier one hides a later one of the same name. Within a folder by name.
std::vector<FoundBundle> ListBundles(
    std::shared_ptr<const Files> embedded = EmbeddedBundle());

// `name`: a bundle's folder, the name of one of ListBundles(), or
// kEmbeddedPlace. Empty: the first bundle of $MUNJA_MODELS, which is the user's
// choice; without one "default", so that an installed model does not change
// what is read unasked; without that the first of all. kNotFound lists the
// searched places.
Result<std::shared_ptr<const Files>> FindBundle(
    const std::string& name,
    std::shared_ptr<const Files> embedded = EmbeddedBundle());

// The model for a text in these languages, codes separated by commas, where the
// user names none: FindBundle("") if it names them all, else the first other
// one that does; FindBundle("") where there is none.
Result<std::shared_ptr<const Files>> FindBundleFor(
    std::string_view languages,
    std::shared_ptr<const Files> embedded = EmbeddedBundle());

}  // namespace munja::bundle

#endif  // MUNJA_BUNDLE_SEARCH_H_
