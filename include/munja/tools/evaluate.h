/* Scoring documents against labels. */
#ifndef MUNJA_TOOLS_EVALUATE_H_
#define MUNJA_TOOLS_EVALUATE_H_

#include "munja/document.h"
#include "munja/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct munja_evaluation munja_evaluation;

/* Reads labels, one JSON object per line: {"image", "lines": [{"poly",
 * "text"}]} or {"image", "text"} for images of single lines. */
MUNJA_API munja_status munja_evaluation_create(const char* labels,
                                               munja_evaluation** evaluation);
MUNJA_API void munja_evaluation_free(munja_evaluation* evaluation);
MUNJA_API int32_t munja_evaluation_count(const munja_evaluation* evaluation);
/* Path of the image of an entry; NULL for an index out of range. */
MUNJA_API const char* munja_evaluation_image(const munja_evaluation* evaluation,
                                             int32_t index);
/* Nonzero: the entry is an image of a single line. */
MUNJA_API int32_t munja_evaluation_is_crop(const munja_evaluation* evaluation,
                                           int32_t index);
/* Ignores labels with exactly this text, by which many sets mark illegible text
 * ("###"). Lines are treated as those with "ignore"; images of single lines are
 * removed, which changes the indices of others. MUNJA_INVALID_ARGUMENT once an
 * entry is scored. */
MUNJA_API munja_status
munja_evaluation_ignore_text(munja_evaluation* evaluation, const char* text);
/* Reads earlier results of this or another engine: a file of documents as
 * munja_document_to_json() writes them. Each needs only "source", a path that
 * ends with the label's "image", and "text" and "polygon" of its "lines", or
 * "text" alone for an image of a single line. */
MUNJA_API munja_status
munja_evaluation_load_results(munja_evaluation* evaluation, const char* path);
/* The loaded result for an entry; *document is NULL if there is none. */
MUNJA_API munja_status
munja_evaluation_result(const munja_evaluation* evaluation, int32_t index,
                        munja_document** document);
/* Scores an entry; document NULL: no text. */
MUNJA_API munja_status munja_evaluation_add(munja_evaluation* evaluation,
                                            int32_t index,
                                            const munja_document* document);
/* Compares a document with the labels of an entry, line by line: a JSON list of
 * objects with "label" and "outline" ([x0, y0, ...], pixels of the upright
 * image; labels with a position only), "read", "polygon" and "confidence"
 * (results only), and "right" (equal in Unicode form NFKC with white space
 * collapsed). Matched one to one from an intersection over union of 1/2, as the
 * scores are. Labels come in their order, then unmatched results; labels with
 * "ignore" are excluded. One object for an image of a single line. document
 * NULL: no text. munja_free(). */
MUNJA_API munja_status
munja_evaluation_compare(const munja_evaluation* evaluation, int32_t index,
                         const munja_document* document, char** json);
/* The scores so far, JSON; docs/lab/accuracy.md defines their names. */
MUNJA_API munja_status
munja_evaluation_figures(const munja_evaluation* evaluation, char** json);

#ifdef __cplusplus
}
#endif

#endif /* MUNJA_TOOLS_EVALUATE_H_ */
