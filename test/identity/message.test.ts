/**
 * @module
 * The canonical bytes of messages: one spelling for each value, ASCII, and a clear refusal of what
 * they cannot say.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { MessageValue } from '../../src/identity/message.ts';
import {
  MESSAGE_DEPTH_MAX,
  messageBytes,
  NONCE_BYTES,
  possessionMessage,
} from '../../src/identity/message.ts';

const DOMAIN_BYTES = 'usurp/message/v1'.length + 1;

const { value: anyValue } = fc.letrec<{ value: MessageValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.maxSafeInteger(),
    fc.string({ unit: 'grapheme' }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.string({ unit: 'grapheme-ascii' }), tie('value'), { maxKeys: 4 }),
  ),
}));

describe('canonical JSON', () => {
  it.each([
    ['no spaces and sorted names', { b: 1, a: [1, 2] }, '{"a":[1,2],"b":1}'],
    ['names sorted as text, not as numbers', { 9: 0, 10: 0 }, '{"10":0,"9":0}'],
    ['capitals before small letters', { a: 0, B: 0 }, '{"B":0,"a":0}'],
    ['sorting at every level', { z: { y: 0, x: 0 } }, '{"z":{"x":0,"y":0}}'],
    ['escapes beyond ASCII', 'é\u{1f600}', '"\\u00e9\\ud83d\\ude00"'],
    ['DEL escaped', '\u007f', '"\\u007f"'],
    ['control characters', '\b\t\n\f\r\0\u001f', '"\\b\\t\\n\\f\\r\\u0000\\u001f"'],
    ['the slash left alone', '/', '"/"'],
    ['a negative zero as zero', -0, '0'],
    ['the largest integer', 2 ** 53 - 1, '9007199254740991'],
    ['the smallest integer', -(2 ** 53 - 1), '-9007199254740991'],
    [
      'as many levels as are allowed',
      nested(MESSAGE_DEPTH_MAX),
      '[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]',
    ],
  ])('%s', (_name, value, expected) => {
    expect(textOf(value)).toBe(expected);
  });

  it('says what it was given', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        expect(JSON.parse(textOf(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  it('is printable ASCII', () => {
    fc.assert(
      fc.property(anyValue, (value) => /^[ -~]*$/.test(textOf(value))),
      { seed: 2, numRuns: 300 },
    );
  });

  it('does not depend on the order in which members were written', () => {
    const record = fc.dictionary(fc.string({ unit: 'grapheme-ascii' }), fc.maxSafeInteger());

    fc.assert(
      fc.property(record, (value) => {
        const reversed = Object.fromEntries(Object.entries(value).toReversed());
        return textOf(value) === textOf(reversed);
      }),
      { seed: 3, numRuns: 300 },
    );
  });
});

describe('what the bytes cannot say', () => {
  it.each([
    ['a fraction', { a: [0, 1.5] }, '"value.a[1]" expected an integer below 2^53, got 1.5'],
    ['2^53', 2 ** 53, '"value" expected an integer below 2^53, got 9007199254740992'],
    ['infinity', { n: Number.POSITIVE_INFINITY }, '"value.n" expected an integer below 2^53'],
    ['NaN', Number.NaN, '"value" expected an integer below 2^53, got NaN'],
    ['undefined', { a: undefined }, '"value.a" expected JSON data, got undefined'],
    ['a bigint', 1n, '"value" expected JSON data, got 1'],
    ['a function', { f: () => 0 }, '"value.f" expected JSON data'],
    ['a symbol', Symbol('s'), '"value" expected JSON data, got Symbol(s)'],
    // biome-ignore lint/suspicious/noSparseArray: the hole is the case.
    ['a hole in an array', [0, , 1], '"value[1]" expected JSON data, got undefined'],
    ['an instance of a class', new Map(), '"value" expected a plain object, got [object Map]'],
    ['bytes', new Uint8Array(1), '"value" expected a plain object, got [object Uint8Array]'],
    ['a lone surrogate', '\ud800', '"value" expected text without lone surrogates'],
    ['a name that is not ASCII', { é: 0 }, '"value.é" expected an ASCII name, got é'],
    ['a level too many', nested(MESSAGE_DEPTH_MAX + 1), 'expected at most 16 levels'],
    ['an object too many', nestedInObjects(MESSAGE_DEPTH_MAX + 1), 'expected at most 16 levels'],
    ['a value that holds itself', circular(), 'expected at most 16 levels'],
  ])('%s', (_name, value, expected) => {
    // The types refuse most of these; the test is for callers who lost them on the way.
    const make = () => messageBytes(value as MessageValue);

    expect(make).toThrow(TypeError);
    expect(make).toThrow(expected);
  });
});

describe('what proves possession', () => {
  const challenge = new Uint8Array(31).fill(1);
  const nodeId = new Uint8Array(32).fill(2);
  const solution = new Uint8Array(33).fill(3);

  it.each([
    ['an ID without a solution', { solution: null }, ['usurp/claim/v1\0', challenge, nodeId]],
    ['a solution', { solution }, ['usurp/claim/v1\0', challenge, nodeId, solution]],
    [
      'a nonce',
      { solution, nonce: new Uint8Array(32).fill(9) },
      ['usurp/fresh-claim/v1\0', new Uint8Array(32).fill(9), challenge, nodeId, solution],
    ],
  ])('is signed for %s', (_name, given, expected) => {
    const bytes = possessionMessage({ challenge, nodeId, ...given });

    expect(Buffer.from(bytes)).toEqual(Buffer.concat(expected.map((part) => Buffer.from(part))));
  });

  it.each([NONCE_BYTES - 1, NONCE_BYTES + 1, 0])('has no nonce of %d bytes', (length) => {
    const nonce = new Uint8Array(length);

    expect(() => possessionMessage({ challenge, nodeId, solution, nonce })).toThrow(
      new RangeError(`"nonce" expected 32 bytes, got ${length}`),
    );
  });
});

function textOf(value: MessageValue): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(messageBytes(value).slice(DOMAIN_BYTES));
}

function nested(levels: number): MessageValue {
  return levels === 1 ? [] : [nested(levels - 1)];
}

function nestedInObjects(levels: number): MessageValue {
  return levels === 1 ? {} : { a: nestedInObjects(levels - 1) };
}

function circular(): unknown {
  const loop: unknown[] = [];
  loop.push(loop);
  return loop;
}
