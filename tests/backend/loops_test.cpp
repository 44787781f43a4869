// Every compiled set of loops against its plain definition.
#include "backend/cpu/loops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "backend/adam.h"
#include "backend/every_set.h"
#include "support/random.h"

namespace obverse::cpu {
namespace {

std::vector<float> random(std::size_t count, double reach, std::uint64_t index = 0) {
  RandomStream stream(9, Purpose::generation, index);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(stream.uniform(-reach, reach));
  return values;
}

float widen(bf16 x) {
  const std::uint32_t bits = std::uint32_t{x.bits} << 16;
  float value = 0;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

class EveryTable : public test::EverySet<Loops> {
 protected:
  const Loops& loops() const { return table(); }
};

INSTANTIATE_TEST_SUITE_P(Loops, EveryTable, testing::ValuesIn(test::set_numbers()), test::set_name);

TEST_P(EveryTable, TanhIsTanhEverywhere) {
  std::vector<float> x(8000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = -12.0F + 0.003F * static_cast<float>(i);
  const auto wanted = x;
  const std::vector<float> zero(x.size(), 0.0F);
  std::vector<float> sum(x.size(), 1.0F);
  loops().tanh_rows(x.data(), zero.data(), 1, x.size(), sum.data());
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(x[i], std::tanh(wanted[i]), 2e-6 * std::abs(std::tanh(wanted[i])) + 1e-12);
    EXPECT_FLOAT_EQ(sum[i], 1.0F + x[i]);
  }
}

TEST_P(EveryTable, SoftmaxAddsUpToItsScaleAndComplementReversesTheOrder) {
  for (const std::size_t n : {1, 5, 784, 5000}) {
    const auto z = random(n, 20);
    std::vector<float> m(n), c(n);
    loops().softmax(z.data(), 1, 3, n, m.data());
    loops().softmax(z.data(), -1, 3, n, c.data());
    double sum = 0, top = -1e9, total = 0;
    for (const float v : z) top = std::max(top, static_cast<double>(v));
    for (const float v : z) total += std::exp(static_cast<double>(v) - top);
    for (std::size_t i = 0; i < n; ++i) {
      sum += static_cast<double>(m[i]);
      EXPECT_NEAR(m[i], 3 * std::exp(static_cast<double>(z[i]) - top) / total, 2e-6);
      for (std::size_t j = 0; j < std::min<std::size_t>(i, 50); ++j) {
        EXPECT_TRUE(m[i] <= m[j] || c[i] <= c[j]);
        EXPECT_TRUE(m[i] >= m[j] || c[i] >= c[j]);
      }
    }
    EXPECT_NEAR(sum, 3, 1e-4);
  }
}

TEST_P(EveryTable, SpreadGivesColumnsTheEntryOfTheirFeatureAndAddsThemUpAgain) {
  const std::vector<std::size_t> begin{0, 1, 2, 40, 41, 1041, 1045};
  const std::size_t F = begin.size() - 1;
  const auto entries = random(F, 1, 1), columns = random(begin.back(), 1, 2);
  std::vector<std::size_t> ranges;
  for (std::size_t f = 0; f < F; ++f) ranges.insert(ranges.end(), {begin[f], begin[f + 1]});
  std::vector<float> spread(begin.back()), sums(F);
  loops().spread(entries.data(), ranges.data(), F, spread.data());
  loops().spread_back(columns.data(), ranges.data(), F, sums.data());
  for (std::size_t f = 0; f < F; ++f) {
    float sum = columns[begin[f]];
    for (std::size_t d = begin[f]; d < begin[f + 1]; ++d) {
      EXPECT_EQ(spread[d], entries[f]);
      if (d > begin[f]) sum += columns[d];
    }
    EXPECT_EQ(sums[f], sum) << f;  // in their order, whatever the table
  }
}

TEST_P(EveryTable, WeighAndItsWayBackFollowTheFormula) {
  const std::size_t R = 5, F1 = 37, stride = 9;
  for (const std::size_t Q : {1, 2}) {
    const auto v = random(R * F1, 1, 1), mask = random(2 * stride, 1, 2), s = random(R * Q * F1, 1, 3);
    std::vector<float> out(R * Q * F1), dv(R * F1), dmask(2 * stride, -7.0F);
    std::vector<bf16> half(R * Q * F1);
    loops().weigh(v.data(), mask.data(), stride, R, F1, Q, out.data());
    loops().weigh_bf16(v.data(), mask.data(), stride, R, F1, Q, half.data());
    loops().weigh_back(s.data(), v.data(), mask.data(), stride, R, F1, Q, dv.data(), dmask.data());
    for (std::size_t d = 0; d < R; ++d) {
      for (std::size_t q = 0; q < Q; ++q) {
        double dm = 0;
        for (std::size_t j = 0; j < F1; ++j) {
          const std::size_t at = (d * Q + q) * F1 + j;
          EXPECT_FLOAT_EQ(out[at], mask[q * stride + d] * v[d * F1 + j]);
          EXPECT_NEAR(widen(half[at]), out[at], std::abs(out[at]) / 256);
          dm += static_cast<double>(v[d * F1 + j]) * static_cast<double>(s[at]);
        }
        EXPECT_NEAR(dmask[q * stride + d], dm, 1e-5);
      }
      for (std::size_t j = 0; j < F1; ++j) {
        float wanted = mask[d] * s[d * Q * F1 + j];
        if (Q == 2) wanted += mask[stride + d] * s[d * Q * F1 + F1 + j];
        EXPECT_NEAR(dv[d * F1 + j], wanted, 1e-6);
      }
    }
  }
}

TEST_P(EveryTable, SmallProductsFollowTheFormula) {
  for (const std::size_t R : {1, 8, 19}) {
    for (const std::size_t n : {1, 10, 16, 26}) {
      const std::size_t K = 13, ld = padded(n);
      const auto a = random(R * K, 1, R), start = random(ld, 1, n);
      auto b = random(K * ld, 1, 4);
      std::vector<float> plain(R * n), transposed(R * n), at(K * R);
      for (std::size_t r = 0; r < R; ++r) {
        for (std::size_t k = 0; k < K; ++k) at[k * R + r] = a[r * K + k];
      }
      loops().small_product(a.data(), K, 1, b.data(), ld, start.data(), R, n, K, plain.data(), n);
      loops().small_product(at.data(), 1, R, b.data(), ld, nullptr, R, n, K, transposed.data(), n);
      for (std::size_t r = 0; r < R; ++r) {
        for (std::size_t c = 0; c < n; ++c) {
          double sum = 0;
          for (std::size_t k = 0; k < K; ++k) {
            sum += static_cast<double>(a[r * K + k]) * static_cast<double>(b[k * ld + c]);
          }
          EXPECT_NEAR(transposed[r * n + c], sum, 1e-5);
          EXPECT_NEAR(plain[r * n + c], sum + static_cast<double>(start[c]), 1e-5);
        }
      }
    }
  }
}

TEST_P(EveryTable, ThinProductsFollowTheFormula) {
  for (const std::size_t R : {1, 2, 7}) {
    for (const std::size_t H : {1, 8, 11, 16}) {
      for (const std::size_t n : {1, 16, 45}) {
        const auto x = random(R * n, 1, R), w = random(H * n, 1, H);
        std::vector<float> out(R * H);
        loops().thin_product(x.data(), w.data(), R, H, n, out.data());
        for (std::size_t r = 0; r < R; ++r) {
          for (std::size_t h = 0; h < H; ++h) {
            double sum = 0;
            for (std::size_t i = 0; i < n; ++i) {
              sum += static_cast<double>(x[r * n + i]) * static_cast<double>(w[h * n + i]);
            }
            EXPECT_NEAR(out[r * H + h], sum, 1e-5);
          }
        }
      }
    }
  }
}

TEST_P(EveryTable, CrossEntropyFollowsTheFormulaForAnyNumberOfClasses) {
  for (const std::size_t C : {2, 10, 16, 26, 100}) {
    const std::size_t R = 7, ld = padded(C);
    const auto logits = random(R * C, 30, C);
    std::vector<float> x(R * ld, -1e30F);
    std::vector<std::int32_t> target(R);
    double wanted = 0;
    for (std::size_t r = 0; r < R; ++r) {
      target[r] = static_cast<std::int32_t>(r * 5 % C);
      double total = 0;
      for (std::size_t c = 0; c < C; ++c) {
        x[r * ld + c] = logits[r * C + c];
        total += std::exp(static_cast<double>(logits[r * C + c]));
      }
      wanted += std::log(total) - static_cast<double>(logits[r * C + static_cast<std::size_t>(target[r])]);
    }
    EXPECT_NEAR(loops().cross_entropy(x.data(), ld, target.data(), 0.5F, R), wanted, 1e-4 * (1 + wanted));
    for (std::size_t r = 0; r < R; ++r) {
      double total = 0;
      for (std::size_t c = 0; c < C; ++c) total += std::exp(static_cast<double>(logits[r * C + c]));
      for (std::size_t c = 0; c < C; ++c) {
        const double p = std::exp(static_cast<double>(logits[r * C + c])) / total;
        const double hot = c == static_cast<std::size_t>(target[r]) ? 1 : 0;
        EXPECT_NEAR(x[r * ld + c], 0.5 * (p - hot), 1e-6);
      }
    }
  }
}

TEST_P(EveryTable, DifferencesAreSummedInTheSameOrder) {
  for (const std::size_t n : {0, 1, 15, 16, 17, 31, 100, 784}) {
    const auto x = random(n, 1, 1), y = random(n, 1, 2);
    std::vector<float> sums(16);
    for (std::size_t i = 0; i < n; ++i) sums[i % 16] += std::fabs(x[i] - y[i]);
    EXPECT_EQ(loops().difference(x.data(), y.data(), n), std::accumulate(sums.begin(), sums.end(), 0.0F)) << n;
  }
}

TEST_P(EveryTable, AdamFollowsTheFormula) {
  for (const std::size_t n : {1, 16, 100}) {
    auto p = random(n, 1, 1), first = random(n, 0.1, 2), second = random(n, 0.1, 3);
    auto g = random(n, 1, 4);
    g[0] = 0;
    first[0] = 0;
    second[0] = 0;
    for (float& v : second) v = std::abs(v);
    const auto p0 = p, first0 = first, second0 = second;
    const std::uint64_t step = 3;
    loops().adam(p.data(), first.data(), second.data(), g.data(), n, adam_factors(0.01, step));
    for (std::size_t i = 0; i < n; ++i) {
      const double m = 0.9 * first0[i] + 0.1 * g[i];
      const double v = 0.999 * second0[i] + 0.001 * g[i] * g[i];
      const double wanted =
          p0[i] - 0.01 * (m / (1 - std::pow(0.9, 3))) / (std::sqrt(v / (1 - std::pow(0.999, 3))) + 1e-8);
      EXPECT_NEAR(p[i], wanted, 2e-6) << i;
      EXPECT_NEAR(first[i], m, 1e-6);
      EXPECT_NEAR(second[i], v, 1e-6);
    }
  }
}

TEST_P(EveryTable, DropoutDrawsTheNumbersOfTheStream) {
  const std::size_t n = 1000;
  std::vector<std::uint8_t> keep(n + 8, 9);
  const std::uint64_t seed = 0x123456789ABCDEF0, index = 77;
  loops().draw_keep(seed, 2, index, 5, 19661, n, keep.data());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto block = philox({static_cast<std::uint32_t>(5 + i / 8), 77, 2, 0}, 0x9ABCDEF0, 0x12345678);
    const std::uint32_t word = block[i % 8 / 2];
    EXPECT_EQ(keep[i], (i % 2 == 0 ? word & 0xFFFFU : word >> 16) >= 19661 ? 1 : 0);
    kept += keep[i];
  }
  EXPECT_EQ(keep[n], 9);
  EXPECT_NEAR(static_cast<double>(kept) / n, 0.7, 0.05);
}

TEST_P(EveryTable, Bf16RoundsToNearestEven) {
  const std::vector<float> x{1.0F, 1.00390625F, 1.01171875F, -3.14159F, 0.0F, 255.0F};
  std::vector<bf16> out(x.size());
  loops().narrow(x.data(), x.size(), out.data());
  const std::vector<float> wanted{1.0F, 1.0F, 1.015625F, -3.140625F, 0.0F, 255.0F};
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(widen(out[i]), wanted[i]);
}

TEST_P(EveryTable, LeakyAndItsWayBackFollowTheFormula) {
  const std::size_t R = 3, F = 21;
  const auto p = random(R * F, 1, 1), bias = random(F, 0.5, 2), da = random(R * F, 1, 3);
  std::vector<std::uint8_t> keep(R * F);
  for (std::size_t i = 0; i < keep.size(); ++i) keep[i] = i % 3 == 0 ? 0 : 1;
  std::vector<float> a(R * F), g(R * F), sum(F), dropped(R * F), dropped_g(R * F), dropped_sum(F);
  loops().leaky(p.data(), bias.data(), 0.02F, R, F, a.data());
  loops().leaky_back(a.data(), da.data(), 0.02F, R, F, g.data(), sum.data());
  loops().leaky_dropout(p.data(), bias.data(), 0.02F, keep.data(), 1.5F, R, F, dropped.data());
  loops().leaky_dropout_back(dropped.data(), da.data(), 0.02F, keep.data(), 1.5F, R, F, dropped_g.data(),
                             dropped_sum.data());
  for (std::size_t j = 0; j < F; ++j) {
    float column = 0, dropped_column = 0;
    for (std::size_t r = 0; r < R; ++r) {
      const std::size_t i = r * F + j;
      const float x = p[i] + bias[j];
      const float slope = x > 0 ? 1.0F : 0.02F;
      EXPECT_FLOAT_EQ(a[i], slope * x);
      EXPECT_FLOAT_EQ(g[i], slope * da[i]);
      EXPECT_FLOAT_EQ(dropped[i], 1.5F * keep[i] * slope * x);
      EXPECT_FLOAT_EQ(dropped_g[i], 1.5F * keep[i] * slope * da[i]);
      column += g[i];
      dropped_column += dropped_g[i];
    }
    EXPECT_NEAR(sum[j], column, 1e-6);
    EXPECT_NEAR(dropped_sum[j], dropped_column, 1e-6);
  }
}

}  // namespace
}  // namespace obverse::cpu
