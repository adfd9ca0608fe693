import io.munja.OcrEngine;
import io.munja.OcrImage;
import io.munja.OcrOptions;
import io.munja.Page;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures what the jar adds to a call, and memory in a long run. The library measures its own milliseconds inside of the
 * call; the rest of the call's time is that of the binding. The least of many calls counts: other work only adds to it.
 */
final class Overhead {
  public static void main(String[] arguments) throws Exception {
    int pages = Integer.parseInt(arguments[0]);
    List<OcrImage> images = new ArrayList<>();
    try (OcrEngine engine = OcrEngine.create(new OcrOptions.Builder().threads(1).build())) {
      for (int i = 1; i < arguments.length; ++i) {
        OcrImage image = OcrImage.of(new File(arguments[i]));
        images.add(image);
        double least = Double.MAX_VALUE;
        double added = Double.MAX_VALUE;
        for (int k = 0; k < 200; ++k) {
          long begin = System.nanoTime();
          Page page = engine.process(image);
          double all = (System.nanoTime() - begin) / 1e6;
          least = Math.min(least, all);
          added = Math.min(added, all - page.getTiming().getTotal());
          page.close();
        }
        System.out.printf("%s: %.2f ms a page, of which the binding %.3f ms (%.2f %%)%n",
            arguments[i], least, added, 100 * added / least);
      }
      for (int i = 0; i <= pages; ++i) {
        try (Page page = engine.process(images.get(i % images.size()))) {
          page.toJson();
        }
        if (i % (pages / 5) == 0) {
          for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS")) System.out.println("after " + i + " pages: " + line);
          }
        }
      }
    }
  }
}
