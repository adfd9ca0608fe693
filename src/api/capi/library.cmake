# libmunja: the C interface as a shared library, and TensorFlow Lite's beside it. Only what their
# headers declare is visible.
target_compile_definitions(munja_capi PRIVATE MUNJA_DEFAULT_MODELS_URL="${MUNJA_MODELS_URL}"
                           $<$<BOOL:${MUNJA_IMPORT}>:MUNJA_HAS_IMPORT>
                           $<$<BOOL:${MUNJA_DOWNLOAD}>:MUNJA_HAS_DOWNLOAD>)
# MUNJA_RETURN_IF_ERROR has a local munja_status, which is a type of the C interface, too.
set(exports ${CMAKE_CURRENT_SOURCE_DIR}/capi/exports.map)
add_library(munja_shared SHARED $<TARGET_OBJECTS:munja_capi> $<TARGET_OBJECTS:munja_tflite_api>)
target_link_libraries(munja_shared PRIVATE munja_capi)
target_include_directories(munja_shared INTERFACE ${PROJECT_SOURCE_DIR}/include
                           ${PROJECT_SOURCE_DIR}/src/tflite_api/include)
target_link_options(munja_shared PRIVATE -Wl,--version-script=${exports})
set_target_properties(munja_shared PROPERTIES
  OUTPUT_NAME munja VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  LINK_DEPENDS ${exports} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

# schema/schema_generated.h for programs written for TensorFlow Lite; nothing here includes it.
set(schema ${PROJECT_BINARY_DIR}/generated/public_schema)
add_custom_command(OUTPUT ${schema}/tensorflow/lite/schema/schema_generated.h
  COMMAND ${CMAKE_COMMAND} -E env FLATC=${MUNJA_FLATC} ${PROJECT_SOURCE_DIR}/tools/generate-schema-header ${schema}
  COMMAND ${CMAKE_COMMAND} -E touch ${schema}/tensorflow/lite/schema/schema_generated.h
  DEPENDS ${PROJECT_SOURCE_DIR}/tools/generate-schema-header ${PROJECT_SOURCE_DIR}/src/core/tflite/public_schema.fbs.in
          ${PROJECT_SOURCE_DIR}/src/core/tflite/operators.def ${PROJECT_SOURCE_DIR}/src/core/tflite/options.def VERBATIM)
add_custom_target(munja_public_schema DEPENDS ${schema}/tensorflow/lite/schema/schema_generated.h)
add_dependencies(munja_shared munja_public_schema)

include(GNUInstallDirs)
install(TARGETS munja_shared LIBRARY)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/munja TYPE INCLUDE)
install(DIRECTORY ${schema}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/munja/tflite)
