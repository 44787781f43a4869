#include "report/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <obverse/report.h>

#include "page/markup.h"

namespace obverse {
namespace {

ComparedMethod method(const std::string& name, std::size_t rank, double score, double seconds) {
  return {.name = name,
          .run_means = {score, score + 0.01},
          .mean = score,
          .deviation = 0.01,
          .seconds = seconds,
          .stability = 0.5,
          .rank = rank};
}

/// cfm before rf before fm; stg could not rank the data, whose names hold markup.
Comparison sample() {
  Comparison c;
  c.methods = {method("cfm", 1, 0.93, 4),
               method("rf", 2, 0.925, 0.5),
               method("fm", 3, 0.90, 2),
               {.name = "stg", .mean = std::nan(""), .seconds = std::nan(""), .note = "class '<b>' has one row"}};
  c.all_features = method("all-features", 0, 0.95, 0);
  for (const auto& [name, score] : {std::pair("cfm", 0.93), {"rf", 0.925}, {"fm", 0.90}, {"all-features", 0.95}}) {
    for (int run = 0; run < 2; ++run) {
      for (const std::size_t k : {std::size_t{2}, std::size_t{5}}) {
        for (const std::string classifier : {"rf", "knn"}) {
          c.results.rows.push_back({.method = name, .run = run, .k = k, .classifier = classifier, .value = score});
        }
      }
    }
  }
  c.recommended = "rf";
  c.recommendation = "Use rf: it is fast. All runs share rows.";
  c.consensus = {.k = 5,
                 .features = {{.feature = 3, .name = "<u>age</u>", .runs = 2, .methods = 1}},
                 .missed = {{.feature = 7, .name = "<s>sex</s>", .runs = 0, .methods = 2}},
                 .methods = {"cfm", "fm"}};
  c.metric = "accuracy";
  c.notes = {"1 feature holds one value only: <script>"};
  c.features = 100;
  c.classes = 3;
  c.target_name = "<i>kind</i>";
  c.options.methods = {"cfm", "fm", "stg", "rf"};
  c.options.k = {2, 5};
  c.options.runs = 2;
  c.options.classifiers = {"rf", "knn"};
  c.options.select.threads = 2;
  return c;
}

std::string section(const Page& page, const std::string& id) {
  for (const PageSection& one : page.sections) {
    if (one.id == id) return one.html;
  }
  return {};
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(ComparisonPage, LeadsWithTheRecommendation) {
  const Page page = comparison_page(sample(), {.path = "some/data.csv"});
  EXPECT_TRUE(
      page.lead.starts_with("<p class=\"answer\"><strong>Use rf</strong>: it is fast. All runs share rows.</p>"))
      << page.lead;
  EXPECT_TRUE(holds(page.lead, "<dd>rf</dd><dd>mean accuracy 92.5% ± 1.0, rank 2 of 4"));
  EXPECT_TRUE(holds(page.lead, "cfm takes 4.00 s"));
  EXPECT_TRUE(page.subtitle.starts_with("data.csv · "));
}

TEST(ComparisonPage, HasEverySectionAndSoundDrawings) {
  const Page page = comparison_page(sample(), {.command = "obverse compare 'a b'"});
  for (const std::string id :
       {"features", "methods", "curves", "time", "complement", "classifiers", "data", "options", "run"}) {
    const std::string html = section(page, id);
    EXPECT_FALSE(html.empty()) << id;
    for (std::size_t at = html.find("<svg"); at != std::string::npos; at = html.find("<svg", at + 1)) {
      const std::size_t end = html.find("</svg>", at) + 6;
      EXPECT_EQ(sample::xml_fault(std::string_view(html).substr(at, end - at)), "") << id;
    }
  }
  EXPECT_TRUE(holds(section(page, "options"), "obverse compare &#39;a b&#39;"));
}

TEST(ComparisonPage, HoldsEachMaskAgainstItselfWithoutTheComplement) {
  const std::string html = section(comparison_page(sample()), "complement");
  EXPECT_TRUE(holds(html, "the complement helps 1 of 1"));  // stg has nothing to be held against
  EXPECT_TRUE(holds(html, "fm: 4 of 4 won"));
  EXPECT_TRUE(holds(html, "+3.0"));
  Comparison rankers = sample();
  rankers.methods = {rankers.methods[1]};
  EXPECT_TRUE(section(comparison_page(rankers), "complement").empty());
}

TEST(ComparisonPage, EscapesWhatComesFromTheData) {
  const std::string html = report_html(sample());
  EXPECT_FALSE(holds(html, "<i>kind"));
  EXPECT_FALSE(holds(html, "'<b>'"));
  EXPECT_FALSE(holds(html, "only: <script>"));
  EXPECT_FALSE(holds(html, "<u>age"));
  EXPECT_FALSE(holds(html, "<s>sex"));
  EXPECT_TRUE(holds(html, "stg could not rank the data: class &#39;&lt;b&gt;&#39; has one row"));
}

TEST(ComparisonPage, ShowsTheFeaturesTheConsensusAndTheNextCommand) {
  const std::string html =
      section(comparison_page(sample(), {.next_command = "obverse select 'a b' --method rf"}), "features");
  EXPECT_TRUE(holds(html, "The 5 features that rf selects most often for k = 5"));
  EXPECT_TRUE(holds(html, "<td>&lt;u&gt;age&lt;/u&gt;</td>")) << html;
  EXPECT_TRUE(holds(html, "2&nbsp;of&nbsp;2")) << html;
  EXPECT_TRUE(holds(html, "1&nbsp;of&nbsp;2")) << html;
  EXPECT_TRUE(holds(html, "Selected by most of the other methods, but not by rf: &lt;s&gt;sex&lt;/s&gt; (2 of 2)."));
  EXPECT_TRUE(holds(html, "<code>obverse select &#39;a b&#39; --method rf</code>"));
  Comparison yardsticks = sample();
  yardsticks.recommended.clear();
  yardsticks.consensus = {};
  EXPECT_TRUE(section(comparison_page(yardsticks), "features").empty());
}

TEST(ComparisonPage, WritesLossesAsNumbersThatAreBetterWhenLower) {
  Comparison c = sample();
  c.metric = "log_loss";
  const Page page = comparison_page(c);
  EXPECT_TRUE(holds(page.lead, "mean log loss 0.925 ± 0.010")) << page.lead;
  EXPECT_FALSE(holds(page.lead, "%")) << page.lead;
  EXPECT_TRUE(holds(section(page, "methods"), "Mean log loss over k = 2, 5 and all classifiers, lower is better"));
  EXPECT_TRUE(holds(section(page, "time"), "Low and to the left is better."));
  EXPECT_TRUE(holds(section(page, "complement"), "the complement helps 0 of 1"));  // 0.93 with it, 0.90 without
  EXPECT_TRUE(holds(section(page, "complement"), "fm: 0 of 4 won"));
  EXPECT_TRUE(holds(section(page, "complement"), "+0.030"));
  EXPECT_TRUE(holds(section(page, "classifiers"), "Log loss: 0.950 with all features."));
  for (const PageSection& one : page.sections) {
    EXPECT_FALSE(holds(one.html, "in %")) << one.id;
  }
}

TEST(ComparisonPage, SaysWhatTheTimesWereTakenOn) {
  Comparison c = sample();
  EXPECT_TRUE(holds(section(comparison_page(c), "time"), "with 2 threads."));
  c.options.select.device = "cuda:1";
  EXPECT_TRUE(holds(section(comparison_page(c), "time"), "with 2 threads, networks on cuda:1."));
}

TEST(ComparisonPage, OneRunShowsNoDeviation) {
  Comparison c = sample();
  c.options.runs = 1;
  for (ComparedMethod* one : {&c.methods[0], &c.methods[1], &c.methods[2], &c.all_features}) {
    one->run_means.resize(1);
  }
  std::erase_if(c.results.rows, [](const Result& row) { return row.run > 0; });
  const Page page = comparison_page(c);
  EXPECT_FALSE(holds(page.lead, "±"));
  EXPECT_FALSE(holds(section(page, "methods"), "Stable"));
}

TEST(ComparisonFindings, HoldWhatWasComparedAsOneSet) {
  const Findings findings = findings_of(sample());
  EXPECT_EQ(findings.sets.size(), 1U);
  ASSERT_EQ(findings.methods.size(), 3U);  // stg could not rank the data
  EXPECT_EQ(findings.methods[1].name, "rf");
  EXPECT_EQ(findings.methods[1].kind, "no network");
  EXPECT_EQ(findings.cells.size(), 3U * 2 * 2);
  EXPECT_EQ(findings.cells[0].runs, (std::vector<int>{0, 1}));
  EXPECT_EQ(findings.cells[0].mean, 0.93);
  ASSERT_EQ(findings.comparisons.size(), 1U);
  EXPECT_EQ(findings.comparisons[0].won, 4U);
  EXPECT_EQ(findings.costs[1].training_seconds, 0.5);
}

TEST(ComparisonText, TableHasEveryMethod) {
  const Comparison c = sample();
  const std::string table = table_plain(methods_table(c), {});
  EXPECT_TRUE(holds(table, "  cfm                  93.0  93.0  93.0  4.00 s    0.50\n")) << table;
  EXPECT_TRUE(holds(table, "  all-features  95.0 +- 1.0  95.0  95.0       -       -\n")) << table;
  const nlohmann::ordered_json tree = comparison_tree(c, {.next_command = "obverse select"});
  EXPECT_TRUE(tree["methods"][3].contains("note"));
  EXPECT_EQ(tree["recommendation"]["features"][0]["feature"], 4);
  EXPECT_EQ(tree["consensus"]["missed"][0]["methods"], 2);
  EXPECT_EQ(tree["next_command"], "obverse select");
  EXPECT_FALSE(comparison_tree(c, {}).contains("next_command"));
}

}  // namespace
}  // namespace obverse
