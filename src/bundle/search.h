// Where bundles lie: the folders that are searched, in order.
#ifndef MUNJA_BUNDLE_SEARCH_H_
#define MUNJA_BUNDLE_SEARCH_H_

#include <string>
#include <vector>

#include "base/status.h"

namespace munja::bundle {

// $MUNJA_MODELS (folders separated by ':'), the user's data folder,
// "models" beside the running program, "../share/munja/models" from it. A
// folder may be a bundle itself or hold bundles.
std::vector<std::string> SearchFolders();

// $XDG_DATA_HOME/munja/models or ~/.local/share/munja/models; it need not
// exist. kNotFound when neither variable is set.
Result<std::string> DataFolder();

struct FoundBundle {
  std::string name;  // The folder's own name.
  std::string path;
};
// Every folder with a bundle.json; an earlier one hides a later one of the
// same name. Within a folder by name.
std::vector<FoundBundle> ListBundles();

// `name`: a bundle's folder, or the name of one of ListBundles(), or empty for
// the first of them. kNotFound says where was looked.
Result<std::string> FindBundle(const std::string& name);

}  // namespace munja::bundle

#endif  // MUNJA_BUNDLE_SEARCH_H_
