// A library to load before a program (LD_PRELOAD) on a processor with AVX-512 BF16: it makes that processor claim to be
// an Intel Xeon with AMX whose palette leaves 0x1D and 0x1E are missing, as some virtual machines do. The kernel seems
// to grant the tiles. Whoever believes it dies at the first instruction on tiles, which the processor does not have.
//
// OBVERSE_CPUID_AT names where the instructions CPUID and XGETBV stand: FILE=ADDRESS,ADDRESS;FILE=..., addresses in
// hexadecimal as objdump prints them. Their first two bytes become UD2, and the signal that it raises puts in the
// answers.
#include <cpuid.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

constexpr std::size_t kMostPlaces = 256;
constexpr std::uintptr_t kCpuidBytes = 2;
constexpr std::uintptr_t kXgetbvBytes = 3;
struct Place {
  std::uintptr_t at;
  std::uintptr_t bytes;  // of the instruction that stood there
};
Place places[kMostPlaces];
std::size_t place_count = 0;

void answer(std::uint32_t leaf, std::uint32_t subleaf, std::uint32_t* eax, std::uint32_t* ebx, std::uint32_t* ecx,
            std::uint32_t* edx) {
  // AMD describes its caches where Intel has leaf 4, in the same form.
  __cpuid_count(leaf == 4 ? 0x8000001D : leaf, subleaf, *eax, *ebx, *ecx, *edx);
  if (leaf == 0) {
    *eax = 0x1C;
    std::memcpy(ebx, "Genu", 4);
    std::memcpy(edx, "ineI", 4);
    std::memcpy(ecx, "ntel", 4);
  } else if (leaf == 1) {
    *eax = 0x806F8;
  } else if (leaf == 7 && subleaf == 0) {
    *edx |= 1U << 22 | 1U << 24 | 1U << 25;
  } else if (leaf == 0x1D || leaf == 0x1E) {
    // Beyond the highest leaf Intel's processors answer as for the highest one, here the branch records of 0x1C.
    *eax = 0x400000B;
    *ebx = 7;
    *ecx = 7;
    *edx = 0;
  }
}

void on_illegal(int, siginfo_t*, void* context) {
  auto* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto at = static_cast<std::uintptr_t>(registers[REG_RIP]);
  for (std::size_t i = 0; i < place_count; ++i) {
    if (places[i].at != at) continue;
    registers[REG_RIP] += static_cast<greg_t>(places[i].bytes);
    if (places[i].bytes == kXgetbvBytes) {  // the kernel saves the tiles too
      registers[REG_RAX] = 0x602E7;
      registers[REG_RDX] = 0;
      return;
    }
    std::uint32_t eax, ebx, ecx, edx;
    answer(static_cast<std::uint32_t>(registers[REG_RAX]), static_cast<std::uint32_t>(registers[REG_RCX]), &eax, &ebx,
           &ecx, &edx);
    registers[REG_RAX] = eax;
    registers[REG_RBX] = ebx;
    registers[REG_RCX] = ecx;
    registers[REG_RDX] = edx;
    return;
  }
  std::signal(SIGILL, SIG_DFL);  // a real one: the program dies of it
}

void replace(std::uintptr_t at) {
  auto* const code = reinterpret_cast<unsigned char*>(at);
  const bool cpuid = code[0] == 0x0F && code[1] == 0xA2;
  const bool xgetbv = code[0] == 0x0F && code[1] == 0x01 && code[2] == 0xD0;
  if (!cpuid && !xgetbv) {
    std::fprintf(stderr, "claims_amx: neither CPUID nor XGETBV at %lx\n", static_cast<unsigned long>(at));
    std::_Exit(99);
  }
  const std::uintptr_t page = at & ~std::uintptr_t{4095};
  mprotect(reinterpret_cast<void*>(page), 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
  code[1] = 0x0B;
  places[place_count++] = {at, cpuid ? kCpuidBytes : kXgetbvBytes};
}

int visit(dl_phdr_info* object, std::size_t, void* wanted) {
  char name[4096] = {};
  if (*object->dlpi_name != '\0') {
    if (realpath(object->dlpi_name, name) == nullptr) return 0;
  } else if (readlink("/proc/self/exe", name, sizeof name - 1) < 0) {
    return 0;
  }
  char* list = static_cast<char*>(wanted);
  for (char* entry = list; entry != nullptr && *entry != '\0';) {
    char* const next = std::strchr(entry, ';');
    const std::size_t length = std::strlen(name);
    if (std::strncmp(entry, name, length) == 0 && entry[length] == '=') {
      char* number = entry + length;
      do {
        replace(object->dlpi_addr + std::strtoull(number + 1, &number, 16));
      } while (*number == ',' && place_count < kMostPlaces);
    }
    entry = next == nullptr ? nullptr : next + 1;
  }
  return 0;
}

// Runs before the constructors of all other libraries, oneDNN's among them (-z initfirst); getenv works only later.
__attribute__((constructor)) void start(int, char**, char** environment) {
  constexpr std::string_view kName = "OBVERSE_CPUID_AT=";
  while (*environment != nullptr && !std::string_view(*environment).starts_with(kName)) ++environment;
  if (*environment == nullptr) return;
  char* const wanted = *environment + kName.size();
  struct sigaction action {};
  action.sa_sigaction = on_illegal;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGILL, &action, nullptr);
  dl_iterate_phdr(visit, wanted);
}

}  // namespace

// The kernel's word on tiles: granted. Everything else goes to the kernel.
extern "C" long syscall(long number, ...) {
  va_list arguments;
  va_start(arguments, number);
  long a[6];
  for (long& one : a) one = va_arg(arguments, long);
  va_end(arguments);
  if (number == SYS_arch_prctl && a[0] == 0x1023) return 0;
  if (number == SYS_arch_prctl && a[0] == 0x1022) {
    *reinterpret_cast<unsigned long*>(a[1]) = 1UL << 17 | 1UL << 18;
    return 0;
  }
  long result;
  register long r10 __asm__("r10") = a[3];
  register long r8 __asm__("r8") = a[4];
  register long r9 __asm__("r9") = a[5];
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  if (result < 0 && result > -4096) {
    errno = static_cast<int>(-result);
    return -1;
  }
  return result;
}
