/* The C interface as a C99 program uses it. Argument: a picture. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "munja/live.h"
#include "munja/model.h"
#include "munja/ocr.h"
#include "munja/runtime.h"
#include "munja/system.h"

static int failures = 0;

#define EXPECT(condition)                                                   \
  do {                                                                      \
    if (!(condition)) {                                                     \
      fprintf(stderr, "%s:%d: %s does not hold (%s)\n", __FILE__, __LINE__, \
              #condition, munja_last_error());                              \
      ++failures;                                                           \
    }                                                                       \
  } while (0)

static void Names(void) {
  EXPECT(strcmp(munja_version(), MUNJA_VERSION_TEXT) == 0);
  EXPECT(strcmp(munja_status_name(MUNJA_NOT_FOUND), "not found") == 0);
  EXPECT(strcmp(munja_status_name((munja_status)99), "unknown") == 0);
  EXPECT(strcmp(munja_element_type_name(MUNJA_TYPE_INT8), "int8") == 0);
}

static void Pictures(const char* path) {
  munja_image* image = NULL;
  munja_image* copy = NULL;
  munja_decode_options options;
  memset(&options, 0, sizeof options);
  EXPECT(munja_image_load(path, NULL, &image) == MUNJA_OK);
  EXPECT(munja_image_width(image) == 900);
  EXPECT(munja_image_height(image) == 1180);
  EXPECT(munja_image_from_rgb(munja_image_pixels(image, NULL), 30, 20, 900 * 3,
                              &copy) == MUNJA_OK);
  EXPECT(memcmp(munja_image_pixels(copy, NULL), munja_image_pixels(image, NULL),
                90) == 0);
  munja_image_free(copy);
  munja_image_free(image);
  munja_image_free(NULL);

  image = NULL;
  EXPECT(munja_image_load("/no/such/file.png", NULL, &image) ==
         MUNJA_NOT_FOUND);
  EXPECT(image == NULL);
  EXPECT(strstr(munja_last_error(), "/no/such/file.png") != NULL);
  EXPECT(munja_image_decode("nonsense", 8, NULL, &image) == MUNJA_UNSUPPORTED);
  /* A limit below the picture's size, and options that were not set up. */
  options.max_pixels = 1000;
  EXPECT(munja_image_load(path, &options, &image) == MUNJA_INVALID_ARGUMENT);
  options.struct_size = sizeof options;
  EXPECT(munja_image_load(path, &options, &image) == MUNJA_OUT_OF_MEMORY);
  options.max_pixels = 0;
  options.threads = -1;
  EXPECT(munja_image_load(path, &options, &image) == MUNJA_INVALID_ARGUMENT);
  EXPECT(munja_image_load(NULL, NULL, &image) == MUNJA_INVALID_ARGUMENT);
  EXPECT(image == NULL);
  options.threads = 2;
  EXPECT(munja_image_load(path, &options, &image) == MUNJA_OK);
  munja_image_free(image);
}

static void Models(void) {
  munja_network* model = NULL;
  munja_engine* engine = NULL;
  munja_engine_options options;
  char* text = NULL;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.model = "/no/such/bundle";
  EXPECT(munja_network_load("/no/such/model.tflite", &model) ==
         MUNJA_NOT_FOUND);
  EXPECT(munja_network_load_bytes("nonsense", 8, &model) == MUNJA_MALFORMED);
  EXPECT(model == NULL);
  EXPECT(munja_engine_create(&options, &engine) == MUNJA_NOT_FOUND);
  EXPECT(engine == NULL);
  EXPECT(munja_system_describe(NULL, NULL) == MUNJA_INVALID_ARGUMENT);
  EXPECT(munja_model_list(&text) == MUNJA_OK);
  EXPECT(text != NULL && text[0] == '[');
  munja_free(text);
  munja_session_free(NULL);
  munja_engine_free(NULL);
  munja_document_free(NULL);
  EXPECT(munja_document_line_count(NULL) == 0);
}

static void Live(void) {
  munja_live* live = NULL;
  munja_live_options options;
  munja_live_statistics statistics;
  int32_t count = 7;
  memset(&options, 0, sizeof options);
  memset(&statistics, 0, sizeof statistics);
  options.struct_size = sizeof options;
  statistics.struct_size = sizeof statistics;
  EXPECT(munja_live_create(NULL, &options, &live) == MUNJA_INVALID_ARGUMENT);
  EXPECT(live == NULL);
  EXPECT(munja_live_feed(NULL, NULL, 0) == MUNJA_INVALID_ARGUMENT);
  EXPECT(munja_live_finish(NULL) == MUNJA_INVALID_ARGUMENT);
  EXPECT(munja_live_reset(NULL) == MUNJA_INVALID_ARGUMENT);
  EXPECT(munja_live_boxes(NULL, NULL, 0, &count) == MUNJA_INVALID_ARGUMENT);
  EXPECT(count == 7);
  EXPECT(munja_live_get_statistics(NULL, &statistics) ==
         MUNJA_INVALID_ARGUMENT);
  munja_live_cancel(NULL);
  munja_live_free(NULL);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  Names();
  Pictures(argv[1]);
  Models();
  Live();
  if (failures == 0) puts("ok");
  return failures == 0 ? 0 : 1;
}
