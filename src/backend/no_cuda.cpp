// In place of the operations on CUDA devices in a build without them.
#include <obverse/error.h>

#include "backend/ops.h"

namespace obverse {

std::unique_ptr<Ops> cuda_ops(const GroupShape& /*shape*/, int /*device*/) {
  throw Error(Fault::device,
              "this build knows no CUDA devices: configure it with -DOBVERSE_CUDA=ON, or use the processor");
}

}  // namespace obverse
