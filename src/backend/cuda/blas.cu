#include "backend/cuda/blas.cuh"

#include <cublas_v2.h>
#include <dlfcn.h>

#include <mutex>
#include <string>

#include <obverse/error.h>

namespace obverse::cuda {

namespace {

// The functions in use, by the names they have in the library.
struct Library {
  decltype(&cublasCreate_v2) create;
  decltype(&cublasDestroy_v2) destroy;
  decltype(&cublasSetStream_v2) set_stream;
  decltype(&cublasSetWorkspace_v2) set_workspace;
  cublasStatus_t (*multiply)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*,
                             const void*, cudaDataType, int, long long, const void*, cudaDataType, int, long long,
                             const void*, void*, cudaDataType, int, long long, int, cublasComputeType_t,
                             cublasGemmAlgo_t);
};

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) throw Error(Fault::device, cat("cuBLAS has no ", name, "; is its version complete?"));
}

Library open_library() {
  const std::string name = cat("libcublas.so.", CUBLAS_VER_MAJOR);
  void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  // Where the compiler found it: not every machine tells its loader.
  if (library == nullptr) library = dlopen(cat(OBVERSE_CUBLAS_FOLDER, '/', name).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw Error(Fault::device, cat("cannot open ", name, "; install cuBLAS ", CUBLAS_VER_MAJOR,
                                   " or name its folder in LD_LIBRARY_PATH, or use --device cpu"));
  }
  Library found{};
  find(library, "cublasCreate_v2", found.create);
  find(library, "cublasDestroy_v2", found.destroy);
  find(library, "cublasSetStream_v2", found.set_stream);
  find(library, "cublasSetWorkspace_v2", found.set_workspace);
  find(library, "cublasGemmStridedBatchedEx", found.multiply);
  return found;
}

const Library& library() {
  static const Library one = open_library();
  return one;
}

void check(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw Error(Fault::device, cat("cuBLAS failed at ", what, ": status ", static_cast<int>(status),
                                   "; the device: ", cudaGetErrorString(cudaGetLastError())));
  }
}

int int_of(std::size_t value) { return static_cast<int>(value); }

}  // namespace

Blas::Blas(cudaStream_t stream) : workspace_(workspace_bytes()) {
  {
    const std::lock_guard lock(graph_mutex());
    check(library().create(&handle_), "starting");
  }
  check(library().set_stream(handle_, stream), "choosing a stream");
  check(library().set_workspace(handle_, workspace_.get(), workspace_.size()), "taking memory");
}

Blas::~Blas() {
  const std::lock_guard lock(graph_mutex());
  if (handle_ != nullptr) library().destroy(handle_);
}

// cuBLAS counts by columns: what is A B by rows is B' A' to it.
void Blas::multiply(std::size_t m, std::size_t n, std::size_t k, const Matrices& a, const Matrices& b,
                    const Matrices& c, std::size_t count, Products products) const {
  const float one = 1;
  const float zero = 0;
  const auto type = [](const Matrices& x) { return x.bf16 ? CUDA_R_16BF : CUDA_R_32F; };
  const auto stride = [](const Matrices& x) { return static_cast<long long>(x.stride); };
  const auto operation = [](const Matrices& x) { return x.transposed ? CUBLAS_OP_T : CUBLAS_OP_N; };
  const auto compute = products == Products::tf32 && !a.bf16 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  check(library().multiply(handle_, operation(b), operation(a), int_of(n), int_of(m), int_of(k), &one, b.base, type(b),
                           int_of(b.lead), stride(b), a.base, type(a), int_of(a.lead), stride(a), &zero,
                           const_cast<void*>(c.base), type(c), int_of(c.lead), stride(c), int_of(count), compute,
                           CUBLAS_GEMM_DEFAULT),
        "a product");
}

}  // namespace obverse::cuda
