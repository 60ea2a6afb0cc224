/* The same work on every machine, to compare machines by: a part for the CPU, one for memory and one for the disk, each
   on two threads, some 6 to 7 s each where it was written. The amounts are fixed, so a slower machine takes longer.
   After each part a line `part NAME SECONDS` is printed. Usage: calibrate FILE (made, 512 MiB, and removed again) */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define THREADS 2
#define CPU_ROUNDS 6000
#define MEMORY_COUNT (64u << 20) /* doubles in each of two arrays: 512 MiB */
#define MEMORY_ROUNDS 22
#define GATHERS (170u * 1000 * 1000)
#define FILE_BYTES (512u << 20)
#define FILE_PASSES 12
#define BLOCK (1u << 20)
#define DISK_READS 50000u

static double *first, *second;
static const char *path;
static pthread_barrier_t barrier;

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Multiplies small matrices (floating point, in the cache) and mixes integers with branches that cannot be guessed. */
static double cpu_part(int thread)
{
    enum { SIZE = 64 };
    static double a[THREADS][SIZE][SIZE], b[THREADS][SIZE][SIZE], c[THREADS][SIZE][SIZE];
    uint64_t state = 1 + thread, count = 0;
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            a[thread][i][j] = (double)(next_random(&state) % 1000) / 1000.0 / SIZE;
            b[thread][i][j] = (double)(next_random(&state) % 1000) / 1000.0;
        }
    for (int round = 0; round < CPU_ROUNDS; round++) {
        for (int times = 0; times < 4; times++) {
            memset(c[thread], 0, sizeof c[thread]);
            for (int i = 0; i < SIZE; i++)
                for (int k = 0; k < SIZE; k++)
                    for (int j = 0; j < SIZE; j++)
                        c[thread][i][j] += a[thread][i][k] * b[thread][k][j];
            memcpy(b[thread], c[thread], sizeof c[thread]);
            b[thread][times][times] += 1.0;
        }
        for (int i = 0; i < 200000; i++) {
            uint64_t x = next_random(&state);
            if (x & 1)
                count += x % 7;
            else
                count ^= x << (x & 15);
        }
    }
    return b[thread][1][1] + (double)(count & 1023);
}

/* Streams over both arrays, half by each thread, then reads from random places of all of them. */
static double memory_part(int thread)
{
    size_t from = MEMORY_COUNT / THREADS * thread, to = from + MEMORY_COUNT / THREADS;
    for (size_t i = from; i < to; i++) {
        first[i] = (double)(i & 1023);
        second[i] = 1.0;
    }
    for (int round = 0; round < MEMORY_ROUNDS; round++) {
        for (size_t i = from; i < to; i++)
            second[i] = first[i] + 0.5 * second[i];
        for (size_t i = from; i < to; i++)
            first[i] = 0.5 * second[i];
    }
    pthread_barrier_wait(&barrier);
    double sum = 0.0;
    uint64_t state = 11 + thread;
    for (size_t i = 0; i < GATHERS; i++) {
        uint64_t at = next_random(&state);
        sum += (at & 1 ? first : second)[(at >> 1) % MEMORY_COUNT];
    }
    return sum;
}

/* Writes the file in order, half by each thread, then reads blocks of 4 KiB from random places, past the page cache.
   Every block holds its own number, which is checked. */
static double disk_part(int thread)
{
    uint64_t *block;
    if (posix_memalign((void **)&block, 4096, BLOCK))
        fail("memory");
    int file = open(path, O_RDWR | O_CREAT | O_DIRECT, 0600);
    if (file < 0)
        fail(path);
    size_t from = FILE_BYTES / THREADS * thread, to = from + FILE_BYTES / THREADS;
    uint64_t state = 21 + thread;
    for (size_t i = 0; i < BLOCK / 8; i++)
        block[i] = next_random(&state);
    for (int pass = 0; pass < FILE_PASSES; pass++)
        for (size_t at = from; at < to; at += BLOCK) {
            for (size_t page = 0; page < BLOCK / 4096; page++)
                block[page * 512] = at / 4096 + page;
            if (pwrite(file, block, BLOCK, at) != BLOCK)
                fail("write");
        }
    if (fsync(file))
        fail("fsync");
    pthread_barrier_wait(&barrier);
    for (unsigned i = 0; i < DISK_READS; i++) {
        uint64_t page = next_random(&state) % (FILE_BYTES / 4096);
        if (pread(file, block, 4096, page * 4096) != 4096 || block[0] != page)
            fail("read");
    }
    close(file);
    free(block);
    return 0.0;
}

static double (*part)(int);

static void *run_thread(void *argument)
{
    double *result = argument;
    *result = part((int)*result);
    return NULL;
}

static double run_part(const char *name, double (*function)(int))
{
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    pthread_t threads[THREADS];
    double results[THREADS], sum = 0.0;
    part = function;
    for (int i = 0; i < THREADS; i++) {
        results[i] = i;
        if (pthread_create(&threads[i], NULL, run_thread, &results[i]))
            fail("thread");
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum += results[i];
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("part %s %.3f\n", name, (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9);
    fflush(stdout);
    return sum;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    path = argv[1];
    first = malloc(MEMORY_COUNT * sizeof *first);
    second = malloc(MEMORY_COUNT * sizeof *second);
    if (!first || !second || pthread_barrier_init(&barrier, NULL, THREADS))
        return 2;
    double sum = run_part("cpu", cpu_part);
    sum += run_part("memory", memory_part);
    free(first);
    free(second);
    sum += run_part("disk", disk_part);
    unlink(path);
    printf("sum %.6g\n", sum); /* so that no part can be left out by the compiler */
    return 0;
}
