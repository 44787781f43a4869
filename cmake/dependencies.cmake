# Every library the engine stands on, found once.
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(dnnl CONFIG REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(ZLIB REQUIRED)
find_package(libzip REQUIRED)
find_package(SQLite3 REQUIRED)
find_path(FAST_FLOAT_INCLUDE_DIR fast_float/fast_float.h REQUIRED)

# oneDNN runs on OpenMP threads; the engine asks it for one in each of its own (backend/cpu/products.cpp).
find_library(OBVERSE_GOMP NAMES gomp libgomp.so.1 PATHS ${CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES} REQUIRED)
