/**
 * @module
 * Elements of JSON that comes in chunks: any cut of the text gives the same elements, and faults keep their location.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { LabError } from '../../../src/errors.ts';
import { ELEMENT_CHARACTERS_MAX, jsonElements } from '../../../src/runtime/files/json-stream.ts';

async function* chunksOf(text: string, sizes: readonly number[] = []): AsyncGenerator<string> {
  let start = 0;
  for (const size of sizes) {
    yield text.slice(start, start + size);
    start += size;
  }
  yield text.slice(start);
}

/** The elements with their members, or the message of the refusal. */
async function read(text: string, sizes?: readonly number[]): Promise<unknown> {
  const found: unknown[] = [];
  try {
    for await (const { value, member } of jsonElements(chunksOf(text, sizes), [
      'claim',
      'claims',
    ])) {
      found.push(member === null ? value : [member, value]);
    }
  } catch (error) {
    if (error instanceof LabError) return error.message;
    throw error;
  }
  return found;
}

describe('elements', () => {
  it.each([
    ['{"a":1}', [{ a: 1 }]],
    ['[{"a":1},{"a":2}]', [{ a: 1 }, { a: 2 }]],
    ['{"a":1}\n{"a":{"b":[2]}}\n', [{ a: 1 }, { a: { b: [2] } }]],
    ['{"x":{"claim":1},"claim":{"a":1},"y":[{}]}', [['claim', { a: 1 }]]],
    ['{"claim":null,"claims":[]}', [['claim', null]]],
    [
      '{"claims":[{"a":"]}"},{"claim":{"a":2},"secret":{"b":1}}]}',
      [
        ['claims', { a: ']}' }],
        ['claim', { a: 2 }],
      ],
    ],
    ['[1,null,"x"]', [1, null, 'x']],
    ['', []],
    [' \n', []],
  ])('of %s', async (text, elements) => {
    expect(await read(text)).toEqual(elements);
  });

  it.each([
    ['{"a":1}\n{"a":1', 'line 2, column 7: expected "," or "}", found the end'],
    ['[{"a":1},\n {"a":x}]', 'line 2, column 7: expected value, found "x"'],
    ['{"a":1,"a":2}', 'this name is given twice'],
    ['[{"a":1}]]', 'line 1, column 10: expected value, found "]"'],
    [`{"a":"${'x'.repeat(ELEMENT_CHARACTERS_MAX)}"}`, `more than ${ELEMENT_CHARACTERS_MAX}`],
  ])('are refused in %.30s', async (text, problem) => {
    expect(await read(text)).toEqual(expect.stringContaining(problem));
  });

  it('do not depend on the chunks', async () => {
    const texts = [
      '{"claims":[{"a":-1.5e3},{"claim":{"b":"\\u00e9,}"}}],"claim":null}\n{"a":[true,{}]}\n',
      '[{"a":1},\n {"a":nul}]',
      '{"a":"x',
    ];

    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...texts),
        fc.array(fc.nat(9), { maxLength: 30 }),
        async (text, sizes) => {
          expect(await read(text, sizes)).toEqual(await read(text));
        },
      ),
      { seed: 3 },
    );
  });
});
