// One oneDNN primitive for each shape, kept by each thread together with its scratch memory.
#include "backend/cpu/products.h"

#include <dnnl.hpp>
#include <unordered_map>
#include <utility>

#include <obverse/error.h>

extern "C" void omp_set_num_threads(int);

namespace obverse::cpu {

namespace {

struct ProductHash {
  std::size_t operator()(const Product& p) const {
    std::size_t hash = 0;
    for (const std::size_t part :
         {p.m, p.n, p.k, p.lda, p.ldb, p.ldc,
          std::size_t{p.transpose_a} + 2 * std::size_t{p.transpose_b} + 4 * std::size_t{p.bf16}}) {
      hash = (hash ^ part) * 0x9E3779B97F4A7C15U;
      hash ^= hash >> 29;
    }
    return hash;
  }
};

const dnnl::engine& engine() {
  static const dnnl::engine instance(dnnl::engine::kind::cpu, 0);
  return instance;
}

dnnl::memory::desc matrix(std::size_t rows, std::size_t cols, std::size_t ld, bool transposed, bool bf16) {
  using Dims = dnnl::memory::dims;
  const auto r = static_cast<dnnl::memory::dim>(rows);
  const auto c = static_cast<dnnl::memory::dim>(cols);
  const auto l = static_cast<dnnl::memory::dim>(ld);
  const auto type = bf16 ? dnnl::memory::data_type::bf16 : dnnl::memory::data_type::f32;
  return {Dims{r, c}, type, transposed ? Dims{1, l} : Dims{l, 1}};
}

// A compiled product with the memory objects that its operands are put into.
class Primitive {
 public:
  explicit Primitive(const Product& p) : stream_(engine()) {
    const auto a = matrix(p.m, p.k, p.lda, p.transpose_a, p.bf16);
    const auto b = matrix(p.k, p.n, p.ldb, p.transpose_b, p.bf16);
    const auto c = matrix(p.m, p.n, p.ldc, false, false);
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const dnnl::matmul::primitive_desc description(dnnl::matmul::desc(a, b, c), attributes, engine());
    matmul_ = dnnl::matmul(description);
    a_ = dnnl::memory(a, engine(), nullptr);
    b_ = dnnl::memory(b, engine(), nullptr);
    c_ = dnnl::memory(c, engine(), nullptr);
    arguments_ = {{DNNL_ARG_SRC, a_},
                  {DNNL_ARG_WEIGHTS, b_},
                  {DNNL_ARG_DST, c_},
                  {DNNL_ARG_SCRATCHPAD, dnnl::memory(description.scratchpad_desc(), engine())}};
  }

  void execute(const void* a, const void* b, float* c) {
    a_.set_data_handle(const_cast<void*>(a));
    b_.set_data_handle(const_cast<void*>(b));
    c_.set_data_handle(c);
    matmul_.execute(stream_, arguments_);
  }

 private:
  dnnl::stream stream_;
  dnnl::matmul matmul_;
  dnnl::memory a_, b_, c_;
  std::unordered_map<int, dnnl::memory> arguments_;
};

}  // namespace

void multiply(const Product& product, const void* a, const void* b, float* c) {
  // oneDNN's own threads are counted for each thread that calls it.
  thread_local const bool alone = (omp_set_num_threads(1), true);
  static_cast<void>(alone);
  thread_local std::unordered_map<Product, Primitive, ProductHash> primitives;
  try {
    auto found = primitives.find(product);
    if (found == primitives.end()) found = primitives.emplace(product, Primitive(product)).first;
    found->second.execute(a, b, c);
  } catch (const dnnl::error& error) {
    throw Error(Fault::internal, cat("a product of ", product.m, " x ", product.k, " by ", product.k, " x ", product.n,
                                     " failed in oneDNN: ", error.what()));
  }
}

bool has_bf16() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512bf16") != 0;
#else
  return false;
#endif
}

}  // namespace obverse::cpu
