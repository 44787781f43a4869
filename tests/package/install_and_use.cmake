# Run by CTest with: build, source (folders), generator, compiler, flags, launcher.
set(room ${build}/package_test)
set(prefix ${room}/moved)
file(REMOVE_RECURSE ${room})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${result}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(build_with_package name folder)
  run(${CMAKE_COMMAND} -S ${folder} -B ${room}/${name} -G ${generator} -D CMAKE_BUILD_TYPE=Release
      -D CMAKE_CXX_COMPILER=${compiler} "-DCMAKE_CXX_FLAGS=${flags}" "-DCMAKE_CXX_COMPILER_LAUNCHER=${launcher}"
      -D CMAKE_PREFIX_PATH=${prefix})
  run(${CMAKE_COMMAND} --build ${room}/${name})
endfunction()

# An installed tree can be moved, and knows neither where it was built nor where it was first put.
run(${CMAKE_COMMAND} --install ${build} --prefix ${room}/installed)
file(RENAME ${room}/installed ${prefix})
file(GLOB_RECURSE package_files ${prefix}/*.cmake ${prefix}/*.h)
foreach(file ${package_files})
  file(STRINGS ${file} lines)
  foreach(folder ${build} ${source})
    string(FIND "${lines}" "${folder}" place)
    if(NOT place EQUAL -1)
      message(FATAL_ERROR "${file} names ${folder}, where it was built")
    endif()
  endforeach()
endforeach()

# Libraries of the build machine go by target or name.
file(GLOB_RECURSE targets ${prefix}/*/obverse_targets.cmake)
file(STRINGS ${targets} places REGEX "[:;\"]/[^\"]*\\.(so|a)")
if(places)
  message(FATAL_ERROR "the package names files of the build machine: ${places}")
endif()

build_with_package(consumer ${source}/tests/package/consumer)
run(${CMAKE_COMMAND} -E chdir ${room} ${room}/consumer/consumer)
build_with_package(examples ${source}/examples)
run(${room}/examples/01_select_from_csv ${room}/data.csv class 10)
if(NOT output MATCHES "10 of 40 features")
  message(FATAL_ERROR "the example printed\n${output}")
endif()
run(${prefix}/bin/obverse --version)
