/**
 * @module
 * The picture of a history of clients.
 */

import { expect, test } from 'vitest';
import type { RegisterOperation } from '../../../src/checking/histories/register.ts';
import { registerModel } from '../../../src/checking/histories/register.ts';
import { historyLines, historySvg } from '../../../src/experiment/charts/history-picture.ts';

const { describe } = registerModel();
const HISTORY: RegisterOperation[] = [
  { client: 2, input: { type: 'read' }, call: 6, returned: { at: 9, output: { value: 1 } } },
  { client: 1, input: { type: 'write', value: 2 }, call: 1, returned: null },
];

test('lists operations by their calls', () => {
  expect(historyLines(HISTORY, describe)).toEqual([
    '1–no outcome  client 1: write 2 → ?',
    '6–9  client 2: read → 1',
  ]);
});

test('draws a bar for each operation, open if it has no outcome', () => {
  const svg = historySvg('a stale read & more', HISTORY, describe);

  expect(svg).toContain('<title>a stale read &amp; more</title>');
  expect(svg.match(/<rect /g)).toHaveLength(3);
  expect(svg.match(/stroke-dasharray/g)).toHaveLength(1);
  expect(svg).toContain('client 2: read → 1, 6 to 9');
});
