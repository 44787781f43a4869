#include "report/selection.h"

#include <functional>

#include <gtest/gtest.h>

#include <obverse/error.h>
#include <obverse/generate.h>
#include <obverse/report.h>

#include "support/json.h"
#include "writers/sample.h"
#include "writers/writers.h"

namespace obverse {
namespace {

using Json = nlohmann::ordered_json;

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string section(const Page& page, std::string_view id) {
  for (const PageSection& one : page.sections) {
    if (one.id == id) return one.html;
  }
  return {};
}

/// What the explorer is given.
Json explorer(const Page& page) {
  const std::string html = section(page, "features");
  const std::string opening = "<script type=\"application/json\" id=\"ranking\">";
  const std::size_t begin = html.find(opening) + opening.size();
  return Json::parse(html.substr(begin, html.find("</script>", begin) - begin));
}

/// The tree as a reader of the file gets it.
Json reread(const Json& tree) { return Json::parse(json_text(tree)); }

TEST(SelectionPage, SaysWhatWasAskedTheAnswerAndHowSure) {
  Json tree = selection_tree(sample::selection());
  tree["data"]["target"] = "churn";
  tree["test"] = {{"path", "t.csv"}, {"rows", 50}, {"accuracy_selected", 0.92}, {"accuracy_all", 0.875}};
  tree["models"][1]["accuracy"] = 0.9;
  const Page page = selection_page(reread(tree));
  EXPECT_EQ(page.title, "Which 2 of the 3 features tell the classes of ‘churn’ apart?");
  EXPECT_TRUE(holds(page.subtitle, "100 rows"));
  EXPECT_LT(page.lead.find("income"), page.lead.find("age"));
  EXPECT_FALSE(holds(page.lead, "noise"));
  EXPECT_TRUE(holds(page.lead, "92.0 %"));
  EXPECT_TRUE(holds(page.lead, "87.5 % with all 3 features"));
  EXPECT_TRUE(holds(page.lead, "90.0 %"));
  EXPECT_TRUE(holds(page.lead, "0.20"));
  EXPECT_TRUE(holds(page.lead, "agree little"));
}

TEST(SelectionPage, GivesTheExplorerEveryFeature) {
  const Json given = explorer(selection_page(reread(selection_tree(sample::selection()))));
  EXPECT_EQ(given["names"], Json({"income", "age", "noise"}));
  EXPECT_EQ(given["scores"], Json({0.7, 0.25, 0.05}));
  EXPECT_EQ(given["order"], Json({0, 1, 2}));
  EXPECT_EQ(given["frequency"], Json({1, 0.5, 0.5}));
  EXPECT_EQ(given["k"], 2);
  EXPECT_EQ(given["total"], 3);
  EXPECT_TRUE(given["truth"].is_null());
  EXPECT_FALSE(given.contains("image"));
}

TEST(SelectionPage, ShowsTheTruthWhereItIsKnown) {
  Json tree = selection_tree(sample::selection());
  tree["data"]["true_features"] = {2, 3};
  const Page page = selection_page(reread(tree));
  EXPECT_TRUE(holds(page.lead, "1 of 2"));
  EXPECT_EQ(explorer(page)["truth"], Json({0, 2}));  // income and noise, first and last of the ranking
}

TEST(SelectionPage, MarksTheModelThatAnswers) {
  const std::string models = section(selection_page(reread(selection_tree(sample::selection()))), "models");
  EXPECT_TRUE(holds(models, "Model 2 of 2 answers: best of 2 models."));
  EXPECT_TRUE(holds(models, "<tr data-series=\"default\" class=\"picked\">"));
  EXPECT_TRUE(holds(models, "<svg xmlns"));
  EXPECT_TRUE(holds(models, "recipe,seed,gamma,accuracy,chosen\ndefault,3,0.1,0,0\ndefault,3,1,0,1\n"));
}

TEST(SelectionPage, OfOneModelComparesNothing) {
  Selection one = sample::selection();
  one.models.resize(1);
  one.chosen = 0;
  one.validation_rows = 0;
  const Page page = selection_page(reread(selection_tree(one)));
  EXPECT_EQ(section(page, "agreement"), "");
  EXPECT_FALSE(holds(section(page, "models"), "<svg"));
  EXPECT_FALSE(holds(page.lead, "Stability"));
  EXPECT_FALSE(holds(page.lead, "Held-out"));
  EXPECT_TRUE(explorer(page)["frequency"].is_null());
}

TEST(SelectionPage, OfABaselineSpeaksOfNoModels) {
  const Page page = selection_page(reread(selection_tree(sample::baseline_selection())));
  EXPECT_EQ(section(page, "models"), "");
  EXPECT_EQ(section(page, "agreement"), "");
  EXPECT_TRUE(holds(page.lead, "anova"));
  EXPECT_TRUE(holds(page.lead, "no network was trained"));
  EXPECT_TRUE(explorer(page)["scores"][0].is_null());  // without a limit
}

TEST(SelectionPage, TakesNoNameForMarkup) {
  const std::string html = page_html(selection_page(reread(selection_tree(
      sample::selection({"</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\xff"})))));
  EXPECT_FALSE(holds(html, "<img"));
  EXPECT_FALSE(holds(html, "<script>alert"));
  EXPECT_TRUE(holds(html, "&lt;img src=x onerror=alert(1)&gt;"));
}

TEST(SelectionPage, HoldsTheFirstFeaturesOfVeryManyOnly) {
  constexpr std::size_t kFeatures = 20000;
  Selection wide = sample::selection();
  wide.k = 15000;
  wide.ranking = {};
  for (std::size_t f = 0; f < kFeatures; ++f) {
    wide.ranking.order.push_back(kFeatures - 1 - f);
    wide.ranking.scores.push_back(static_cast<double>(f));
    wide.ranking.names.push_back(cat("f", f));
  }
  wide.agreement.frequency.assign(kFeatures, 1);
  wide.models = sample::models(std::vector<float>(kFeatures));
  wide.constant_features = {};
  const Page page = selection_page(reread(selection_tree(wide)));
  const Json given = explorer(page);
  EXPECT_EQ(given["names"].size(), 10000U);
  EXPECT_EQ(given["names"][0], "f19999");
  EXPECT_EQ(given["k"], 10000);
  EXPECT_EQ(given["total"], kFeatures);
  EXPECT_TRUE(holds(section(page, "features"), "holds the first 10,000 of 20,000 features"));
}

/// 2 x 2 pictures, a bright pixel for each class.
Dataset pictures() {
  return Dataset({.storage = sample::dense<std::uint8_t>(4, {10, 0, 0, 0, 0, 5, 0, 0, 7, 0, 0, 0}),
                  .feature_names = {"pixel_0_0", "pixel_0_1", "pixel_1_0", "pixel_1_1"},
                  .labels = {1, 0, 1},
                  .class_names = {"a", "b"},
                  .target_name = "letter",
                  .image_shape = ImageShape{.height = 2, .width = 2}});
}

Selection selected_pixels() {
  Selection s = sample::selection({"pixel_0_0", "pixel_0_1", "pixel_1_0", "pixel_1_1"});
  s.ranking.order = {1, 0, 3, 2};
  s.ranking.scores = {0.2, 0.6, 0.05, 0.15};
  s.agreement.frequency = {1, 1, 0, 0};
  s.models = sample::models({1, 2, -1, 0.5F});
  return s;
}

TEST(SelectionTree, HoldsAnExampleOfEachClassOfPictures) {
  const Json tree = selection_tree(selected_pixels(), pictures());
  EXPECT_EQ(tree["data"]["target"], "letter");
  EXPECT_EQ(tree["data"]["classes"], 2);
  EXPECT_EQ(tree["data"]["image"], Json({{"height", 2}, {"width", 2}}));
  // Brought to 0 to 255: (0, 127.5, 0, 0) and (255, 0, 0, 0).
  EXPECT_EQ(tree["data"]["examples"],
            Json({{{"label", "a"}, {"pixels", "AIAAAA=="}}, {{"label", "b"}, {"pixels", "/wAAAA=="}}}));
}

TEST(SelectionTree, OfATableHoldsNoPictures) {
  const Json tree = selection_tree(sample::selection(), sample::dataset({"a", "b"}));
  EXPECT_EQ(tree["data"]["target"], "churn");
  EXPECT_FALSE(tree["data"].contains("image"));
  EXPECT_FALSE(tree["data"].contains("examples"));
}

TEST(SelectionPage, OfPicturesShowsThemInTheirOwnOrder) {
  const Page page = selection_page(reread(selection_tree(selected_pixels(), pictures())));
  const Json given = explorer(page);
  EXPECT_TRUE(given["names"].is_null());  // page.js names pixels itself
  EXPECT_EQ(given["scores"], Json({0.2, 0.6, 0.05, 0.15}));
  EXPECT_EQ(given["order"], Json({1, 0, 3, 2}));
  EXPECT_EQ(given["picture"], Json({1.0, 2.0, -1.0, 0.5}));
  EXPECT_EQ(given["image"]["width"], 2);
  EXPECT_EQ(given["examples"].size(), 2U);
}

TEST(ReportHtml, IsTheSameFromMemoryAndFromTheFile) {
  const sample::Room room;
  const Selection selection = selected_pixels();
  const std::string html = report_html(selection, pictures());
  EXPECT_EQ(html, page_html(selection_page(reread(selection_tree(selection, pictures())))));
  write_report(selection, pictures(), room / "report.html");
  EXPECT_EQ(sample::content(room / "report.html"), html);
  EXPECT_THROW(write_report(selection, pictures(), room / "none/report.html"), Error);
}

TEST(SelectionPage, ShowsOptionsThatItDoesNotKnow) {
  Json tree = reread(selection_tree(sample::selection()));
  tree["options"]["strange"] = {{"a", {1, 2}}};
  tree["options"]["recipes"].push_back(3);
  const std::string options = section(selection_page(tree), "options");
  EXPECT_TRUE(holds(options, "strange"));
  EXPECT_FALSE(holds(options, "Recipes"));
}

/// The message for a tree that was changed.
std::string refusal(const std::function<void(Json&)>& change) {
  Json tree = reread(selection_tree(selected_pixels(), pictures()));
  change(tree);
  try {
    selection_page(tree, "some/file.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::input);
    EXPECT_TRUE(holds(error.what(), "some/file.json: not a selection as `obverse select -o` writes it: "))
        << error.what();
    return error.what();
  }
  return "accepted";
}

TEST(SelectionPage, RefusesWhatIsNoSelectionAndSaysWhere) {
  EXPECT_TRUE(holds(refusal([](Json& t) { t = Json::array({1, 2}); }), "JSON: expected an object, found a list of 2"));
  EXPECT_TRUE(holds(refusal([](Json& t) { t = Json::object(); }), "version: expected a value, found none"));
  EXPECT_TRUE(holds(refusal([](Json& t) { t.erase("ranking"); }), "ranking: expected a value, found none"));
  EXPECT_TRUE(holds(refusal([](Json& t) { t["k"] = "many"; }), "k: expected a whole number from 1 to 4, found 'many'"));
  EXPECT_TRUE(holds(refusal([](Json& t) { t["k"] = 9; }), "k: expected a whole number from 1 to 4, found 9"));
  EXPECT_TRUE(holds(refusal([](Json& t) { t["k"] = -1; }), "from 1 to 4, found -1"));
  EXPECT_TRUE(
      holds(refusal([](Json& t) { t["ranking"][0] = 5; }), "ranking: expected a whole number from 1 to 4, found 5"));
  EXPECT_TRUE(
      holds(refusal([](Json& t) { t["ranking"][0] = 1; }), "ranking: expected each feature once, found 1 twice"));
  EXPECT_TRUE(holds(refusal([](Json& t) { t["ranking"].erase(0); }), "ranking: expected all 4 features, found 3"));
  EXPECT_TRUE(holds(refusal([](Json& t) { t["scores"].erase(0); }), "scores: expected 4 numbers, found 3"));
  EXPECT_TRUE(holds(refusal([](Json& t) { t["scores"] = 3; }), "scores: expected a list, found 3"));
  EXPECT_TRUE(holds(refusal([](Json& t) { t["data"]["features"][0] = 3; }), "data.features: expected text, found 3"));
  EXPECT_TRUE(holds(refusal([](Json& t) { t["data"]["features"] = Json::array(); }),
                    "data.features: expected the names of features, found none"));
  EXPECT_TRUE(holds(refusal([](Json& t) { t["data"] = 3; }), "data: expected an object, found 3"));
  EXPECT_TRUE(holds(refusal([](Json& t) { t["data"]["task"] = "poetry"; }), "found 'poetry'"));
  EXPECT_TRUE(holds(refusal([](Json& t) { t["data"]["image"]["width"] = 3; }),
                    "data.image: expected a picture of 4 pixels, found 2 x 3"));
  EXPECT_TRUE(holds(refusal([](Json& t) { t["data"]["image"]["width"] = 0; }), "found 2 x 0"));
  EXPECT_TRUE(holds(refusal([](Json& t) { t["data"]["examples"][0]["pixels"] = "AAA<AA=="; }),
                    "data.examples[0].pixels: expected 4 bytes in base64"));
  EXPECT_TRUE(
      holds(refusal([](Json& t) { t["data"]["examples"][0]["pixels"] = "AA=="; }), "expected 4 bytes in base64"));
  EXPECT_TRUE(holds(refusal([](Json& t) { t["chosen"]["model"] = 7; }),
                    "chosen.model: expected a whole number from 0 to 1, found 7"));
  EXPECT_TRUE(holds(refusal([](Json& t) { t["models"] = Json::array(); }),
                    "models: expected the models of the sweep, found none"));
  EXPECT_TRUE(
      holds(refusal([](Json& t) { t["models"][0]["gamma"] = "x"; }), "models[0].gamma: expected a number, found 'x'"));
  EXPECT_TRUE(holds(refusal([](Json& t) { t["models"][0]["accuracy"] = 1e300; }),
                    "models[0].accuracy: expected a share of at most 1, found 1e+300"));
  EXPECT_TRUE(holds(refusal([](Json& t) { t["options"] = 1; }), "options: expected an object, found 1"));
}

TEST(SelectionPage, OfAnOlderFileIsReadOrRefusedWithWhatToDo) {
  Json older = reread(selection_tree(selected_pixels(), pictures()));
  older["version"] = "0.0.1";
  for (const char* key : {"target", "task", "classes", "image", "examples"}) older["data"].erase(key);
  const std::string page = page_html(selection_page(older));
  EXPECT_TRUE(holds(page, "0.0.1"));
  // What the page cannot be made without.
  for (const char* key : {"scores", "ranking", "models", "agreement", "method", "options"}) {
    const std::string message = refusal([&](Json& t) { t.erase(key); });
    EXPECT_TRUE(holds(message, cat(key, ": expected a value, found none"))) << message;
    EXPECT_TRUE(holds(message, "write it again with `obverse select`")) << message;
  }
  EXPECT_TRUE(
      holds(refusal([](Json& t) { t["models"][0].erase("merit"); }), "models[0].merit: expected a value, found none"));
}

/// Repeated on 5 folds and 3 pairs of halves, measured with 1, 2 and 3 features.
Selection repeated_selection() {
  Selection s = sample::selection();
  Evidence e;
  e.curve = {
      .metric = "accuracy", .classifier = "ert", .folds = 5, .rows = 100, .base_rate = 0.6, .all = {}, .points = {}};
  e.curve.all = {.k = 3, .score = 0.91, .low = 0.86, .high = 0.95, .random = 0.91};
  e.curve.points = {{.k = 1, .score = 0.75, .low = 0.7, .high = 0.8, .random = 0.65},
                    {.k = 2, .score = 0.93, .low = 0.88, .high = 0.98, .random = 0.7}};
  e.verdict = {.signal = true, .p_value = 0.001, .score = 0.925, .low = 0.875, .high = 0.975, .base_rate = 0.6};
  e.stability = Stability{.value = 0.62, .low = 0.41, .high = 0.83, .pairs = 3};
  e.frequency = {0.25, 1, 0};
  e.resamples = 11;
  e.size_reason = "smallest size within one standard error of the best";
  s.evidence = std::move(e);
  return s;
}

Json repeated_tree() { return reread(selection_tree(repeated_selection())); }

TEST(SelectionPageWithEvidence, LeadsWithTheScoreOnRowsThatTookNoPart) {
  const std::string lead = selection_page(repeated_tree()).lead;
  EXPECT_FALSE(holds(lead, "No signal"));
  EXPECT_TRUE(holds(lead, "<dt>Held-out accuracy</dt><dd data-follow=\"score\">92.5 %</dd>"));
  EXPECT_TRUE(holds(lead, "95 % interval 87.5 to 97.5 %; without features 60.0 %"));
  EXPECT_TRUE(holds(lead, "<dd>2 of 3</dd><dd>smallest size within one standard error of the best</dd>"));
  EXPECT_TRUE(holds(lead,
                    "<dd>0.62</dd><dd>95 % interval 0.41 to 0.83; 1 is identical, 0 is chance. Selections of 2 "
                    "features from disjoint halves of the rows agree in good part.</dd>"));
  // What took part in the choice, and the agreement of the models, are not in the lead.
  EXPECT_FALSE(holds(lead, "also picked the model"));
  EXPECT_FALSE(holds(lead, "0.20"));
}

TEST(SelectionPageWithEvidence, SaysFirstThatThereIsNoSignal) {
  Json tree = repeated_tree();
  tree["verdict"].update({{"signal", false}, {"p_value", 0.428}});
  tree["stability"]["value"] = 0.1;
  const Page page = selection_page(tree);
  EXPECT_TRUE(
      page.lead.starts_with("<p class=\"notice\"><strong>No signal:</strong> held-out rows are predicted no better "
                            "than chance (p = 0.43). The ranking below is an order of noise.</p>"));
  EXPECT_TRUE(holds(page.lead, "The first 2 of the ranking:"));
  EXPECT_TRUE(holds(page.lead, "agree little.</dd>"));
  EXPECT_TRUE(
      holds(section(page, "size"), "predicted no better than chance (permutation test over all sizes, p = 0.43)"));
}

TEST(SelectionPageWithEvidence, DrawsTheCurveWithItsNumbersBehind) {
  const std::string size = section(selection_page(repeated_tree()), "size");
  EXPECT_TRUE(holds(size, "data-tip=\"2 features: 93.0 %, 95 % interval 88.0 to 98.0 %\""));
  EXPECT_TRUE(holds(size, "data-tip=\"1 random feature: 65.0 %\""));
  EXPECT_TRUE(holds(size, ">all features 91.0 %</text>"));
  EXPECT_TRUE(holds(size, ">no features 60.0 %</text>"));
  EXPECT_TRUE(holds(size, "<path class=\"guide\" data-place=\"1\" data-places=\"2\""));
  EXPECT_TRUE(holds(size,
                    "k,metric,score,low,high,random,selected\n0,accuracy,0.6,,,,0\n1,accuracy,0.75,0.7,0.8,0.65,0\n"
                    "2,accuracy,0.93,0.88,0.98,0.7,1\n3,accuracy,0.91,0.86,0.95,,0\n"));
  EXPECT_TRUE(holds(size, "100 held-out rows in 5 folds"));
  EXPECT_TRUE(holds(size, "The 92.5 % at the top of the page is corrected"));
}

TEST(SelectionPageWithEvidence, TellsTheSliderWhatWasMeasured) {
  const Page page = selection_page(repeated_tree());
  const Json given = explorer(page);
  ASSERT_EQ(given["measured"].size(), 3U);
  EXPECT_EQ(given["measured"][0]["line"],
            "accuracy 75.0 % on held-out rows, 95 % interval 70.0 to 80.0 %; with random "
            "features 65.0 %, without features 60.0 %");
  EXPECT_EQ(given["measured"][1]["score"], "92.5 %");  // as in the lead
  EXPECT_EQ(given["measured"][2]["k"], 3);
  EXPECT_FALSE(holds(given["measured"][2]["line"], "random"));
  EXPECT_EQ(given["question"]["after_one"], " of the 3 features tells the classes apart?");
  EXPECT_EQ(given["frequency"], Json({1, 0.25, 0}));  // of the resamples, income first
  EXPECT_TRUE(holds(section(page, "features"), "the share of the 11 selections from parts of the rows"));
  EXPECT_TRUE(holds(section(page, "agreement"), "models of one sweep"));
}

TEST(SelectionPageWithEvidence, LeavesOutAStabilityThatIsNotKnownAndAReasonThatWasNotNeeded) {
  Json tree = repeated_tree();
  tree.erase("stability");
  tree.erase("k_reason");
  const Page page = selection_page(tree);
  EXPECT_FALSE(holds(page.lead, "Stability"));
  EXPECT_TRUE(holds(page.lead, "the number you asked for"));
}

TEST(SelectionPageWithEvidence, ShowsOnlySharesInPercent) {
  Json tree = repeated_tree();
  tree["curve"]["metric"] = "r2";
  EXPECT_TRUE(holds(selection_page(tree).lead, "<dt>Held-out R²</dt><dd data-follow=\"score\">0.93</dd>"));
  tree["curve"]["metric"] = "mae";
  tree["verdict"].update({{"score", 12.345}, {"low", 11}, {"high", nullptr}});
  const Page page = selection_page(tree);
  EXPECT_TRUE(holds(page.lead,
                    "<dt>Held-out mean absolute error</dt><dd data-follow=\"score\">12.3</dd>"
                    "<dd data-follow=\"details\">without features 0.6</dd>"));
}

TEST(SelectionPageWithEvidence, IsAsBeforeWithoutIt) {
  const Page page = selection_page(reread(selection_tree(sample::selection())));
  EXPECT_EQ(section(page, "size"), "");
  EXPECT_FALSE(explorer(page).contains("measured"));
  EXPECT_FALSE(explorer(page).contains("question"));
  EXPECT_FALSE(holds(page.lead, "data-follow=\"score\""));
}

TEST(SelectionPageWithEvidence, TakesNoReasonForMarkup) {
  Json tree = repeated_tree();
  tree["k_reason"] = "<img src=x>";
  EXPECT_FALSE(holds(page_html(selection_page(tree)), "<img"));
}

TEST(SelectionPageWithEvidence, RefusesWhatIsDamaged) {
  const auto refused = [](const std::function<void(Json&)>& change) {
    Json tree = repeated_tree();
    change(tree);
    try {
      selection_page(tree);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_TRUE(holds(refused([](Json& t) { t.erase("curve"); }), "curve: expected a value, found none"));
  EXPECT_TRUE(holds(refused([](Json& t) { t.erase("verdict"); }), "verdict: expected a value, found none"));
  EXPECT_TRUE(holds(refused([](Json& t) { t.erase("resamples"); }), "resamples: expected a value, found none"));
  EXPECT_TRUE(holds(refused([](Json& t) { t["curve"]["metric"] = "luck"; }), "curve.metric: expected accuracy or "));
  EXPECT_TRUE(holds(refused([](Json& t) { t["curve"]["classifier"] = "coin"; }), "found 'coin'"));
  EXPECT_TRUE(holds(refused([](Json& t) { t["curve"]["points"] = Json::array(); }), "curve.points: expected scores"));
  EXPECT_TRUE(holds(refused([](Json& t) { t["curve"]["points"][1]["k"] = 4; }),
                    "curve.points[1].k: expected a whole number from 1 to 3, found 4"));
  EXPECT_TRUE(holds(refused([](Json& t) { t["curve"]["points"][1]["k"] = 1; }),
                    "curve.points[1].k: expected more than 1, found 1"));
  EXPECT_TRUE(holds(refused([](Json& t) { t["curve"]["points"][0]["low"] = 0.9; }),
                    "curve.points[0].low: expected at most 0.8, which is high, found 0.9"));
  EXPECT_TRUE(holds(refused([](Json& t) { t["curve"]["all"]["score"] = 1e300; }),
                    "curve.all.score: expected a number from 0 to 1, found 1e+300"));
  EXPECT_TRUE(holds(refused([](Json& t) { t["curve"]["folds"] = "5"; }), "curve.folds: expected a whole number"));
  EXPECT_TRUE(holds(refused([](Json& t) { t["verdict"]["signal"] = 1; }), "signal: expected true or false, found 1"));
  EXPECT_TRUE(holds(refused([](Json& t) { t["verdict"]["p_value"] = 2; }), "expected a number from 0 to 1, found 2"));
  EXPECT_TRUE(holds(refused([](Json& t) { t["verdict"]["p_value"] = nullptr; }), "from 0 to 1, found null"));
  EXPECT_TRUE(holds(refused([](Json& t) { t["verdict"]["low"] = 0.98; }), "verdict.low: expected at most 0.975"));
  EXPECT_TRUE(holds(refused([](Json& t) { t["stability"]["high"] = 0.1; }), "stability.low: expected at most 0.1"));
  EXPECT_TRUE(holds(refused([](Json& t) { t["stability"] = 0.4; }), "stability: expected an object, found 0.4"));
  EXPECT_TRUE(holds(refused([](Json& t) { t["resamples"]["frequency"].erase(0); }),
                    "resamples.frequency: expected 3 numbers, found 2"));
  EXPECT_TRUE(holds(refused([](Json& t) { t["resamples"]["frequency"][0] = 7; }),
                    "resamples.frequency: expected a number from 0 to 1, found 7"));
  EXPECT_TRUE(holds(refused([](Json& t) { t["k_reason"] = 3; }), "k_reason: expected text, found 3"));
}

/// Of which the first two features are accepted, or none.
Json controlled_tree(std::size_t accepted) {
  Selection s = repeated_selection();
  s.k = accepted;
  s.evidence->control = Control{.pfer = 1,
                                .bound = 0.875,
                                .selected = 3,
                                .threshold = 0.75,
                                .halves = 100,
                                .clusters = 3,
                                .copies_accepted = 1,
                                .frequency = {0.5, 0.5, 0.5}};
  for (const std::size_t f : s.ranking.top(accepted)) s.evidence->control->frequency[f] = 0.94;
  return reread(selection_tree(s));
}

TEST(SelectionPageWithControl, ShowsTheAcceptedFeaturesWithTheirFrequency) {
  const Page page = selection_page(controlled_tree(2));
  const std::string control = section(page, "control");
  EXPECT_TRUE(holds(control, "2 features pass: selected by at least 75 of 100 halves of the rows."));
  EXPECT_TRUE(holds(control, "At most 0.88 false features are expected (pfer = 1)."));
  EXPECT_TRUE(holds(control, "1 permuted copy of the features passes."));
  EXPECT_TRUE(holds(control, "94&nbsp;%"));
  EXPECT_TRUE(holds(section(page, "features"), "the share of the 100 halves of the rows that select the feature"));
  EXPECT_EQ(explorer(page)["frequency"], Json({0.94, 0.94, 0.5}));
}

TEST(SelectionPageWithControl, SaysFirstThatNoFeaturePasses) {
  const Json tree = controlled_tree(0);
  EXPECT_EQ(tree["k"], 0);
  EXPECT_TRUE(tree["selected"].empty());
  const Page page = selection_page(tree);
  EXPECT_EQ(page.title, "Which of the 3 features tell the classes apart?");
  EXPECT_TRUE(page.lead.starts_with("<p class=\"notice\"><strong>No feature passes:</strong>")) << page.lead;
  EXPECT_FALSE(holds(page.lead, "best first"));
  EXPECT_EQ(explorer(page)["k"], 1) << "the least that the slider shows";
  EXPECT_FALSE(explorer(page).contains("question"));
}

TEST(SelectionPageWithControl, RefusesWhatIsDamaged) {
  const auto refused = [](const std::function<void(Json&)>& change) {
    Json tree = controlled_tree(2);
    change(tree);
    try {
      selection_page(tree);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_TRUE(holds(refused([](Json& t) { t["control"]["threshold"] = 0.95; }),
                    "control.frequency: expected a number from 0.95 to 1, found 0.94"));
  EXPECT_TRUE(holds(refused([](Json& t) { t["control"]["threshold"] = 0.2; }), "from 0.5 to 1, found 0.2"));
  EXPECT_TRUE(holds(refused([](Json& t) { t["control"]["frequency"].erase(0); }), "expected 3 numbers, found 2"));
  EXPECT_TRUE(holds(refused([](Json& t) { t["control"]["frequency"][0] = -1; }), "from 0 to 1, found -1"));
  EXPECT_TRUE(
      holds(refused([](Json& t) { t["control"]["pfer"] = -1; }), "control.pfer: expected a number of at least 0"));
  EXPECT_TRUE(
      holds(refused([](Json& t) { t["control"].erase("bound"); }), "control.bound: expected a value, found none"));
  EXPECT_TRUE(holds(refused([](Json& t) { t["control"]["copies_accepted"] = 4; }), "from 0 to 3, found 4"));
  EXPECT_TRUE(holds(refused([](Json& t) { t["control"] = 1; }), "control: expected an object, found 1"));
  EXPECT_TRUE(holds(refused([](Json& t) {
                      t.erase("control");
                      t["k"] = 0;
                    }),
                    "k: expected a whole number from 1 to 3, found 0"));
}

TEST(SelectionPage, TextThatIsNoSelectionIsRefusedBeforeItIsHeld) {
  const auto refusal = [](const std::string& text) {
    try {
      parsed_selection(text, "s.json");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  EXPECT_TRUE(holds(refusal("{\"k\": 1"), "found its end too early"));
  EXPECT_TRUE(holds(refusal("{k}"), "found other text at byte 2"));
  EXPECT_TRUE(holds(refusal("{\"k\": 1e999}"), "found a number that is too large"));
  EXPECT_TRUE(holds(refusal("{\"k\": " + std::string(50000, '[')), "nested more than 64 deep"));
  EXPECT_EQ(refusal("{\"k\": [[[[[1]]]]]}"), "taken");
}

}  // namespace
}  // namespace obverse
