#!/bin/sh
# mpi_suite.sh FOLDER PROGRAM ARGUMENTS..: a rank of a job that runs tests. It has a folder of its own in FOLDER, as tests write files, where
# what it says goes to a file; it tells in which tests it failed.
folder=$1
shift
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}
own=$folder/rank_$rank
rm -rf "$own"
mkdir -p "$own/temporary"
cd "$own" || exit 1
TMPDIR=$own/temporary "$@" >log.txt 2>&1
status=$?
if [ $status -ne 0 ]; then
  {
    echo "rank $rank: status $status"
    grep -n -E "FAILED|fulgurite: rank" log.txt | head -20
    tail -n 15 log.txt
  } >&2
elif [ "$rank" = 0 ]; then
  grep -E "PASSED|tests? ran|^seed" log.txt
fi
exit $status
