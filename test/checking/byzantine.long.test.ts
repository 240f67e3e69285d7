/**
 * @module
 * Checks with Byzantine nodes: the packed search against the search over plain worlds, and known results at each level
 * of authentication.
 */

import { describe, expect, it } from 'vitest';
import { check } from '../../src/checking/check.ts';
import type { CheckRequest } from '../../src/checking/check-request.ts';
import { instanceOf, searchOptionsOf } from '../../src/checking/check-request.ts';
import type { Level } from '../../src/election/authentication/authenticated.ts';
import { LEVELS } from '../../src/election/authentication/authenticated.ts';
import type { Check } from '../../src/experiment/checks/request.ts';
import { requestOf } from '../../src/experiment/checks/request.ts';
import { drawRequest, packedLevels } from './drawn.ts';
import { plainLevels } from './plain-search.ts';

const WORLDS_MAX = 60;

/** A drawn request with a free Byzantine node that was up first. */
function drawFree(index: number): CheckRequest {
  const request = drawRequest(index);
  const gone = [...request.crashedBefore, ...(request.absent ?? []), ...(request.phantoms ?? [])];
  const rank = request.ring.find((each) => !gone.includes(each)) ?? 1;
  const level = LEVELS[Math.floor(index / 3) % LEVELS.length] ?? 'L0';
  const bounds = { ...request.bounds, lies: 1 + (index % 2) };
  return { ...request, level, bounds, byzantine: [{ rank, behaviours: [] }] };
}

describe('packed worlds with a free Byzantine node', () => {
  it.each(Array.from({ length: 81 }, (_, index) => index))('are the plain ones (%i)', (index) => {
    const request = drawFree(index);
    const instance = instanceOf(request);

    const packed = packedLevels(instance, WORLDS_MAX);

    expect(packed, JSON.stringify(request)).toEqual(plainLevels(instance, WORLDS_MAX));
  });
});

/** The result, and after how many actions of which node a violation came. */
function resultOf(given: Check): readonly unknown[] {
  const limits = { statesMax: 200_000, bytesMax: 2 ** 28 };
  const steps = check(searchOptionsOf(requestOf(given), limits));
  for (;;) {
    const step = steps.next();
    if (step.done !== true) continue;
    const { value } = step;
    return value.type === 'violated' ? [value.type, value.property.name] : [value.type];
  }
}

describe('a phantom candidate', () => {
  it.each([
    ['L0', ['violated', 'leader-elected']],
    ['L2', ['exhausted']],
  ] as const)('at %s: %j', (level, expected) => {
    const byzantine = [{ rank: 1, behaviours: ['phantom-id'] }];
    const properties: Check['properties'] = ['leader-elected'];
    const given: Check = { protocol: 'cr-join', ring: [1, 2, 3], phantoms: [3], byzantine };

    const result = resultOf({ ...given, level, properties });

    expect(result).toEqual(expected);
  });
});

describe('one lie', () => {
  it.each(['L0', 'L2', 'L3'] satisfies Level[])(
    'returns the PROBE of a neighbour in cr-replace: two leaders at %s',
    (level) => {
      const byzantine = [{ rank: 2, behaviours: [] }];
      const properties: Check['properties'] = ['one-leader'];
      const given: Check = { protocol: 'cr-replace', ring: [1, 2, 3], byzantine };

      const result = resultOf({ ...given, level, properties, bounds: { lies: 1 } });

      expect(result).toEqual(['violated', 'one-leader']);
    },
  );

  it('is needed for it', () => {
    const byzantine = [{ rank: 2, behaviours: [] }];
    const given: Check = { protocol: 'cr-replace', ring: [1, 2, 3], byzantine };

    const result = resultOf({ ...given, level: 'L3', properties: ['one-leader'] });

    expect(result).toEqual(['exhausted']);
  });
});

describe('requests with Byzantine nodes', () => {
  const given: Check = { protocol: 'cr-join', ring: [1, 2, 3] };

  it.each([
    [{ bounds: { lies: 1 } }, 'lies need a Byzantine node'],
    [{ byzantine: [{ rank: 4, behaviours: [] }] }, 'node 4 must be a node'],
    [{ byzantine: [{ rank: 1, behaviours: ['x'] }] }, 'behaviour x: there is no such one'],
    [{ byzantine: [{ rank: 1, behaviours: ['phantom-id'] }] }, 'must not exist: --phantoms 3'],
    [{ level: 'L3', absent: [3], bounds: { join: 1 } }, 'joins at L3'],
  ] as const)('%j are refused', (change, detail) => {
    // The tuples of the table are read-only, which requests are not.
    expect(() => requestOf({ ...given, ...(change as Partial<Check>) })).toThrow(detail);
  });
});
