/**
 * @module
 * The reduced search against the search of all worlds: on drawn instances of all protocols both find the same views
 * of properties and the same last worlds. The slow suite has three times as many instances.
 */

import { describe, expect, it } from 'vitest';

import type { CheckResult } from '../../src/checking/check.ts';
import { check } from '../../src/checking/check.ts';
import type { Instance } from '../../src/checking/instance.ts';
import { NO_FAULTS } from '../../src/checking/instance.ts';
import {
  LEADER_ELECTED,
  ONE_LEADER,
  SOMEONE_LEADS,
} from '../../src/checking/properties/followers.ts';
import type { CheckedProperty } from '../../src/checking/property.ts';
import { PROTOCOL_NAMES } from '../../src/election/registry.ts';
import { sampled } from '../sample.ts';
import { drawInstance } from './drawn.ts';
import { instanceOf } from './small-instances.ts';
import { fullVerdicts, reducedVerdicts } from './verdicts.ts';

const INSTANCES = 200;
const LIMIT = { order: 'breadth', statesMax: 3000 } as const;

/** An instance in which timers fire twice at most, so that its search may end. */
function bounded(instance: Instance): Instance {
  const { timeout } = instance.bounds;
  return { ...instance, bounds: { ...instance.bounds, timeout: timeout ?? 2 } };
}

describe('a reduced search', () => {
  it.each(sampled([...Array(INSTANCES).keys()], 5))(
    'has the verdicts of the search of all worlds (%i)',
    (index) => {
      const { instance, text } = drawInstance(index);
      for (const each of [instance, bounded(instance)]) {
        const full = fullVerdicts(each, LIMIT);
        if (full === null) continue;

        const reduced = reducedVerdicts(each, LIMIT);

        expect(reduced?.views, text).toEqual(full.views);
        expect(reduced?.ends, text).toEqual(full.ends);
        expect(reduced?.size).toBeLessThanOrEqual(full.size);
      }
    },
  );

  it('is also depth-first the same', () => {
    const instance = instanceOf('peterson', 4, { starts: 'again' });
    const depth = { order: 'depth', statesMax: 10_000 } as const;

    const [full, reduced] = [fullVerdicts(instance, depth), reducedVerdicts(instance, depth)];

    expect(reduced?.views).toEqual(full?.views);
    expect(reduced?.ends).toEqual(full?.ends);
  });

  it.each([
    ['peterson', 6, { starts: 'again' }, 72_680, 15_557],
    ['peterson', 8, {}, 2600, 40],
    ['franklin', 3, { starts: 'again', links: 'fifo' }, 9059, 6438],
    ['bully-oneshot', 4, { timing: 'synchronous', bounds: { crash: 1 } }, 184_127, 178_840],
  ] as const)('of %s with %i nodes (%j) has fewer worlds', (protocol, nodes, given, all, left) => {
    const instance = instanceOf(protocol, nodes, given);
    const asked = { order: 'breadth', statesMax: 1_000_000 } as const;

    expect(fullVerdicts(instance, asked)?.size).toBe(all);
    expect(reducedVerdicts(instance, asked)?.size).toBe(left);
  });
});

describe('a reduced check', () => {
  it('reports the shortest violation', () => {
    const given = { starts: 'again', links: 'any' } as const;
    const [full, reduced] = [false, true].map((isReduced) =>
      checked(instanceOf('ring-lelann', 3, given), [ONE_LEADER], isReduced),
    );

    expect(full?.type).toBe('violated');
    expect(reduced).toEqual({ ...full, counts: reduced?.counts });
  });

  it('visits all worlds if it must find executions that never elect', () => {
    const instance = instanceOf('cr-join', 3, { links: 'fifo', starts: 'again' });
    const results = [false, true].map((isReduced) =>
      checked(instance, [LEADER_ELECTED], isReduced),
    );

    expect(results[0]).toEqual(results[1]);
  });

  it.each(PROTOCOL_NAMES)('of %s has the result of the full one', (protocol) => {
    const bounds = { ...NO_FAULTS, timeout: 1 };
    const instance = instanceOf(protocol, 3, { bounds, links: 'fifo' });
    const properties = [ONE_LEADER, SOMEONE_LEADS];

    const [full, reduced] = [false, true].map((isReduced) =>
      checked(instance, properties, isReduced),
    );

    if (full?.type === 'capped') return;
    expect(reduced?.type).toBe(full?.type);
    expect(reduced?.witnessed).toEqual(full?.witnessed);
  });
});

function checked(
  instance: Instance,
  properties: readonly CheckedProperty[],
  isReduced: boolean,
): CheckResult {
  const limits = { statesMax: 20_000, bytesMax: 2 ** 30 };
  const rest = { byzantine: new Set<number>(), order: 'breadth', ...limits } as const;
  const steps = check({ instance, properties, isReduced, ...rest });
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
