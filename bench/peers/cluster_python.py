#!/usr/bin/env python3
"""Five programs of bench/cluster as users of Python write them: cluster_python.py mpi4py FILTER ROUNDS under mpirun -n R, with NumPy
on each rank's block; cluster_python.py dask FILTER ROUNDS RANKS, with Dask's distributed scheduler and R worker processes of one
thread. Elements, sizes, and lines of results are those of cluster_data.h.
"""
import re
import statistics
import sys
import time

import numpy as np

ELEMENTS, GRID, STEPS, MATRIX = 10_000_000, 4096, 20, 1024


def left(i):
    return (i * 7919 % 1009).astype(np.float32) / np.float32(1009)


def right(i):
    return (i * 104729 % 997).astype(np.float32) / np.float32(997)


def centred(i):
    return left(i) - np.float32(0.5)


def weight(i):
    return (i % 13 + 1).astype(np.float64)


def row(name, what, ranks, n, times, checksum):
    print(f"{name},{what},{ranks},{n},{statistics.median(times) * 1e6:.1f},{checksum:.9g}", flush=True)


def with_mpi4py(wanted, rounds):
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    rank, ranks = world.rank, world.size

    def part(n):
        return n * rank // ranks, n * (rank + 1) // ranks

    def measure(name, n, run, checksum):
        if not wanted(name):
            return
        times = []
        for number in range(-2, rounds):
            world.Barrier()
            start = time.perf_counter()
            result = run()
            took = world.allreduce(time.perf_counter() - start, MPI.MAX)
            if number >= 0:
                times.append(took)
        total = checksum(result)
        if rank == 0:
            row(name, "mpi4py + NumPy", ranks, n, times, total)

    def sum_of(values, first):
        flat = values.reshape(-1)
        return world.allreduce(float((flat * weight(np.arange(first, first + flat.size))).sum()))

    begin, end = part(ELEMENTS)
    at = np.arange(begin, end)
    x, y = left(at), right(at)
    measure("SAXPY", ELEMENTS, lambda: np.float32(2) * x + y, lambda r: sum_of(r, begin))
    measure("Dot", ELEMENTS, lambda: world.allreduce(float(np.dot(x, y))), lambda r: r)
    c = centred(at)

    def scan():
        running = np.cumsum(c, dtype=np.float32)
        before = world.exscan(float(running[-1]))
        return running + np.float32(before or 0)

    measure("Scan", ELEMENTS, scan, lambda r: sum_of(r, begin))

    first, last = part(GRID)
    start = left(np.arange(first * GRID, last * GRID)).reshape(-1, GRID)

    def jacobi():
        u = np.empty((last - first + 2, GRID), np.float32)
        u[1:-1] = start
        v = u.copy()
        above, below = (rank - 1 if rank > 0 else MPI.PROC_NULL), (rank + 1 if rank + 1 < ranks else MPI.PROC_NULL)
        top, bottom = (2 if rank == 0 else 1), (-2 if rank + 1 == ranks else -1)
        for _ in range(STEPS):
            world.Sendrecv(u[1], above, recvbuf=u[-1], source=below)
            world.Sendrecv(u[-2], below, recvbuf=u[0], source=above)
            inner = slice(top, u.shape[0] + bottom)
            v[inner, 1:-1] = np.float32(0.25) * (u[top - 1 : bottom - 1, 1:-1] + u[top + 1 : u.shape[0] + bottom + 1, 1:-1]
                                                 + u[inner, :-2] + u[inner, 2:])
            u, v = v, u
        return u[1:-1]

    measure("Jacobi", GRID, jacobi, lambda r: sum_of(r, first * GRID))

    first, last = part(MATRIX)
    at = np.arange(first * MATRIX, last * MATRIX)
    a, b = left(at).reshape(-1, MATRIX), right(at).reshape(-1, MATRIX)

    def product():
        whole = np.empty((MATRIX, MATRIX), np.float32)
        world.Allgather(b, whole)
        return a @ whole

    measure("Product", MATRIX, product, lambda r: sum_of(r, first * MATRIX))


def with_dask(wanted, rounds, ranks):
    import dask.array as da
    from dask.distributed import Client, LocalCluster, wait

    with LocalCluster(n_workers=ranks, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, Client(cluster):

        def there(array):
            array = array.persist()
            wait(array)
            return array

        def vector(element, n, shape=None):
            array = da.arange(n, chunks=-(-n // ranks)).map_blocks(element, dtype=np.float32)
            if shape:
                array = array.reshape(shape)
            return there(array)

        def sum_of(array):
            flat = array.reshape(-1)
            return float((flat * da.arange(flat.size, chunks=flat.chunks).map_blocks(weight, dtype=np.float64)).sum().compute())

        def measure(name, n, make, is_scalar=False):
            if not wanted(name):
                return
            run = make()
            times = []
            for number in range(-2, rounds):
                start = time.perf_counter()
                result = float(run().compute()) if is_scalar else there(run())
                if number >= 0:
                    times.append(time.perf_counter() - start)
            row(name, "Dask", ranks, n, times, result if is_scalar else sum_of(result))

        def saxpy():
            x, y = vector(left, ELEMENTS), vector(right, ELEMENTS)
            return lambda: np.float32(2) * x + y

        def dot():
            x, y = vector(left, ELEMENTS), vector(right, ELEMENTS)
            return lambda: (x * y).sum(dtype=np.float32)

        def scan():
            x = vector(centred, ELEMENTS)
            return lambda: da.cumsum(x, axis=0, dtype=np.float32)

        def step(u):
            v = u.copy()
            v[1:-1, 1:-1] = np.float32(0.25) * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
            return v

        def jacobi():
            start = vector(left, GRID * GRID, (GRID, GRID))

            def run():
                u = start
                for _ in range(STEPS):
                    u = da.map_overlap(step, u, depth={0: 1, 1: 0}, boundary="none", dtype=np.float32)
                return u

            return run

        def product():
            a, b = (vector(e, MATRIX * MATRIX, (MATRIX, MATRIX)) for e in (left, right))
            return lambda: a @ b

        measure("SAXPY", ELEMENTS, saxpy)
        measure("Dot", ELEMENTS, dot, is_scalar=True)
        measure("Scan", ELEMENTS, scan)
        measure("Jacobi", GRID, jacobi)
        measure("Product", MATRIX, product)


def main():
    what, pattern, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    wanted = re.compile(pattern).search
    if what == "dask":
        print("benchmark,implementation,ranks,n,median_us,checksum", flush=True)
        with_dask(wanted, rounds, int(sys.argv[4]))
        return
    from mpi4py import MPI

    if MPI.COMM_WORLD.rank == 0:
        print("benchmark,implementation,ranks,n,median_us,checksum", flush=True)
    with_mpi4py(wanted, rounds)


if __name__ == "__main__":
    main()
