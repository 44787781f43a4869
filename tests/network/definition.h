// The method, loop by loop, as the formulas stand: masked inputs are formed, every row passes the mask's second layer,
// and nothing is fused. Slow, in any precision, and what the engine must agree with.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace obverse::test {

struct Sizes {
  std::size_t B, D, H, F1, F2, C;
};

/// Row-major tensors by the names of docs/method.md: W1 b1 W2 b2 V1 c1 V2 c2 Um um Uc uc.
template <class T>
using Tensors = std::map<std::string, std::vector<T>>;

template <class T>
struct Case {
  Sizes n;
  std::vector<T> X;                // (B,D)
  std::vector<std::int32_t> y, r;  // (B)
  std::vector<T> keep[2];          // (B,F2) 0 or 1/(1-dropout)
  T gamma, leak, scale;
  bool complement;
  bool remainder = false;               // m~ = scale (1 - softmax(z)) / E instead of scale softmax(-z)
  std::vector<std::size_t> begin = {};  // feature f has the columns begin[f] to begin[f + 1] - 1; empty: E = D
  std::vector<std::size_t> kept = {};   // features without an entry: 1 in the mask, 0 in the complement

  std::size_t features() const { return begin.empty() ? n.D : begin.size() - 1 - kept.size(); }
  /// The first column of an entry, and the one behind its last.
  std::pair<std::size_t, std::size_t> columns(std::size_t entry) const {
    if (begin.empty()) return {entry, entry + 1};
    std::size_t f = entry;
    for (const std::size_t one : kept) f += one <= f ? 1 : 0;
    return {begin[f], begin[f + 1]};
  }
};

template <class T>
struct Answer {
  T loss_main = 0, loss_complement = 0;
  std::vector<T> mask, complement;
  Tensors<T> gradients;
  T total(T gamma) const { return loss_main + gamma * loss_complement; }
};

template <class T>
std::vector<T> scaled_softmax(const std::vector<T>& z, T sign, T scale) {
  T top = sign * z[0];
  for (const T x : z) top = std::max(top, sign * x);
  std::vector<T> m(z.size());
  T total = 0;
  for (std::size_t d = 0; d < z.size(); ++d) total += m[d] = std::exp(sign * z[d] - top);
  for (T& x : m) x *= scale / total;
  return m;
}

/// One path: adds its gradients to `g`, the gradient of its mask to `dm`, and returns its mean loss.
template <class T>
T path(const Case<T>& c, const Tensors<T>& p, const std::vector<T>& mask, const std::vector<std::int32_t>& target,
       const std::vector<T>& keep, const char* head, const char* bias, T weight, Tensors<T>& g, std::vector<T>& dm) {
  const auto [B, D, H, F1, F2, C] = c.n;
  T loss = 0;
  for (std::size_t b = 0; b < B; ++b) {
    std::vector<T> x(D), a(F1), da(F1, 0), n(F2), dn(F2, 0), o(C);
    for (std::size_t d = 0; d < D; ++d) x[d] = c.X[b * D + d] * mask[d];
    for (std::size_t i = 0; i < F1; ++i) {
      T s = p.at("c1")[i];
      for (std::size_t d = 0; d < D; ++d) s += x[d] * p.at("V1")[d * F1 + i];
      a[i] = s > 0 ? s : c.leak * s;
    }
    for (std::size_t j = 0; j < F2; ++j) {
      T s = p.at("c2")[j];
      for (std::size_t i = 0; i < F1; ++i) s += a[i] * p.at("V2")[i * F2 + j];
      n[j] = (s > 0 ? s : c.leak * s);
    }
    T top = -std::numeric_limits<T>::infinity();
    for (std::size_t k = 0; k < C; ++k) {
      o[k] = p.at(bias)[k];
      for (std::size_t j = 0; j < F2; ++j) o[k] += n[j] * keep[b * F2 + j] * p.at(head)[j * C + k];
      top = std::max(top, o[k]);
    }
    T total = 0;
    for (const T v : o) total += std::exp(v - top);
    const auto wanted = static_cast<std::size_t>(target[b]);
    loss += (std::log(total) + top - o[wanted]) / static_cast<T>(B);
    for (std::size_t k = 0; k < C; ++k) {
      const T d_o = weight / static_cast<T>(B) * (std::exp(o[k] - top) / total - (k == wanted ? 1 : 0));
      g[bias][k] += d_o;
      for (std::size_t j = 0; j < F2; ++j) {
        g[head][j * C + k] += n[j] * keep[b * F2 + j] * d_o;
        dn[j] += p.at(head)[j * C + k] * d_o;
      }
    }
    for (std::size_t j = 0; j < F2; ++j) {
      const T ds = dn[j] * keep[b * F2 + j] * (n[j] > 0 ? T(1) : c.leak);
      g["c2"][j] += ds;
      for (std::size_t i = 0; i < F1; ++i) {
        g["V2"][i * F2 + j] += a[i] * ds;
        da[i] += p.at("V2")[i * F2 + j] * ds;
      }
    }
    for (std::size_t i = 0; i < F1; ++i) {
      const T ds = da[i] * (a[i] > 0 ? T(1) : c.leak);
      g["c1"][i] += ds;
      for (std::size_t d = 0; d < D; ++d) {
        g["V1"][d * F1 + i] += x[d] * ds;
        dm[d] += c.X[b * D + d] * p.at("V1")[d * F1 + i] * ds;
      }
    }
  }
  return loss;
}

/// A mask of E entries as one of D columns, those of kept features with a value of their own.
template <class T>
std::vector<T> of_columns(const Case<T>& c, const std::vector<T>& entries, T kept_value) {
  std::vector<T> columns(c.n.D, kept_value);
  for (std::size_t e = 0; e < entries.size(); ++e) {
    for (std::size_t d = c.columns(e).first; d < c.columns(e).second; ++d) columns[d] = entries[e];
  }
  return columns;
}

/// The gradient of the entries.
template <class T>
std::vector<T> of_entries(const Case<T>& c, const std::vector<T>& columns) {
  std::vector<T> entries(c.features(), 0);
  for (std::size_t e = 0; e < entries.size(); ++e) {
    for (std::size_t d = c.columns(e).first; d < c.columns(e).second; ++d) entries[e] += columns[d];
  }
  return entries;
}

template <class T>
Answer<T> define(const Case<T>& c, const Tensors<T>& p) {
  const auto [B, D, H, F1, F2, C] = c.n;
  const std::size_t E = c.features();
  std::vector<T> t(B * H), z(E, 0);
  for (std::size_t b = 0; b < B; ++b) {
    for (std::size_t h = 0; h < H; ++h) {
      T s = p.at("b1")[h];
      for (std::size_t d = 0; d < D; ++d) s += c.X[b * D + d] * p.at("W1")[d * H + h];
      t[b * H + h] = std::tanh(s);
    }
    for (std::size_t e = 0; e < E; ++e) {
      T s = p.at("b2")[e];
      for (std::size_t h = 0; h < H; ++h) s += t[b * H + h] * p.at("W2")[h * E + e];
      z[e] += s / static_cast<T>(B);
    }
  }
  Answer<T> answer;
  for (const auto& [name, values] : p) answer.gradients[name].assign(values.size(), 0);
  answer.mask = scaled_softmax(z, T(1), c.scale);
  answer.complement = scaled_softmax(z, T(-1), c.scale);
  if (c.remainder) {
    for (std::size_t e = 0; e < E; ++e) answer.complement[e] = c.scale * (1 - answer.mask[e] / c.scale) / T(E);
  }

  std::vector<T> dz(E, 0);
  const auto to_scores = [&](const std::vector<T>& m, const std::vector<T>& of_columns, T sign) {
    const std::vector<T> dm = of_entries(c, of_columns);
    for (std::size_t i = 0; i < m.size(); ++i) {
      for (std::size_t j = 0; j < m.size(); ++j) {
        dz[i] += sign * dm[j] * (m[j] * (i == j ? T(1) : T(0)) - m[i] * m[j] / c.scale);
      }
    }
  };
  std::vector<T> dm(D, 0);
  answer.loss_main =
      path(c, p, of_columns(c, answer.mask, T(1)), c.y, c.keep[0], "Um", "um", T(1), answer.gradients, dm);
  to_scores(answer.mask, dm, T(1));
  if (c.complement) {
    dm.assign(D, 0);
    const std::vector<T> complement = of_columns(c, answer.complement, T(0));
    answer.loss_complement = path(c, p, complement, c.r, c.keep[1], "Uc", "uc", c.gamma, answer.gradients, dm);
    if (c.remainder) {
      to_scores(answer.mask, dm, T(-1) / T(E));
    } else {
      to_scores(answer.complement, dm, T(-1));
    }
  }

  auto& g = answer.gradients;
  for (std::size_t b = 0; b < B; ++b) {
    for (std::size_t e = 0; e < E; ++e) g["b2"][e] += dz[e] / static_cast<T>(B);
    for (std::size_t h = 0; h < H; ++h) {
      T dt = 0;
      for (std::size_t e = 0; e < E; ++e) {
        g["W2"][h * E + e] += t[b * H + h] * dz[e] / static_cast<T>(B);
        dt += p.at("W2")[h * E + e] * dz[e] / static_cast<T>(B);
      }
      const T ds = dt * (1 - t[b * H + h] * t[b * H + h]);
      g["b1"][h] += ds;
      for (std::size_t d = 0; d < D; ++d) g["W1"][d * H + h] += c.X[b * D + d] * ds;
    }
  }
  return answer;
}

}  // namespace obverse::test
