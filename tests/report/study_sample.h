// Findings as a study of the paper could give them: the six sets of the paper with one missing, six methods and a
// second design of the complement. Numbers are made up from a seeded stream; names hold markup.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <obverse/error.h>

#include "experiment/findings.h"
#include "support/random.h"

namespace obverse::sample {

inline constexpr const char* kMarkup = "<img src=x onerror=alert(1)>";

/// How large a sample is.
struct SampleStudy {
  std::size_t sets = 6;     ///< the fourth is the missing one
  std::size_t methods = 8;  ///< CFM, FM, CFM and FM without a scale, CFM by remainder, then rankers without networks
  int seeds = 5;
  double done = 1;  ///< share of the cells that have results
};

namespace study_detail {

inline SetFinding picture_set(std::string name, std::string title, RandomStream& random) {
  SetFinding set{.name = std::move(name),
                 .title = std::move(title),
                 .missing = {},
                 .training_rows = 60000,
                 .test_rows = 10000,
                 .features = 784,
                 .classes = 10,
                 .image_shape = ImageShape{28, 28}};
  for (std::size_t c = 0; c < 10; ++c) {
    set.class_names.push_back(std::to_string(c));
    std::vector<std::uint8_t> pixels(784, 0);
    // A ring whose middle and width differ from class to class.
    const double x0 = random.uniform(11, 17);
    const double y0 = random.uniform(11, 17);
    const double radius = random.uniform(4, 9);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      const double x = static_cast<double>(i % 28) - x0;
      const double y = static_cast<double>(i / 28) - y0;
      const double distance = std::fabs(std::hypot(x, y) - radius);
      pixels[i] = static_cast<std::uint8_t>(distance < 2 ? 255 * (1 - distance / 2) : 0);
    }
    set.examples.push_back(std::move(pixels));
  }
  return set;
}

inline SetFinding table_set(std::string name, std::string title, std::size_t features, std::size_t rows) {
  SetFinding set{.name = std::move(name),
                 .title = std::move(title),
                 .missing = {},
                 .training_rows = rows * 8 / 10,
                 .test_rows = rows / 5,
                 .features = features,
                 .classes = 2};
  for (std::size_t f = 0; f < features; ++f) set.feature_names.push_back(cat("word_", f + 1));
  set.feature_names[0] = kMarkup;
  set.class_names = {"no", "</script><b>"};
  return set;
}

inline std::vector<SetFinding> sets(std::size_t count, RandomStream& random) {
  std::vector<SetFinding> out{picture_set("mnist", "MNIST", random), picture_set("fashion", "Fashion-MNIST", random),
                              table_set("isolet", "Isolet", 617, 1560)};
  out.push_back(
      {.name = "gisette", .title = "gisette", .missing = "no file gisette.mat or gisette_train.data in data"});
  out.push_back(table_set("pcmac", "PCMAC", 3289, 1943));
  out.push_back(table_set("madelon", "madelon", 500, 2600));
  out.resize(std::min(count, out.size()));
  return out;
}

inline std::vector<MethodFinding> methods(std::size_t count) {
  std::vector<MethodFinding> out{{"cfm", "CFM", "recipe paper, mask scale sqrt(D), gamma from 6"},
                                 {"fm", "FM", "recipe paper, mask scale sqrt(D), gamma 0"},
                                 {"cfm-unscaled", "CFM without a mask scale", "recipe paper, mask scale 1"},
                                 {"fm-unscaled", "FM without a mask scale", "recipe paper, mask scale 1, gamma 0"},
                                 {"cfm-remainder", "CFM by (1-m)/N", "recipe paper, complement remainder"},
                                 {"rf", "RF importance", "100 trees"},
                                 {"anova", "ANOVA F", "one-way"},
                                 {"random", std::string("random ") + kMarkup, "as good as nothing"}};
  while (out.size() < count) out.push_back({cat("m", out.size()), cat("M", out.size()), "more"});
  out.resize(count);
  return out;
}

inline std::size_t k_of(const SetFinding& set, double rho) {
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(rho * static_cast<double>(set.features))));
}

/// Larger for more features, and less for every later method.
inline CellFinding cell(const Findings& f, std::size_t set, std::size_t method, std::size_t size,
                        const std::string& classifier, RandomStream& random) {
  const double rho = f.sizes[size];
  CellFinding out{.set = set,
                  .method = method,
                  .size = size,
                  .rho = rho,
                  .k = k_of(f.sets[set], rho),
                  .classifier = classifier,
                  .runs = {},
                  .accuracy = {}};
  const double base = 0.62 + 0.05 * static_cast<double>(set) + 0.09 * std::log10(rho * 100 + 0.3) -
                      0.003 * static_cast<double>(method) -
                      (classifier == "rf"    ? 0
                       : classifier == "ert" ? 0.01
                                             : 0.02);
  for (int seed = 0; seed < f.seeds; ++seed) {
    out.runs.push_back(seed);
    out.accuracy.push_back(std::min(1.0, base + 0.008 * random.normal()));
  }
  const double n = static_cast<double>(f.seeds);
  out.mean = std::accumulate(out.accuracy.begin(), out.accuracy.end(), 0.0) / n;
  double squares = 0;
  for (const double a : out.accuracy) squares += (a - out.mean) * (a - out.mean);
  out.deviation = f.seeds > 1 ? std::sqrt(squares / (n - 1)) : 0;
  return out;
}

inline ComparisonFinding comparison(const Findings& f, std::size_t first, std::size_t second, std::string title) {
  ComparisonFinding out{.title = std::move(title), .first = first, .second = second, .cells = {}};
  out.planned = f.sets.size() * f.sizes.size() * f.classifiers.size();
  for (std::size_t a = 0; a < f.cells.size(); ++a) {
    if (f.cells[a].method != first) continue;
    for (std::size_t b = 0; b < f.cells.size(); ++b) {
      const CellFinding& one = f.cells[a];
      const CellFinding& other = f.cells[b];
      if (other.method != second || other.set != one.set || other.size != one.size ||
          other.classifier != one.classifier)
        continue;
      const double difference = one.mean - other.mean;
      const double spread = std::hypot(one.deviation, other.deviation);
      const double p = spread > 0 ? std::exp(-2 * std::fabs(difference) / spread) : 1;
      out.cells.push_back({.first = a,
                           .second = b,
                           .difference = difference,
                           .low = difference - spread,
                           .high = difference + spread,
                           .p = p,
                           .sure_p = std::fmin(1, 3 * p),
                           .outcome = difference > 0   ? Outcome::won
                                      : difference < 0 ? Outcome::lost
                                                       : Outcome::tied});
      out.won += difference > 0 ? 1 : 0;
      out.tied += difference == 0 ? 1 : 0;
      out.lost += difference < 0 ? 1 : 0;
      out.steadier += one.deviation < other.deviation ? 1 : 0;
      out.rougher += one.deviation > other.deviation ? 1 : 0;
      out.first_mean += one.mean;
      out.second_mean += other.mean;
    }
  }
  if (!out.cells.empty()) {
    out.first_mean /= static_cast<double>(out.cells.size());
    out.second_mean /= static_cast<double>(out.cells.size());
  }
  return out;
}

/// Scores around a middle that differs from method to method; for pictures high in the middle of the picture.
inline MaskFinding mask(const Findings& f, std::size_t set, std::size_t method, RandomStream& random) {
  const SetFinding& of = f.sets[set];
  const bool network = method < 5;
  MaskFinding out;
  out.set = set;
  out.method = method;
  out.gamma = method % 2 == 0 ? 1.0 : 0.0;
  out.mask = network;
  if (network && method % 2 == 0) out.complement = method == 4 ? "remainder" : "opposite";
  for (std::size_t i = 0; i < of.features; ++i) {
    double bump = 0;
    if (of.image_shape) {
      const double x = static_cast<double>(i % 28) - 13.5;
      const double y = static_cast<double>(i / 28) - 13.5 - static_cast<double>(method);
      bump = 2.5 * std::exp(-(x * x + y * y) / 60);
    }
    out.scores.push_back(static_cast<float>(bump + 0.7 * random.normal()));
    if (network) out.initial_scores.push_back(static_cast<float>(0.02 * random.normal()));
  }
  out.order.resize(of.features);
  std::iota(out.order.begin(), out.order.end(), std::size_t{0});
  std::stable_sort(out.order.begin(), out.order.end(),
                   [&](std::size_t a, std::size_t b) { return out.scores[a] > out.scores[b]; });
  return out;
}

inline StabilityFinding stability(const Findings& f, std::size_t set, std::size_t method, double rho,
                                  RandomStream& random) {
  StabilityFinding out;
  out.set = set;
  out.method = method;
  out.k = k_of(f.sets[set], rho);
  out.jaccard = 0.1 + 0.08 * static_cast<double>(method) + 0.05 * random.uniform();
  out.stability = out.jaccard + 0.1 * random.uniform();
  out.frequency.assign(f.sets[set].features, 0);
  for (int seed = 0; seed < f.seeds; ++seed) {
    for (std::size_t i = 0; i < out.k; ++i) {
      const auto reach = static_cast<std::uint32_t>(std::min(f.sets[set].features, 3 * out.k));
      out.frequency[random.below(reach)] += 1.0 / f.seeds;
    }
  }
  for (double& share : out.frequency) share = std::min(1.0, share);
  return out;
}

inline GammaFinding gamma(const Findings& f, std::size_t set, std::size_t method, RandomStream& random) {
  GammaFinding out;
  out.set = set;
  out.method = method;
  out.gammas = {0.001, 0.01, 0.1, 1, 10, 100};
  for (const double rho : f.sizes) out.ks.push_back(k_of(f.sets[set], rho));
  out.merit.assign(out.gammas.size(), std::vector<double>(out.ks.size()));
  out.chosen.assign(out.gammas.size(), std::vector<std::size_t>(out.ks.size()));
  for (std::size_t k = 0; k < out.ks.size(); ++k) {
    std::size_t best = 0;
    for (std::size_t g = 0; g < out.gammas.size(); ++g) {
      out.merit[g][k] = 0.6 + 0.03 * static_cast<double>(k) + 0.05 * random.uniform();
      if (out.merit[g][k] > out.merit[best][k]) best = g;
    }
    out.chosen[best][k] = static_cast<std::size_t>(f.seeds);
  }
  return out;
}

}  // namespace study_detail

inline Findings study(const SampleStudy& size = {}) {
  namespace detail = study_detail;
  RandomStream random(7, Purpose::generation);
  Findings f;
  f.plan = "paper";
  f.title = "The paper's experiments";
  f.version = "0.1.0";
  f.command = "obverse study paper --data data --store paper.db";
  f.sizes = {0.01, 0.015, 0.02, 0.025, 0.05, 0.075, 0.1};
  f.classifiers = {"rf", "ert", "knn"};
  f.seeds = size.seeds;
  f.units_done = static_cast<std::size_t>(800 * size.done);
  f.units_planned = 800;
  f.thread_seconds = 5400;
  f.sets = detail::sets(size.sets, random);
  f.methods = detail::methods(size.methods);
  for (std::size_t s = 0; s < f.sets.size(); ++s) {
    if (!f.sets[s].missing.empty()) continue;
    for (std::size_t m = 0; m < f.methods.size(); ++m) {
      for (std::size_t i = 0; i < f.sizes.size(); ++i) {
        for (const std::string& classifier : f.classifiers) {
          CellFinding cell = detail::cell(f, s, m, i, classifier, random);
          if (random.uniform() < size.done) f.cells.push_back(std::move(cell));
        }
        f.stability.push_back(detail::stability(f, s, m, f.sizes[i], random));
      }
      f.masks.push_back(detail::mask(f, s, m, random));
      if (!f.masks.back().complement.empty()) f.gammas.push_back(detail::gamma(f, s, m, random));
      f.costs.push_back({.set = s,
                         .method = m,
                         .models = m < 5 ? 30U : 5U,
                         .training_seconds = random.uniform(1, 300) / static_cast<double>(m + 1),
                         .evaluation_seconds = random.uniform(10, 60),
                         .memory_bytes = std::size_t{300'000'000} + 1'000'000 * m});
    }
  }
  if (size.methods >= 2) f.comparisons.push_back(detail::comparison(f, 0, 1, "CFM against FM"));
  if (size.methods >= 4) f.comparisons.push_back(detail::comparison(f, 2, 3, "without a mask scale"));
  if (size.methods >= 6) f.comparisons.push_back(detail::comparison(f, 0, 5, "CFM against RF importance"));
  return f;
}

}  // namespace obverse::sample
