/**
 * @module
 * Node IDs as the Storj network makes them: SHA-256 twice over the certificate authority's public key as
 * SubjectPublicKeyInfo (DER), with the last byte replaced by a version. The difficulty is the number of
 * trailing zero bits. It counts the version byte as eight of them, so a nominal d costs d − 8 bits of work
 * (storj.io/common, packages storj and identity). Keys of Storj are P-256. Keys of this lab are wrapped by
 * RFC 8410 (Ed25519) and RFC 5480 (secp256k1, compressed where the key is canonical).
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';
import { concatBytes, hexToBytes } from '../../bytes.ts';
import { LabError } from '../../errors.ts';
import { definePuzzle } from '../puzzles/puzzle.ts';
import { defineIdRule } from './id-rule.ts';

/** The least difficulty that the network requires of a storage node by default. */
export const STORJ_DIFFICULTY_MIN = 36;

/** Bits of the version byte, which are the same for all IDs. */
export const VERSION_BITS = 8;
const ID_BYTES = 32;
/** 37 bytes take at most 51 characters, and 52 if a future version is large. */
const TEXT_CHARACTERS_MAX = 52;
/** The only version. */
const VERSION = 0;
/** A certificate's key is far shorter: RSA with 4096 bits takes 550 bytes. */
const SPKI_BYTES_MAX = 4096;

// SEQUENCE { SEQUENCE { algorithm [, curve] } BIT STRING } without the key itself, by the key's length.
const SPKI_HEADS: ReadonlyMap<number, Uint8Array> = new Map([
  [32, hexToBytes('302a300506032b6570032100')],
  [33, hexToBytes('3036301006072a8648ce3d020106052b8104000a032200')],
  [65, hexToBytes('3056301006072a8648ce3d020106052b8104000a034200')],
]);

const base58check = createBase58check(sha256);

const storjPuzzle = definePuzzle({
  kind: 'static',
  name: 'storj',
  formula: 'zero bits at the end of the node ID, its version byte included',
  source: 'storj.io/common, package storj, NodeID.Difficulty',
  evaluations: 0,
  freeBits: VERSION_BITS,
  isAmortisable: false,
  idPrefix: () => new Uint8Array(),
  counts: 'trailing',
  bits: storjDifficulty,
  measures: () => 'the node ID, including its version byte, ends with',
});

export const storjRule = defineIdRule({
  name: 'storj',
  formula: () => 'the double SHA-256 of the SubjectPublicKeyInfo, version byte last,',
  source: 'storj.io/common, packages storj and identity',
  isSlow: false,
  isConfigurable: false,
  scheme: null,
  isKey: false,
  idBytes: () => ID_BYTES,
  constantBits: VERSION_BITS,
  hashes: 2,
  keyPrefix,
  unsuited: (bytes) =>
    SPKI_HEADS.has(bytes)
      ? null
      : `the storj rule takes keys of 32, 33 or 65 bytes, this one has ${bytes}`,
  nodeId: (publicKey) => storjIdOfSpki(concatBytes(keyPrefix(publicKey.length), publicKey)),
  puzzle: () => storjPuzzle,
  ranks: 'node-id',
});

function keyPrefix(keyBytes: number): Uint8Array {
  return SPKI_HEADS.get(keyBytes) ?? new Uint8Array();
}

/** The 32-byte ID of a key in DER. */
export function storjIdOfSpki(spki: Uint8Array): Uint8Array {
  const nodeId = sha256(sha256(spki));
  nodeId[ID_BYTES - 1] = VERSION;
  return nodeId;
}

/**
 * Number of trailing zero bits, 8..255. The version byte always counts as 8 of them. An ID of zeros only
 * shows no work and measures 0. Storj reports an error for it.
 */
export function storjDifficulty(nodeId: Uint8Array): number {
  let bits = VERSION_BITS;
  for (const byte of nodeId.subarray(0, -1).toReversed()) {
    if (byte !== 0) return bits + 31 - Math.clz32(byte & -byte);
    bits += 8;
  }
  return 0;
}

/** The text form: base58check of the version and the ID with its last byte zero. */
export function formatStorjId(nodeId: Uint8Array): string {
  const unversioned = Uint8Array.from(nodeId);
  const version = unversioned[ID_BYTES - 1] ?? VERSION;
  unversioned[ID_BYTES - 1] = 0;
  return base58check.encode(concatBytes(Uint8Array.of(version), unversioned));
}

/** Reads the text form. Throws LabError `schema` with an example of such an ID. */
export function parseStorjId(text: string): Uint8Array {
  // Reading base58 takes quadratic time, and the text may come from a stranger.
  if (text.length > TEXT_CHARACTERS_MAX) throw notAnId(`it has ${text.length} characters`);
  const bytes = decodeBase58check(text);
  if (bytes.length !== ID_BYTES + 1) {
    throw notAnId(`it has ${bytes.length} bytes, a version and an ID have ${ID_BYTES + 1}`);
  }
  if (bytes[0] !== VERSION) throw notAnId(`its version is ${bytes[0]}, the only one is ${VERSION}`);
  const nodeId = bytes.slice(1);
  checkStorjId(nodeId);
  nodeId[ID_BYTES - 1] = VERSION;
  return nodeId;
}

/** Throws LabError `schema` for the ID of zeros, which stands for no node at Storj (NodeID.IsZero). */
export function checkStorjId(nodeId: Uint8Array): void {
  if (nodeId.every((byte) => byte === 0)) {
    throw notAnId('it has no bit set, which stands for no node and shows no work');
  }
}

/**
 * Checks that bytes look like a SubjectPublicKeyInfo: one DER SEQUENCE with nothing after it. The kind of the
 * key inside has no effect on its ID. Throws LabError `schema`.
 */
export function checkSpki(bytes: Uint8Array): void {
  const [tag, length = 0, next = 0, last = 0] = bytes;
  const isShort = length < 0x80;
  const isOneByte = length === 0x81 && next >= 0x80;
  const isTwoBytes = length === 0x82 && next > 0;
  const content = isShort ? length : isOneByte ? next : 256 * next + last;
  const head = isShort ? 2 : isOneByte ? 3 : 4;
  const isWhole = (isShort || isOneByte || isTwoBytes) && bytes.length === head + content;
  if (tag === 0x30 && isWhole && bytes.length <= SPKI_BYTES_MAX) return;
  throw new LabError(
    'schema',
    'this is not a SubjectPublicKeyInfo: expected the hex of one DER SEQUENCE of at most ' +
      `${SPKI_BYTES_MAX} bytes, such as 3059… for a P-256 key`,
  );
}

function decodeBase58check(text: string): Uint8Array {
  try {
    return base58check.decode(text);
  } catch (error) {
    // The decoder throws plain errors: a foreign letter, a wrong checksum.
    throw notAnId(error instanceof Error ? error.message : String(error));
  }
}

function notAnId(reason: string): LabError {
  return new LabError(
    'schema',
    `this is not a Storj node ID in base58check, such as 12EayRS2V1kEsWESU9QMRseFhdxYxKicsiFmxrsLZHeLUtdps3S: ${reason}`,
  );
}
