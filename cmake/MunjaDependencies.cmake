# Every library from outside, found once. All are Debian 12 packages (tools/install-packages lists them).
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
include(GoogleTest)

# Highway: static library and headers.
find_library(MUNJA_HWY_LIBRARY hwy REQUIRED)
add_library(munja::hwy INTERFACE IMPORTED)
# Only where something needs it: kernels/cpu/hwy_targets.cc answers what the dispatch asks, and the shared
# library would take milliseconds at every start of a program.
set(CMAKE_LINK_LIBRARY_USING_as_needed "LINKER:--push-state,--as-needed" "<LINK_ITEM>" "LINKER:--pop-state")
set(CMAKE_LINK_LIBRARY_USING_as_needed_SUPPORTED TRUE)
target_link_libraries(munja::hwy INTERFACE $<LINK_LIBRARY:as_needed,${MUNJA_HWY_LIBRARY}>)

if(MUNJA_DEVELOPER_MODE)
  if(CMAKE_CROSSCOMPILING)
    # Debian has no GoogleTest libraries for other machines, but ships its sources.
    set(INSTALL_GTEST OFF)
    add_subdirectory(/usr/src/googletest ${PROJECT_BINARY_DIR}/googletest EXCLUDE_FROM_ALL)
  else()
    find_package(GTest REQUIRED)
  endif()
  find_package(benchmark QUIET)
endif()

# FlatBuffers is used as headers only; flatc writes the accessors of our own schema into the build tree.
find_program(MUNJA_FLATC flatc REQUIRED)

find_package(nlohmann_json REQUIRED)
if(NOT MUNJA_RUNTIME_ONLY)
  find_package(JPEG REQUIRED)
  find_package(PNG REQUIRED)
  find_package(TIFF REQUIRED)
  find_package(GIF REQUIRED)
  pkg_check_modules(WEBP REQUIRED IMPORTED_TARGET libwebp libwebpdemux)
  # The headers of libraries that are opened when they are needed.
  if(MUNJA_HEIF)
    pkg_check_modules(HEIF IMPORTED_TARGET libheif)
  endif()
  if(MUNJA_JPEG2000)
    pkg_check_modules(JPEG2000 IMPORTED_TARGET libopenjp2)
  endif()
  if(MUNJA_JXL)
    pkg_check_modules(JXL IMPORTED_TARGET libjxl)
  endif()
  if(MUNJA_VIDEO)
    # The parts of munja-video.so, which the command opens when it needs it.
    pkg_check_modules(FFMPEG IMPORTED_TARGET libavformat libavcodec libavdevice libswscale libavutil)
    pkg_check_modules(SDL IMPORTED_TARGET sdl2)
    pkg_check_modules(PAINTER IMPORTED_TARGET freetype2 fontconfig)
  endif()
  pkg_check_modules(EXIF REQUIRED IMPORTED_TARGET libexif)
  pkg_check_modules(POLYCLIPPING REQUIRED IMPORTED_TARGET polyclipping)
  pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
  find_package(CLI11 REQUIRED)
  pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
  find_package(OpenSSL REQUIRED)  # SHA-256 of a bundle's files
  pkg_check_modules(LIBZIP IMPORTED_TARGET libzip)
  if(MUNJA_IMPORT)
    find_package(Protobuf REQUIRED)
  endif()
  if(MUNJA_TRAIN)
    if(MUNJA_TORCH)
      find_package(Torch REQUIRED)  # Debian's, or CMAKE_PREFIX_PATH=.../site-packages/torch
    endif()
    pkg_check_modules(FREETYPE REQUIRED IMPORTED_TARGET freetype2)
    pkg_check_modules(HARFBUZZ REQUIRED IMPORTED_TARGET harfbuzz)
  endif()
  # Before 0.11 and from 0.13 on, a connection has other functions (server/connection.h). Tests need it, too.
  if(MUNJA_DEVELOPER_MODE)
    pkg_check_modules(HTTPLIB REQUIRED IMPORTED_TARGET cpp-httplib)
  elseif(MUNJA_SERVER)
    pkg_check_modules(HTTPLIB IMPORTED_TARGET cpp-httplib>=0.11 cpp-httplib<0.13)
  endif()
  if(MUNJA_DOWNLOAD)
    find_package(CURL REQUIRED)
  endif()
endif()
