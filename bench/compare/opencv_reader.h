// Reading a picture with OpenCV and ONNX Runtime, the way most programs do it
// that run these networks: the other side of the comparison from picture file
// to text.
//
// The longer side of the page is at most 960 pixels, never scaled up, padded to
// multiples of 32; probability map above 0.2, boxes above 0.45, grown by 1.4 of
// area by perimeter; each line upright at its own width, 48 pixels high, one
// run a line, lines beside each other on all threads; no orientation
// classifier.
#ifndef MUNJA_BENCH_COMPARE_OPENCV_READER_H_
#define MUNJA_BENCH_COMPARE_OPENCV_READER_H_

#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "job.h"
#include "onnx_runtime.h"

namespace munja::compare {

class OpencvReader {
 public:
  struct Models {
    std::string detector, recognizer, dictionary;
  };
  OpencvReader(const OnnxRuntime& runtime, const Models& models, int threads);

  // Lines from top to bottom.
  std::vector<std::string> Read(const std::string& picture);
  // The work of the last image.
  const PageWork& work() const { return work_; }

 private:
  struct Text {
    std::string text;
    float confidence = 0;
    size_t pixels = 0;  // The pixels that the recognizer got.
  };
  std::vector<cv::RotatedRect> Detect(const cv::Mat& page);
  Text Recognize(const cv::Mat& page, const cv::RotatedRect& box) const;
  Text Decode(const OnnxSession::Output& steps) const;

  PageWork work_;
  OnnxSession detector_, recognizer_;
  std::vector<std::string> characters_;  // Class 0 is the blank.
  int threads_;
};

}  // namespace munja::compare

#endif  // MUNJA_BENCH_COMPARE_OPENCV_READER_H_
