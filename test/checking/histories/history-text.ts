/**
 * @module
 * This folder contains the tests of client histories. This file reads histories of a register in a short form: `2?w4` is
 * the call of `write 4` by client 2, `2!y` its return (`y` done, `n` not done, `u` unknown, `x` has not happened; for a
 * read the value, `-` for nothing).
 */

import type { RegisterOperation } from '../../../src/checking/histories/register.ts';
import type { RegisterInput, RegisterOutput } from '../../../src/election/client-operations.ts';

/** The operations of a history, whose times are the positions of the events. */
export function historyOf(text: string): RegisterOperation[] {
  const operations: RegisterOperation[] = [];
  const open = new Map<string, number>();
  for (const [at, event] of text.split(' ').entries()) {
    const [, client = '', kind, rest = ''] = /^(\d+)([?!])(.*)$/.exec(event) ?? [];
    if (kind === '?') {
      open.set(client, operations.length);
      operations.push({ client, input: inputOf(rest), call: at, returned: null });
      continue;
    }
    const index = open.get(client) ?? -1;
    const called = operations[index];
    if (called === undefined) throw new RangeError(`"event" expected a call before, got ${event}`);
    open.delete(client);
    const output = outputOf(rest);
    if (output !== null) operations[index] = { ...called, returned: { at, output } };
    // A read without an outcome says as little as an operation that has not happened.
    if (rest === 'x') operations[index] = { ...called, input: { type: 'read' } };
  }
  return operations;
}

function inputOf(text: string): RegisterInput {
  if (text === 'r') return { type: 'read' };
  const [first = 0, second = 0] = text.slice(1).split(',').map(Number);
  if (text.startsWith('w')) return { type: 'write', value: first };
  return { type: 'compare-and-set', expected: first, value: second };
}

function outputOf(text: string): RegisterOutput | null {
  if (text === 'u' || text === 'x') return null;
  if (text === 'y' || text === 'n') return { done: text === 'y' };
  return { value: text === '-' ? null : Number(text) };
}
