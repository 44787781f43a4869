// A library to preload: the n-th call of a kind fails, or kills the process.
//   OBVERSE_FAULT=KIND:N        the N-th call from 1 fails; KIND:N+ that one and all after it
//   OBVERSE_FAULT_KILL=1        SIGKILL instead of a fault
//   OBVERSE_FAULT_COUNT=FILE    at exit, the number of calls of each kind, and of allocations before the program began
// Kinds: allocation, write, rename, fsync, open (for writing, and mkdir), thread; change is any of those but allocation
// and thread, and unlink and link with them.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum Kind { kAllocation, kWrite, kRename, kFsync, kOpen, kThread, kChange, kKinds };
static const char* const kNames[kKinds] = {"allocation", "write", "rename", "fsync", "open", "thread", "change"};

static atomic_long counts[kKinds];
static int asked_kind = -1;
static long asked_number = 0;
static int and_after = 0;
static int kills = 0;
static long loaded = 0;  // allocations of the libraries before the program

extern char** environ;

// getenv, without a call that could allocate: this runs inside the first malloc.
static const char* variable(const char* name) {
  const size_t length = strlen(name);
  for (char** entry = environ; entry != NULL && *entry != NULL; ++entry) {
    if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=') return *entry + length + 1;
  }
  return NULL;
}

// oneDNN does not check the allocations with which it makes its kernels and crashes where one fails, and libgomp ends
// the process where it has no memory to begin with. That is not for this program to mend: their allocations are counted
// and do not fail.
static const char* const kForeign[] = {"libdnnl", "libgomp"};
enum { kForeignLibraries = sizeof kForeign / sizeof kForeign[0] };
static uintptr_t foreign_begin[kForeignLibraries];
static uintptr_t foreign_end[kForeignLibraries];
static _Thread_local int in_foreign = 0;

static int find_foreign(struct dl_phdr_info* info, size_t size, void* unused) {
  (void)size;
  (void)unused;
  for (int library = 0; library < kForeignLibraries; ++library) {
    if (strstr(info->dlpi_name, kForeign[library]) == NULL) continue;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
      if (info->dlpi_phdr[i].p_type != PT_LOAD || (info->dlpi_phdr[i].p_flags & PF_X) == 0) continue;
      foreign_begin[library] = begin;
      foreign_end[library] = begin + info->dlpi_phdr[i].p_memsz;
    }
  }
  return 0;
}

static int is_foreign(const void* caller) {
  int foreign = in_foreign;
  for (int library = 0; library < kForeignLibraries; ++library) {
    foreign |= (uintptr_t)caller >= foreign_begin[library] && (uintptr_t)caller < foreign_end[library];
  }
  return foreign;
}

static void setup(void) {
  static atomic_int done = 0;
  if (environ == NULL || atomic_exchange(&done, 1)) return;
  dl_iterate_phdr(&find_foreign, NULL);  // all libraries are mapped before the first of them allocates
  kills = variable("OBVERSE_FAULT_KILL") != NULL;
  const char* fault = variable("OBVERSE_FAULT");
  const char* colon = fault == NULL ? NULL : strchr(fault, ':');
  if (colon == NULL) return;
  for (int kind = 0; kind < kKinds; ++kind) {
    if (strncmp(fault, kNames[kind], (size_t)(colon - fault)) == 0 && kNames[kind][colon - fault] == '\0') {
      asked_number = 0;
      const char* digit = colon + 1;
      for (; *digit >= '0' && *digit <= '9'; ++digit) asked_number = 10 * asked_number + (*digit - '0');
      and_after = *digit == '+';
      asked_kind = kind;
    }
  }
}

// Counts the call; true if it has to fail.
static int hit(int kind) {
  setup();
  const long number = atomic_fetch_add(&counts[kind], 1) + 1;
  if (kind != asked_kind || number < asked_number || (number > asked_number && !and_after)) return 0;
  if (kills) kill(getpid(), SIGKILL);
  return 1;
}

static int change_hit(int kind) {
  const int any = hit(kChange);
  return (kind != kChange && hit(kind)) || any;
}

__attribute__((destructor)) static void report(void) {
  const char* path = variable("OBVERSE_FAULT_COUNT");
  if (path == NULL) return;
  long found[kKinds];
  for (int kind = 0; kind < kKinds; ++kind) found[kind] = atomic_load(&counts[kind]);
  FILE* file = fopen(path, "w");
  if (file == NULL) return;
  for (int kind = 0; kind < kKinds; ++kind) fprintf(file, "%s %ld\n", kNames[kind], found[kind]);
  fprintf(file, "loaded %ld\n", loaded);
  fclose(file);
}

#define REAL(name) __extension__((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int allocation_fails(const void* caller) { return hit(kAllocation) && !is_foreign(caller); }

// operator new, which is where oneDNN calls malloc from.
#define NEW_LIKE(name, parameters, arguments)                   \
  void* name parameters {                                       \
    static void*(*real)parameters = NULL;                       \
    if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, #name); \
    const int outside = in_foreign;                             \
    in_foreign = is_foreign(__builtin_return_address(0));       \
    void* made = real arguments;                                \
    in_foreign = outside;                                       \
    return made;                                                \
  }

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

static void* no_memory(void) {
  errno = ENOMEM;
  return NULL;
}

#define FAILS allocation_fails(__builtin_return_address(0))

void* malloc(size_t size) { return FAILS ? no_memory() : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return FAILS ? no_memory() : __libc_calloc(count, size); }
void* realloc(void* old, size_t size) { return FAILS ? no_memory() : __libc_realloc(old, size); }
void* memalign(size_t alignment, size_t size) { return FAILS ? no_memory() : __libc_memalign(alignment, size); }
void* aligned_alloc(size_t alignment, size_t size) { return FAILS ? no_memory() : __libc_memalign(alignment, size); }
int posix_memalign(void** out, size_t alignment, size_t size) {
  if (FAILS) return ENOMEM;
  *out = __libc_memalign(alignment, size);
  return *out == NULL ? ENOMEM : 0;
}
NEW_LIKE(_Znwm, (size_t size), (size))
NEW_LIKE(_ZnwmRKSt9nothrow_t, (size_t size, const void* tag), (size, tag))

// glibc ends the process where it has no memory to note the destructor of a thread's object.
int __cxa_thread_atexit_impl(void (*destroy)(void*), void* object, void* library) {
  const int outside = in_foreign;
  in_foreign = 1;
  const int status = REAL(__cxa_thread_atexit_impl)(destroy, object, library);
  in_foreign = outside;
  return status;
}

// Messages on stderr are what the tests read.
static int write_fails(int file) {
  if (file == STDERR_FILENO || !change_hit(kWrite)) return 0;
  errno = ENOSPC;
  return 1;
}

ssize_t write(int file, const void* data, size_t size) {
  return write_fails(file) ? -1 : REAL(write)(file, data, size);
}
ssize_t pwrite(int file, const void* data, size_t size, off_t at) {
  return write_fails(file) ? -1 : REAL(pwrite)(file, data, size, at);
}
ssize_t pwrite64(int file, const void* data, size_t size, off64_t at) {
  return write_fails(file) ? -1 : REAL(pwrite64)(file, data, size, at);
}
ssize_t writev(int file, const struct iovec* parts, int count) {
  return write_fails(file) ? -1 : REAL(writev)(file, parts, count);
}

static int fails(int kind, int fault) {
  if (!change_hit(kind)) return 0;
  errno = fault;
  return 1;
}

int rename(const char* from, const char* to) { return fails(kRename, EIO) ? -1 : REAL(rename)(from, to); }
int renameat(int a, const char* from, int b, const char* to) {
  return fails(kRename, EIO) ? -1 : REAL(renameat)(a, from, b, to);
}
int fsync(int file) { return fails(kFsync, EIO) ? -1 : REAL(fsync)(file); }
int fdatasync(int file) { return fails(kFsync, EIO) ? -1 : REAL(fdatasync)(file); }
int mkdir(const char* path, mode_t mode) { return fails(kOpen, EACCES) ? -1 : REAL(mkdir)(path, mode); }
int unlink(const char* path) { return fails(kChange, EIO) ? -1 : REAL(unlink)(path); }
int link(const char* from, const char* to) { return fails(kChange, EIO) ? -1 : REAL(link)(from, to); }

static int open_fails(int flags) { return (flags & O_ACCMODE) != O_RDONLY && fails(kOpen, EACCES); }

static mode_t mode_of(int flags, va_list list) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? (mode_t)va_arg(list, int) : 0;
}

#define OPEN_LIKE(name)                                            \
  int name(const char* path, int flags, ...) {                     \
    va_list list;                                                  \
    va_start(list, flags);                                         \
    const mode_t mode = mode_of(flags, list);                      \
    va_end(list);                                                  \
    return open_fails(flags) ? -1 : REAL(name)(path, flags, mode); \
  }
OPEN_LIKE(open)
OPEN_LIKE(open64)

#define OPENAT_LIKE(name)                                                  \
  int name(int folder, const char* path, int flags, ...) {                 \
    va_list list;                                                          \
    va_start(list, flags);                                                 \
    const mode_t mode = mode_of(flags, list);                              \
    va_end(list);                                                          \
    return open_fails(flags) ? -1 : REAL(name)(folder, path, flags, mode); \
  }
OPENAT_LIKE(openat)
OPENAT_LIKE(openat64)

// The libraries are loaded here and have allocated; the initialisers of the program come next, then its main.
int __libc_start_main(int (*body)(int, char**, char**), int count, char** words, void (*first)(void),
                      void (*last)(void), void (*unload)(void), void* stack) {
  typedef int (*Start)(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void), void (*)(void),
                       void*);
  loaded = atomic_load(&counts[kAllocation]);
  return __extension__((Start)dlsym(RTLD_NEXT, "__libc_start_main"))(body, count, words, first, last, unload, stack);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*body)(void*), void* argument) {
  return hit(kThread) ? EAGAIN : REAL(pthread_create)(thread, how, body, argument);
}
