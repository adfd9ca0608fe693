// Things that are not text although they look as if they could be: a detector
// must learn to leave them.
#ifndef MUNJA_SYNTH_DISTRACTORS_H_
#define MUNJA_SYNTH_DISTRACTORS_H_

#include "synth/canvas.h"
#include "synth/page_map.h"
#include "synth/random.h"

namespace munja::train {

// Each fills about `box` (page coordinates) in `color`, seen through `map`.
// A pictogram of a few strokes and shapes, as on buttons and signs.
void DrawIcon(Canvas& canvas, Random& random, const PageMap& map,
              const Box& box, Color color);
void DrawArrow(Canvas& canvas, Random& random, const PageMap& map,
               const Box& box, Color color);
void DrawBarcode(Canvas& canvas, Random& random, const PageMap& map,
                 const Box& box, Color color);
// A square two-dimensional code with three finder patterns.
void DrawMatrixCode(Canvas& canvas, Random& random, const PageMap& map,
                    const Box& box, Color color);
// A place for a photograph: a textured box, sometimes framed.
void DrawPhoto(Canvas& canvas, Random& random, const PageMap& map,
               const Box& box);
// Bars or a curve over axes, without numbers.
void DrawChart(Canvas& canvas, Random& random, const PageMap& map,
               const Box& box, Color color);
// A signature-like stroke.
void DrawScribble(Canvas& canvas, Random& random, const PageMap& map,
                  const Box& box, Color color);

// `count` random things anywhere in the picture: poles, cables, stripes, grids,
// leaves, circles, boxes, icons, codes.
void ScatterDistractors(Canvas& canvas, Random& random, int count);

}  // namespace munja::train

#endif  // MUNJA_SYNTH_DISTRACTORS_H_
