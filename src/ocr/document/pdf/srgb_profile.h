// The colors of screens as a color profile.
#ifndef MUNJA_DOCUMENT_PDF_SRGB_PROFILE_H_
#define MUNJA_DOCUMENT_PDF_SRGB_PROFILE_H_

#include <string>

namespace munja::document::pdf {

// The bytes of an ICC profile, version 4.2, of IEC 61966-2-1 (sRGB): its three
// primaries and its curve, nothing else.
std::string SrgbProfile();

}  // namespace munja::document::pdf

#endif  // MUNJA_DOCUMENT_PDF_SRGB_PROFILE_H_
