/**
 * @module
 * The kernel's linear memory. Every buffer has a constant address, which V8 makes a part of the
 * instruction, and nothing is allocated. Addresses below 4096 belong to AssemblyScript's static data.
 *
 * A field element has nine limbs of 29 bits, little-endian, each in an u32. Elements are
 * *lane-interleaved*: limb k is 16 bytes after limb k-1, so four elements share a *quad* of 144 bytes,
 * and one v128 contains limb k of all four. Scalar code addresses an element by quad + 4*lane, SIMD
 * code addresses the quad.
 */

/** Pairs ±j in a batch, a multiple of four. 2048 is not faster, and a shorter batch wastes less. */
export const PAIRS: usize = 1024;
/** Points of a batch: the centre, then +1, -1, +2, -2, … */
export const POINTS: u32 = 2 * <u32>PAIRS + 1;
export const QUADS: usize = PAIRS / 4;
/** Bytes of four lane-interleaved field elements. */
export const QUAD: usize = 144;
/** Bytes of a message block: W0..W8 and two words derived from W8, see sha-rounds.ts. */
export const MESSAGE: usize = 176;

// What the host writes and reads, from `parameters()` on. wasm-kernel.ts has the same offsets.
export const PARAMETERS: usize = 4096;
export const CENTRE_X: usize = PARAMETERS; // 32 bytes, little-endian, like all of the host's
export const CENTRE_Y: usize = PARAMETERS + 32;
export const LIMIT_HIGH: usize = PARAMETERS + 64; // maximum of the first 64 bits of a puzzle hash
export const LIMIT_LOW: usize = PARAMETERS + 68;
export const WINDOW_LOW: usize = PARAMETERS + 72; // inclusive bounds of the first 32 bits of a node ID
export const WINDOW_HIGH: usize = PARAMETERS + 76;
export const SIBLINGS: usize = PARAMETERS + 80; // 0: one key of each point, 1: all free siblings
export const HITS_FOUND: usize = PARAMETERS + 84; // out: number of entries in HITS
export const STATUS: usize = PARAMETERS + 88; // out: why `advance` stopped

// SHA-256 constants in all lanes. In V8 loading a vector is cheaper than making one.
export const ROUND_CONSTANTS: usize = 4352;
export const BANK: usize = ROUND_CONSTANTS + 1024; // constants of a padded 32-byte message
export const BANK_33: usize = BANK + 256; // constants of a padded 33-byte message
export const INITIAL: usize = BANK_33 + 256;
export const SIGN_BIT: usize = INITIAL + 256; // 0x80 in each lane
export const PREFIX_STEP: usize = SIGN_BIT + 16; // 0x01000000 in each lane
export const LIMIT_LANES: usize = PREFIX_STEP + 16;
export const WINDOW_LANES: usize = LIMIT_LANES + 16; // low, then high - low
export const INSIDE: usize = WINDOW_LANES + 32; // lanes with node IDs in the window; two groups

// SHA-256 working memory.
export const STATE: usize = INSIDE + 32;
export const EARLY: usize = STATE + 128; // the state after eight rounds, of two groups
export const SCHEDULE: usize = 64 * 16; // of a block; words 0..14 stay in the message
export const WORDS: usize = EARLY + 256; // schedules of two groups' keys
export const DIGEST_WORDS: usize = WORDS + 2 * SCHEDULE;
export const DIGESTS: usize = DIGEST_WORDS + SCHEDULE; // two messages of node IDs
export const MESSAGES: usize = DIGESTS + 2 * MESSAGE; // up to six, filled from points

// Field constants and scratch elements, one quad each even where one lane is used.
export const FIELD: usize = MESSAGES + 6 * MESSAGE;
export const HIGH: usize = FIELD; // nine u64: the upper half of a product
export const BIAS: usize = FIELD + QUAD; // a multiple of p, limbs just below 2^30, in four lanes
export const BIAS_3: usize = BIAS + QUAD; // and just below 3 * 2^29
export const PRIME: usize = BIAS_3 + QUAD; // p, in lane 0
export const CURVE: usize = PRIME + QUAD; // lanes: Edwards d or beta, one, the step's x and y
export const SCRATCH: usize = CURVE + QUAD; // twelve quads for inversion and centre stepping
export const CENTRES: usize = SCRATCH + 12 * QUAD; // two; see ed25519.ts, secp256k1.ts
export const CENTRE: usize = 8 * QUAD;
export const WORK: usize = CENTRES + 2 * CENTRE; // buffers of the current quad
export const UNUSED: usize = WORK + 19 * QUAD; // destination of products that are not needed

// Large areas. Two prefix arrays, the running batch's and the next one's, a quad before each.
export const PREFIX_BYTES: usize = (QUADS + 2) * QUAD;
export const PREFIXES: usize = (WORK + 20 * QUAD + 63) & ~63;
export const TABLE: usize = PREFIXES + 2 * PREFIX_BYTES; // three columns of QUADS quads
export const COLUMN: usize = QUADS * QUAD;
export const HITS: usize = TABLE + 3 * COLUMN; // u32: attempts counted from the call's first batch
export const HITS_MAX: usize = 32768;
/**
 * The points 1G..PAIRS·G, then the step (2·PAIRS+1)G, x and y: written by the host, read by
 * `prepare`.
 */
export const POINTS_IN: usize = HITS + 4 * HITS_MAX;
export const MEMORY_END: usize = POINTS_IN + 64 * (PAIRS + 1);
