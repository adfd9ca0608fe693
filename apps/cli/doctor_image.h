// The image that the self-test of munja doctor reads.
#ifndef MUNJA_CLI_DOCTOR_IMAGE_H_
#define MUNJA_CLI_DOCTOR_IMAGE_H_

#include <cstdint>
#include <span>

namespace munja::cli {

// The text in it.
inline constexpr char kDoctorText[] =
    "Invoice No. 2048\n16 March 2026\nTotal 48.50";

// The bytes of its file.
std::span<const uint8_t> DoctorImage();

}  // namespace munja::cli

#endif  // MUNJA_CLI_DOCTOR_IMAGE_H_
