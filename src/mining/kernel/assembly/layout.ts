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
/** Bytes of a message block: its words W0..W15, and the schedule of a long or SHA-1 block, see formats.ts. */
export const MESSAGE: usize = 1280;

// What the host writes and reads, from `parameters()` on. wasm-kernel.ts has the same offsets.
export const PARAMETERS: usize = 4096;
export const CENTRE_X: usize = PARAMETERS; // 32 bytes, little-endian, like all of the host's
export const CENTRE_Y: usize = PARAMETERS + 32;
export const ZERO_FIRST: usize = PARAMETERS + 64; // bits of the first probed word that must be 0
export const ZERO_SECOND: usize = PARAMETERS + 68; // and of the second one
export const WINDOW_LOW: usize = PARAMETERS + 72; // inclusive bounds of the first 32 bits of a node ID
export const WINDOW_HIGH: usize = PARAMETERS + 76;
export const SIBLINGS: usize = PARAMETERS + 80; // 0: one key of each point, 1: all free siblings
export const HITS_FOUND: usize = PARAMETERS + 84; // out: number of entries in HITS
export const STATUS: usize = PARAMETERS + 88; // out: why `advance` stopped
export const LISTS_IDS: usize = PARAMETERS + 92; // 1: the node ID of each hit is listed too

// The format of node IDs and puzzle, written by the host before `format`, see formats.ts.
export const KEY_KIND: usize = PARAMETERS + 96; // how the block of a key is hashed
export const KEY_AT: usize = PARAMETERS + 100; // its first word that is a part of the key, times 16
export const KEY_ENDS: usize = PARAMETERS + 104; // 1 if a constant block follows
export const ID_KIND: usize = PARAMETERS + 108; // the same of the second hash
export const ID_AT: usize = PARAMETERS + 112;
export const ID_ENDS: usize = PARAMETERS + 116;
export const PROBE_FIRST: usize = PARAMETERS + 120; // probed words of the last hash, times 16
export const PROBE_SECOND: usize = PARAMETERS + 124;
export const IS_LATE: usize = PARAMETERS + 128; // 1 if the second hash is the node ID
export const IS_CUT: usize = PARAMETERS + 132; // 1 if ID_MASK cuts the node ID
export const KEY_BLOCK: usize = PARAMETERS + 144; // 16 words without the key, then the constant block
export const ID_BLOCK: usize = PARAMETERS + 272; // the same of the second hash
export const ID_MASK: usize = PARAMETERS + 400; // 8 words: the bits of a digest that are the node ID

// SHA-256 constants in all lanes. In V8 loading a vector is cheaper than making one.
export const ROUND_CONSTANTS: usize = 4608;
export const KEY_BANK: usize = ROUND_CONSTANTS + 1024; // constants of a short block with a key
export const ID_BANK: usize = KEY_BANK + 256; // and with a node ID
export const INITIAL: usize = ID_BANK + 256; // the initial state, and that of round 0
export const SIGN_BIT: usize = INITIAL + 256; // 0x80 in each lane
export const PREFIX_STEP: usize = SIGN_BIT + 16; // 1 in the prefix byte of a secp256k1 key
export const ZERO_LANES: usize = PREFIX_STEP + 16; // ZERO_FIRST
export const WINDOW_LANES: usize = ZERO_LANES + 16; // low and high - low for the first hash, then the second
export const INSIDE: usize = WINDOW_LANES + 64; // lanes with node IDs in the window; two groups
export const MASK_LANES: usize = INSIDE + 32; // ID_MASK, then what is added to it: the padding
export const ENDINGS: usize = MASK_LANES + 256; // K + W of the constant block of both hashes
export const SHA1_CONSTANTS: usize = ENDINGS + 2 * 1024;
// A long block that begins with eight constant words: the state after round 7, and of words 16..22
// what the constants add.
export const OPENED: usize = SHA1_CONSTANTS + 64;

// SHA-256 working memory.
export const STATE: usize = OPENED + 256;
export const EARLY: usize = STATE + 128; // the state after eight rounds, of two groups
export const SCHEDULE: usize = 64 * 16; // of a block; words 0..14 stay in the message
export const WORDS: usize = EARLY + 256; // schedules of two groups' keys
export const DIGEST_WORDS: usize = WORDS + 2 * SCHEDULE;
export const DIGESTS: usize = DIGEST_WORDS + SCHEDULE; // two messages of node IDs
export const QUEUE: usize = DIGESTS + 2 * MESSAGE; // a third one: node IDs in the window
export const QUEUED: usize = QUEUE + MESSAGE; // their attempts
export const MESSAGES: usize = QUEUED + 16; // up to six, filled from points

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
/** Node IDs, 32 bytes each: those of the hits if LISTS_IDS, and those that `testIds` of stock.ts tests. */
export const IDS: usize = POINTS_IN + 64 * (PAIRS + 1);
export const ID_BYTES: usize = 32;
/** The last ID of a stock may be shorter than what is read. */
export const MEMORY_END: usize = IDS + ID_BYTES * (HITS_MAX + 1);
