// The loops of vote_loops.h. Compiled once for each instruction set (loop_tables.h). A product with a sign of 1 or -1
// is exact, so that fusing it with the sum changes nothing.
#include "selection/vote_loops.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace obverse {

namespace {

void add_term(const float* from, const float* z, float own, float sign, std::size_t n, float* to) {
#pragma omp simd
  for (std::size_t j = 0; j < n; ++j) {
    const float square = (z[j] - own) * (z[j] - own);
    to[j] = from[j] + sign * square;
  }
}

#if defined(__AVX512F__)

VoteBlock find_term(const float* from, const float* z, float own, float sign, std::size_t begin, std::size_t n,
                    float bound) {
  const __m512 owns = _mm512_set1_ps(own);
  const __m512 signs = _mm512_set1_ps(sign);
  const __m512 bounds = _mm512_set1_ps(bound);
  VoteBlock block;
  for (std::size_t j = begin; j < n; j += kVoteLanes) {
    const __m512 apart = _mm512_sub_ps(_mm512_loadu_ps(z + j), owns);
    const __m512 x = _mm512_fmadd_ps(signs, _mm512_mul_ps(apart, apart), _mm512_loadu_ps(from + j));
    block.small = _mm512_cmp_ps_mask(x, bounds, _CMP_LE_OQ);
    if (block.small == 0) continue;
    block.at = j;
    _mm512_storeu_ps(block.numbers, x);
    return block;
  }
  block.at = n;
  return block;
}

VoteBlock find(const float* from, std::size_t begin, std::size_t n, float bound) {
  const __m512 bounds = _mm512_set1_ps(bound);
  VoteBlock block;
  for (std::size_t j = begin; j < n; j += kVoteLanes) {
    const __m512 x = _mm512_loadu_ps(from + j);
    block.small = _mm512_cmp_ps_mask(x, bounds, _CMP_LE_OQ);
    if (block.small == 0) continue;
    block.at = j;
    _mm512_storeu_ps(block.numbers, x);
    return block;
  }
  block.at = n;
  return block;
}

#else

bool any_at_most(const float* x, float bound) {
  int any = 0;
#pragma omp simd reduction(| : any)
  for (std::size_t l = 0; l < kVoteLanes; ++l) any |= static_cast<int>(x[l] <= bound);
  return any != 0;
}

void mark_small(float bound, VoteBlock& block) {
  block.small = 0;
  for (std::size_t l = 0; l < kVoteLanes; ++l) {
    block.small |= static_cast<std::uint32_t>(block.numbers[l] <= bound) << l;
  }
}

VoteBlock find_term(const float* from, const float* z, float own, float sign, std::size_t begin, std::size_t n,
                    float bound) {
  VoteBlock block;
  for (block.at = begin; block.at < n; block.at += kVoteLanes) {
    add_term(from + block.at, z + block.at, own, sign, kVoteLanes, block.numbers);
    if (!any_at_most(block.numbers, bound)) continue;
    mark_small(bound, block);
    return block;
  }
  return block;
}

VoteBlock find(const float* from, std::size_t begin, std::size_t n, float bound) {
  VoteBlock block;
  for (block.at = begin; block.at < n; block.at += kVoteLanes) {
    if (!any_at_most(from + block.at, bound)) continue;
    for (std::size_t l = 0; l < kVoteLanes; ++l) block.numbers[l] = from[block.at + l];
    mark_small(bound, block);
    return block;
  }
  return block;
}

#endif

constexpr VoteLoops kTable{
    .add_term = add_term,
    .find_term = find_term,
    .find = find,
};

}  // namespace

const VoteLoops& VoteLoops::compiled(Instructions<InstructionSet::OBVERSE_INSTRUCTION_SET>) { return kTable; }

}  // namespace obverse
