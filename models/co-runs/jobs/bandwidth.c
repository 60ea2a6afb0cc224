/* Moves more memory than any cache holds, in four phases: fill, scaled copy, triad, random gather.
   One thread. Usage: bandwidth ROUNDS */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT (96u << 20) /* doubles per array: 768 MiB, three arrays */

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 10;
    double *a = malloc(COUNT * sizeof *a), *b = malloc(COUNT * sizeof *b), *c = malloc(COUNT * sizeof *c);
    if (!a || !b || !c)
        return 1;
    for (size_t i = 0; i < COUNT; i++) {
        a[i] = 1.0 + (double)(i & 1023);
        b[i] = 2.0;
        c[i] = 0.0;
    }
    for (int round = 0; round < rounds; round++) {
        for (size_t i = 0; i < COUNT; i++)
            c[i] = 0.5 * a[i];
        for (size_t i = 0; i < COUNT; i++)
            a[i] = b[i] + 0.5 * c[i];
    }
    /* Independent loads at random places: bound by memory latency and its parallelism. */
    double sum = 0.0;
    uint64_t state = 1;
    for (size_t i = 0; i < (size_t)rounds * (COUNT / 16); i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        sum += a[(state >> 33) % COUNT];
    }
    for (int round = 0; round < rounds; round++)
        for (size_t i = 0; i < COUNT; i++)
            sum += a[i] * b[i];
    printf("%g\n", sum);
    return 0;
}
