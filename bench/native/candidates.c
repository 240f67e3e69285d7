/*
 * What native code does on one core: Ed25519 candidates made and hashed twice, and double hashes alone. Each of two
 * rounds prints both as millions per CPU second. The formulas are those of the kernel (src/mining/kernel/assembly/
 * ed25519.ts): 1024 points around a centre share one inversion, and a y serves both signs, so that a pair of points takes
 * six multiplications for four candidates. The table holds random numbers instead of points, which takes as long. SHA-256
 * uses the SHA instructions, four messages side by side. It first checks one double hash and one inversion, and fails
 * if they are wrong.
 *
 *   gcc -O3 -msha -msse4.1 bench/native/candidates.c -o /tmp/candidates && /tmp/candidates
 */
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define LANES 4
#define PAIRS 1024
#define ROUNDS 2
#define SECONDS 0.25
#define EACH for (int l = 0; l < LANES; l++)
#define MASK51 ((1ULL << 51) - 1)

typedef uint64_t u64;
typedef unsigned __int128 u128;
/* A number modulo 2^255 - 19, in limbs of 51 bits. */
typedef struct { u64 v[5]; } number;

static const uint32_t K[64] __attribute__((aligned(64))) = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static number table_y[PAIRS], table_d[PAIRS], table_x[PAIRS], denominators[PAIRS], products[PAIRS + 1];
static uint32_t sink;

/* SHA-256 of 32 bytes in each lane: eight words in two vectors become the eight words of the hash. */
static inline __attribute__((always_inline)) void sha256(__m128i low[LANES], __m128i high[LANES]) {
  const __m128i abef = _mm_set_epi32(0x6a09e667, 0xbb67ae85, 0x510e527f, 0x9b05688c);
  const __m128i cdgh = _mm_set_epi32(0x3c6ef372, 0xa54ff53a, 0x1f83d9ab, 0x5be0cd19);
  __m128i a[LANES], c[LANES], w[4][LANES];
  EACH {
    a[l] = abef, c[l] = cdgh, w[0][l] = low[l], w[1][l] = high[l];
    w[2][l] = _mm_set_epi32(0, 0, 0, 0x80000000), w[3][l] = _mm_set_epi32(256, 0, 0, 0);
  }
#pragma GCC unroll 16
  for (int r = 0; r < 16; r++) EACH {
    __m128i m = w[r & 3][l], last = w[(r + 3) & 3][l];
    if (r >= 4) {
      m = _mm_sha256msg1_epu32(m, w[(r + 1) & 3][l]);
      m = _mm_add_epi32(m, _mm_alignr_epi8(last, w[(r + 2) & 3][l], 4));
      w[r & 3][l] = m = _mm_sha256msg2_epu32(m, last);
    }
    __m128i k = _mm_add_epi32(m, _mm_load_si128((const __m128i *)(K + 4 * r)));
    c[l] = _mm_sha256rnds2_epu32(c[l], a[l], k);
    a[l] = _mm_sha256rnds2_epu32(a[l], c[l], _mm_shuffle_epi32(k, 0x0e));
  }
  EACH {
    __m128i s = _mm_shuffle_epi32(_mm_add_epi32(a[l], abef), 0x1b);
    __m128i t = _mm_shuffle_epi32(_mm_add_epi32(c[l], cdgh), 0x1b);
    low[l] = _mm_unpacklo_epi64(s, t), high[l] = _mm_unpackhi_epi64(s, t);
  }
}

static inline __attribute__((always_inline)) number multiplied(const number *left, const number *right) {
  const u64 *x = left->v, *y = right->v;
  u64 y1 = y[1] * 19, y2 = y[2] * 19, y3 = y[3] * 19, y4 = y[4] * 19;
  u128 t0 = (u128)x[0] * y[0] + (u128)x[1] * y4 + (u128)x[2] * y3 + (u128)x[3] * y2 + (u128)x[4] * y1;
  u128 t1 = (u128)x[0] * y[1] + (u128)x[1] * y[0] + (u128)x[2] * y4 + (u128)x[3] * y3 + (u128)x[4] * y2;
  u128 t2 = (u128)x[0] * y[2] + (u128)x[1] * y[1] + (u128)x[2] * y[0] + (u128)x[3] * y4 + (u128)x[4] * y3;
  u128 t3 = (u128)x[0] * y[3] + (u128)x[1] * y[2] + (u128)x[2] * y[1] + (u128)x[3] * y[0] + (u128)x[4] * y4;
  u128 t4 = (u128)x[0] * y[4] + (u128)x[1] * y[3] + (u128)x[2] * y[2] + (u128)x[3] * y[1] + (u128)x[4] * y[0];
  t1 += (u64)(t0 >> 51), t2 += (u64)(t1 >> 51), t3 += (u64)(t2 >> 51), t4 += (u64)(t3 >> 51);
  u64 r0 = ((u64)t0 & MASK51) + (u64)(t4 >> 51) * 19;
  u64 r1 = ((u64)t1 & MASK51) + (r0 >> 51);
  return (number){{r0 & MASK51, r1, (u64)t2 & MASK51, (u64)t3 & MASK51, (u64)t4 & MASK51}};
}

static inline number sum(const number *x, const number *y) {
  number r;
  for (int i = 0; i < 5; i++) r.v[i] = x->v[i] + y->v[i];
  return r;
}

static inline number difference(const number *x, const number *y) {
  number r = {{x->v[0] + 0xfffffffffffdaULL - y->v[0]}};
  for (int i = 1; i < 5; i++) r.v[i] = x->v[i] + 0xffffffffffffeULL - y->v[i];
  return r;
}

/* The power p - 2. */
static number inverse(const number *x) {
  number r = {{1}};
  for (int i = 254; i >= 0; i--) {
    r = multiplied(&r, &r);
    if (i >= 5 || (0x0b >> i & 1)) r = multiplied(&r, x);
  }
  return r;
}

/* The least residue in four words, little-endian. */
static inline void words(u64 out[4], number x) {
  u64 *v = x.v, q = (v[0] + 19) >> 51;
  for (int i = 1; i < 5; i++) q = (v[i] + q) >> 51;
  v[0] += 19 * q;
  for (int i = 0; i < 4; i++) v[i + 1] += v[i] >> 51, v[i] &= MASK51;
  v[4] &= MASK51;
  out[0] = v[0] | v[1] << 51, out[1] = v[1] >> 13 | v[2] << 38;
  out[2] = v[2] >> 26 | v[3] << 25, out[3] = v[3] >> 39 | v[4] << 12;
}

static inline __m128i message(u64 high, u64 low) {
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0bULL, 0x0405060700010203ULL);
  return _mm_shuffle_epi8(_mm_set_epi64x(high, low), swap);
}

static inline __attribute__((always_inline)) void double_hash(__m128i low[LANES], __m128i high[LANES]) {
  sha256(low, high);
  sha256(low, high);
  EACH sink ^= _mm_cvtsi128_si32(low[l]);
}

static number drawn(void) {
  static u64 state = 88172645463325252ULL;
  number r;
  for (int i = 0; i < 5; i++) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    r.v[i] = state & MASK51;
  }
  return r;
}

static void candidates(void) {
  __m128i low[LANES], high[LANES];
  number centre = drawn(), k = drawn();
  products[0] = (number){{1}};
  for (int j = 0; j < PAIRS; j++) {
    denominators[j] = difference(&centre, &table_d[j]);
    products[j + 1] = multiplied(&products[j], &denominators[j]);
  }
  number running = inverse(&products[PAIRS]);
  for (int j = PAIRS - 1; j >= 0; j--) {
    number own = multiplied(&running, &products[j]), part = multiplied(&k, &table_x[j]);
    running = multiplied(&running, &denominators[j]);
    number both[2] = {sum(&table_y[j], &part), difference(&table_y[j], &part)};
    for (int sign = 0; sign < 2; sign++) {
      u64 y[4];
      words(y, multiplied(&both[sign], &own));
      low[2 * sign] = low[2 * sign + 1] = message(y[1], y[0]);
      high[2 * sign] = message(y[3], y[2]);
      high[2 * sign + 1] = message(y[3] | 1ULL << 63, y[2]);
    }
    double_hash(low, high);
  }
}

static void hashes(void) {
  __m128i low[LANES], high[LANES];
  for (int j = 0; j < PAIRS; j++) {
    EACH low[l] = _mm_set1_epi32(j), high[l] = _mm_set1_epi32(l);
    double_hash(low, high);
  }
}

static double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec / 1e9;
}

static double millions_per_second(void (*work)(void)) {
  double start = cpu_seconds(), elapsed;
  long done = 0;
  do {
    work();
    done += LANES * PAIRS;
    elapsed = cpu_seconds() - start;
  } while (elapsed < SECONDS);
  return done / elapsed / 1e6;
}

/* SHA-256(SHA-256(32 zero bytes)) begins with 2b32db6c, and x times its inverse is 1. */
static int is_right(void) {
  __m128i low[LANES], high[LANES];
  EACH low[l] = high[l] = _mm_setzero_si128();
  sha256(low, high);
  sha256(low, high);
  number x = drawn(), inverted = inverse(&x);
  u64 one[4];
  words(one, multiplied(&x, &inverted));
  return (uint32_t)_mm_cvtsi128_si32(low[3]) == 0x2b32db6c && one[0] == 1 && !(one[1] | one[2] | one[3]);
}

int main(void) {
  if (!is_right()) return 1;
  for (int j = 0; j < PAIRS; j++) table_y[j] = drawn(), table_d[j] = drawn(), table_x[j] = drawn();
  for (int round = 0; round < ROUNDS; round++) {
    double keys = millions_per_second(candidates);
    printf("%.2f %.2f\n", keys, millions_per_second(hashes));
  }
  return sink == 0;
}
