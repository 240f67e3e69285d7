/**
 * @module
 * The hashes of candidates as WGSL: how a key becomes a node ID, and the last hash that is tested, by the rules of a policy.
 * Every constant of the rules is in the text, so that each format has a program of its own.
 */

import type { SchemeName } from '../../identity/keys/scheme.ts';
import type { KernelMessage, KernelRules } from '../kernel/memory.ts';
import { kernelFormat } from '../kernel/memory.ts';
import { indexes } from './field-text.ts';

/** The words of `H` and `K` of FIPS 180-4: roots of the first primes, as 32 bits of their fraction. */
const PRIMES = indexes(312).filter((n) => n > 1 && indexes(n).every((d) => d < 2 || n % d > 0));
const SHA1_CONSTANTS = [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6];
const SHA1_INITIAL = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0, 0, 0, 0];

/** What every text of hashes begins with. */
export const WORD_TEXT = `alias State = array<u32, 8>;
fn rotated(x: u32, n: u32) -> u32 { return (x >> n) | (x << (32u - n)); }`;

/** Words of a block. */
const BLOCK = 16;

/**
 * The function `compress` of SHA-256. A loop runs sixteen rounds four times, because the text of all rounds takes seconds to
 * compile.
 */
export function sha256Text(): string {
  const rounds = indexes(BLOCK).map((t) => {
    const [a, b, c, d, e, f, g, h] = indexes(8).map((k) => `s${(k - t + 64) % 8}`);
    return `${h} += (rotated(${e}, 6u) ^ rotated(${e}, 11u) ^ rotated(${e}, 25u)) + (${g} ^ (${e} & (${f} ^ ${g}))) + K[at + ${t}u] + w${t};
${d} += ${h};
${h} += (rotated(${a}, 2u) ^ rotated(${a}, 13u) ^ rotated(${a}, 22u)) + ((${a} & ${b}) | (${c} & (${a} | ${b})));`;
  });
  const schedule = indexes(BLOCK).map((t) => {
    const [w1, w9, w14] = [1, 9, 14].map((k) => `w${(t + k) % BLOCK}`);
    return `w${t} += (rotated(${w1}, 7u) ^ rotated(${w1}, 18u) ^ (${w1} >> 3u)) + ${w9} + (rotated(${w14}, 17u) ^ rotated(${w14}, 19u) ^ (${w14} >> 10u));`;
  });
  return `const K = array<u32, 64>(${words(PRIMES.slice(0, 64).map((p) => rootFraction(p, 3n)))});
${compressText(
  8,
  `for (var at = 0u; at < 64u; at += 16u) {
if (at > 0u) {
${schedule.join('\n')}
}
${rounds.join('\n')}
}`,
)}`;
}

/** The function `compress` of SHA-1, without a loop: twenty rounds share a function, but sixteen words are a block. */
function sha1Text(): string {
  const mixed = (t: number, b: string, c: string, d: string) =>
    [`(${d} ^ (${b} & (${c} ^ ${d})))`, '', `((${b} & ${c}) | (${d} & (${b} | ${c})))`][
      Math.floor(t / 20)
    ] || `(${b} ^ ${c} ^ ${d})`;
  const rounds = indexes(80).map((t) => {
    const [a = '', b = '', c = '', d = '', e] = indexes(5).map((k) => `s${(k + 80 - t) % 5}`);
    const [w, w2, w8, w13] = [0, 2, 8, 13].map((k) => `w${(t + k) % BLOCK}`);
    const schedule = t < BLOCK ? '' : `${w} = rotated(${w} ^ ${w2} ^ ${w8} ^ ${w13}, 31u);\n`;
    return `${schedule}${e} += rotated(${a}, 27u) + ${mixed(t, b, c, d)} + ${SHA1_CONSTANTS[Math.floor(t / 20)]}u + ${w};
${b} = rotated(${b}, 2u);`;
  });
  return compressText(5, rounds.join('\n'));
}

function compressText(size: number, body: string): string {
  const state = indexes(size);
  return `alias Block = array<u32, ${BLOCK}>;
fn compress(s: State, w: Block) -> State {
${state.map((k) => `var s${k} = s[${k}];`).join(' ')}
${indexes(BLOCK)
  .map((k) => `var w${k} = w[${k}];`)
  .join(' ')}
${body}
return State(${indexes(8).map((k) => (k < size ? `s[${k}] + s${k}` : '0u'))});
}`;
}

/** The first 32 bits of the fraction of a root. */
function rootFraction(prime: number, degree: bigint): number {
  const target = BigInt(prime) << (32n * degree);
  let root = 0n;
  for (let bit = 1n << 35n; bit > 0n; bit >>= 1n) {
    if ((root | bit) ** degree <= target) root |= bit;
  }
  return Number(root & 0xffffffffn);
}

export const SHA256_INITIAL = PRIMES.slice(0, 8).map((p) => rootFraction(p, 2n));

/** Numbers as words of WGSL. */
export function words(values: readonly number[]): string {
  return values.map((value) => `${value >>> 0}u`).join(', ');
}

/**
 * The function `test` of a key: its eight words in the order of its bytes, and the byte before them (secp256k1). It returns
 * whether the candidate is a hit, and for samples the first words of the node ID and of what is probed. The blocks of both
 * hashes are compressed by one loop, because a compiler copies the function to each of its places.
 */
export function testText(rules: KernelRules, scheme: SchemeName): string {
  const { key, id, idMask, isIdLate, probe } = kernelFormat(rules, scheme);
  const [first, second] = probe(0).map(({ word }) => `state[${word}]`);
  const isSha1 = rules.hash === 'sha1';
  const inside = (head: string) =>
    `isInside = ${head} - parameters.low <= parameters.width;\nif (!isInside && !isSample) { return Tested(false, 0u, 0u); }`;
  const masked = idMask.map((mask, k) => `state[${k}] & ${mask}u`);
  const blocks = [...blocksOf(key, scheme === 'secp256k1'), ...blocksOf(id, false)];
  const hashing = `var state = INITIAL;
for (var n = 0u; n < ${blocks.length}u; n++) {
var block: Block;
switch (n) {
${blocks.map((block, n) => `${n === 0 ? 'default' : `case ${n}u`}: { block = Block(${block}); }`).join('\n')}
}
state = compress(state, block);
if (n == ${key.blocks - 1}u) {
id = State(${masked.join(', ')});
state = INITIAL;
${isIdLate ? '' : inside('id[0]')}
}
}
${isIdLate ? inside('state[0]') : ''}`;
  return `${WORD_TEXT}
${key.blocks > 0 ? `${isSha1 ? sha1Text() : sha256Text()}\nconst INITIAL = State(${words(isSha1 ? SHA1_INITIAL : SHA256_INITIAL)});` : ''}
struct Tested { isHit: bool, id: u32, probed: u32 }
fn test(key: State, prefix: u32, isSample: bool) -> Tested {
var id = key;
var isInside = false;
${key.blocks > 0 ? hashing : `let state = key;\n${inside('id[0]')}`}
let isHit = isInside && ((${first} & parameters.zeros.x) | (${second} & parameters.zeros.y)) == 0u;
return Tested(isHit, ${isIdLate ? 'state' : 'id'}[0], ${first});
}`;
}

/** The blocks of a message with eight variable words: those of the key, or of the ID that was made of it. */
function blocksOf({ word, words: template, blocks }: KernelMessage, hasPrefix: boolean): string[] {
  if (blocks === 0) return [];
  // A prefix byte without a word of its own moves all others by a byte.
  const isMoved = hasPrefix && word === 0;
  const block = indexes(BLOCK).map((t) => {
    const parts = [`${(template[t] ?? 0) >>> 0}u`];
    const [own, before] = [t - word, t - word - 1];
    if (own >= 0 && own < 8) parts.push(isMoved ? `(id[${own}] >> 8u)` : `id[${own}]`);
    if (isMoved && before >= 0 && before < 8) parts.push(`(id[${before}] << 24u)`);
    if (hasPrefix && t === Math.max(0, word - 1))
      parts.push(isMoved ? '(prefix << 24u)' : 'prefix');
    return parts.join(' | ');
  });
  return [block.join(', '), ...(blocks > 1 ? [words(template.slice(BLOCK))] : [])];
}
