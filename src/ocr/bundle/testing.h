// A bundle of a few kilobytes for tests: networks without weights.
#ifndef MUNJA_BUNDLE_TESTING_H_
#define MUNJA_BUNDLE_TESTING_H_

#include <map>
#include <memory>
#include <string>

#include "base/buffer.h"
#include "bundle/files.h"

namespace munja::bundle {

// Files in memory of their own, changed and dropped as a test likes.
class TinyBundle {
 public:
  // det.tflite takes bright pixels for text, rec.tflite reads three classes
  // off the colors of each column; keys.txt has the one entry "x".
  TinyBundle();

  // Adds det8.tflite and rec8.tflite, which are the same networks, as those
  // that compute with integers.
  void AddIntegerNetworks();

  std::map<std::string, std::string> files;

  // As they are now. This object has to outlive what is opened, and `files`
  // to stay. Every file begins at a multiple of 64.
  std::shared_ptr<const Files> InMemory();
  // Writes them to `folder`, made when absent.
  void WriteTo(const std::string& folder) const;

 private:
  std::map<std::string, Buffer> aligned_;
};

// A folder of the running test, which does not exist yet.
std::string TestFolder();

}  // namespace munja::bundle

#endif  // MUNJA_BUNDLE_TESTING_H_
