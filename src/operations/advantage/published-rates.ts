/**
 * @module
 * Rates of other programs as their sources publish them. They are constants: no machine that prints them measured them.
 */

import type { SchemeName } from '../../identity/keys/scheme.ts';
import { NATIVE_CORE } from '../../mining/native.ts';
import type { RatedName } from './rates.ts';

/** What a program makes in a second on some hardware. */
export interface PublishedRate {
  readonly program: string;
  readonly hardware: string;
  /** What is counted, and the work for each. */
  readonly counts: string;
  readonly perSecond: number;
  /** The page or file that states the rate. */
  readonly source: string;
  /** A policy under which a candidate takes the same work, and the scheme if it has keys. Null if there is none. */
  readonly like: { readonly policy: RatedName; readonly scheme: SchemeName | null } | null;
}

const ONION_GPU = 'https://github.com/NIKIB0Y/onion-gpu (README)';
const HASHCAT = {
  ...{ program: 'hashcat 6.2.6', hardware: 'NVIDIA GeForce RTX 4090' },
  source: 'https://github.com/dosoos/hashcat_speeds (benchmarks/RTX4090.txt)',
} as const;
const PROFANITY = {
  ...{ program: 'profanity2', counts: 'Ethereum addresses (secp256k1, Keccak-256)' },
  ...{ source: 'https://github.com/1inch/profanity2 (README)', like: null },
} as const;
const VANITY = {
  counts: 'Bitcoin addresses (secp256k1, SHA-256, RIPEMD-160)',
  like: null,
} as const;
const ED25519_KEYS = {
  counts: 'Ed25519 keys, not hashed',
  like: { policy: 'yggdrasil', scheme: 'ed25519' },
} as const;

export const PUBLISHED_RATES: readonly PublishedRate[] = [
  { ...PROFANITY, hardware: 'NVIDIA GeForce RTX 4090', perSecond: 1096e6 },
  { ...PROFANITY, hardware: 'NVIDIA GeForce GTX 1070', perSecond: 163e6 },
  { ...PROFANITY, hardware: 'Apple M4 Max, 40-core GPU', perSecond: 350e6 },
  {
    ...{ ...VANITY, program: 'VanitySearch 1.19', hardware: 'NVIDIA GeForce RTX 3060 Ti' },
    ...{ perSecond: 1791.73e6, source: 'https://github.com/JeanLucPons/VanitySearch/issues/115' },
  },
  {
    ...{ ...VANITY, program: 'VanitySearch 1.12', hardware: 'NVIDIA GeForce GTX 1080 Ti' },
    ...{ perSecond: 1001.767e6, source: 'https://github.com/JeanLucPons/VanitySearch/issues/14' },
  },
  {
    ...{ ...ED25519_KEYS, program: 'onion-gpu', hardware: 'NVIDIA GeForce RTX 5060' },
    ...{ perSecond: 917e6, source: ONION_GPU },
  },
  {
    ...{ ...ED25519_KEYS, program: 'mkp224o', hardware: 'processor AMD Ryzen 7 5700X, 16 threads' },
    ...{ perSecond: 56.1e6, source: ONION_GPU },
  },
  {
    ...{ program: 'C with SHA-NI', hardware: 'one core of an AMD EPYC (Zen 4)' },
    ...{ counts: 'Ed25519 keys, hashed twice', perSecond: NATIVE_CORE.keysPerSecond },
    ...{ source: 'bench/native/candidates.c', like: { policy: 'strict', scheme: 'ed25519' } },
  },
  {
    ...{ ...HASHCAT, counts: 'SHA-256 of a short text', perSecond: 21975.5e6 },
    like: { policy: 'xor', scheme: null },
  },
  { ...HASHCAT, counts: 'SHA-1 of a short text', perSecond: 50638.7e6, like: null },
  {
    ...{ ...HASHCAT, counts: 'scrypt, N 2^14, r 8, p 1 (16 MiB)', perSecond: 7126 },
    like: { policy: 'scrypt', scheme: null },
  },
  {
    ...{ program: 'hashcat, mode 34000', hardware: 'NVIDIA GeForce RTX 4090' },
    ...{ counts: 'Argon2id, 64 MiB, 3 passes', perSecond: 1667 },
    source: 'https://github.com/hashcat/hashcat/pull/4284',
    like: { policy: 'argon2id', scheme: null },
  },
];
