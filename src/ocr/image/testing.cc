#include "image/testing.h"

#include <gtest/gtest.h>
#include <png.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <jpeglib.h>

namespace munja::image::test_pictures {

Image NewImage(int width, int height) {
  return std::move(Image::Create(width, height)).value();
}

Image Pattern(int width, int height) {
  Image image = NewImage(width, height);
  uint32_t noise = 12345;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      noise = noise * 1664525 + 1013904223;
      uint8_t* const p = image.row(y) + 3 * x;
      p[0] = static_cast<uint8_t>(x * 255 / width);
      p[1] = static_cast<uint8_t>(y * 255 / height);
      p[2] = static_cast<uint8_t>(noise >> 24 & 31);
      if ((x / 5) % 3 == 1 && y > height / 3) p[0] = p[1] = p[2] = 20;
      if (x + 2 * y < width / 2) p[2] = 250;
    }
  }
  return image;
}

Image GrayPattern(int width, int height) {
  Image image = Pattern(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      std::memset(image.row(y) + 3 * x, (image.row(y)[3 * x] + x) & 255, 3);
  return image;
}

Image Copy(const ImageView& view) {
  Image image = NewImage(view.width, view.height);
  for (int y = 0; y < view.height; ++y)
    std::memcpy(image.row(y), view.row(y), image.stride());
  return image;
}

Image StoredAs(const Image& upright, int orientation) {
  const int w = upright.width(), h = upright.height();
  Image stored =
      std::move(orientation >= 5 ? Image::Create(h, w) : Image::Create(w, h))
          .value();
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      // Distances from the four sides of what is seen.
      const int left = x, right = w - 1 - x, top = y, bottom = h - 1 - y;
      const int rows[9] = {0,    top,   top,   bottom, bottom,
                           left, right, right, left};
      const int columns[9] = {0,   left, right,  right, left,
                              top, top,  bottom, bottom};
      std::memcpy(stored.row(rows[orientation]) + 3 * columns[orientation],
                  upright.row(y) + 3 * x, 3);
    }
  }
  return stored;
}

std::vector<uint8_t> ExifBlock(int orientation) {
  return {'I',  'I',  42, 0, 8, 0, 0, 0,  // Header, offset of the directory.
          1,    0,                        // One entry:
          0x12, 0x01, 3,  0, 1, 0, 0, 0, static_cast<uint8_t>(orientation),
          0,    0,    0,  0, 0, 0, 0};
}

double Psnr(const Image& a, const Image& b) {
  if (a.width() != b.width() || a.height() != b.height()) return 0;
  double sum = 0;
  const size_t count = a.stride() * static_cast<size_t>(a.height());
  for (size_t i = 0; i < count; ++i) {
    const double d = static_cast<double>(a.row(0)[i]) - b.row(0)[i];
    sum += d * d;
  }
  if (sum == 0) return 99;
  return 10 * std::log10(255.0 * 255.0 * static_cast<double>(count) / sum);
}

int LargestDifference(const Image& a, const Image& b) {
  if (a.width() != b.width() || a.height() != b.height()) return 256;
  int largest = 0;
  const size_t count = a.stride() * static_cast<size_t>(a.height());
  for (size_t i = 0; i < count; ++i)
    largest = std::max(largest, std::abs(a.row(0)[i] - b.row(0)[i]));
  return largest;
}

void ExpectCutsRefused(const std::vector<uint8_t>& bytes) {
  for (size_t part = 0; part < 64; ++part) {
    const std::vector<uint8_t> cut(
        bytes.begin(),
        bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() * part / 64));
    const Result<Image> image = Decode(cut);
    ASSERT_FALSE(image.ok()) << part << "/64 of " << bytes.size() << " bytes";
    EXPECT_TRUE(
        image.status().code() == Code::kMalformed ||
        (cut.size() < 18 && image.status().code() == Code::kUnsupported))
        << part << "/64: " << image.status().message();
  }
}

Image MustDecode(const std::vector<uint8_t>& bytes) {
  Result<Image> image = Decode(bytes);
  if (image.ok()) return std::move(image).value();
  ADD_FAILURE() << image.status().message();
  return std::move(Image::Create(1, 1)).value();
}

std::vector<uint8_t> EncodeJpeg(const Image& image,
                                const JpegOptions& options) {
  jpeg_compress_struct info;
  jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &bytes, &size);
  info.image_width = static_cast<JDIMENSION>(image.width());
  info.image_height = static_cast<JDIMENSION>(image.height());
  info.input_components = options.cmyk ? 4 : 3;
  info.in_color_space = options.cmyk ? JCS_CMYK : JCS_RGB;
  jpeg_set_defaults(&info);
  if (options.gray) jpeg_set_colorspace(&info, JCS_GRAYSCALE);
  if (options.cmyk)
    jpeg_set_colorspace(&info, options.adobe ? JCS_YCCK : JCS_CMYK);
  if (!options.adobe) info.write_Adobe_marker = FALSE;
  jpeg_set_quality(&info, options.quality, TRUE);
  // Full color resolution, so that small images can be compared closely.
  for (int i = 0; i < info.num_components; ++i)
    info.comp_info[i].h_samp_factor = info.comp_info[i].v_samp_factor = 1;
  if (options.progressive) jpeg_simple_progression(&info);
  if (options.arithmetic) info.arith_code = TRUE;
  info.restart_in_rows = options.restarts;
  const jpeg_scan_info separate[3] = {
      {1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}};
  if (options.separate) {
    info.scan_info = separate;
    info.num_scans = 3;
  }
  jpeg_start_compress(&info, TRUE);
  if (options.orientation > 0) {
    std::vector<uint8_t> exif = {'E', 'x', 'i', 'f', 0, 0};
    for (const uint8_t byte : ExifBlock(options.orientation))
      exif.push_back(byte);
    jpeg_write_marker(&info, JPEG_APP0 + 1, exif.data(),
                      static_cast<unsigned>(exif.size()));
  }
  std::vector<uint8_t> row(image.stride() * 2);
  for (int y = 0; y < image.height(); ++y) {
    if (options.cmyk) {
      // No black: the ink is what the color lacks.
      for (int x = 0; x < image.width(); ++x) {
        std::memcpy(&row[static_cast<size_t>(4 * x)], image.row(y) + 3 * x, 3);
        row[static_cast<size_t>(4 * x + 3)] = 255;
      }
      if (!options.adobe)
        for (uint8_t& ink : row) ink = static_cast<uint8_t>(255 - ink);
    } else {
      std::memcpy(row.data(), image.row(y), image.stride());
    }
    JSAMPROW line = row.data();
    jpeg_write_scanlines(&info, &line, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::vector<uint8_t> out(bytes, bytes + size);
  std::free(bytes);
  return out;
}

namespace {

// One row in the layout that libpng wants, samples of 8 or 16 bits or packed.
std::vector<uint8_t> PngRow(const uint8_t* rgb, int width,
                            const PngOptions& options) {
  std::vector<uint8_t> row;
  uint32_t packed = 0;
  int bits = 0;
  const auto put = [&](uint32_t level) {
    if (options.depth == 16) {
      // 257 * level - 128 (level + 127 / 256): the nearest 8-bit level is
      // still `level`, while cutting off the low byte would give one less.
      const uint32_t sample = level == 0 ? 0 : 257 * level - 127;
      row.push_back(static_cast<uint8_t>(sample >> 8));
      row.push_back(static_cast<uint8_t>(sample));
    } else if (options.depth == 8) {
      row.push_back(static_cast<uint8_t>(level));
    } else {
      packed = packed << options.depth | level >> (8 - options.depth);
      bits += options.depth;
      if (bits == 8) row.push_back(static_cast<uint8_t>(packed));
      if (bits == 8) bits = 0;
    }
  };
  for (int x = 0; x < width; ++x, rgb += 3) {
    for (int c = 0;
         c < (options.color_type == 2 || options.color_type == 6 ? 3 : 1);
         ++c) {
      put(rgb[c]);
    }
    if ((options.color_type & PNG_COLOR_MASK_ALPHA) != 0) put(255u - rgb[0]);
  }
  while (bits != 0) put(0);
  return row;
}

}  // namespace

std::vector<uint8_t> EncodePngAs(const Image& image,
                                 const PngOptions& options) {
  png_structp png =
      png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  std::vector<uint8_t> out;
  png_set_write_fn(
      png, &out,
      [](png_structp p, png_bytep data, size_t size) {
        auto* const bytes =
            static_cast<std::vector<uint8_t>*>(png_get_io_ptr(p));
        bytes->insert(bytes->end(), data, data + size);
      },
      [](png_structp) {});
  png_set_IHDR(png, info, static_cast<png_uint_32>(image.width()),
               static_cast<png_uint_32>(image.height()), options.depth,
               options.color_type,
               options.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (options.color_type == PNG_COLOR_TYPE_PALETTE) {
    // Index i shows as (i, 255 - i, 7), index 0 as transparent.
    std::vector<png_color> colors(size_t{1} << options.depth);
    for (size_t i = 0; i < colors.size(); ++i)
      colors[i] = {static_cast<png_byte>(i), static_cast<png_byte>(255 - i), 7};
    png_set_PLTE(png, info, colors.data(), static_cast<int>(colors.size()));
    png_byte alpha = 0;
    png_set_tRNS(png, info, &alpha, 1, nullptr);
  }
  std::vector<uint8_t> exif = ExifBlock(options.orientation);
  if (options.orientation > 0)
    png_set_eXIf_1(png, info, static_cast<png_uint_32>(exif.size()),
                   exif.data());
  png_write_info(png, info);
  const int passes = png_set_interlace_handling(png);
  for (int pass = 0; pass < passes; ++pass)
    for (int y = 0; y < image.height(); ++y)
      png_write_row(png, PngRow(image.row(y), image.width(), options).data());
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return out;
}

}  // namespace munja::image::test_pictures
