# The target "docs": HTML of the public headers in the build directory's docs/html, by Doxygen (tools/install-packages docs).
find_program(MUNJA_DOXYGEN doxygen)
mark_as_advanced(MUNJA_DOXYGEN)
if(MUNJA_DOXYGEN)
  add_custom_target(docs
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/docs
    COMMAND ${CMAKE_COMMAND} -E env MUNJA_DOCS=${PROJECT_BINARY_DIR}/docs MUNJA_VERSION=${PROJECT_VERSION}
            ${MUNJA_DOXYGEN} ${PROJECT_SOURCE_DIR}/Doxyfile
    COMMAND ${CMAKE_COMMAND} -E echo "Open ${PROJECT_BINARY_DIR}/docs/html/index.html"
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
else()
  add_custom_target(docs
    COMMAND ${CMAKE_COMMAND} -E echo "doxygen is not installed: run tools/install-packages docs and configure again"
    COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
endif()
