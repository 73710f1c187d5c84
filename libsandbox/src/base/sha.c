/* sha.c - FIPS 180-4, word for word: speed is not what it is for. */
#include "base/sha.h"

#include <stdint.h>
#include <string.h>

#define BLOCK 64
#define LENGTH_BYTES 8

/* Takes a block into the state. */
typedef void (*take_fn)(uint32_t *state, const unsigned char *block);

static uint32_t read_word(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static uint32_t turn_left(uint32_t word, int by)
{
    return word << by | word >> (32 - by);
}

static uint32_t turn_right(uint32_t word, int by)
{
    return turn_left(word, 32 - by);
}

static uint32_t choose(uint32_t x, uint32_t y, uint32_t z)
{
    return (x & y) ^ (~x & z);
}

static uint32_t majority(uint32_t x, uint32_t y, uint32_t z)
{
    return (x & y) ^ (x & z) ^ (y & z);
}

static uint32_t mix_sha1(int step, const uint32_t *v)
{
    static const uint32_t constants[] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
    uint32_t mixed = v[1] ^ v[2] ^ v[3];

    if (step < 20)
        mixed = choose(v[1], v[2], v[3]);
    else if (step >= 40 && step < 60)
        mixed = majority(v[1], v[2], v[3]);
    return mixed + constants[step / 20];
}

static void take_sha1(uint32_t *state, const unsigned char *block)
{
    uint32_t words[80], v[5], next;
    int i;

    for (i = 0; i < 16; i++)
        words[i] = read_word(block + (size_t)4 * (size_t)i);
    for (; i < 80; i++)
        words[i] =
            turn_left(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
    memcpy(v, state, sizeof(v));
    for (i = 0; i < 80; i++) {
        next = turn_left(v[0], 5) + mix_sha1(i, v) + v[4] + words[i];
        memmove(v + 1, v, 4 * sizeof(v[0]));
        v[0] = next;
        v[2] = turn_left(v[2], 30);
    }
    for (i = 0; i < 5; i++)
        state[i] += v[i];
}

static const uint32_t primes[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
    0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
    0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
    0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
    0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
    0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
    0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2,
};

static void spread_sha256(uint32_t *words, const unsigned char *block)
{
    uint32_t near, far;
    int i;

    for (i = 0; i < 16; i++)
        words[i] = read_word(block + (size_t)4 * (size_t)i);
    for (; i < 64; i++) {
        near = turn_right(words[i - 15], 7) ^ turn_right(words[i - 15], 18) ^
               words[i - 15] >> 3;
        far = turn_right(words[i - 2], 17) ^ turn_right(words[i - 2], 19) ^
              words[i - 2] >> 10;
        words[i] = words[i - 16] + near + words[i - 7] + far;
    }
}

static void take_sha256(uint32_t *state, const unsigned char *block)
{
    uint32_t words[64], v[8], one, two;
    int i;

    spread_sha256(words, block);
    memcpy(v, state, sizeof(v));
    for (i = 0; i < 64; i++) {
        one = turn_right(v[4], 6) ^ turn_right(v[4], 11) ^ turn_right(v[4], 25);
        one += v[7] + choose(v[4], v[5], v[6]) + primes[i] + words[i];
        two = turn_right(v[0], 2) ^ turn_right(v[0], 13) ^ turn_right(v[0], 22);
        two += majority(v[0], v[1], v[2]);
        memmove(v + 1, v, 7 * sizeof(v[0]));
        v[0] = one + two;
        v[4] += one;
    }
    for (i = 0; i < 8; i++)
        state[i] += v[i];
}

/* The rest of the text, a bit behind it, zeroes, and its length in bits. */
static void take_end(take_fn take, uint32_t *state, const unsigned char *rest,
                     size_t left, size_t length)
{
    unsigned char blocks[2 * BLOCK] = {0};
    size_t whole = left + 1 + LENGTH_BYTES > BLOCK ? 2 * BLOCK : BLOCK, i;
    uint64_t bits = (uint64_t)length * 8;

    if (left > 0)
        memcpy(blocks, rest, left);
    blocks[left] = 0x80;
    for (i = 0; i < LENGTH_BYTES; i++)
        blocks[whole - 1 - i] = (unsigned char)(bits >> (8 * i));
    for (i = 0; i < whole; i += BLOCK)
        take(state, blocks + i);
    explicit_bzero(blocks, sizeof(blocks));
}

static void hash(take_fn take, uint32_t *state, size_t words, const void *data,
                 size_t length, unsigned char *out)
{
    const unsigned char *bytes = data;
    size_t at, i;

    for (at = 0; length - at >= BLOCK; at += BLOCK)
        take(state, bytes + at);
    take_end(take, state, length == 0 ? NULL : bytes + at, length - at, length);
    for (i = 0; i < 4 * words; i++)
        out[i] = (unsigned char)(state[i / 4] >> (24 - 8 * (i % 4)));
}

void sbi_sha1_short(const void *data, size_t length, unsigned char out[20])
{
    uint32_t state[] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};

    hash(take_sha1, state, 5, data, length, out);
}

void sbi_sha256_short(const void *data, size_t length, unsigned char out[32])
{
    uint32_t state[] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

    hash(take_sha256, state, 8, data, length, out);
}
