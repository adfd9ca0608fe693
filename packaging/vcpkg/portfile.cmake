vcpkg_download_distfile(ARCHIVE URLS "@URL@" FILENAME "munja-@VERSION@.tar.gz" SHA512 @SHA512@)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${ARCHIVE}")

# Some libraries are headers without a CMake target, and flatc and protoc run here.
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -DMUNJA_UNITY=ON
    "-DCMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES=${CURRENT_INSTALLED_DIR}/include"
    "-DMUNJA_FLATC=${CURRENT_HOST_INSTALLED_DIR}/tools/flatbuffers/flatc"
    "-DProtobuf_PROTOC_EXECUTABLE=${CURRENT_HOST_INSTALLED_DIR}/tools/protobuf/protoc")
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME Munja CONFIG_PATH lib/cmake/Munja)
vcpkg_fixup_pkgconfig()
vcpkg_copy_tools(TOOL_NAMES munja munja-tools munja-tesseract munja-driver-host AUTO_CLEAN)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
