// Products by oneDNN, releases 2.6 to 3.x; on x86-64 alone.
#pragma once

#include <string>

#include "backend/cpu/products.h"

namespace obverse::cpu {

void onednn_multiply(const Product& product, const void* a, const void* b, float* c);

/// Its release, and the instructions that it may use: "oneDNN 2.6.3 up to AVX-512 BF16".
std::string onednn_text();

}  // namespace obverse::cpu
