# Warnings for our own targets; errors in the dev preset.
function(obverse_warnings target)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic>)
  if(OBVERSE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
