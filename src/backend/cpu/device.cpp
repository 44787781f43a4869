#include "backend/cpu/device.h"

#include <unistd.h>

#include <obverse/error.h>

#include "backend/cpu/neighbours.h"
#include "backend/cpu/ops.h"
#include "backend/cpu/processor.h"
#include "backend/cpu/products.h"
#include "backend/loop_tables.h"

namespace obverse::cpu {
namespace {

class CpuDevice final : public Device {
 public:
  std::string name() const override { return "cpu"; }
  std::string_view title() const override { return "processor"; }

  Precision preferred_precision() const override {
    return arithmetic().prefers_bf16 ? Precision::bf16 : Precision::f32;
  }
  void require_precision(Precision precision) const override {
    if (precision == Precision::automatic) throw Error(Fault::internal, "a precision was left open");
    if (precision == Precision::tf32) {
      throw Error(Fault::device, "tf32 is a precision of GPUs; use --precision f32 or bf16, or --device cuda");
    }
    if (precision == Precision::bf16 && !has_bf16()) {
      throw Error(Fault::device, cat("no bf16 arithmetic (AVX-512 BF16) in the instruction set in use, ",
                                     name_of(arithmetic().set), "; use --precision f32 or auto"));
    }
  }

  std::unique_ptr<Ops> make_ops(const GroupShape& shape, Team& team) const override {
    return std::make_unique<CpuOps>(shape, team);
  }
  bool prefers_wide_groups() const override { return false; }

  DeviceMemory memory() const override {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return {static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) * page,
            static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * page};
  }

  std::vector<std::uint32_t> nearest_rows(const RowSearch& search, Team& team) const override {
    return cpu::nearest_rows(search, team);
  }
};

}  // namespace

std::unique_ptr<Device> open_device(int /*number*/) { return std::make_unique<CpuDevice>(); }

}  // namespace obverse::cpu
