/**
 * @module
 * The judge of client histories: published verdicts, every order tried by force, and the smallest part that violates.
 */

import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';
import { endOf } from '../../../src/checking/histories/history.ts';
import { linearize } from '../../../src/checking/histories/linearizability.ts';
import type { RegisterOperation } from '../../../src/checking/histories/register.ts';
import { registerModel } from '../../../src/checking/histories/register.ts';
import { smallestViolation } from '../../../src/checking/histories/smallest.ts';
import type { RegisterInput } from '../../../src/election/client-operations.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import { historyOf } from './history-text.ts';

const MODEL = registerModel();
const PUBLISHED: Record<string, { linearizable: boolean; events: string }> = JSON.parse(
  readFileSync(new URL('published.json', import.meta.url), 'utf8'),
);

/** Tries every order that the times allow, on a register of its own. */
function isLinearizableByForce(history: readonly RegisterOperation[]): boolean {
  const search = (left: readonly RegisterOperation[], content: number | null): boolean => {
    if (left.every(({ returned }) => returned === null)) return true;
    return left.some((next) => {
      if (left.some((other) => other !== next && endOf(other) < next.call)) return false;
      const rest = left.filter((other) => other !== next);
      const output = next.returned?.output ?? null;
      const { input } = next;
      if (input.type === 'read') {
        if (output !== null && !('value' in output && output.value === content)) return false;
        return search(rest, content);
      }
      const takesEffect = input.type === 'write' || input.expected === content;
      if (output !== null && !('done' in output && output.done === takesEffect)) return false;
      return search(rest, takesEffect ? input.value : content);
    });
  };
  return search(history, null);
}

/** A history of a register whose answers are sometimes those of an older one. */
function drawn(seed: number): RegisterOperation[] {
  const random = createRandom(parseSeed(String(seed)), 'history');
  const count = 2 + random.below(6);
  return Array.from({ length: count }, (_, index): RegisterOperation => {
    const call = random.below(12);
    const kind = random.below(3);
    const value = random.below(3);
    const expected = random.below(4) === 3 ? null : random.below(3);
    const input: RegisterInput =
      kind === 0
        ? { type: 'read' }
        : kind === 1
          ? { type: 'write', value }
          : { type: 'compare-and-set', expected, value };
    const output =
      kind === 0
        ? { value: random.below(4) === 3 ? null : random.below(3) }
        : { done: kind === 1 || random.below(2) === 0 };
    const isKnown = random.below(6) > 0;
    return {
      client: index,
      input,
      call,
      returned: isKnown ? { at: call + random.below(8), output } : null,
    };
  });
}

describe('published histories', () => {
  test.each(Object.entries(PUBLISHED))('%s has the published verdict', (_, published) => {
    const { value } = linearize(MODEL, historyOf(published.events));

    expect(value).toBe(String(published.linearizable));
  });

  test.each([
    ['0?w100 1?r 2?r 2!0 1!100 0!y', 'true'],
    ['0?w200 1?r 1!200 2?r 2!0 0!y', 'false'],
  ])('the examples of porcupine from 6.824: %s', (events, value) => {
    expect(linearize(registerModel(0), historyOf(events)).value).toBe(value);
  });
});

describe('drawn histories', () => {
  const histories = Array.from({ length: 1000 }, (_, seed) => drawn(seed));

  test('have the verdict of every order tried', () => {
    const judged = histories.map((history) => linearize(MODEL, history).value);

    expect(judged).toEqual(histories.map((history) => String(isLinearizableByForce(history))));
    expect(new Set(judged)).toEqual(new Set(['true', 'false']));
  });

  test('have an order that the times allow if they are linearizable', () => {
    for (const history of histories) {
      const { value, order } = linearize(MODEL, history);
      if (value !== 'true') continue;
      const sorted = order.map((index) => history[index]);
      const late = sorted.find((one, at) =>
        sorted.slice(at + 1).some((next) => next && one && endOf(next) < one.call),
      );

      expect(late).toBeUndefined();
    }
  });

  test('have a part that is not linearizable, whatever is written in place of the rest', () => {
    for (const history of histories) {
      const violation = smallestViolation(MODEL, history);
      expect(violation === null).toBe(isLinearizableByForce(history));
      if (violation === null) continue;
      const starts = violation.isFirst ? [null] : [null, 0, 1, 2];
      const reached = starts.filter((value) => {
        const first = { client: 'before', input: { type: 'write', value: value ?? 0 } } as const;
        const before = { ...first, call: -2, returned: { at: -1, output: { done: true } } };
        return isLinearizableByForce([
          ...(value === null ? [] : [before]),
          ...violation.operations,
        ]);
      });

      expect(reached).toEqual([]);
    }
  });
});

describe('the smallest part', () => {
  test('is the read of a value that was overwritten', () => {
    const history = historyOf(
      '1?w1 1!y 2?r 2!1 1?w2 1!y 3?r 3!2 2?r 2!1 3?w3 3!y 1?r 1!3 1?w4 2?r 2!4 1!y',
    );

    const violation = smallestViolation(MODEL, history);

    expect(violation?.operations.map(({ client, call }) => [client, call])).toEqual([
      ['3', 6],
      ['2', 8],
    ]);
    expect(violation?.isFirst).toBe(false);
  });

  test('counts from the initial state if the violation does', () => {
    expect(smallestViolation(MODEL, historyOf('1?r 1!3'))).toMatchObject({ isFirst: true });
  });
});

test('a search that takes too many steps, or too much memory, has no verdict', () => {
  const history = historyOf('1?w1 2?w2 3?w3 4?r 4!5 1!y 2!y 3!y');

  expect(linearize(MODEL, history, { stepsMax: 5 }).value).toBe('unknown');
  expect(linearize(MODEL, history, { roomMax: 200 }).value).toBe('unknown');
});
