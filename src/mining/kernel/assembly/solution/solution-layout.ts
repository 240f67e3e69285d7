/**
 * @module
 * Linear memory of the solution kernel, with constant addresses as in layout.ts. Rounds and words are
 * numbered from the *counter word*, the only word of the block that differs between lanes: number r is
 * SHA-256's round or word v + r, and v is 1 (`concat`) or 7 (`xor`). So the same code serves both forms.
 */

/** Counters that are hashed together: two groups of four lanes. */
export const LANES: u32 = 8;

// What the host writes and reads, from `parameters()` on. solution-kernel.ts has the same offsets.
export const PARAMETERS: usize = 4096;
export const BLOCK: usize = PARAMETERS; // sixteen words, with counter 0
export const LIMIT_HIGH: usize = PARAMETERS + 64; // maximum of the first 64 bits of a hash
export const LIMIT_LOW: usize = PARAMETERS + 68;
export const HITS_FOUND: usize = PARAMETERS + 72; // out: number of entries in HITS

// One hash: what all lanes share.
export const CHAIN: usize = PARAMETERS + 128; // eight words: the hash of the blocks before
export const SCALAR_STATE: usize = CHAIN + 32;
export const SCALAR_WORDS: usize = SCALAR_STATE + 32; // 64 words

// Constants in four lanes.
/** r = 1..14: the sum of word and round constant. r = 15..30: the sum of the terms without a counter. */
export const FIXED: usize = SCALAR_WORDS + 256;
export const CONSTANTS: usize = FIXED + 31 * 16; // r = 0..62: round constants
export const OPENING: usize = CONSTANTS + 63 * 16; // the state after round 0, without the counter word
export const COUNTING: usize = OPENING + 128; // 0, 1, 2, 3
export const TEMPLATE: usize = COUNTING + 16; // the counter word for counter 0
export const CHAIN_FIRST: usize = TEMPLATE + 16;
export const LIMIT_LANES: usize = CHAIN_FIRST + 16;

// Words 15..63 of each group, and the last a and b.
export const WORDS: usize = LIMIT_LANES + 16;
/** Bytes between the words of the two groups. */
export const GROUP: usize = 64 * 16;
export const DIGESTS: usize = WORDS + 2 * GROUP;

export const HITS: usize = DIGESTS + 64; // u32: counters, counted from the first of the call
export const HITS_MAX: u32 = 8192;
