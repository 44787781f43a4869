// For tests that need a CUDA device.
#pragma once

#include <gtest/gtest.h>

#include <obverse/error.h>

#include "backend/device.h"

namespace obverse::test {

/// In SetUp: the test is skipped, with the reason, where the first device cannot be used.
inline void need_cuda() {
  try {
    device_named("cuda");
  } catch (const Error& error) {
    if (error.fault() != Fault::device) throw;
    GTEST_SKIP() << error.what();
  }
}

}  // namespace obverse::test
