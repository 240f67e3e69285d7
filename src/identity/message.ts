/**
 * @module
 * The bytes that are signed for an election message: "usurp/message/v1" 0x00 ‖ canonical JSON. The JSON has
 * sorted keys, no spaces, integers below 2^53 in magnitude, and is pure ASCII: characters outside U+0020..U+007E
 * are escaped, \b \t \n \f \r in short form and the others as lower-case \uXXXX by UTF-16 unit. Python's
 * json.dumps(value, sort_keys=True, separators=(',', ':')) writes the same bytes. Names of members are ASCII, so
 * that all languages sort them in the same way.
 */

import { concatBytes, utf8ToBytes } from '../bytes.ts';

/** A value that a message can contain. Numbers are integers in −(2^53−1)..2^53−1. */
export type MessageValue =
  | null
  | boolean
  | number
  | string
  | readonly MessageValue[]
  | { readonly [member: string]: MessageValue };

/** Deeper values are refused, so a value that contains itself is refused too. */
export const MESSAGE_DEPTH_MAX = 16;

const MESSAGE_DOMAIN = utf8ToBytes('usurp/message/v1\0');

/**
 * The bytes to sign for a message. Throws TypeError for values without such bytes: fractions and integers of 2^53
 * and more, undefined, functions, lone surrogates, instances of classes, holes in arrays, names of members that
 * are not ASCII, more than `MESSAGE_DEPTH_MAX` levels.
 */
export function messageBytes(value: MessageValue): Uint8Array {
  return concatBytes(MESSAGE_DOMAIN, utf8ToBytes(canonicalJson(value, '', 1)));
}

/** `path` is the location for errors, as in `value.vote[2]`. */
function canonicalJson(value: unknown, path: string, depth: number): string {
  if (depth > MESSAGE_DEPTH_MAX)
    throw unsupported(path, `at most ${MESSAGE_DEPTH_MAX} levels`, value);
  switch (typeof value) {
    case 'boolean':
      return String(value);
    case 'number':
      return integer(value, path);
    case 'string':
      return quoted(value, path);
    case 'object':
      if (value === null) return 'null';
      if (Array.isArray(value)) return array(value, path, depth);
      return record(value, path, depth);
    case 'bigint':
    case 'function':
    case 'symbol':
    case 'undefined':
      throw unsupported(path, 'JSON data', value);
  }
}

function integer(value: number, path: string): string {
  if (!Number.isSafeInteger(value)) throw unsupported(path, 'an integer below 2^53', value);
  return String(value);
}

function array(items: readonly unknown[], path: string, depth: number): string {
  // Array.from visits holes as undefined, which is refused. map would skip them.
  const parts = Array.from(items, (item, index) =>
    canonicalJson(item, `${path}[${index}]`, depth + 1),
  );
  return `[${parts.join(',')}]`;
}

function record(value: object, path: string, depth: number): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw unsupported(path, 'a plain object', value);
  }
  const members = Object.entries(value).map(([name, member]) => {
    const memberPath = `${path}.${name}`;
    if (!/^[ -~]*$/.test(name)) throw unsupported(memberPath, 'an ASCII name', name);
    return {
      name,
      json: `${quoted(name, memberPath)}:${canonicalJson(member, memberPath, depth + 1)}`,
    };
  });
  members.sort((left, right) => (left.name < right.name ? -1 : 1));
  return `{${members.map(({ json }) => json).join(',')}}`;
}

function quoted(text: string, path: string): string {
  if (!text.isWellFormed()) throw unsupported(path, 'text without lone surrogates', text);
  // JSON.stringify escapes quotes, backslashes and control characters, but not DEL and beyond.
  return JSON.stringify(text).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function unsupported(path: string, expected: string, got: unknown): TypeError {
  const shown = typeof got === 'object' ? Object.prototype.toString.call(got) : String(got);
  return new TypeError(`"value${path}" expected ${expected}, got ${shown}`);
}

const CLAIM_DOMAIN = utf8ToBytes('usurp/claim/v1\0');
const FRESH_CLAIM_DOMAIN = utf8ToBytes('usurp/fresh-claim/v1\0');
/** Bytes of the nonce of a verifier. */
export const NONCE_BYTES = 32;

/**
 * The bytes whose signature proves possession:
 * "usurp/claim/v1" 0x00 ‖ challenge ‖ nodeId ‖ X, where X is empty without a solution. With the nonce of a verifier, the
 * claim proves possession at this moment and to this verifier: "usurp/fresh-claim/v1" 0x00 ‖ nonce ‖ challenge ‖ nodeId ‖
 * X. The nonce is no part of the puzzles, so that a node signs again without new work. Throws RangeError for a nonce that
 * has not 32 bytes.
 */
export function possessionMessage({
  challenge,
  nodeId,
  solution,
  nonce = null,
}: {
  readonly nodeId: Uint8Array;
  readonly solution: Uint8Array | null;
  readonly challenge: Uint8Array;
  readonly nonce?: Uint8Array | null | undefined;
}): Uint8Array {
  if (nonce !== null && nonce.length !== NONCE_BYTES) {
    throw new RangeError(`"nonce" expected ${NONCE_BYTES} bytes, got ${nonce.length}`);
  }
  const head = nonce === null ? [CLAIM_DOMAIN] : [FRESH_CLAIM_DOMAIN, nonce];
  return concatBytes(...head, challenge, nodeId, solution ?? new Uint8Array());
}
