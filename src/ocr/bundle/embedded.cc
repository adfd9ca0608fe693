#include "bundle/embedded.h"

#include <utility>
#include <vector>

namespace munja::bundle {

std::vector<NamedBytes> EmbeddedFiles();  // Made by the build; may be empty.

std::shared_ptr<const Files> EmbeddedBundle() {
  std::vector<NamedBytes> files = EmbeddedFiles();
  if (files.empty()) return nullptr;
  return MemoryFiles(kEmbeddedPlace, std::move(files));
}

}  // namespace munja::bundle
