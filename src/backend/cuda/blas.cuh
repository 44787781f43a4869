// Products of many small matrices at once, by cuBLAS. The library is opened when the first device is used: a program
// that trains on the processor neither loads nor needs it.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "backend/cuda/runtime.cuh"

struct cublasContext;

namespace obverse::cuda {

/// The matrices of a product: `stride` numbers from one to the next, `lead` from row to row.
struct Matrices {
  const void* base;
  std::size_t stride;
  std::size_t lead;
  bool bf16 = false;
  bool transposed = false;
};

/// How float numbers are multiplied.
enum class Products { f32, tf32 };

class Blas {
 public:
  explicit Blas(cudaStream_t stream);
  ~Blas();
  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;

  /// C (m,n) = A (m,k) B (k,n), `count` times, row major.
  void multiply(std::size_t m, std::size_t n, std::size_t k, const Matrices& a, const Matrices& b, const Matrices& c,
                std::size_t count, Products products = Products::f32) const;

  static std::size_t workspace_bytes() { return std::size_t{64} << 20; }

 private:
  cublasContext* handle_ = nullptr;
  Array<std::byte> workspace_;
};

}  // namespace obverse::cuda
