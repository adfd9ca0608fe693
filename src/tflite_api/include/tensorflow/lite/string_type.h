// The type of strings, under the name that operators use.
#ifndef MUNJA_TFLITE_STRING_TYPE_H_
#define MUNJA_TFLITE_STRING_TYPE_H_

#include <string>

namespace tflite {

using std::string;

}  // namespace tflite

#endif  // MUNJA_TFLITE_STRING_TYPE_H_
