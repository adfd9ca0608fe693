package io.munja;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.util.concurrent.TimeUnit;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;

/** The interface as programs in Java see it. */
class JavaUseTest {
  private static final File RECEIPT = new File(Support.INSTANCE.getPictures(), "receipt.jpg");

  @Test
  void javaProgram_ReadsAndWrites() throws Exception {
    OcrOptions options = new OcrOptions.Builder().threads(1).languages("en", "ko").build();
    try (OcrEngine engine = OcrEngine.create(options);
        Page page = engine.process(OcrImage.of(RECEIPT))) {
      StringBuilder words = new StringBuilder();
      for (Block block : page.getBlocks()) {
        for (Line line : block.getLines()) {
          for (Element element : line.getElements()) {
            words.append(element.getText());
            assertEquals(4, element.getCornerPoints().size());
            assertTrue(element.getConfidence() > 0);
            assertFalse(element.getSymbols().isEmpty());
          }
        }
      }
      assertTrue(words.toString().contains("BAKERY"));
      ByteArrayOutputStream pdf = new ByteArrayOutputStream();
      try (DocumentWriter writer = new DocumentWriter("pdf", pdf)) {
        writer.add(page, "receipt.jpg", OcrImage.of(RECEIPT));
        writer.finish();
      }
      assertTrue(pdf.size() > 1000);
      assertTrue(page.toJson().contains("BAKERY"));
    }
  }

  @Test
  void javaProgram_HasFuturesLimitsAndImagesOfItsOwn() throws Exception {
    try (OcrEngine engine = OcrEngine.create();
        Control control = new Control.Builder().timeoutMillis(60_000).progress((what, done, total) -> true).build()) {
      ReadOptions options = new ReadOptions.Builder().control(control).minConfidence(0.5f).build();
      assertTrue(engine.processAsync(OcrImage.of(RECEIPT), options).get(60, TimeUnit.SECONDS).getText().contains("TOTAL"));
      Page page = engine.process(AwtImages.of(ImageIO.read(RECEIPT)));
      assertTrue(page.getText().contains("TOTAL"));
      assertTrue(engine.process(PathImages.of(RECEIPT.toPath())).getText().contains("TOTAL"));
    }
  }

  @Test
  void javaProgram_CatchesTheStatus() {
    MunjaException exception =
        assertThrows(
            MunjaException.class, () -> OcrEngine.create(new OcrOptions.Builder().model("nowhere").build()));
    assertEquals(Status.NOT_FOUND, exception.getStatus());
  }
}
