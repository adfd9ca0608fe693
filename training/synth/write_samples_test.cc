#include "synth/write_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "document/labels.h"
#include "image/decode.h"
#include "synth/line_source.h"
#include "synth/testing.h"

namespace munja::train {
namespace {

std::string Folder() {
  const std::string mark = test_files::Write("mark", "");
  const std::string folder = mark.substr(0, mark.rfind('/')) + "/out";
  std::filesystem::remove_all(folder);
  return folder;
}

SynthJob TinyJob() {
  SynthJob job;
  job.recipe = test_files::Recipe("tiny.json");
  job.folder = Folder();
  job.count = 12;
  job.seed = 9;
  job.preview = job.folder + "/preview.png";
  return job;
}

TEST(WriteSamples, Lines_HaveLabelsThatEvaluationReads) {
  const SynthJob job = TinyJob();
  std::vector<std::string> warnings;
  const Status status = WriteSamples(job, warnings);
  ASSERT_TRUE(status.ok()) << status.message();
  const auto labels = document::ReadLabels(job.folder + "/labels/synth.jsonl");
  ASSERT_TRUE(labels.ok()) << labels.status().message();
  ASSERT_EQ(labels->size(), 12u);
  const auto source = LineSource::Open(job.recipe, job.seed);
  ASSERT_TRUE(source.ok());
  for (size_t i = 0; i < labels->size(); ++i) {
    const auto sample = (*source)->Make(i);
    ASSERT_TRUE(sample.ok());
    const document::LabeledImage& label = (*labels)[i];
    EXPECT_TRUE(label.is_crop);
    EXPECT_EQ(label.text, sample->text);
    // Paths count from the folder above the labels.
    const auto picture = image::DecodeFile(job.folder + "/" + label.image);
    ASSERT_TRUE(picture.ok()) << picture.status().message();
    EXPECT_EQ(picture->width(), sample->picture.width());
  }
  const auto preview = image::DecodeFile(job.preview);
  ASSERT_TRUE(preview.ok());
  EXPECT_GT(preview->height(), 20);
}

TEST(WriteSamples, Pages_HaveOutlines) {
  SynthJob job = TinyJob();
  job.pages = true;
  job.count = 2;
  std::vector<std::string> warnings;
  const Status status = WriteSamples(job, warnings);
  ASSERT_TRUE(status.ok()) << status.message();
  const auto labels = document::ReadLabels(job.folder + "/labels/synth.jsonl");
  ASSERT_TRUE(labels.ok()) << labels.status().message();
  ASSERT_EQ(labels->size(), 2u);
  EXPECT_FALSE((*labels)[0].is_crop);
  for (const document::LabeledLine& line : (*labels)[0].lines)
    EXPECT_GE(line.polygon.size(), 4u);
  EXPECT_TRUE(image::DecodeFile(job.folder + "/" + (*labels)[1].image).ok());
}

TEST(WriteSamples, NumberOfThreads_DoesNotShow) {
  SynthJob job = TinyJob();
  std::vector<std::string> warnings;
  std::vector<document::LabelSet> sets;
  for (int threads : {1, 4}) {
    job.threads = threads;
    ASSERT_TRUE(WriteSamples(job, warnings).ok());
    sets.push_back(
        document::ReadLabels(job.folder + "/labels/synth.jsonl").value());
  }
  for (size_t i = 0; i < sets[0].size(); ++i)
    EXPECT_EQ(sets[0][i].text, sets[1][i].text);
}

TEST(WriteSamples, Mistakes_AreRefused) {
  std::vector<std::string> warnings;
  SynthJob job = TinyJob();
  job.count = 0;
  EXPECT_EQ(WriteSamples(job, warnings).code(), Code::kInvalidArgument);
  job = TinyJob();
  job.folder = job.preview = "";
  EXPECT_EQ(WriteSamples(job, warnings).code(), Code::kInvalidArgument);
  job = TinyJob();
  job.folder = test_files::Write("file", "") + "/below";
  EXPECT_EQ(WriteSamples(job, warnings).code(), Code::kIo);
  job = TinyJob();
  job.recipe = "/none/such.json";
  EXPECT_EQ(WriteSamples(job, warnings).code(), Code::kNotFound);
}

}  // namespace
}  // namespace munja::train
