// CRC-32C (Castagnoli): of blocks and headers. By the processor's instruction where there is one, else by tables.
#include "CFreeholdShims.h"

#include <pthread.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#define FH_INSTRUCTION __attribute__((target("sse4.2,crc32")))
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#define FH_INSTRUCTION __attribute__((target("crc")))
#elif defined(__aarch64__) && defined(__APPLE__)
#include <sys/sysctl.h>
// The compiler's default processor has it or not, by system and version.
#define FH_INSTRUCTION __attribute__((target("crc")))
#endif

// The polynomial, its bits reversed.
#define FH_POLYNOMIAL 0x82F63B78u

// `fh_bytes[k][b]`: what the byte b, followed by k zeros, makes of an empty state.
static uint32_t fh_bytes[8][256];
// The instruction has a latency of three: so three runs of this many bytes are taken at once, whose states are joined
// by `fh_shift`, which makes of a state what a run of zeros makes of it.
#define FH_LONG 2048
#define FH_SHORT 256
static uint32_t fh_shift_long[4][256];
static uint32_t fh_shift_short[4][256];

static bool fh_has_instruction;
static pthread_once_t fh_once = PTHREAD_ONCE_INIT;

static uint32_t fh_byte(uint32_t state, uint8_t byte) { return fh_bytes[0][(state ^ byte) & 0xFF] ^ state >> 8; }

// The operation is linear: what it makes of each bit gives what it makes of each byte.
static void fh_fill_shift(uint32_t table[4][256], size_t zeros) {
    for (int place = 0; place < 4; place++) {
        table[place][0] = 0;
        for (int bit = 0; bit < 8; bit++) {
            uint32_t state = 1u << (8 * place + bit);
            for (size_t i = 0; i < zeros; i++) state = fh_byte(state, 0);
            int count = 1 << bit;
            for (int rest = 0; rest < count; rest++) table[place][count + rest] = state ^ table[place][rest];
        }
    }
}

static void fh_prepare(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t state = byte;
        for (int bit = 0; bit < 8; bit++) state = state & 1 ? state >> 1 ^ FH_POLYNOMIAL : state >> 1;
        fh_bytes[0][byte] = state;
    }
    for (uint32_t byte = 0; byte < 256; byte++) {
        for (int zeros = 1; zeros < 8; zeros++) fh_bytes[zeros][byte] = fh_byte(fh_bytes[zeros - 1][byte], 0);
    }
    fh_fill_shift(fh_shift_long, FH_LONG);
    fh_fill_shift(fh_shift_short, FH_SHORT);
#if defined(__x86_64__)
    unsigned a, b, c, d;
    fh_has_instruction = __get_cpuid(1, &a, &b, &c, &d) && c & 1u << 20;
#elif defined(__aarch64__) && defined(__linux__)
    fh_has_instruction = (getauxval(AT_HWCAP) & 1ul << 7) != 0;
#elif defined(__aarch64__) && defined(__APPLE__)
    int value = 0;
    size_t size = sizeof value;
    fh_has_instruction = sysctlbyname("hw.optional.armv8_crc32", &value, &size, NULL, 0) == 0 && value != 0;
#endif
}

static uint64_t fh_word(const uint8_t *at) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static uint32_t fh_by_tables(uint32_t state, const uint8_t *at, size_t count) {
    for (; count >= 8; at += 8, count -= 8) {
        uint64_t word = fh_word(at) ^ state;
        state = 0;
        for (int i = 0; i < 8; i++) state ^= fh_bytes[7 - i][word >> 8 * i & 0xFF];
    }
    for (; count > 0; count--) state = fh_byte(state, *at++);
    return state;
}

#ifdef FH_INSTRUCTION
#if defined(__x86_64__)
#define FH_STEP(state, word) __builtin_ia32_crc32di((state), (word))
#define FH_STEP_BYTE(state, byte) __builtin_ia32_crc32qi((uint32_t)(state), (byte))
#else
#define FH_STEP(state, word) __builtin_arm_crc32cd((uint32_t)(state), (word))
#define FH_STEP_BYTE(state, byte) __builtin_arm_crc32cb((uint32_t)(state), (byte))
#endif

static uint32_t fh_shift(const uint32_t table[4][256], uint32_t state) {
    return table[0][state & 0xFF] ^ table[1][state >> 8 & 0xFF] ^ table[2][state >> 16 & 0xFF] ^ table[3][state >> 24];
}

FH_INSTRUCTION static const uint8_t *fh_three(
    uint64_t *state, const uint8_t *at, size_t run, const uint32_t table[4][256]
) {
    uint64_t first = *state, second = 0, third = 0;
    for (const uint8_t *end = at + run; at < end; at += 8) {
        first = FH_STEP(first, fh_word(at));
        second = FH_STEP(second, fh_word(at + run));
        third = FH_STEP(third, fh_word(at + 2 * run));
    }
    uint32_t joined = fh_shift(table, (uint32_t)first) ^ (uint32_t)second;
    *state = fh_shift(table, joined) ^ (uint32_t)third;
    return at + 2 * run;
}

FH_INSTRUCTION static uint32_t fh_by_instruction(uint32_t start, const uint8_t *at, size_t count) {
    uint64_t state = start;
    for (; count >= 3 * FH_LONG; count -= 3 * FH_LONG) at = fh_three(&state, at, FH_LONG, fh_shift_long);
    for (; count >= 3 * FH_SHORT; count -= 3 * FH_SHORT) at = fh_three(&state, at, FH_SHORT, fh_shift_short);
    for (; count >= 8; at += 8, count -= 8) state = FH_STEP(state, fh_word(at));
    for (; count > 0; count--) state = FH_STEP_BYTE(state, *at++);
    return (uint32_t)state;
}
#endif

static uint32_t fh_run(uint32_t state, const void *bytes, size_t count) {
#ifdef FH_INSTRUCTION
    if (fh_has_instruction) return fh_by_instruction(state, bytes, count);
#endif
    return fh_by_tables(state, bytes, count);
}

uint32_t fh_checksum(uint32_t before, const void *bytes, size_t count) {
    pthread_once(&fh_once, fh_prepare);
    return count == 0 ? before : ~fh_run(~before, bytes, count);
}

uint32_t fh_checksum_by_tables(uint32_t before, const void *bytes, size_t count) {
    pthread_once(&fh_once, fh_prepare);
    return count == 0 ? before : ~fh_by_tables(~before, bytes, count);
}

uint32_t fh_block_checksum(uint64_t address, const void *bytes, size_t count) {
    pthread_once(&fh_once, fh_prepare);
    uint8_t place[8];
    for (int i = 0; i < 8; i++) place[i] = (uint8_t)(address >> 8 * i);
    uint32_t state = fh_run(~0u, place, sizeof place);
    return ~(count == 0 ? state : fh_run(state, bytes, count));
}
