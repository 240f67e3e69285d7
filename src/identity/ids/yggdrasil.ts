/**
 * @module
 * Node IDs as the Yggdrasil network makes them: the node ID is the raw Ed25519 public key, its strength is the
 * number of leading zero bits, and the smallest key is elected root of the spanning tree (yggdrasil-go,
 * src/address; ironwood, network). There is no hash between the search for a key and its rank.
 */

import { bytesToHex, leadingZeroBits } from '../../bytes.ts';
import { definePuzzle } from '../puzzles/puzzle.ts';
import { defineIdRule } from './id-rule.ts';

/** Bytes of an ID, which is an Ed25519 key. */
export const YGGDRASIL_ID_BYTES = 32;

const KEY_BITS = 256n;
const ADDRESS_BITS = 128n;
const PREFIX = 0x02n;
const SOURCE = 'yggdrasil-go, src/address; ironwood, network';

const yggdrasilPuzzle = definePuzzle({
  kind: 'static',
  name: 'yggdrasil',
  formula: 'public key',
  source: SOURCE,
  evaluations: 0,
  freeBits: 0,
  isAmortisable: false,
  idPrefix: () => new Uint8Array(),
  counts: 'leading',
  bits: leadingZeroBits,
  measures: () => 'the key begins with',
});

export const yggdrasilRule = defineIdRule({
  name: 'yggdrasil',
  formula: () => 'the public key itself',
  source: SOURCE,
  isSlow: false,
  isConfigurable: false,
  scheme: 'ed25519',
  isKey: true,
  idBytes: () => YGGDRASIL_ID_BYTES,
  constantBits: 0,
  hashes: 0,
  keyPrefix: () => new Uint8Array(),
  unsuited: (bytes) =>
    bytes === YGGDRASIL_ID_BYTES
      ? null
      : `the yggdrasil rule takes Ed25519 keys only, which have 32 bytes, this one has ${bytes}`,
  nodeId: (publicKey) => publicKey.slice(),
  puzzle: () => yggdrasilPuzzle,
  ranks: 'smallest',
});

/**
 * The IPv6 address of a key, as RFC 5952 writes it: the byte 02, the number of leading zero bits as one byte,
 * then the complement of the key after its first one bit, cut to 128 bits.
 */
export function yggdrasilAddress(publicKey: Uint8Array): string {
  if (publicKey.length !== YGGDRASIL_ID_BYTES) {
    throw new RangeError(
      `"publicKey" expected ${YGGDRASIL_ID_BYTES} bytes, got ${publicKey.length}`,
    );
  }
  const strength = BigInt(leadingZeroBits(publicKey));
  const complement = (1n << KEY_BITS) - 1n - BigInt(`0x${bytesToHex(publicKey)}`);
  const tail =
    BigInt.asUintN(256, complement << (strength + 1n)) >> (KEY_BITS - ADDRESS_BITS + 16n);
  // The count 256, of the key that is zero, overflows to 0, as in Yggdrasil.
  const head = (PREFIX << 8n) | BigInt.asUintN(8, strength);
  const digits = ((head << (ADDRESS_BITS - 16n)) | tail).toString(16).padStart(32, '0');
  const groups = digits.match(/.{4}/g) ?? [];
  // The host of a URL is serialised by RFC 5952.
  return new URL(`http://[${groups.join(':')}]/`).hostname.slice(1, -1);
}
