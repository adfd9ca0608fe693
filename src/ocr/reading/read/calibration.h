// The confidence of a line as the share of such lines that are right.
#ifndef MUNJA_READING_READ_CALIBRATION_H_
#define MUNJA_READING_READ_CALIBRATION_H_

#include "reading/network/config.h"

namespace munja::ocr {

// From the mean probability of a line's characters (J. Platt, "Probabilistic
// Outputs for Support Vector Machines", 1999: a logistic function of two
// parameters). Never falls where `probability` rises; stays within 0 and 1.
float CalibratedConfidence(const RecognizerConfig& config, float probability);

}  // namespace munja::ocr

#endif  // MUNJA_READING_READ_CALIBRATION_H_
