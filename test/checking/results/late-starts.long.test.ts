/**
 * @module
 * Claims hold whenever nodes start: runs in which an earlier version violated one, and the number of worlds with one
 * election.
 */

import { describe, expect, it } from 'vitest';

import {
  AGREEMENT,
  HIGHEST_WINS,
  LEADER_ELECTED,
  ONE_LEADER,
} from '../../../src/checking/properties/followers.ts';
import { whyUnclaimed } from '../../../src/checking/properties/registry.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import { parseSeed } from '../../../src/random.ts';
import { simulateElection } from '../../../src/simulation/run/simulate.ts';
import type { Given } from '../checked.ts';
import { checked } from '../checked.ts';
import { instanceOf } from '../small-instances.ts';

const AGAIN = { starts: 'again' } as const;
const CRASH = { timing: 'synchronous', bounds: { crash: 1 } } as const;

describe('nodes that start at different moments', () => {
  // Each was violated within a third of these worlds.
  it.each([
    ['itai-rodeh', { ...AGAIN, properties: [AGREEMENT] }],
    ['itai-rodeh', { ...AGAIN, bounds: { loss: 1 }, properties: [AGREEMENT] }],
    ['ring-lelann', { ...AGAIN, bounds: { loss: 1 }, properties: [ONE_LEADER] }],
    ['bully-modified', { ...AGAIN, ...CRASH, properties: [ONE_LEADER] }],
    ['bully-modified', { starts: 'any', ...CRASH, properties: [ONE_LEADER, AGREEMENT] }],
  ] satisfies [keyof typeof PROTOCOLS, Given][])('%s keeps its claim %#', (protocol, given) => {
    const result = checked(protocol, 3, { ...given, statesMax: 50_000 });

    expect(result.type === 'violated' ? result.breach : null).toBeNull();
  });

  // An ELECTED of round 1 arrived after that of round 2.
  it.each([
    [3, 561],
    [5, 378],
  ])('itai-rodeh agrees with %i nodes and seed %i', (nodes, seed) => {
    const { verdict } = simulateElection({
      ...{ protocol: 'itai-rodeh', nodes, fifo: false, seed: parseSeed(String(seed)) },
      latency: { type: 'exponential', ticksMean: 30 },
      schedule: { faults: [], calm: { at: 100, ticks: 2000, restart: true }, detector: 'crashes' },
    });

    expect(verdict.properties.agreement.value).toBe('true');
  });

  // A TOKEN that is never delivered stays behind rounds without end. FIFO links and a spread exclude it.
  it.each([
    ['FIFO links', { links: 'fifo' }, 1711],
    ['a spread', { spread: 1 }, 14_182],
  ] as const)(
    'itai-rodeh keeps its claims in every order of events with %s',
    (_, bounds, worlds) => {
      const given = { ...bounds, isShifted: true, isReduced: true };
      const properties = [ONE_LEADER, AGREEMENT];
      const { type, counts } = checked('itai-rodeh', 3, { ...given, starts: 'any', properties });

      expect([type, counts.states]).toEqual(['exhausted', worlds]);
    },
  );

  it('have no more than one election, unless they may start again', () => {
    const given = { properties: [ONE_LEADER, AGREEMENT, HIGHEST_WINS] };
    const one = checked('hs-wake', 4, { ...given, starts: 'any' });
    const more = checked('hs-wake', 4, { ...given, ...AGAIN, statesMax: 500_000 });

    expect([one.type, one.counts.states]).toEqual(['exhausted', 119_668]);
    expect(more.type).toBe('capped');
  });

  it('are a part of a claim', () => {
    const reason = (starts: 'together' | 'any') =>
      whyUnclaimed(
        LEADER_ELECTED,
        PROTOCOLS['ring-robust'],
        instanceOf('ring-robust', 3, { starts, bounds: { crash: 1 } }),
      );

    expect(reason('together')).toBeNull();
    expect(reason('any')).toMatch(/^crash, and nodes that start at different moments: /);
  });
});
