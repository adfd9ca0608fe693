// A bundle's folder that is made whole before anybody sees it.
#ifndef MUNJA_BUNDLE_STAGED_FOLDER_H_
#define MUNJA_BUNDLE_STAGED_FOLDER_H_

#include <memory>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/status.h"

namespace munja::bundle {

// Files are written to path(); Publish() puts that folder in the place of what
// the name stood for. A failure before that leaves the old folder as it is; of
// several at once the last one stays, whole. Where the system exchanges two
// names at once (Linux does, on nearly all file systems) there is a whole
// folder under the name at every moment.
//
// The folder is called ".NAME.munja-new-*" until then. One that a program ended
// by force has left is removed by the next one of that name.
class StagedFolder {
 public:
  // Makes the folder, and those above `path`. A link is followed. kIo, also
  // when CheckReplaceable says so.
  static Result<std::unique_ptr<StagedFolder>> Create(const std::string& path);
  // Removes what was not published.
  ~StagedFolder();
  StagedFolder(const StagedFolder&) = delete;
  StagedFolder& operator=(const StagedFolder&) = delete;

  const std::string& path() const { return staged_; }
  // Everything on the disk, and then in place.
  Status Publish();

 private:
  StagedFolder() = default;
  std::string target_, staged_;
  Descriptor lock_;  // Held while the folder is not to be cleared away.
};

// A folder is replaced only when it is empty or holds nothing but a bundle's
// files: those that its bundle.json names, those that are always called the
// same, and what writing them has left. kIo names another entry, so that no
// user files are lost. Fine when there is no folder.
Status CheckReplaceable(const std::string& path);

// Puts `staged`, a finished folder beside `target`, in its place as Publish()
// does. Both without links.
Status PutInPlace(const std::string& staged, const std::string& target);

// Removes the files in `folder` that are not among `names`.
void KeepOnly(const std::string& folder, const std::vector<std::string>& names);

}  // namespace munja::bundle

#endif  // MUNJA_BUNDLE_STAGED_FOLDER_H_
