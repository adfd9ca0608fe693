# The libraries from outside for WebAssembly and Android (presets "web", "android"). Debian has none that are compiled for
# them, so they are built here of Debian's source packages, which tools/web-sources unpacks. TIFF, HEIC and PDF are left out.
set(MUNJA_WEB_SOURCES "${PROJECT_SOURCE_DIR}/build/web/sources" CACHE PATH "Where tools/web-sources has put the libraries")
if(NOT EXISTS ${MUNJA_WEB_SOURCES}/ready)
  message(FATAL_ERROR "The sources of the libraries are missing: run tools/web-sources")
endif()
find_program(MUNJA_FLATC flatc REQUIRED CMAKE_FIND_ROOT_PATH_BOTH)

# Libraries of headers only: links to those of this machine, whose other headers are not for the other one.
set(headers ${PROJECT_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${headers})
foreach(name hwy nlohmann flatbuffers)
  if(NOT EXISTS /usr/include/${name})
    message(FATAL_ERROR "/usr/include/${name} is missing: run tools/install-packages build")
  endif()
  file(CREATE_LINK /usr/include/${name} ${headers}/${name} SYMBOLIC)
endforeach()
include_directories(SYSTEM ${headers})
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include ${PROJECT_SOURCE_DIR}/cmake/web/std_missing.h>")

add_library(Threads::Threads INTERFACE IMPORTED)  # Part of the C library.
add_library(munja::hwy INTERFACE IMPORTED)
add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED)

# munja_web_library(target folder [INCLUDE folders...] [DEFINE definitions...] [LINK targets...] SOURCES patterns...)
function(munja_web_library target folder)
  cmake_parse_arguments(PARSE_ARGV 2 A "" "" "INCLUDE;DEFINE;LINK;SOURCES;EXCLUDE")
  set(dir ${MUNJA_WEB_SOURCES}/${folder})
  list(TRANSFORM A_SOURCES PREPEND ${dir}/)
  file(GLOB sources ${A_SOURCES})
  list(TRANSFORM A_EXCLUDE PREPEND ${dir}/)
  list(REMOVE_ITEM sources ${A_EXCLUDE})
  if(NOT sources)
    message(FATAL_ERROR "${dir} is missing: run tools/web-sources")
  endif()
  string(REGEX REPLACE ".*::" "web_" name ${target})
  add_library(${name} STATIC ${sources})
  list(TRANSFORM A_INCLUDE PREPEND ${dir}/)
  target_include_directories(${name} SYSTEM PUBLIC ${dir} ${A_INCLUDE} ${PROJECT_BINARY_DIR}/web_headers)
  target_compile_definitions(${name} PRIVATE ${A_DEFINE})
  target_compile_options(${name} PRIVATE -w)
  target_link_libraries(${name} PUBLIC ${A_LINK})
  add_library(${target} ALIAS ${name})
endfunction()

# The headers that the libraries' own builds would write.
set(JPEG_LIB_VERSION 62)
set(VERSION 2.1.5)
set(LIBJPEG_TURBO_VERSION_NUMBER 2001005)
set(BITS_IN_JSAMPLE 8)
set(D_ARITH_CODING_SUPPORTED 1)
set(MEM_SRCDST_SUPPORTED 1)
set(BUILD munja)
set(INLINE "inline __attribute__((always_inline))")
set(THREAD_LOCAL "__thread")
set(SIZE_T ${CMAKE_SIZEOF_VOID_P})
set(written ${PROJECT_BINARY_DIR}/web_headers)
configure_file(${MUNJA_WEB_SOURCES}/libjpeg-turbo/jconfig.h.in ${written}/jconfig.h)
configure_file(${MUNJA_WEB_SOURCES}/libjpeg-turbo/jconfigint.h.in ${written}/jconfigint.h)
configure_file(${MUNJA_WEB_SOURCES}/libjpeg-turbo/jversion.h.in ${written}/jversion.h)
configure_file(${MUNJA_WEB_SOURCES}/libpng1.6/scripts/pnglibconf.h.prebuilt ${written}/pnglibconf.h COPYONLY)
file(CONFIGURE OUTPUT ${written}/config.h CONTENT "")
file(CONFIGURE OUTPUT ${written}/libexif/_stdint.h CONTENT "#include <stdint.h>\n")
file(CREATE_LINK ${MUNJA_WEB_SOURCES}/libpolyclipping/cpp ${written}/polyclipping SYMBOLIC)
unset(VERSION)

munja_web_library(ZLIB::ZLIB zlib SOURCES *.c EXCLUDE gzclose.c gzlib.c gzread.c gzwrite.c DEFINE HAVE_UNISTD_H)
munja_web_library(PNG::PNG libpng1.6 LINK ZLIB::ZLIB SOURCES png*.c EXCLUDE pngtest.c DEFINE PNG_ARM_NEON_OPT=0)
set(jpeg jcapimin jcapistd jccoefct jccolor jcdctmgr jchuff jcicc jcinit jcmainct jcmarker jcmaster jcomapi jcparam
    jcphuff jcprepct jcsample jctrans jdapimin jdapistd jdatadst jdatasrc jdcoefct jdcolor jddctmgr jdhuff jdicc jdinput
    jdmainct jdmarker jdmaster jdmerge jdphuff jdpostct jdsample jdtrans jerror jfdctflt jfdctfst jfdctint jidctflt
    jidctfst jidctint jidctred jquant1 jquant2 jutils jmemmgr jmemnobs jaricom jdarith jsimd_none)
list(TRANSFORM jpeg APPEND .c)
munja_web_library(JPEG::JPEG libjpeg-turbo SOURCES ${jpeg})
munja_web_library(GIF::GIF giflib SOURCES dgif_lib.c gifalloc.c gif_err.c gif_hash.c openbsd-reallocarray.c)
munja_web_library(PkgConfig::WEBP libwebp INCLUDE src
                  SOURCES src/dec/*.c src/demux/*.c src/dsp/*.c src/utils/*.c)
munja_web_library(PkgConfig::EXIF libexif DEFINE GETTEXT_PACKAGE="libexif" LOCALEDIR="" SOURCES libexif/*.c libexif/*/*.c)
munja_web_library(PkgConfig::POLYCLIPPING libpolyclipping SOURCES cpp/clipper.cpp)
munja_web_library(PkgConfig::UTF8PROC utf8proc DEFINE UTF8PROC_STATIC SOURCES utf8proc.c)
munja_web_library(PkgConfig::YAML libyaml INCLUDE include
                  DEFINE YAML_VERSION_MAJOR=0 YAML_VERSION_MINOR=2 YAML_VERSION_PATCH=5 YAML_VERSION_STRING="0.2.5"
                  SOURCES src/*.c)
munja_web_library(PkgConfig::MD libmd INCLUDE include DEFINE SHA256_ONLY SOURCES src/sha2.c)
