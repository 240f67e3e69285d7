/**
 * @module
 * Mutations of bodies: a value that fits a schema is changed in one or more parts, as data and then as text,
 * with mutations that found bugs in other servers.
 */

import fc from 'fast-check';

/** The text of a mutated value; `bounds` are the bounds in its schema. */
export function brokenTexts(
  values: fc.Arbitrary<unknown>,
  bounds: readonly number[],
): fc.Arbitrary<string> {
  const neighbours = bounds.flatMap((bound) => [bound - 1, bound + 1, bound + 0.5]);
  const hostile = fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...HOSTILE_VALUES, ...RAW_VALUES) },
    { weight: 1, arbitrary: fc.constantFrom(...NAUGHTY_TEXTS) },
    { weight: 1, arbitrary: fc.constantFrom(0, ...neighbours) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  );
  const breaks = fc.record({
    index: fc.nat(60),
    how: fc.constantFrom('drop', 'replace', 'add', 'wrap', 'shout'),
    name: fc.constantFrom(...HOSTILE_NAMES),
    value: hostile,
  });
  return fc
    .tuple(values, fc.array(breaks, { minLength: 1, maxLength: 3 }), brokenForms())
    .map(([value, wrongs, form]) => form(written(wrongs.reduce<unknown>(broken, value))));
}

interface Break {
  readonly index: number;
  readonly how: 'drop' | 'replace' | 'add' | 'wrap' | 'shout';
  readonly name: string;
  readonly value: unknown;
}

/** The value with the mutation at one of its parts. */
function broken(value: unknown, wrong: Break): unknown {
  const parts = isObject(value) ? Object.keys(value) : [];
  const chosen = parts[wrong.index % (parts.length + 1)];
  if (chosen === undefined || !isObject(value)) return brokenHere(value, wrong);
  const inner = { ...wrong, index: Math.floor(wrong.index / (parts.length + 1)) };
  const entries = Object.entries(value).flatMap(([name, part]): [string, unknown][] => {
    if (name !== chosen) return [[name, part]];
    return wrong.how === 'drop' ? [] : [[name, broken(part, inner)]];
  });
  return Array.isArray(value) ? entries.map(([, part]) => part) : Object.fromEntries(entries);
}

function brokenHere(value: unknown, { how, name, value: other }: Break): unknown {
  switch (how) {
    case 'drop':
    case 'replace':
      return other;
    case 'add':
      if (!isObject(value)) return other;
      // Object.fromEntries also creates an own member __proto__.
      return Array.isArray(value)
        ? [...value, other]
        : Object.fromEntries([...Object.entries(value), [name, other]]);
    case 'wrap':
      return name.length % 2 === 0 ? [value] : { [name]: value };
    case 'shout':
      return typeof value === 'string' ? value.toUpperCase() : written(value);
    default:
      return how satisfies never;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** A text that occurs in no value of these tests. */
function raw(text: string): string {
  return `@@${text}@@`;
}

/** The value as JSON, with raw parts inserted unchanged. */
function written(value: unknown): string {
  return (JSON.stringify(value) ?? 'null').replaceAll(/"@@(?:[^"\\]|\\.)*?@@"/g, (quoted) =>
    String(JSON.parse(quoted)).slice(2, -2),
  );
}

/** A mutation of the text; usually none. */
function brokenForms(): fc.Arbitrary<(text: string) => string> {
  return fc.oneof(
    { weight: 8, arbitrary: fc.constant((text: string) => text) },
    {
      weight: 2,
      arbitrary: fc.constantFrom<(text: string) => string>(
        (text) => text.slice(0, -1),
        (text) => `${text}${text}`,
        (text) => `\ufeff${text}`,
        (text) => text.replace('{', '{"type":0,"type":1,'),
        (text) => text.replace(/"(\w+)":/, '"$1":null,"$1":'),
        (text) => text.replace('{', '{"__proto__":{"isAdmin":true},'),
        (text) => text.replaceAll('"', "'"),
        (text) => text.replace(/:/, `:${'['.repeat(3000)}${']'.repeat(3000)},"a":`),
        (text) => text.replace(/\d+/, (digits) => `${digits}e999`),
        (text) => text.replace(/\d+/, (digits) => `0${digits}`),
        (text) => ` ${text.replaceAll(',', '\n,\t')} `,
        () => '',
      ),
    },
  );
}

/** Difficult texts: empty, control characters, surrogates, right-to-left, injections, formats. */
export const NAUGHTY_TEXTS: readonly string[] = [
  ...['', ' ', '\u0000', 'a\u0000b', '\u0007', '\r\n', 'x\r\nSet-Cookie: a=b', '\t', '\u007f'],
  ...['\ud800', '\udfff', '\ufeff', '\ufffe', '\u200b', '\u202e', '\u2028', '\u2029', '\u0301'],
  ...['é', 'e\u0301', 'İ', 'ß', 'ﬃ', 'Ω≈ç√', '田中さん', '👾🏿', '👩‍👩‍👧', 'Z̮̞̠͙͔ͅ', 'الكلمات', '0️⃣'],
  ...['undefined', 'null', 'NaN', 'true', '__proto__', 'constructor', 'hasOwnProperty', 'then'],
  ...['0', '-0', '1/0', '0x10', '1e400', '1_000', '٣', '00', '9'.repeat(90), '1'.repeat(79)],
  ...["' OR 1=1 --", "'; DROP TABLE elections; --", '%27', '1;SELECT 1', '"'],
  ...['<script>alert(1)</script>', '#{7*7}', '{{7*7}}', '$(id)', '`id`', '%s%n', '%x', '\\', '/'],
  ...['../../etc/passwd', '/dev/null', 'file:/etc/passwd', 'http://127.0.0.1:1/', '~', 'CON'],
  ...['(a+)+$', `${'a'.repeat(500)}!`, 'x'.repeat(2000), '=1+1', '@SUM(1)', '-2+3', '\u001b[31m'],
];

const HOSTILE_VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -1, 0.1, 2 ** 31, 2 ** 32, 2 ** 53 - 1, 2 ** 53, 1e300, -1e300, 5e-324],
  ...[[], {}, [[]], [{}], [null], [[[[]]]], { a: { a: { a: {} } } }, '', '0', 'all', 'idle'],
  Array(70).fill(0),
  Object.fromEntries([['__proto__', { type: 'x' }]]),
  { constructor: { prototype: { type: 'x' } } },
  { toString: null, valueOf: null, toJSON: null },
  { $ref: '#' },
];

/** JSON texts that no number or string of JavaScript produces. */
const RAW_VALUES: readonly unknown[] = [
  ...['-0', '-0.0', '1e400', '-1e400', '1E+2', '12345678901234567890', '1.0', '3.0000000000000001'],
  ...['"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', '"\\u005f_proto__"'],
].map(raw);

const HOSTILE_NAMES: readonly string[] = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'toJSON', 'then'],
  ...['type', 'id', 'seed', 'owner', 'caller', 'role', 'length', '0', '', 'é', 'a\u0000', '$ref'],
];
