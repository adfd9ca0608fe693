// Several readings of one line, combined.
#ifndef MUNJA_TRACK_VOTE_H_
#define MUNJA_TRACK_VOTE_H_

#include <span>
#include <string>
#include <string_view>

namespace munja::track {

// The text that the majority of the readings has at each position. They are
// aligned one after the other by edit distance (ROVER: Fiscus, ASRU 1997).
// Every reading has one vote at each position; between equal numbers the
// earliest reading decides. UTF-8.
std::string Vote(std::span<const std::string> readings);

// 1: equal; 0: no character in common. One less the edit distance over the
// length of the longer text.
float Similarity(std::string_view a, std::string_view b);

}  // namespace munja::track

#endif  // MUNJA_TRACK_VOTE_H_
