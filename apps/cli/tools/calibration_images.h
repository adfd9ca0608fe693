// The images that networks are calibrated on.
#ifndef MUNJA_CLI_TOOLS_CALIBRATION_IMAGES_H_
#define MUNJA_CLI_TOOLS_CALIBRATION_IMAGES_H_

#include <string>
#include <vector>

namespace munja::cli {

// Images, directories of images, and the images of labels (.jsonl). *are_lines
// becomes true where labels are of crops. Returns an exit code.
int FindPictures(const std::vector<std::string>& arguments,
                 std::vector<std::string>* files, bool* are_lines);

}  // namespace munja::cli

#endif  // MUNJA_CLI_TOOLS_CALIBRATION_IMAGES_H_
