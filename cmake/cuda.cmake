# Whether the CUDA backend is built. OBVERSE_CUDA may be AUTO in the cache; from here on it is ON or OFF.
set(default AUTO)
if(OBVERSE_PYTHON)  # a wheel carries all that it needs, and of CUDA it would need a cuBLAS from elsewhere
  set(default OFF)
endif()
set(OBVERSE_CUDA ${default} CACHE STRING "train on CUDA devices too: AUTO (where CUDA is), ON or OFF")
set_property(CACHE OBVERSE_CUDA PROPERTY STRINGS AUTO ON OFF)
if(NOT OBVERSE_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "OBVERSE_CUDA: expected AUTO, ON or OFF; found '${OBVERSE_CUDA}'")
endif()
set(CMAKE_CUDA_ARCHITECTURES "80;90" CACHE STRING "compute capabilities of the devices to build for")

set(cuda_missing "OBVERSE_CUDA is OFF")
if(NOT OBVERSE_CUDA STREQUAL OFF)
  set(cuda_missing "")
  include(CheckLanguage)
  if(NOT CMAKE_CUDA_COMPILER)  # it may have been installed since
    unset(CMAKE_CUDA_COMPILER CACHE)
  endif()
  check_language(CUDA)
  find_package(CUDAToolkit 12 QUIET)  # nvcc knows C++20 from there on
  if(NOT CMAKE_CUDA_COMPILER)
    set(cuda_missing "no nvcc that works")
  elseif(NOT CUDAToolkit_FOUND)
    set(cuda_missing "no CUDA of version 12 or newer")
  elseif(NOT TARGET CUDA::cublas)
    set(cuda_missing "no cuBLAS")
  endif()
endif()

if(NOT cuda_missing)
  set(OBVERSE_CUDA ON)
  # A cache for C++ serves CUDA too.
  set(CMAKE_CUDA_COMPILER_LAUNCHER "${CMAKE_CXX_COMPILER_LAUNCHER}" CACHE STRING "what runs nvcc, such as ccache")
  enable_language(CUDA)
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know it of newer compilers
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  endif()
  message(STATUS "Building with CUDA ${CUDAToolkit_VERSION} for compute capabilities ${CMAKE_CUDA_ARCHITECTURES}")
elseif(OBVERSE_CUDA STREQUAL ON)
  message(FATAL_ERROR "OBVERSE_CUDA=ON, but there is ${cuda_missing}: install CUDA 12 or newer, put its folder bin into "
                      "PATH or set CUDACXX to its nvcc, or leave OBVERSE_CUDA at AUTO")
else()
  set(OBVERSE_CUDA OFF)
  message(STATUS "Building without CUDA: ${cuda_missing}")
endif()
