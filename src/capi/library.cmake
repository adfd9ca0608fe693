# libmunja: the C interface as a shared library, and TensorFlow Lite's beside it. Only what their
# headers declare is visible.
target_compile_definitions(munja_capi PRIVATE MUNJA_DEFAULT_MODELS_URL="${MUNJA_MODELS_URL}"
                           $<$<BOOL:${MUNJA_IMPORT}>:MUNJA_HAS_IMPORT>
                           $<$<BOOL:${MUNJA_DOWNLOAD}>:MUNJA_HAS_DOWNLOAD>)
# MUNJA_RETURN_IF_ERROR has a local munja_status, which is a type of the C interface, too.
set(exports ${CMAKE_CURRENT_SOURCE_DIR}/capi/exports.map)
add_library(munja_shared SHARED $<TARGET_OBJECTS:munja_capi> $<TARGET_OBJECTS:munja_compat>)
target_link_libraries(munja_shared PRIVATE munja_capi)
target_include_directories(munja_shared INTERFACE ${PROJECT_SOURCE_DIR}/include
                           ${PROJECT_SOURCE_DIR}/include/munja/tflite)
target_link_options(munja_shared PRIVATE -Wl,--version-script=${exports})
set_target_properties(munja_shared PROPERTIES
  OUTPUT_NAME munja VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  LINK_DEPENDS ${exports} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

include(GNUInstallDirs)
install(TARGETS munja_shared LIBRARY)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/munja TYPE INCLUDE)
