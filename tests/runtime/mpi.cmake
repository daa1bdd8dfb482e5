# Jobs of several ranks, under the mpirun of each MPI that is there: runtime.mpi_<MPI>_<what>_<ranks>. The target mpi_programs builds
# what they run.
if(NOT fulgurite_mpis)
  add_test(NAME runtime.mpi COMMAND "${CMAKE_COMMAND}" -E echo "no MPI was found when this build was configured")
  set_tests_properties(runtime.mpi PROPERTIES SKIP_REGULAR_EXPRESSION "no MPI was found")
  return()
endif()

add_custom_target(mpi_programs ALL)

# add_mpi_program(NAME LIBRARIES.. [DEFINITION])
function(add_mpi_program name)
  add_executable(${name} runtime/mpi_program.cpp)
  target_link_libraries(${name} PRIVATE tested_archive fulgurite_internal ${ARGN})
  target_compile_options(${name} PRIVATE -O1)
  add_dependencies(mpi_programs ${name})
endfunction()
add_mpi_program(mpi_program)
add_mpi_program(mpi_program_of_other_build)
target_compile_definitions(mpi_program_of_other_build PRIVATE FULGURITE_TEST_OTHER_BUILD)

# Launchers look for devices by hwloc, which would start PoCL: that ends a rank where there is no /sys.
set(mpi_environment OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
  HWLOC_COMPONENTS=-opencl)

set(job_limit 20) # seconds

# add_mpi_job(NAME STATUS SAYS COMMAND..): for the environment of the variable job_environment. Beside a job of one rank, and one that
# ends badly, where what takes time is that others notice it, another test runs.
function(add_mpi_job name status says)
  set(processors 2)
  if(name MATCHES "_1$" OR NOT status STREQUAL "0")
    set(processors 1)
  endif()
  add_test(NAME runtime.mpi_${name} COMMAND "${CMAKE_COMMAND}" "-DSTATUS=${status}" "-DSAYS=${says}"
    "-DCOUNTS=${job_counts}" "-DLIMIT=${job_limit}" -P "${CMAKE_CURRENT_SOURCE_DIR}/runtime/mpi_job.cmake" -- ${ARGN})
  math(EXPR timeout "${job_limit} + 40")
  set_tests_properties(runtime.mpi_${name} PROPERTIES TIMEOUT ${timeout} PROCESSORS ${processors}
    ENVIRONMENT "${test_cache};${mpi_environment};${job_environment}")
endfunction()

# What ranks share: every launch, by tasks that are as small as they may be.
set(shared_launches FULGURITE_MPI_REPEATED=0 FULGURITE_THREADS=1 "FULGURITE_POLICY=@${CMAKE_CURRENT_SOURCE_DIR}/runtime/tiny_tasks.policy")
add_executable(mpi_engine runtime/mpi_engine.cpp)
target_link_libraries(mpi_engine PRIVATE tested_archive fulgurite_internal)
target_compile_options(mpi_engine PRIVATE -O0)
target_include_directories(mpi_engine PRIVATE "${PROJECT_SOURCE_DIR}/bench") # programs.h
add_dependencies(mpi_programs mpi_engine ${run_on_ranks} tool_example)
set(engine "$<TARGET_FILE:mpi_engine>")
add_executable(mpi_files runtime/mpi_files.cpp)
target_link_libraries(mpi_files PRIVATE tested_archive fulgurite_internal)
target_compile_options(mpi_files PRIVATE -O0)
add_dependencies(mpi_programs mpi_files tool_example)

# add_mpi_suite(MPI RANKS NAME [WITHOUT]): the public suite on so many ranks, but for tests of callers side by side, of arrays above 1 GB, and of what
# the policy changes: what explain says, the memory of histograms; of profiles, which rank 0 alone writes; and but for what WITHOUT says. One rank alone shares nothing. Without tiny tasks
# its kernels are those of the engine cpu, which are in the cache; it has them where all numbers of ranks are tried.
function(add_mpi_suite mpi ranks name)
  set(job_limit 900) # the first one compiles all kernels
  set(launches ${shared_launches})
  if(ranks EQUAL 1 AND name STREQUAL "suite")
    list(FILTER launches EXCLUDE REGEX "^FULGURITE_POLICY=")
  endif()
  set(job_environment FULGURITE_TEST_ENGINE=mpi FULGURITE_ENGINE=mpi "RC_PARAMS=seed=1 noshrink=1" ${launches})
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/mpi_suite_${mpi}_${ranks}")
  file(MAKE_DIRECTORY "${folder}")
  add_mpi_job(${name}_${mpi}_${ranks} 0 "PASSED" "${FULGURITE_MPIRUN_${mpi}}" -n ${ranks} "${CMAKE_CURRENT_SOURCE_DIR}/runtime/mpi_suite.sh"
    "${folder}" "$<TARGET_FILE:test_public>" "--gtest_filter=-*Slow*:*Timing*:*Large*:*Concurrent*:HostPage.MemoryAndThreads:HostPage.MessagesAndProfiles:Profiles.*:Errors.OptionsThatTheEnvironmentSets:Guide.ShowsWhatExplainTells:Structure.TwoHistograms${ARGN}"
    --gtest_brief=1)
endfunction()

# add_mpi_random_programs(MPI RANKS NAME COUNT): the same on all ranks; what fails on one ends the job. `./dev fuzz --ranks 10000` runs more.
function(add_mpi_random_programs mpi ranks name count)
  set(job_limit 500)
  set(job_environment FULGURITE_TEST_ENGINE=mpi "RC_PARAMS=seed=1 max_success=${count} shrink_seconds=0" ${shared_launches})
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/mpi_${name}_${mpi}_${ranks}")
  file(MAKE_DIRECTORY "${folder}")
  add_mpi_job(${name}_${mpi}_${ranks} 0 "PASSED" "${FULGURITE_MPIRUN_${mpi}}" -n ${ranks}
    "${CMAKE_CURRENT_SOURCE_DIR}/runtime/mpi_suite.sh" "${folder}" "$<TARGET_FILE:test_programs_slow>" "--gtest_filter=*PropertyEngines*" --gtest_brief=1)
endfunction()

set(program "$<TARGET_FILE:mpi_program>")
foreach(mpi IN LISTS fulgurite_mpis)
  add_dependencies(mpi_programs fulgurite_${mpi})
  set(mpirun "${FULGURITE_MPIRUN_${mpi}}")
  set(title "Open MPI|MPICH")
  if(mpi STREQUAL "openmpi")
    set(title "Open MPI [0-9.]+")
  elseif(mpi STREQUAL "mpich")
    set(title "MPICH [0-9.]+")
  endif()
  set(job_environment "")
  add_mpi_program(mpi_program_of_${mpi} fulgurite_mpi_${mpi})
  target_compile_definitions(mpi_program_of_${mpi} PRIVATE FULGURITE_TEST_OWN_MPI)
  foreach(ranks IN ITEMS 1 2 3 5)
    add_mpi_job(${mpi}_messages_${ranks} 0 "messages is done" "${mpirun}" -n ${ranks} "${program}" messages)
  endforeach()
  add_mpi_job(${mpi}_library_3 0 "${title}, 3 ranks" "${mpirun}" -n 3 "${program}" library)
  add_mpi_job(${mpi}_own_communicator_3 0 "messages is done" "${mpirun}" -n 3 "$<TARGET_FILE:mpi_program_of_${mpi}>" messages)
  add_mpi_job(${mpi}_loaded_by_program 0 "${title}, 1 ranks" "$<TARGET_FILE:mpi_program_of_${mpi}>" library)
  # A library that counts MPI's calls, loaded before MPI, agrees with Ranks::traffic().
  add_library(mpi_count_${mpi} MODULE runtime/mpi_count.cpp)
  target_link_libraries(mpi_count_${mpi} PRIVATE fulgurite_warnings fulgurite_mpi_${mpi})
  add_dependencies(mpi_programs mpi_count_${mpi})
  foreach(ranks IN ITEMS 1 3)
    set(job_counts "${CMAKE_CURRENT_BINARY_DIR}/mpi_${mpi}_traffic_${ranks}.txt")
    add_mpi_job(${mpi}_traffic_${ranks} 0 "traffic is done" "${mpirun}" -n ${ranks} env "LD_PRELOAD=$<TARGET_FILE:mpi_count_${mpi}>"
      "FULGURITE_MPI_COUNT=${job_counts}" "${program}" traffic)
    set(job_counts "")
  endforeach()
  foreach(how IN ITEMS killed thrown exits exits_within)
    add_mpi_job(${mpi}_${how}_3 1 "all ranks are there" "${mpirun}" -n 3 "${program}" ${how})
  endforeach()
  add_library(mpi_exit_${mpi} MODULE runtime/mpi_exit.cpp)
  target_link_libraries(mpi_exit_${mpi} PRIVATE fulgurite_warnings fulgurite_mpi_${mpi})
  add_dependencies(mpi_programs mpi_exit_${mpi})
  add_mpi_job(${mpi}_exits_in_a_call_3 1 "MPI was called 0 times after exit" "${mpirun}" -n 3 env "LD_PRELOAD=$<TARGET_FILE:mpi_exit_${mpi}>"
    "${program}" goes_on)
  # MPICH's mpirun kills the other ranks and then may call that a success.
  add_mpi_job(${mpi}_leaves_3 any "all ranks are there" "${mpirun}" -n 3 "${program}" leaves)
  add_mpi_job(${mpi}_ends_job_3 1 "fulgurite: rank 1 of 3: the disk is full" "${mpirun}" -n 3 "${program}" ends_job)
  add_mpi_job(${mpi}_all_exit_3 1 "rank 2 says why" "${mpirun}" -n 3 "${program}" all_exit)
  add_mpi_job(${mpi}_different_builds 1 "rank 0 of 3: .*ranks 0 to 1 have build [0-9a-f]+. rank 2 has build [0-9a-f]+"
    "${mpirun}" -n 2 "${program}" library : -n 1 "$<TARGET_FILE:mpi_program_of_other_build>" library)
  # Programs on the engine, and what ends a job of it or does not.
  set(job_environment "${shared_launches}")
  set(on_three "${mpirun}" -n 3 "${engine}")
  set(job_limit 120)
  foreach(ranks IN ITEMS 1 2 3 5)
    add_mpi_job(${mpi}_programs_${ranks} 0 "runs, 0 wrong" "${mpirun}" -n ${ranks} "${engine}" programs)
  endforeach()
  add_mpi_job(${mpi}_constructs_3 0 "constructs are as they should be, 0 are not" ${on_three} constructs)
  # As a library counts that is loaded before MPI.
  foreach(ranks IN ITEMS 1 2 3 5 8)
    set(job_counts "${CMAKE_CURRENT_BINARY_DIR}/mpi_${mpi}_formulas_${ranks}.txt")
    add_mpi_job(${mpi}_formulas_${ranks} 0 "predictions., 0 do not" "${mpirun}" -n ${ranks} env "LD_PRELOAD=$<TARGET_FILE:mpi_count_${mpi}>"
      "FULGURITE_MPI_COUNT=${job_counts}" "${engine}" formulas)
    set(job_counts "")
  endforeach()
  set(job_limit 20)
  # What each kernel sends on the ranks that are there; one of them tells.
  add_mpi_job(${mpi}_explain_3 0 "3 ranks of .*sends .* of a rank at most" "${mpirun}" -n 3 "$<TARGET_FILE:tool_example>" explain centred 1000000 --engine mpi)
  foreach(ranks IN ITEMS 1 3)
    add_mpi_job(${mpi}_blocks_${ranks} 0 "blocks is done" "${mpirun}" -n ${ranks} "${engine}" blocks)
  endforeach()
  add_mpi_job(${mpi}_engine_killed_3 1 "all ranks are there" ${on_three} killed)
  # Files of .npy, in a folder for each job.
  foreach(ranks IN ITEMS 2 5)
    add_mpi_job(${mpi}_files_${ranks} 0 "files is done" "${mpirun}" -n ${ranks} "$<TARGET_FILE:mpi_files>" files
      "${CMAKE_CURRENT_BINARY_DIR}/mpi_${mpi}_files_${ranks}")
  endforeach()
  add_mpi_job(${mpi}_files_that_are_wrong_3 0 "truncated.*No such file.*errors is done" "${mpirun}" -n 3 "$<TARGET_FILE:mpi_files>" errors
    "${CMAKE_CURRENT_BINARY_DIR}/mpi_${mpi}_files_that_are_wrong")
  add_mpi_job(${mpi}_unequal_sizes_3 1 "all ranks have to do the same, but rank 0 comes with[^\n]*\n[^\n]*f32 .1000.[^\n]*\nand rank 1 with[^\n]*\n[^\n]*f32 .999."
    ${on_three} unequal_sizes)
  add_mpi_job(${mpi}_unequal_scalars_3 1 "all ranks have to do the same, but rank 0 comes with[^\n]*\n[^\n]*i32 0x4[^\n]*\nand rank 1 with[^\n]*\n[^\n]*i32 0x3"
    ${on_three} unequal_scalars)
  add_mpi_job(${mpi}_index_error_3 0 "IndexError: .*at position 990 .*index_error is done" ${on_three} index_error)
  add_mpi_job(${mpi}_no_memory_3 1 "all ranks are there.*OutOfMemory" ${on_three} no_memory)
  add_mpi_job(${mpi}_skipped_call_3 1 "all ranks are there.*all ranks have to do the same" ${on_three} skipped_call)
  add_mpi_job(${mpi}_lone_read_3 1 "rank 0 has ended, and this one waits for it at a read of an array .[^\n]*mpi_engine.cpp:[1-9][0-9]*.:" ${on_three} lone_read)
  if(mpi STREQUAL "openmpi" OR NOT "openmpi" IN_LIST fulgurite_mpis)
    add_mpi_job(${mpi}_tool_3 0 "the tool is done" "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/runtime/mpi_tool.py" "${mpirun}" 3
      "$<TARGET_FILE:tool_example>" "$<TARGET_FILE:mpi_count_${mpi}>" "${CMAKE_CURRENT_BINARY_DIR}/mpi_tool")
    set(job_limit 60)
    set(job_environment "")
    add_mpi_job(demo_2 0 "byte for byte: density.*byte for byte: centre_x" "${PROJECT_SOURCE_DIR}/examples/demo_ranks" "${PROJECT_BINARY_DIR}" 2 10000)
    add_dependencies(mpi_programs example_make_inputs example_fluid example_k_means)
    set(job_limit 20)
    set(job_environment "${shared_launches}")
    # Launches of one rank keep no account of what lies where.
    add_mpi_suite(${mpi} 1 suite ":*Property*")
    add_mpi_suite(${mpi} 2 suite)
    add_mpi_suite(${mpi} 3 suite)
    add_mpi_random_programs(${mpi} 3 random_programs 30)
  endif()
  foreach(ranks IN ITEMS 1 2 3 5 8)
    add_mpi_suite(${mpi} ${ranks} suite_of_all)
  endforeach()
  foreach(ranks IN ITEMS 2 3 5)
    add_mpi_random_programs(${mpi} ${ranks} suite_of_all_random_programs 100)
  endforeach()
  set(job_environment "FULGURITE_MPI=${mpi}")
  add_mpi_job(${mpi}_named_1 0 "${title}, 1 ranks" "${program}" library)
  foreach(other IN LISTS fulgurite_mpis)
    if(NOT other STREQUAL mpi)
      add_mpi_job(${mpi}_under_${other} 1 "the launcher has started 2 processes, but ${title} knows only this one"
        "${FULGURITE_MPIRUN_${other}}" -n 2 "${program}" library)
    endif()
  endforeach()
endforeach()
set(job_environment "FULGURITE_MPI=opnmpi")
add_mpi_job(unknown_name 1 "FULGURITE_MPI is 'opnmpi'.*did you mean openmpi" "${program}" library)
set(job_environment "")
set(alone "${CMAKE_CURRENT_BINARY_DIR}/mpi_program_without_plugins")
add_mpi_job(no_plugin 1 "finds neither .*libfulgurite_openmpi.so nor .*install Open MPI" sh -c
  "mkdir -p '${alone}' && cp '${program}' '${alone}/program' && '${alone}/program' library")
if(fulgurite_mpis STREQUAL "openmpi;mpich")
  set(job_environment "PMIX_RANK=0")
  add_mpi_job(started_by_pmix 1 "set FULGURITE_MPI to openmpi or mpich" "${program}" library)
endif()
