/* Prints the lines of an image: confidence, box, text.
 *
 *   read receipt.jpg
 *   1.00  173,174 737,264  BAKERY NORTHWIND
 *   ... */
#include <stdio.h>

#include "munja/ocr.h"

static float Least(const float* polygon) {
  float least = polygon[0];
  for (int i = 2; i < 8; i += 2)
    if (polygon[i] < least) least = polygon[i];
  return least;
}

static float Most(const float* polygon) {
  float most = polygon[0];
  for (int i = 2; i < 8; i += 2)
    if (polygon[i] > most) most = polygon[i];
  return most;
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: read IMAGE\n");
    return 2;
  }
  munja_engine* engine = NULL;
  munja_image* image = NULL;
  munja_document* page = NULL;
  munja_document_view view = {sizeof view};
  /* The engine is the expensive part: one serves any number of images. */
  const int is_read =
      munja_engine_create(NULL, &engine) == MUNJA_OK &&
      munja_image_load(argv[1], NULL, &image) == MUNJA_OK &&
      munja_engine_read(engine, image, NULL, &page) == MUNJA_OK &&
      munja_document_get_view(page, &view) == MUNJA_OK;
  if (!is_read) fprintf(stderr, "read: %s\n", munja_last_error());
  for (size_t i = 0; i < view.line_count; ++i) {
    const munja_line_view* line = &view.lines[i];
    printf("%.2f  %.0f,%.0f %.0f,%.0f  %.*s\n", line->confidence,
           Least(line->polygon), Least(line->polygon + 1), Most(line->polygon),
           Most(line->polygon + 1), (int)line->text_size,
           view.text + line->text_begin);
  }
  munja_document_free(page);
  munja_image_free(image);
  munja_engine_free(engine);
  return is_read ? 0 : 1;
}
