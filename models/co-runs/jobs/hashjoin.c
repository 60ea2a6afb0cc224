/* Joins two relations with a hash table far larger than any cache, then follows pointers through memory, on two threads.

   The phases: fill the build relation (400 MB, in order), build the table (512 MiB, random writes), probe it (random
   reads that do not wait for each other), chase a cycle through 512 MiB (each read waits for the one before).
   The sums are compared with what arithmetic alone gives. Usage: hashjoin MILLIONS_OF_PROBES */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 2
#define SLOT_BITS 26
#define SLOTS (1u << SLOT_BITS) /* of 8 bytes: 512 MiB */
#define ROWS (50u * 1000 * 1000)
#define BATCH 1024

struct row {
    uint32_t key, value;
};

static struct row *rows;
static _Atomic uint64_t *table; /* key in the upper half, value in the lower; 0 is an empty slot */
static uint64_t probes;         /* of each thread */
static pthread_barrier_t barrier;

/* One to one on 32 bits, so that keys are unique and no key but that of 0 is 0. */
static uint32_t mix(uint32_t x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

static uint32_t slot_of(uint32_t key)
{
    return (key * 2654435769u) >> (32 - SLOT_BITS);
}

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 32;
}

static uint32_t chase_next(uint32_t at, uint32_t mask)
{
    return (at * 1664525u + 1013904223u) & mask; /* visits every place once before it returns */
}

static void meet(const char *phase, int thread)
{
    pthread_barrier_wait(&barrier);
    if (thread == 0) {
        puts(phase);
        fflush(stdout);
    }
}

static void *work(void *argument)
{
    int thread = (int)(intptr_t)argument;
    uint32_t from = ROWS / THREADS * thread, to = ROWS / THREADS * (thread + 1);

    for (uint32_t i = from; i < to; i++)
        rows[i] = (struct row){mix(i + 1), i + 1};
    meet("filled", thread);

    for (uint32_t i = from; i < to; i++) {
        uint64_t entry = (uint64_t)rows[i].key << 32 | rows[i].value, empty = 0;
        uint32_t slot = slot_of(rows[i].key);
        while (!atomic_compare_exchange_strong_explicit(&table[slot], &empty, entry, memory_order_relaxed,
                                                        memory_order_relaxed)) {
            slot = (slot + 1) & (SLOTS - 1);
            empty = 0;
        }
    }
    meet("built", thread);

    /* Two of three probes find their row. */
    uint64_t state = 7 + thread, found = 0, expected = 0;
    for (uint64_t done = 0; done < probes; done += BATCH) {
        uint32_t keys[BATCH];
        for (int i = 0; i < BATCH; i++) {
            uint32_t row = (uint64_t)next_random(&state) * (ROWS + ROWS / 2) >> 32;
            keys[i] = mix(row + 1);
            expected += row < ROWS ? row + 1 : 0;
        }
        for (int i = 0; i < BATCH; i++) {
            uint64_t entry;
            for (uint32_t slot = slot_of(keys[i]); (entry = table[slot]) != 0; slot = (slot + 1) & (SLOTS - 1))
                if (entry >> 32 == keys[i]) {
                    found += (uint32_t)entry;
                    break;
                }
        }
    }
    meet("probed", thread);

    /* The table's memory becomes one long cycle of pointers; the threads start at different places. */
    uint32_t *cycle = (uint32_t *)table, mask = 2 * SLOTS - 1, half = SLOTS;
    for (uint32_t i = thread * half; i < (thread + 1) * half; i++)
        cycle[i] = chase_next(i, mask);
    pthread_barrier_wait(&barrier);
    uint32_t at = 12345 + thread * half, check = at;
    for (uint64_t i = 0; i < probes / 8; i++)
        at = cycle[at];
    for (uint64_t i = 0; i < probes / 8; i++)
        check = chase_next(check, mask);
    meet("chased", thread);

    printf("thread %d: sum %llu, end %u\n", thread, (unsigned long long)found, at);
    return (void *)(intptr_t)(found == expected && at == check);
}

int main(int argc, char **argv)
{
    probes = (argc > 1 ? strtoull(argv[1], NULL, 10) : 0) * 1000000 / THREADS;
    rows = malloc(ROWS * sizeof *rows);
    table = calloc(SLOTS, sizeof *table);
    if (probes == 0 || !rows || !table || pthread_barrier_init(&barrier, NULL, THREADS))
        return 2;
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i))
            return 2;
    int right = 1;
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        right &= result != NULL;
    }
    if (!right)
        fputs("wrong sums\n", stderr);
    return !right;
}
