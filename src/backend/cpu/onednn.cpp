// One oneDNN primitive for each shape, kept by each thread together with its scratch memory.
#include "backend/cpu/onednn.h"

#include <cstdint>
#include <dnnl.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

#include <obverse/error.h>

#include "backend/cpu/processor.h"

extern "C" void omp_set_num_threads(int);

namespace obverse::cpu {

namespace {

struct ProductHash {
  std::size_t operator()(const Product& p) const {
    std::size_t hash = 0;
    for (const std::size_t part :
         {p.m, p.n, p.k, p.lda, p.ldb,
          std::size_t{p.transpose_a} + 2 * std::size_t{p.transpose_b} + 4 * std::size_t{p.bf16}}) {
      hash = (hash ^ part) * 0x9E3779B97F4A7C15U;
      hash ^= hash >> 29;
    }
    return hash;
  }
};

struct Cap {
  dnnl::cpu_isa isa;
  const char* name;
};

// oneDNN believes CPUID: it takes AMX where leaf 7 claims it, and dies of an illegal instruction where the tiles are
// missing. It is held to what this process may really use.
Cap cap() {
  const Arithmetic& used = arithmetic();
  if (used.set == InstructionSet::avx2) return {dnnl::cpu_isa::avx2, "AVX2"};
  if (used.tiles) return {dnnl::cpu_isa::avx512_core_amx, "AMX"};
  if (used.half_products) return {dnnl::cpu_isa::avx512_core_bf16, "AVX-512 BF16"};
  return {dnnl::cpu_isa::avx512_core_vnni, "AVX-512"};
}

// Once, before the first primitive: later oneDNN takes no cap. That happens where another part of the process has
// used the same library before; then bf16 is refused unless the library shows that it does without AMX.
bool capped() {
  static const bool held = [] {
    return dnnl::set_max_cpu_isa(cap().isa) == dnnl::status::success || dnnl::get_effective_cpu_isa() == cap().isa;
  }();
  return held;
}

const dnnl::engine& engine() {
  static const dnnl::engine instance = [] {
    capped();
    return dnnl::engine(dnnl::engine::kind::cpu, 0);
  }();
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

dnnl::matmul::primitive_desc describe(const dnnl::memory::desc& a, const dnnl::memory::desc& b,
                                      const dnnl::memory::desc& c, const dnnl::primitive_attr& attributes) {
#if DNNL_VERSION_MAJOR >= 3
  return {engine(), a, b, c, attributes};
#else
  return {dnnl::matmul::desc(a, b, c), attributes, engine()};
#endif
}

// A compiled product with the memory objects that its operands are put into.
class Primitive {
 public:
  explicit Primitive(const Product& p) : stream_(engine()) {
    const auto a = matrix(p.m, p.k, p.lda, p.transpose_a, p.bf16);
    const auto b = matrix(p.k, p.n, p.ldb, p.transpose_b, p.bf16);
    const auto c = matrix(p.m, p.n, p.n, false, false);
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const dnnl::matmul::primitive_desc description = describe(a, b, c, attributes);
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

// oneDNN 3.7 reads the single row of a transposed operand as if its values lay side by side, whatever their distance:
// they are put side by side.
template <class Value>
void multiply_row(Product product, const void* a, const void* b, float* c) {
  thread_local std::vector<Value> row;
  row.resize(product.k);
  for (std::size_t k = 0; k < product.k; ++k) row[k] = static_cast<const Value*>(a)[k * product.lda];
  product.transpose_a = false;
  product.lda = product.k;
  onednn_multiply(product, row.data(), b, c);
}

}  // namespace

void onednn_multiply(const Product& product, const void* a, const void* b, float* c) {
  if (product.m == 1 && product.transpose_a) {
    return product.bf16 ? multiply_row<std::uint16_t>(product, a, b, c) : multiply_row<float>(product, a, b, c);
  }
  if (product.bf16 && !capped()) {
    throw Error(Fault::device,
                "oneDNN was in use in this process before Obverse could tell it which instructions this processor "
                "really has; use --precision f32, or load Obverse first");
  }
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

std::string onednn_text() {
  const dnnl::version_t& version = *dnnl::version();
  return cat("oneDNN ", version.major, ".", version.minor, ".", version.patch, " up to ", cap().name);
}

}  // namespace obverse::cpu
