// Networks of a bundle: found out to be what the bundle says before the first
// image, and blamed by the name of their file for what fails later.
#ifndef MUNJA_BUNDLE_NETWORK_CHECK_H_
#define MUNJA_BUNDLE_NETWORK_CHECK_H_

#include <memory>
#include <string>

#include "base/status.h"
#include "reading/network/config.h"
#include "runtime/session.h"

namespace munja::bundle {

// Plans the network for one small image: nothing is computed. kMalformed says
// what it gives instead of a map of the image's size, and whether it looks
// like a network of the other role.
Status CheckDetector(runtime::Session& session,
                     const ocr::DetectorConfig& config);
// Instead of classes for the steps of a line.
Status CheckRecognizer(runtime::Session& session,
                       const ocr::RecognizerConfig& config);

// The same session; what fails in it names `file`. Its callers give it what
// the pipeline makes, so that kInvalidArgument becomes kMalformed: the file
// does not fit what it is used for.
std::unique_ptr<runtime::Session> WithFileName(
    std::unique_ptr<runtime::Session> session, std::string file);

}  // namespace munja::bundle

#endif  // MUNJA_BUNDLE_NETWORK_CHECK_H_
