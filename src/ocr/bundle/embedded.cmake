# The default bundle inside the library; see docs/reference/model-bundle.md.
include(MunjaEmbed)
set(embedded)
if(MUNJA_EMBED_MODEL)
  # A glob, so that a build folder from before the bundle was there sees it come.
  file(GLOB manifest CONFIGURE_DEPENDS ${MUNJA_DEFAULT_BUNDLE}/bundle.json)
  if(manifest)
    munja_bundle_files(${MUNJA_DEFAULT_BUNDLE} embedded)
    message(STATUS "Default model: ${MUNJA_DEFAULT_BUNDLE}")
  elseif(NOT MUNJA_DEFAULT_BUNDLE STREQUAL "${PROJECT_SOURCE_DIR}/models/default")
    message(FATAL_ERROR "MUNJA_DEFAULT_BUNDLE=${MUNJA_DEFAULT_BUNDLE} has no bundle.json")
  endif()
endif()
munja_embed_files(munja_bundle EmbeddedFiles ${embedded})
if(MUNJA_DEVELOPER_MODE)
  # The mechanism is tested whether there is a default bundle or not.
  set(embed_test_files ${PROJECT_SOURCE_DIR}/LICENSE
      ${PROJECT_SOURCE_DIR}/fuzz/corpora/manifest_fuzz/bundle.json)
  munja_embed_files(munja_bundle_test EmbeddedTestFiles ${embed_test_files})
endif()
