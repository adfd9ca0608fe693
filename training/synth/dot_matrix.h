// Letters made of dots: needle printers, displays of lamps, pixels of small
// screens.
#ifndef MUNJA_SYNTH_DOT_MATRIX_H_
#define MUNJA_SYNTH_DOT_MATRIX_H_

#include "base/status.h"
#include "synth/random.h"
#include "synth/typesetter.h"

namespace munja::train {

// Turns the outlines of a line into dots on a grid of `rows` dots an em.
// `radius`: of a dot, parts of their distance (0.5: they touch); square ones
// are pixels of a screen.
void DotLine(SetLine& line, float em, int rows, float radius, bool square);

}  // namespace munja::train

#endif  // MUNJA_SYNTH_DOT_MATRIX_H_
