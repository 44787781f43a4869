# Every library the engine stands on, found once. The lowest versions are those of Debian 12; Debian 13 is tested too.
function(obverse_needs library lowest found)
  if("${found}" VERSION_LESS ${lowest})
    message(FATAL_ERROR "${library}: needed is version ${lowest} or newer, found '${found}'. Install a newer one, or set "
                        "CMAKE_PREFIX_PATH to the folder that has one.")
  endif()
endfunction()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
# oneDNN multiplies matrices on x86-64; elsewhere the plain loops do.
set(OBVERSE_X86 OFF)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(OBVERSE_X86 ON)
  find_package(dnnl CONFIG REQUIRED)
  obverse_needs(oneDNN 2.6 "${dnnl_VERSION}")
  # It runs on OpenMP threads; the engine asks it for one in each of its own (backend/cpu/onednn.cpp).
  find_library(OBVERSE_GOMP NAMES gomp libgomp.so.1 PATHS ${CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES} REQUIRED)
endif()
find_package(fmt REQUIRED)
obverse_needs("{fmt}" 9.1 "${fmt_VERSION}")
find_package(nlohmann_json REQUIRED)
obverse_needs(nlohmann-json 3.11.2 "${nlohmann_json_VERSION}")
find_package(CLI11 REQUIRED)
obverse_needs(CLI11 2.1.2 "${CLI11_VERSION}")
find_package(tomlplusplus REQUIRED)
obverse_needs(toml++ 3.3 "${tomlplusplus_VERSION}")
find_package(ZLIB REQUIRED)
obverse_needs(zlib 1.2.13 "${ZLIB_VERSION_STRING}")
find_package(libzip REQUIRED)
obverse_needs(libzip 1.7.3 "${libzip_VERSION}")
find_package(SQLite3 REQUIRED)
obverse_needs(SQLite 3.40 "${SQLite3_VERSION}")

find_package(FastFloat CONFIG REQUIRED)
obverse_needs(fast_float 3.9 "${FastFloat_VERSION}")
find_path(FAST_FLOAT_INCLUDE_DIR fast_float/fast_float.h REQUIRED)  # headers alone: nothing for users of the library to find
