// --device as a user meets it: with CUDA in the build and without, with a GPU and without.
#include <nlohmann/json.hpp>

#include "backend/cuda_fixture.h"
#include "command/command.h"
#include "study/sample.h"

namespace obverse::command_test {
namespace {

/// Of a device that no machine has.
const std::string kMissing = "cuda:65535";

/// Every command that takes a device, with arguments that are right up to it; none of their data files is there.
std::vector<std::vector<std::string>> commands() {
  return {{"select", "missing.csv", "--target", "class", "-o", "result"},
          {"select", "missing.csv", "--target", "class", "--method", "anova"},
          {"evaluate", "missing.csv", "--target", "class", "-o", "result"},
          {"evaluate", "missing.csv", "--target", "class", "--ranking", "ranking.csv"},
          {"compare", "missing.csv", "--target", "class", "-o", "result"},
          {"demo", "-o", "result"},
          {"study", "plan.toml", "--store", "results.db"}};
}

std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

class DeviceCommand : public Command {
 protected:
  DeviceCommand() {
    write("data.csv", small_csv());
    write("plan.toml", std::string(study_test::kPlan));
    write("first.csv", study_test::small_csv());
  }

  nlohmann::json json_of(const std::vector<std::string>& arguments) const {
    const Outcome outcome = run(with(arguments, {"--json"}));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out, nullptr, false);
  }
};

TEST_F(DeviceCommand, RefusesAnyOtherWordBeforeItReadsData) {
  for (const auto& arguments : commands()) {
    for (const std::string word : {"gpu", "cuda:", "cuda:-1", "cuda:N"}) {
      expect_refused(with(arguments, {"--device", word}),
                     "--device: expected cpu, cuda, cuda:N or auto; found '" + word + "'");
    }
  }
  write("run.toml", "seed = 3\ndevice = \"gpu\"\n");
  expect_refused({"select", "missing.csv", "--config", "run.toml"},
                 "run.toml:2: device: expected cpu, cuda, cuda:N or auto");
  write("run.toml", "device = 0\n");
  expect_refused({"compare", "missing.csv", "--config", "run.toml"}, "run.toml:1: device: expected cpu, cuda");
}

TEST_F(DeviceCommand, RefusesADeviceThatIsNotThereBeforeItReadsData) {
  for (const auto& arguments : commands()) expect_refused(with(arguments, {"--device", kMissing}), "CUDA");
  write("run.toml", "device = \"" + kMissing + "\"\n");
  for (const std::string verb : {"select", "evaluate", "compare"}) {
    expect_refused({verb, "missing.csv", "--config", "run.toml"}, "CUDA");
    // What is typed wins: now it is the file that is missing.
    expect_refused({verb, "missing.csv", "--config", "run.toml", "--device", "cpu"}, "missing.csv");
  }
}

TEST_F(DeviceCommand, RefusesAPrecisionOfGpusOnTheProcessor) {
  const std::string message = "tf32 is a precision of GPUs; use --precision f32 or bf16, or --device cuda";
  for (const std::string verb : {"select", "evaluate", "compare"}) {
    expect_refused({verb, "missing.csv", "--target", "class", "--precision", "tf32"}, message);
  }
  expect_refused({"study", "plan.toml", "--store", "results.db", "--set", "precision=tf32"}, message);
  write("run.toml", "precision = \"tf32\"\n");
  const Outcome rankers =
      run({"compare", "data.csv", "--target", "class", "-k", "1", "--methods", "anova", "--config", "run.toml"});
  EXPECT_EQ(rankers.code, 0) << rankers.err;
}

TEST_F(DeviceCommand, SaysInTheResultWhereItRan) {
  const std::vector<std::string> few{"data.csv", "--target", "class", "-k", "1", "--device", "cpu"};
  EXPECT_EQ(json_of(with({"select"}, with(few, {"--epochs", "2"})))["options"]["device"], "cpu");
  EXPECT_EQ(json_of(with({"select"}, with(few, {"--method", "anova", "-o", "result"})))["options"]["device"], "cpu");
  const auto evaluated = json_of(with({"evaluate"}, with(few, {"--ranking", "result/ranking.csv"})));
  EXPECT_EQ(evaluated["options"]["device"], "cpu");
  const auto compared = json_of(with({"compare"}, with(few, {"--methods", "anova", "--runs", "1"})));
  EXPECT_EQ(compared["options"]["device"], "cpu");
  EXPECT_FALSE(compared["selection"].contains("device"));
}

TEST_F(DeviceCommand, AutoSaysWhichDeviceItTook) {
  const std::vector<std::string> few{"data.csv", "--target", "class", "-k", "1", "--device", "auto"};
  const auto selected = json_of(with({"select"}, with(few, {"--epochs", "2", "-o", "result"})));
  const std::string device = selected["options"]["device"];
  EXPECT_TRUE(device == "cpu" || device == "cuda") << device;
  EXPECT_NE(selected["notes"].dump().find("device auto: "), std::string::npos) << selected["notes"];
  for (const auto& arguments : {with({"evaluate"}, with(few, {"--ranking", "result/ranking.csv"})),
                                with({"compare"}, with(few, {"--methods", "anova", "--runs", "1"}))}) {
    EXPECT_EQ(json_of(arguments)["options"]["device"], device);
    EXPECT_NE(run(arguments).out.find("device auto: "), std::string::npos);
  }
  const Outcome study = run({"study", "plan.toml", "--store", "results.db", "--device", "auto"});
  EXPECT_EQ(study.code, 0) << study.err;
  EXPECT_NE(study.out.find("device auto: "), std::string::npos) << study.out;
}

TEST_F(DeviceCommand, AutoPrecisionIsShownAsTheOneItTook) {
  const auto selected = json_of({"select", "data.csv", "--target", "class", "-k", "1", "--epochs", "2"});
  const std::string precision = selected["options"]["recipes"][0]["precision"];
  EXPECT_TRUE(precision == "f32" || precision == "bf16") << precision;
}

TEST_F(DeviceCommand, IsNoPartOfAPlan) {
  expect_refused({"study", "plan.toml", "--store", "results.db", "--set", "device=cpu"}, "no key 'device'");
  const Outcome without = run({"study", "plan.toml", "--store", "results.db"});
  ASSERT_EQ(without.code, 0) << without.err;
  const Outcome with_device = run({"study", "plan.toml", "--store", "results.db", "--device", "cpu"});
  EXPECT_EQ(with_device.code, 0) << with_device.err;
  EXPECT_NE(with_device.out.find("18 of 18 units done"), std::string::npos) << with_device.out;
}

/// Skipped without a GPU.
class CudaCommand : public DeviceCommand {
 protected:
  void SetUp() override { test::need_cuda(); }
};

TEST_F(CudaCommand, SelectsEvaluatesAndComparesOnADevice) {
  const std::vector<std::string> few{"data.csv", "--target", "class", "-k", "1", "--device", "cuda"};
  for (const std::string precision : {"f32", "tf32", "bf16"}) {
    const auto selected =
        json_of(with({"select"}, with(few, {"--epochs", "20", "--precision", precision, "--test", "data.csv"})));
    EXPECT_EQ(selected["options"]["device"], "cuda");
    EXPECT_EQ(selected["selected"][0]["name"], "good");
    EXPECT_GT(selected["test"]["accuracy_selected"], 0.9);
  }
  const auto evaluated = json_of(with({"evaluate"}, with(few, {"--method", "anova"})));
  EXPECT_EQ(evaluated["options"]["device"], "cuda");
  const auto compared =
      json_of(with({"compare"}, with(few, {"--methods", "cfm,anova", "--runs", "1", "--epochs", "3"})));
  EXPECT_EQ(compared["options"]["device"], "cuda");
}

TEST_F(CudaCommand, RunsAStudyOnADeviceAndGoesOnWithItOnTheProcessor) {
  const Outcome device = run({"study", "plan.toml", "--store", "results.db", "--device", "cuda"});
  ASSERT_EQ(device.code, 0) << device.err;
  EXPECT_NE(run({"study", "status", "results.db"}).out.find("18 of 18 units done"), std::string::npos);
  EXPECT_EQ(run({"report", "results.db"}).code, 0);
  EXPECT_EQ(run({"study", "plan.toml", "--store", "results.db"}).code, 0);
}

}  // namespace
}  // namespace obverse::command_test
