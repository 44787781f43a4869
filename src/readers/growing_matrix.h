// Rows of floats that come one block after another.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#include <obverse/dataset.h>

namespace obverse {

/// realloc moves the pages of a large block and not its numbers, so that growing costs no second copy in memory.
class GrowingMatrix {
 public:
  explicit GrowingMatrix(std::size_t width) : width_(width) {}

  void append(const float* values, std::size_t rows) {
    const std::size_t count = rows * width_;
    if (size_ + count > capacity_) reserve(std::max(size_ + count, capacity_ + capacity_ / 2));
    std::copy_n(values, count, values_.get() + size_);
    size_ += count;
    rows_ += rows;
  }

  std::size_t rows() const { return rows_; }

  DenseMatrix<float> take() {
    if (size_ > 0) reserve(size_);
    return {std::shared_ptr<const float[]>(values_.release(), Free{}), rows_, width_};
  }

 private:
  struct Free {
    void operator()(float* values) const { std::free(values); }
  };

  void reserve(std::size_t count) {
    auto* const moved = static_cast<float*>(std::realloc(values_.get(), count * sizeof(float)));
    if (moved == nullptr) throw std::bad_alloc();
    (void)values_.release();
    values_.reset(moved);
    capacity_ = count;
  }

  std::unique_ptr<float, Free> values_;
  std::size_t width_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::size_t rows_ = 0;
};

}  // namespace obverse
