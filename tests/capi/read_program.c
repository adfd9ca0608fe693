/* Reading text as a C99 program does it. Arguments:
 * testdata/pictures/receipt.jpg and models/default. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "munja/ocr.h"

static int failures = 0;

#define EXPECT(condition)                                                   \
  do {                                                                      \
    if (!(condition)) {                                                     \
      fprintf(stderr, "%s:%d: %s does not hold (%s)\n", __FILE__, __LINE__, \
              #condition, munja_last_error());                              \
      ++failures;                                                           \
    }                                                                       \
  } while (0)

/* The line with this text; a line without text when there is none. */
static munja_line Find(const munja_document* document, const char* text) {
  munja_line line;
  memset(&line, 0, sizeof line);
  line.struct_size = sizeof line;
  int32_t i;
  for (i = 0; i < munja_document_line_count(document); ++i)
    if (munja_document_line(document, i, &line) == MUNJA_OK &&
        strcmp(line.text, text) == 0)
      return line;
  memset(&line, 0, sizeof line);
  return line;
}

static void Lines(const munja_document* page) {
  static const char* const kTexts[] = {"BAKERY NORTHWIND", "2 x Rye bread",
                                       "TOTAL", "18.40",
                                       "Thank you, see you tomorrow!"};
  /* Where the label of the picture has them: x0 y0 of each. */
  static const float kCorners[][2] = {{174.6f, 177.1f},
                                      {167.6f, 459.6f},
                                      {158.6f, 708.7f},
                                      {588.7f, 739.5f},
                                      {191.5f, 915.2f}};
  size_t i;
  munja_line line;
  memset(&line, 0, sizeof line);
  line.struct_size = sizeof line;
  EXPECT(munja_document_width(page) == 900);
  EXPECT(munja_document_height(page) == 1180);
  EXPECT(munja_document_line_count(page) == 21);
  for (i = 0; i < sizeof kTexts / sizeof *kTexts; ++i) {
    line = Find(page, kTexts[i]);
    EXPECT(line.text != NULL);
    EXPECT(line.confidence > 0.5f && line.confidence <= 1);
    /* Within 16 pixels, half the height of a line. */
    EXPECT(line.polygon[0] > kCorners[i][0] - 16 &&
           line.polygon[0] < kCorners[i][0] + 16);
    EXPECT(line.polygon[1] > kCorners[i][1] - 16 &&
           line.polygon[1] < kCorners[i][1] + 16);
  }
  EXPECT(munja_document_line(page, -1, &line) == MUNJA_INVALID_ARGUMENT);
  EXPECT(munja_document_line(page, 21, &line) == MUNJA_INVALID_ARGUMENT);
  EXPECT(munja_document_line(page, 0, NULL) == MUNJA_INVALID_ARGUMENT);
  EXPECT(munja_document_line(page, 0, &line) == MUNJA_OK);
  EXPECT(line.unknown_script == NULL);
}

/* The writers give what the lines say. */
static void Writers(const munja_document* page, const munja_image* image) {
  char folder[] = "/tmp/munja-read-XXXXXX";
  char path[64];
  char expected[4096] = "";
  char* text = NULL;
  char* json = NULL;
  int32_t i, block = 0, row = -1, rows = 0;
  munja_line line;
  memset(&line, 0, sizeof line);
  line.struct_size = sizeof line;
  munja_image* overlay = NULL;
  EXPECT(munja_document_to_text(page, &text) == MUNJA_OK);
  for (i = 0; i < munja_document_line_count(page); ++i) {
    EXPECT(munja_document_line(page, i, &line) == MUNJA_OK);
    /* An empty line between blocks. */
    /* Lines side by side are one line of text. */
    if (i > 0 && line.row >= 0 && line.row == row) {
      ++rows;
      strcat(expected, " ");
    } else if (i > 0) {
      strcat(expected, "\n");
    }
    if (i > 0 && line.block != block) strcat(expected, "\n");
    block = line.block;
    row = line.row;
    strncat(expected, line.text, 100);
  }
  strcat(expected, "\n");
  /* Items and their amounts. */
  EXPECT(rows >= 7);
  EXPECT(text != NULL && strcmp(text, expected) == 0);
  munja_free(text);
  EXPECT(munja_document_to_json(page, "a \"name\"", &json) == MUNJA_OK);
  EXPECT(json != NULL && strstr(json, "\"schema_version\":1") != NULL);
  EXPECT(json != NULL && strstr(json, "\"a \\\"name\\\"\"") != NULL);
  EXPECT(json != NULL && strstr(json, "\"TOTAL\"") != NULL);
  EXPECT(json != NULL && strchr(json, '\n') == NULL);
  munja_free(json);
  EXPECT(mkdtemp(folder) != NULL);
  sprintf(path, "%s/overlay.png", folder);
  EXPECT(munja_document_write_overlay(page, image, path) == MUNJA_OK);
  EXPECT(munja_image_load(path, NULL, &overlay) == MUNJA_OK);
  EXPECT(munja_image_width(overlay) == 900);
  EXPECT(munja_image_height(overlay) == 1180);
  EXPECT(overlay != NULL &&
         memcmp(munja_image_pixels(overlay, NULL),
                munja_image_pixels(image, NULL), (size_t)900 * 1180 * 3) != 0);
  munja_image_free(overlay);
  remove(path);
  rmdir(folder);
  sprintf(path, "%s/none/overlay.png", folder);
  EXPECT(munja_document_write_overlay(page, image, path) == MUNJA_NOT_FOUND ||
         munja_document_write_overlay(page, image, path) == MUNJA_IO);
}

static void Times(const munja_document* page) {
  munja_timing timing;
  memset(&timing, 0, sizeof timing);
  EXPECT(munja_document_timing(page, &timing) == MUNJA_INVALID_ARGUMENT);
  timing.struct_size = sizeof timing;
  EXPECT(munja_document_timing(page, &timing) == MUNJA_OK);
  EXPECT(timing.decode > 0);
  EXPECT(timing.detect > 0 && timing.recognize > 0);
  EXPECT(timing.total >= timing.detect + timing.recognize);
}

/* A part of a larger picture, by its rows: the same line, moved. */
static void Parts(munja_engine* engine, const munja_image* image,
                  const munja_document* page) {
  munja_image* part = NULL;
  munja_document* document = NULL;
  const munja_line whole = Find(page, "BAKERY NORTHWIND");
  munja_line line;
  memset(&line, 0, sizeof line);
  line.struct_size = sizeof line;
  EXPECT(munja_image_from_rgb(
             munja_image_pixels(image, NULL) + (120 * 900 + 100) * 3, 700, 200,
             900 * 3, &part) == MUNJA_OK);
  EXPECT(munja_engine_read(engine, part, NULL, &document) == MUNJA_OK);
  EXPECT(munja_document_width(document) == 700);
  line = Find(document, "BAKERY NORTHWIND");
  EXPECT(line.text != NULL);
  EXPECT(line.polygon[0] + 100 > whole.polygon[0] - 8 &&
         line.polygon[0] + 100 < whole.polygon[0] + 8);
  EXPECT(line.polygon[1] + 120 > whole.polygon[1] - 8 &&
         line.polygon[1] + 120 < whole.polygon[1] + 8);
  munja_document_free(document);
  munja_image_free(part);
}

static void Nothing(munja_engine* engine) {
  static uint8_t white[64 * 48 * 3];
  munja_image* image = NULL;
  munja_document* document = NULL;
  char* text = NULL;
  memset(white, 250, sizeof white);
  EXPECT(munja_image_from_rgb(white, 64, 48, 64 * 3, &image) == MUNJA_OK);
  EXPECT(munja_engine_read(engine, image, NULL, &document) == MUNJA_OK);
  EXPECT(munja_document_line_count(document) == 0);
  EXPECT(munja_document_to_text(document, &text) == MUNJA_OK);
  EXPECT(text != NULL && text[0] == 0);
  munja_free(text);
  munja_document_free(document);
  document = NULL;
  EXPECT(munja_engine_read(NULL, image, NULL, &document) ==
         MUNJA_INVALID_ARGUMENT);
  EXPECT(munja_engine_read(engine, NULL, NULL, &document) ==
         MUNJA_INVALID_ARGUMENT);
  EXPECT(munja_engine_read(engine, image, NULL, NULL) ==
         MUNJA_INVALID_ARGUMENT);
  EXPECT(document == NULL);
  munja_image_free(image);
}

static void Options(const char* model, const munja_image* image) {
  munja_engine_options options;
  munja_read_options read;
  munja_engine* engine = NULL;
  munja_document* document = NULL;
  munja_line line;
  memset(&line, 0, sizeof line);
  line.struct_size = sizeof line;
  char* json = NULL;
  memset(&options, 0, sizeof options);
  options.model = model;
  EXPECT(munja_engine_create(&options, &engine) == MUNJA_INVALID_ARGUMENT);
  options.struct_size = sizeof options;
  options.overrides = "{\"detector\": {\"no_such\": 1}}";
  EXPECT(munja_engine_create(&options, &engine) == MUNJA_INVALID_ARGUMENT);
  EXPECT(strstr(munja_last_error(), "no_such") != NULL);
  EXPECT(engine == NULL);
  options.overrides = "{\"detector\": {\"limit_side\": 640}}";
  options.threads = 2;
  EXPECT(munja_engine_create(&options, &engine) == MUNJA_OK);
  EXPECT(strcmp(munja_engine_name(engine), "default") == 0);
  EXPECT(munja_engine_settings(engine, &json) == MUNJA_OK);
  EXPECT(json != NULL && strstr(json, "640") != NULL);
  munja_free(json);
  memset(&read, 0, sizeof read);
  EXPECT(munja_engine_read(engine, image, &read, &document) ==
         MUNJA_INVALID_ARGUMENT);
  read.struct_size = sizeof read;
  read.task = MUNJA_TASK_DETECT;
  EXPECT(munja_engine_read(engine, image, &read, &document) == MUNJA_OK);
  EXPECT(munja_document_line_count(document) > 10);
  EXPECT(munja_document_line(document, 0, &line) == MUNJA_OK);
  EXPECT(line.text[0] == 0);
  munja_document_free(document);
  document = NULL;
  read.task = (munja_task)9;
  EXPECT(munja_engine_read(engine, image, &read, &document) ==
         MUNJA_INVALID_ARGUMENT);
  EXPECT(document == NULL);
  munja_engine_free(engine);
}

int main(int argc, char** argv) {
  munja_engine_options options;
  munja_read_options read;
  munja_engine* engine = NULL;
  munja_image* image = NULL;
  munja_document* page = NULL;
  if (argc != 3) return 2;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.model = argv[2];
  options.threads = 1;
  memset(&read, 0, sizeof read);
  read.struct_size = sizeof read;
  EXPECT(munja_engine_create(&options, &engine) == MUNJA_OK);
  EXPECT(munja_image_load(argv[1], NULL, &image) == MUNJA_OK);
  EXPECT(munja_engine_read(engine, image, &read, &page) == MUNJA_OK);
  if (failures == 0) {
    Lines(page);
    Writers(page, image);
    Times(page);
    Parts(engine, image, page);
    Nothing(engine);
    Options(argv[2], image);
  }
  munja_document_free(page);
  munja_image_free(image);
  munja_engine_free(engine);
  if (failures == 0) puts("ok");
  return failures == 0 ? 0 : 1;
}
