/**
 * @module
 * The JSON form of a puzzle function. Policies come from strangers, so the parameters are bounded: one evaluation
 * takes less than a second and 64 MiB. This is a file of its own because threads that mine need no schemas, and
 * loading zod takes a quarter of their start.
 */

import { z } from 'zod';
import { puzzleHashes } from './puzzle-function.ts';

// Measured with noble on a quiet core: 10^6 iterations take 0.7 s, 2^22 Salsa20/8 cores 0.4 s, 2^17 Argon2
// blocks 0.5 s.
const ITERATIONS_MAX = 1_000_000;
const SALSA_CORES_MAX = 2 ** 22;
const ARGON2_BLOCKS_MAX = 2 ** 17;
const MEMORY_KIB_MAX = 64 * 1024;
/** scrypt requires N < 2^(16·r), and r may be 1. */
const LOG_N_MAX = 15;
const FACTOR_MAX = 64;
const LANES_MAX = 16;

const hash = z.strictObject({ function: z.literal('hash') });

const iterated = z.strictObject({
  function: z.literal('iterated'),
  iterations: count(1, ITERATIONS_MAX, 'How often the hash is applied.'),
});

const scrypt = z
  .strictObject({
    function: z.literal('scrypt'),
    logN: count(1, LOG_N_MAX, 'Binary logarithm of the CPU and memory cost N.'),
    r: count(1, FACTOR_MAX, 'Block size.'),
    p: count(1, FACTOR_MAX, 'Parallelisation. Here the lanes run one after the other.'),
  })
  .superRefine((parameters, context) => {
    const kib = (2 ** parameters.logN * parameters.r) / 8;
    if (kib > MEMORY_KIB_MAX) {
      const message = `asks for 128·2^logN·r bytes, ${kib} KiB: lower logN or r to ${MEMORY_KIB_MAX} KiB`;
      context.addIssue({ code: 'custom', message });
    }
    const cores = puzzleHashes(parameters);
    if (cores > SALSA_CORES_MAX) {
      const message = `asks for 4·2^logN·r·p = ${cores} Salsa20/8 cores: lower logN, r or p to ${SALSA_CORES_MAX}`;
      context.addIssue({ code: 'custom', message });
    }
  });

const argon2id = z
  .strictObject({
    function: z.literal('argon2id'),
    passes: count(1, FACTOR_MAX, 'Passes over the memory.'),
    kib: count(8, MEMORY_KIB_MAX, 'Memory in KiB, at least 8 for each lane.'),
    lanes: count(1, LANES_MAX, 'Lanes. Here they run one after the other.'),
  })
  .superRefine(({ passes, kib, lanes }, context) => {
    if (kib < 8 * lanes) {
      const message = `must be at least 8 KiB for each lane, ${8 * lanes}`;
      context.addIssue({ code: 'custom', path: ['kib'], message });
    }
    if (passes * kib > ARGON2_BLOCKS_MAX) {
      const message = `asks for passes·kib = ${passes * kib} blocks: lower passes or kib to ${ARGON2_BLOCKS_MAX}`;
      context.addIssue({ code: 'custom', message });
    }
  });

/** It refuses a function that takes more than a second or 64 MiB. */
export const puzzleFunctionSchema = z.discriminatedUnion(
  'function',
  [hash, iterated, scrypt, argon2id],
  { error: 'must be an object whose function is one of hash, iterated, scrypt, argon2id' },
);

function count(min: number, max: number, description: string) {
  const error = `must be a whole number in ${min}..${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error }).meta({ description });
}
