package io.munja;

/** Meets null pointers, which the JVM finds by a signal once the method is compiled. */
final class NullPointers {
  private NullPointers() {}

  static int caught(int rounds) {
    int caught = 0;
    for (int i = 0; i < rounds; ++i) {
      try {
        if (length(i % 2 == 0 ? "text" : null) != 4) {
          return -1;
        }
      } catch (NullPointerException e) {
        caught++;
      }
    }
    return caught;
  }

  private static int length(String text) {
    return text.length();
  }
}
