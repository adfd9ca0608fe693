// Paddle's inference.yml: how the network beside it was trained to be fed.
#ifndef MUNJA_BUNDLE_INFERENCE_YML_H_
#define MUNJA_BUNDLE_INFERENCE_YML_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "reading/network/config.h"

namespace munja::bundle {

// Which network it describes is told by its post-processing: DBPostProcess is
// a detector, CTCLabelDecode a recognizer, Topk a line classifier. Only that
// part of `config` changes. The characters of a recognizer go to
// `dictionary`, which is left alone otherwise. kUnsupported names a step that
// this project does not do.
Status ReadInferenceYml(std::string_view text, ocr::Config* config,
                        std::vector<std::string>* dictionary);

}  // namespace munja::bundle

#endif  // MUNJA_BUNDLE_INFERENCE_YML_H_
