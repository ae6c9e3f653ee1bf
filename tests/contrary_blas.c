/* A BLAS whose last bits hang on the shape of a call, as those of every BLAS may.

   contrary.py preloads this file. It stands before the real functions, under the names by which
   numpy and scipy ask for them ("calls.h", written when it is compiled), calls the real one and
   moves each finite result that is no whole number by -1, 0 or 1 unit in the last place. A hash
   of the call's shape and of the value chooses: the same call gives the same bits, another shape
   others. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_MAJOR = 101, PLAIN = 111, UPPER = 121 }; /* CBLAS's own numbers */

/* The preloaded names hide the real ones, and Python loads libraries locally: ask by path. */
static void *function(const char *library, const char *name) {
    void *handle = dlopen(library, RTLD_LAZY);
    void *address = handle ? dlsym(handle, name) : NULL;
    if (!address) {
        fprintf(stderr, "contrary BLAS: no %s in %s\n", name, library);
        abort();
    }
    return address;
}

static uint64_t mixed(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    return hash ^ (hash >> 29);
}

static uint64_t shape(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e) {
    return mixed(mixed(mixed(mixed(mixed(0, a), b), c), d), e);
}

static void move(double *value, uint64_t hash) {
    const double whole = 4503599627370496.0; /* 2^52: from here on all doubles are integers */
    int64_t bits;
    if (!(*value > -whole && *value < whole) || *value == (double)(int64_t)*value) return;
    memcpy(&bits, value, sizeof bits);
    hash = mixed(mixed(hash, (uint64_t)bits), 1);
    bits += (int64_t)((hash >> 32) % 3) - 1;
    memcpy(value, &bits, sizeof bits);
}

/* Entry j of line i of a table; triangle -1: j <= i only, 1: j >= i only, 0: all. */
static void move_table(double *table, int64_t lines, int64_t length, int64_t step, int triangle,
                       uint64_t hash) {
    for (int64_t i = 0; i < lines; i++)
        for (int64_t j = triangle > 0 ? i : 0; j < (triangle < 0 ? i + 1 : length); j++)
            move(table + i * step + j, hash);
}

static void move_line(double *line, int64_t length, int64_t step, uint64_t hash) {
    for (int64_t i = 0; i < length; i++) move(line + i * (step < 0 ? -step : step), hash);
}

#define REAL(library, name, ...)                       \
    static void (*real)(__VA_ARGS__);                  \
    if (!real) *(void **)&real = function(library, #name)

#define CBLAS_GEMM(name, integer, library)                                                         \
    void name(int order, int ta, int tb, integer m, integer n, integer k, double alpha,            \
              const double *a, integer lda, const double *b, integer ldb, double beta, double *c,  \
              integer ldc) {                                                                       \
        REAL(library, name, int, int, int, integer, integer, integer, double, const double *,      \
             integer, const double *, integer, double, double *, integer);                         \
        int rows = order == ROW_MAJOR;                                                             \
        real(order, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                         \
        move_table(c, rows ? m : n, rows ? n : m, ldc, 0, shape(ta, tb, m, n, k));                 \
    }

#define CBLAS_SYRK(name, integer, library)                                                         \
    void name(int order, int uplo, int ta, integer n, integer k, double alpha, const double *a,    \
              integer lda, double beta, double *c, integer ldc) {                                  \
        REAL(library, name, int, int, int, integer, integer, double, const double *, integer,      \
             double, double *, integer);                                                           \
        int right = (order == ROW_MAJOR) == (uplo == UPPER);                                       \
        real(order, uplo, ta, n, k, alpha, a, lda, beta, c, ldc);                                  \
        move_table(c, n, n, ldc, right ? 1 : -1, shape(2, ta, n, k, 0));                           \
    }

#define CBLAS_GEMV(name, integer, library)                                                         \
    void name(int order, int ta, integer m, integer n, double alpha, const double *a, integer lda, \
              const double *x, integer incx, double beta, double *y, integer incy) {               \
        REAL(library, name, int, int, integer, integer, double, const double *, integer,           \
             const double *, integer, double, double *, integer);                                  \
        real(order, ta, m, n, alpha, a, lda, x, incx, beta, y, incy);                              \
        move_line(y, ta == PLAIN ? m : n, incy, shape(ta, m, n, incx, incy));                      \
    }

#define CBLAS_DOT(name, integer, library)                                                          \
    double name(integer n, const double *x, integer incx, const double *y, integer incy) {         \
        static double (*real)(integer, const double *, integer, const double *, integer);          \
        if (!real) *(void **)&real = function(library, #name);                                     \
        double value = real(n, x, incx, y, incy);                                                  \
        move(&value, shape(3, n, incx, incy, 0));                                                  \
        return value;                                                                              \
    }

/* Fortran: everything by reference, tables by columns, "N" or "n" for a table as it stands. */
#define AS_IT_STANDS(letter) (*(letter) == 'N' || *(letter) == 'n')

#define FORTRAN_GEMM(name, integer, library)                                                       \
    void name(const char *ta, const char *tb, const integer *m, const integer *n,                  \
              const integer *k, const double *alpha, const double *a, const integer *lda,          \
              const double *b, const integer *ldb, const double *beta, double *c,                  \
              const integer *ldc) {                                                                \
        REAL(library, name, const char *, const char *, const integer *, const integer *,          \
             const integer *, const double *, const double *, const integer *, const double *,     \
             const integer *, const double *, double *, const integer *);                          \
        real(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                                \
        move_table(c, *n, *m, *ldc, 0, shape(*ta, *tb, *m, *n, *k));                               \
    }

#define FORTRAN_SYRK(name, integer, library)                                                       \
    void name(const char *uplo, const char *ta, const integer *n, const integer *k,                \
              const double *alpha, const double *a, const integer *lda, const double *beta,        \
              double *c, const integer *ldc) {                                                     \
        REAL(library, name, const char *, const char *, const integer *, const integer *,          \
             const double *, const double *, const integer *, const double *, double *,            \
             const integer *);                                                                     \
        real(uplo, ta, n, k, alpha, a, lda, beta, c, ldc);                                         \
        move_table(c, *n, *n, *ldc, *uplo == 'U' || *uplo == 'u' ? -1 : 1,                         \
                   shape(2, *ta, *n, *k, 0));                                                      \
    }

#define FORTRAN_GEMV(name, integer, library)                                                       \
    void name(const char *ta, const integer *m, const integer *n, const double *alpha,             \
              const double *a, const integer *lda, const double *x, const integer *incx,           \
              const double *beta, double *y, const integer *incy) {                                \
        REAL(library, name, const char *, const integer *, const integer *, const double *,        \
             const double *, const integer *, const double *, const integer *, const double *,     \
             double *, const integer *);                                                           \
        real(ta, m, n, alpha, a, lda, x, incx, beta, y, incy);                                     \
        move_line(y, AS_IT_STANDS(ta) ? *m : *n, *incy, shape(*ta, *m, *n, *incx, *incy));         \
    }

#define FORTRAN_DOT(name, integer, library)                                                        \
    double name(const integer *n, const double *x, const integer *incx, const double *y,           \
                const integer *incy) {                                                             \
        static double (*real)(const integer *, const double *, const integer *, const double *,    \
                              const integer *);                                                    \
        if (!real) *(void **)&real = function(library, #name);                                     \
        double value = real(n, x, incx, y, incy);                                                  \
        move(&value, shape(3, *n, *incx, *incy, 0));                                               \
        return value;                                                                              \
    }

#include "calls.h"
