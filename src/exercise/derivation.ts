/**
 * @module
 * This folder contains coursework: the documents of exercises, the instance of each student, and grading. It is pure:
 * the server passes the secret of the course and its own record as arguments.
 * This file derives everything in an instance from the secret of the course (HMAC, RFC 2104, with SHA-256), so that
 * nothing must be stored to create an instance again, and no student can compute the instance of another one.
 * docs/bytes.md states the bytes.
 */

import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, u64be, utf8ToBytes } from '../bytes.ts';
import type { Seed } from '../random.ts';
import { parseSeed } from '../random.ts';

/** Bytes of the secret of a course. */
export const COURSE_SECRET_BYTES = 32;

const INSTANCE_DOMAIN = utf8ToBytes('usurp/exercise/v1\0');
const PART_DOMAIN = utf8ToBytes('usurp/exercise/part/v1\0');
const ID_BYTES = 10;
const FLAG_BYTES = 16;

/** What determines an instance. */
export interface InstanceKeyParts {
  readonly secret: Uint8Array;
  readonly student: string;
  readonly exercise: string;
  readonly version: number;
}

/** The key of an instance, from which its parts are derived. Each text has its length before it. */
export function instanceKey({ secret, student, exercise, version }: InstanceKeyParts): Uint8Array {
  if (secret.length !== COURSE_SECRET_BYTES) {
    throw new RangeError(`"secret" expected ${COURSE_SECRET_BYTES} bytes, got ${secret.length}`);
  }
  const texts = [student, exercise].map(utf8ToBytes);
  const framed = texts.flatMap((text) => [u64be(text.length), text]);
  return hmac(sha256, secret, concatBytes(INSTANCE_DOMAIN, ...framed, u64be(version)));
}

/** The seed of a labelled part of an instance. No part reveals another one. */
export function partSeed(key: Uint8Array, label: string): Seed {
  return parseSeed(BigInt(`0x${bytesToHex(partOf(key, label))}`).toString());
}

/** The public id of an instance. It reveals neither the student nor the key. */
export function instanceId(key: Uint8Array): string {
  return bytesToHex(partOf(key, 'id').slice(0, ID_BYTES));
}

/** The key of everything that is the same for all students: that of the empty name, which no student has. */
export function exerciseKey(parts: Omit<InstanceKeyParts, 'student'>): Uint8Array {
  return instanceKey({ ...parts, student: '' });
}

/** The flag of an exercise, which CTFd compares: the same for all students, and known only to those who solved it. */
export function courseFlag(parts: Omit<InstanceKeyParts, 'student'>): string {
  const flag = partOf(exerciseKey(parts), 'flag');
  return `usurp{${bytesToHex(flag.slice(0, FLAG_BYTES))}}`;
}

function partOf(key: Uint8Array, label: string): Uint8Array {
  return hmac(sha256, key, concatBytes(PART_DOMAIN, utf8ToBytes(label)));
}
