# How a folder of rig becomes a library, and a folder of tests a test program.

add_library(rig_options INTERFACE)
target_compile_options(rig_options INTERFACE
  -Wall -Wextra -Wconversion -Wshadow -Wno-missing-field-initializers
  # with optimisation GCC 12 suspects std::string itself (its bugs 105329 and 105651), with sanitizers std::regex and
  # std::optional too (105562)
  $<$<CONFIG:Release>:-Wno-restrict>
  $<$<OR:$<CONFIG:Release>,$<BOOL:${RIG_SANITIZE}>>:-Wno-maybe-uninitialized>
  $<$<BOOL:${RIG_WERROR}>:-Werror>)
if(RIG_SANITIZE)
  target_compile_options(rig_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(rig_options INTERFACE -fsanitize=address,undefined)
endif()
if(RIG_FUZZ)
  target_compile_options(rig_options INTERFACE -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -O1 -g)
  target_link_options(rig_options INTERFACE -fsanitize=address,undefined)
endif()
target_include_directories(rig_options INTERFACE "${PROJECT_SOURCE_DIR}")

# rig_library(NAME [USES folder…] [LINKS target…]): every .cpp of this folder, as rig_NAME.
# USES are the folders whose headers this one may include (tests/unit/layering checks it).
function(rig_library name)
  cmake_parse_arguments(arg "" "" "USES;LINKS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp" "${CMAKE_CURRENT_SOURCE_DIR}/*.h")
  add_library(rig_${name} STATIC ${sources})
  set_target_properties(rig_${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(rig_${name} PUBLIC rig_options)
  foreach(used IN LISTS arg_USES)
    target_link_libraries(rig_${name} PUBLIC rig_${used})
  endforeach()
  target_link_libraries(rig_${name} PRIVATE ${arg_LINKS})
endfunction()

# rig_unit_test(FOLDER [OPTIMISED] [LINKS target…]): every .cpp of tests/unit/FOLDER, as rig-test-FOLDER. The tests
# themselves are compiled without optimisation, which is half of what they would take, but where they compute much.
function(rig_unit_test folder)
  cmake_parse_arguments(arg "OPTIMISED" "" "LINKS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp")
  if(NOT sources)
    return()
  endif()
  set(target rig-test-${folder})
  add_executable(${target} ${sources})
  target_link_libraries(${target} PRIVATE ${arg_LINKS} Catch2::Catch2WithMain)
  if(NOT arg_OPTIMISED)
    target_compile_options(${target} PRIVATE -O0)
  endif()
  target_compile_definitions(${target} PRIVATE
    RIG_SOURCE_DIR="${PROJECT_SOURCE_DIR}" RIG_BUILD_DIR="${PROJECT_BINARY_DIR}")
  add_dependencies(unit-tests ${target})
  add_test(NAME unit/${folder} COMMAND ${target})
  set_tests_properties(unit/${folder} PROPERTIES LABELS unit TIMEOUT 300)
  if(RIG_ASAN_BUILD_DIR)
    add_test(NAME unit-asan/${folder} COMMAND "${RIG_ASAN_BUILD_DIR}/tests/unit/${target}")
    set_tests_properties(unit-asan/${folder} PROPERTIES LABELS unit TIMEOUT 600)
  endif()
endfunction()

# rig_guest_test(NAME): tests/guest/NAME.cpp, run on real guests one at a time.
function(rig_guest_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "LINKS" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 1200)
  endif()
  set(target rig-guest-${name})
  add_executable(${target} ${name}.cpp)
  target_link_libraries(${target} PRIVATE ${arg_LINKS} Catch2::Catch2WithMain)
  target_compile_definitions(${target} PRIVATE
    RIG_SOURCE_DIR="${PROJECT_SOURCE_DIR}" RIG_BUILD_DIR="${PROJECT_BINARY_DIR}")
  add_dependencies(${target} rig)
  add_test(NAME guest/${name} COMMAND ${target})
  set_tests_properties(guest/${name} PROPERTIES LABELS guest TIMEOUT ${arg_TIMEOUT} RUN_SERIAL ON)
endfunction()
