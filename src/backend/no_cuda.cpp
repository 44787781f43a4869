// In place of what a build with CUDA has for its devices.
#include <obverse/error.h>

#include "backend/device.h"
#include "backend/ops.h"

namespace obverse {
namespace {

[[noreturn]] void no_cuda() {
  throw Error(Fault::device,
              "this build has no CUDA; configure with -DOBVERSE_CUDA=ON where nvcc is, or use --device cpu");
}

}  // namespace

void require_cuda(int /*device*/) { no_cuda(); }

std::unique_ptr<Ops> cuda_ops(const GroupShape& /*shape*/, int /*device*/) { no_cuda(); }

}  // namespace obverse
