"""mpi_tool.py MPIRUN RANKS PROGRAM COUNTING_LIBRARY FOLDER: the command `run` on several ranks says its results and times once, and writes
the file that one process writes and one trace, which has what each rank has sent as a library in front of MPI counts it."""

import json
import os
import shutil
import struct
import subprocess
import sys

mpirun, n_ranks, program, library, folder = sys.argv[1], int(sys.argv[2]), *sys.argv[3:]


def write_npy(name, values):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}f", *values))


def output(*command, **variables):
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | variables, timeout=40)
    print(done.stdout, done.stderr)
    assert done.returncode == 0, done.returncode
    return done.stdout


shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
os.chdir(folder)
write_npy("x.npy", [float(i * 7 % 251) for i in range(5000)])
alone = output(program, "run", "centred", "x.npy", "-o", "alone.npy")
said = output(mpirun, "-n", str(n_ranks), "env", f"LD_PRELOAD={library}", program, "run", "centred", "x.npy", "-o", "ranks.npy", "--engine",
              "mpi", "--time", "--profile", "trace.json", FULGURITE_MPI_COUNT="counts.txt")
assert said.startswith(alone.replace("alone.npy", "ranks.npy")), said
assert [line.split()[0] for line in said.splitlines()] == ["centred:", "read", "compile", "run", "ranks"], said
assert open("alone.npy", "rb").read() == open("ranks.npy", "rb").read()

with open("trace.json", encoding="utf-8") as file:
    events = json.load(file)["traceEvents"]
names = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
assert names == {rank: f"rank {rank}" for rank in range(n_ranks)}, names
with open("counts.txt", encoding="utf-8") as file:
    lines = list(map(str.split, file))
counted = {int(words[1]): (int(words[3]), int(words[5])) for words in lines}
given = {int(words[1]): int(words[11]) for words in lines}
sent = {rank: [message for event in events if event["pid"] == rank for message in event["args"].get("sent", [])] for rank in names}
assert counted == {rank: (len(messages), sum(message["bytes"] for message in messages)) for rank, messages in sent.items()}, (counted, sent)
assert any(n_messages > 0 for n_messages, _ in counted.values()), counted
# The ranks also compare themselves before the trace begins.
gathered = {rank: sum(event["args"]["bytes_written"] for event in events if event["pid"] == rank and event["name"].startswith("gathering"))
            for rank in names}
assert all(0 < gathered[rank] < given[rank] for rank in names), (gathered, given)
for rank in names:
    activities = {event["cat"] for event in events if event["pid"] == rank and "cat" in event}
    assert activities >= {"trace", "pass", "transfer", "kernel", "message"}, activities
print("the tool is done")
