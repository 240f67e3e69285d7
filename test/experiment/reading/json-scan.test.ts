/**
 * @module
 * The strict JSON pass against texts at the edge of RFC 8259, and against JSON.parse on random
 * ones.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  JSON_DEPTH_MAX,
  JSON_MEMBERS_MAX,
  scanJson,
} from '../../../src/experiment/reading/json-scan.ts';

/** Texts that RFC 8259 does not allow, each with where the fault is. */
const INVALID: readonly (readonly [text: string, position: string])[] = [
  ['', '1:1'],
  [' ', '1:2'],
  ['\n\n', '3:1'],
  ['{', '1:2'],
  ['}', '1:1'],
  ['[', '1:2'],
  [']', '1:1'],
  [',', '1:1'],
  [':', '1:1'],
  ['{a}', '1:2'],
  ['{a:1}', '1:2'],
  ["{'a':1}", '1:2'],
  ['{1:1}', '1:2'],
  ['{null:1}', '1:2'],
  ['{[]:1}', '1:2'],
  ['{,}', '1:2'],
  ['{"a"}', '1:5'],
  ['{"a",1}', '1:5'],
  ['{"a"=1}', '1:5'],
  ['{"a":}', '1:6'],
  ['{"a":1', '1:7'],
  ['{"a":1,}', '1:8'],
  ['{"a":1,,"b":2}', '1:8'],
  ['{"a":1 "b":2}', '1:8'],
  ['{"a":1;"b":2}', '1:7'],
  ['{"a"::1}', '1:6'],
  ['{"a":1]', '1:7'],
  ['{"a":1}}', '1:8'],
  ['{"a":1}{"b":2}', '1:8'],
  ['{"a":1} x', '1:9'],
  ['{"a":1}//', '1:8'],
  ['{"a":1/**/}', '1:7'],
  ['# x\n{}', '1:1'],
  ['[1,]', '1:4'],
  ['[,1]', '1:2'],
  ['[1,,2]', '1:4'],
  ['[1 2]', '1:4'],
  ['[1', '1:3'],
  ['[1}', '1:3'],
  ['[1]]', '1:4'],
  ['[1],', '1:4'],
  ['[1:2]', '1:3'],
  ['["a":1]', '1:5'],
  ['[\n1,\n]', '3:1'],
  ['NaN', '1:1'],
  ['Infinity', '1:1'],
  ['-Infinity', '1:1'],
  ['undefined', '1:1'],
  ['True', '1:1'],
  ['nul', '1:1'],
  ['nulll', '1:5'],
  ['true1', '1:5'],
  ['+1', '1:1'],
  ['-', '1:1'],
  ['--1', '1:1'],
  ['- 1', '1:1'],
  ['01', '1:2'],
  ['-01', '1:3'],
  ['00', '1:2'],
  ['1.', '1:2'],
  ['.1', '1:1'],
  ['1.e1', '1:2'],
  ['1e', '1:2'],
  ['1e+', '1:2'],
  ['1e1.5', '1:4'],
  ['1eE2', '1:2'],
  ['0x1', '1:2'],
  ['1_000', '1:2'],
  ['1n', '1:2'],
  ['１', '1:1'],
  ['"', '1:1'],
  ['"a', '1:1'],
  ['"a\\"', '1:1'],
  ['"\\x41"', '1:1'],
  ['"\\u12"', '1:1'],
  ['"\\u12g4"', '1:1'],
  ['"\\U0041"', '1:1'],
  ['"\\\'"', '1:1'],
  ['"\\\n"', '1:1'],
  ['"a\nb"', '1:1'],
  ['"a\tb"', '1:1'],
  ['"a\u0000b"', '1:1'],
  ['"a\u001fb"', '1:1'],
  ["'a'", '1:1'],
  ['`a`', '1:1'],
  ['"a" "b"', '1:5'],
  ['\u00a0{}', '1:1'],
  ['\f{}', '1:1'],
  ['\v{}', '1:1'],
  ['\u2028{}', '1:1'],
  ['\u2060{}', '1:1'],
  ['{}\u0000', '1:3'],
  ['<a/>', '1:1'],
  ['a=1', '1:1'],
];

/** Texts that RFC 8259 allows, at the edge of what it does not. */
const VALID: readonly string[] = [
  '{}',
  '[]',
  'null',
  'true',
  'false',
  '0',
  '""',
  ' \t\r\n{} \t\r\n',
  '[ ]',
  '{ }',
  '[1]',
  '[1,2]',
  '[[],{}]',
  '{"a":1}',
  '{"a":1,"b":2}',
  '{ "a" : [ 1 , 2 ] , "b" : null }',
  '{"":0}',
  '{"a":{"a":{"a":1}}}',
  '[{"a":1},{"a":1}]',
  '{"a":1,"A":2}',
  '{"__proto":1}',
  '{"constructor":1,"prototype":2,"toString":3}',
  '-1',
  '0.5',
  '-0.5',
  '1e2',
  '1E2',
  '1e+2',
  '1e-2',
  '1.5e-07',
  '9007199254740991',
  '-9007199254740991',
  '0e5',
  '"\\u0000"',
  '"\\ud83d\\ude00"',
  '"\\ud800"',
  '"\\"\\\\\\/\\b\\f\\n\\r\\t"',
  '"/"',
  '"\u007f"',
  '"\u2028"',
  '"😀"',
  '"é"',
];

describe('the JSON scan', () => {
  it.each(INVALID)('refuses %j as syntax and says where', (text, position) => {
    const [line, column] = position.split(':');

    const fault = scanJson(text);

    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(fault?.code).toBe('json.syntax');
    expect(fault?.detail).toContain(`line ${line}, column ${column}:`);
  });

  it.each([
    ['{"a":1 "b":2}', 'expected "," or "}", found "\\"b\\":2"'],
    ['{"a":01}', 'expected "," or "}", found "1"'],
    ['[1 2]', 'expected "," or "]", found "2"'],
    ['{"a":1,}', 'expected name in double quotes, found "}"'],
    ['[1,]', 'expected value, found "]"'],
  ])('says what %j lacks', (text, words) => {
    expect(scanJson(text)?.detail).toContain(words);
  });

  it.each(VALID)('accepts %j', (text) => {
    const fault = scanJson(text);

    expect(() => JSON.parse(text)).not.toThrow();
    expect(fault).toBeNull();
  });

  it('agrees with JSON.parse on what JSON is', () => {
    const alphabet = [...'{}[]:,"\\ \n\t-+.eE019ntrufalse/', '\u0000', '\u00a0', 'é'];
    const noise = fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 12 });
    const damaged = fc
      .tuple(fc.json(), fc.nat(), fc.nat(3), noise)
      .map(([text, at, cut, insert]) => {
        const index = at % (text.length + 1);
        return text.slice(0, index) + insert + text.slice(index + cut);
      });

    fc.assert(
      fc.property(fc.oneof(noise, damaged, fc.json()), (text) => {
        expect(scanJson(text)?.code === 'json.syntax').toBe(!isJson(text));
      }),
      { seed: 8259, numRuns: 5000 },
    );
  });

  it.each([
    ['{"a":1,"a":2}', '/a'],
    ['{"vote":1,"\\u0076ote":2}', '/vote'],
    ['{"a":{"b":1,"c":2,"b":3}}', '/a/b'],
    ['[0,{"x/y":1,"x/y":2}]', '/1/x~1y'],
    ['{"":1,"":2}', '/'],
    ['{"\\ud83d\\ude00":1,"😀":2}', '/😀'],
    ['{"a":1,"a":1}', '/a'],
  ])('refuses the name given twice in %j', (text, pointer) => {
    const fault = scanJson(text);

    expect(fault).toMatchObject({ code: 'json.duplicate_key', pointer });
  });

  it('puts a syntax error before a name given twice, wherever they stand', () => {
    const fault = scanJson('{"a":1,"a":2,}');

    expect(fault?.code).toBe('json.syntax');
  });

  it.each([
    [JSON_DEPTH_MAX - 1, undefined],
    [JSON_DEPTH_MAX, undefined],
    [JSON_DEPTH_MAX + 1, 'json.depth'],
    [30_000, 'json.depth'],
  ])('judges arrays nested %i deep', (depth, code) => {
    const arrays = scanJson('['.repeat(depth) + ']'.repeat(depth));
    const objects = scanJson(`${'{"a":'.repeat(depth)}0${'}'.repeat(depth)}`);

    expect(arrays?.code).toBe(code);
    expect(objects?.code).toBe(code);
  });

  it.each([
    [JSON_MEMBERS_MAX, undefined],
    [JSON_MEMBERS_MAX + 1, 'schema'],
  ])('judges an object of %i members', (count, code) => {
    const members = Array.from({ length: count }, (_, index) => `"m${index}":0`);

    const fault = scanJson(`{${members.join(',')}}`);

    expect(fault?.code).toBe(code);
  });

  it.each([
    '1e400',
    '-1e400',
    '1e-400',
    '-0.1e-999',
    '-0',
    '-0.0',
    '-0e5',
    '12345678901234567890',
    '9007199254740992',
  ])('refuses the number %s, which has no one value everywhere', (number) => {
    const fault = scanJson(`{"a":[0,${number}]}`);

    expect(fault).toMatchObject({ code: 'schema', pointer: '/a/1' });
  });

  it.each(['{"__proto__":1}', '{"a":{"__proto__":{}}}', '{"\\u005f_proto__":1}'])(
    'never lets the name __proto__ through: %s',
    (text) => {
      const fault = scanJson(text);

      expect(fault?.code).toBe('schema');
    },
  );
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('a text full of faults', () => {
  it('is refused at its first, in one pass', () => {
    const text = `[${'-0,\n'.repeat(200_000)}0]`;

    expect(scanJson(text)).toMatchObject({ code: 'schema', pointer: '/0' });
  });
});
