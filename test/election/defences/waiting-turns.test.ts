/**
 * @module
 * Incumbency and back-off against a top node that comes late, or crashes and returns, over and over, whether
 * it heeds them or not. What holds nodes back is tested in holding-back.test.ts.
 */

import { describe, expect, it } from 'vitest';

import type { DefenceName } from '../../../src/election/defences/registry.ts';
import { DEFENCES } from '../../../src/election/defences/registry.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../../src/election/registry.ts';
import type { Stage } from './staged.ts';
import { agreedOn, play } from './staged.ts';

const TIMING = { latencyTicksMax: 1 };
const RETURNS = 12;
const END_TICKS = 1400;
const UNDER_INCUMBENTS = PROTOCOL_NAMES.filter(
  (protocol) => DEFENCES.incumbency.unsupportedReason(protocol) === null,
);
const BULLIES = UNDER_INCUMBENTS.filter((protocol) => PROTOCOLS[protocol].family === 'bully');

describe('a top node that comes and goes', () => {
  it('ends a reign at each return, fewer with back-off, and none but its own with incumbency', () => {
    const [without = 0, backOff = 0, incumbency = 0] = [
      changes([]),
      changes(['back-off']),
      changes(['incumbency']),
    ];

    expect(without).toBeGreaterThanOrEqual(2 * RETURNS - 1);
    expect(backOff).toBeLessThan(without / 2);
    expect(incumbency).toBe(1);
  });

  it.each(BULLIES)('is heard in %s no sooner if it does not hold itself back', (protocol) => {
    const plain = { 5: () => PROTOCOLS[protocol].create(TIMING) };

    const [without, backOff, incumbency] = [
      changes([], plain, protocol),
      changes(['back-off'], plain, protocol),
      changes(['incumbency'], plain, protocol),
    ];

    expect(without).toBeGreaterThan(RETURNS);
    expect(backOff).toBeLessThan(RETURNS);
    // Its own reign's end, and at most one return after each term.
    expect(incumbency).toBeLessThanOrEqual(1 + 2 * 2);
  });
});

describe('a top node that outbids the elected node', () => {
  it.each(UNDER_INCUMBENTS)('leads in %s, and not under an incumbent', (protocol) => {
    const stage = attackedBy('late-joiner', protocol);

    expect(agreedOn(play({ ...stage, defences: [] }))).toBe(5);
    expect(agreedOn(play({ ...stage, defences: ['incumbency'] }))).toBe(4);
  });

  it.each(BULLIES)('leads in %s in spite of back-off, since it has never failed', (protocol) => {
    const stage = attackedBy('late-joiner', protocol);

    expect(agreedOn(play({ ...stage, defences: ['back-off'] }))).toBe(5);
  });
});

describe('a top node that is there from the beginning', () => {
  it.each(UNDER_INCUMBENTS)('leads in %s, whichever node is held off later', (protocol) => {
    const plain = { 5: () => PROTOCOLS[protocol].create(TIMING) };
    const stage: Stage = {
      ...{ protocol, nodes: 5, level: null, byzantineNodes: plain, untilTicks: 300 },
      defences: ['incumbency'],
    };

    expect(agreedOn(play(stage))).toBe(5);
  });
});

describe('a top node that joins and is honest', () => {
  it.each(BULLIES)('follows the incumbent of %s, and leads when its term is over', (protocol) => {
    const stage: Stage = {
      ...{ protocol, nodes: 5, level: 'L3', defences: ['incumbency'], audit: true },
      schedule: {
        faults: [{ type: 'join', rank: 5, at: 100 }],
        calm: null,
        detector: 'crashes',
      },
    };

    expect(agreedOn(play({ ...stage, untilTicks: 400 }))).toBe(4);
    expect(agreedOn(play({ ...stage, untilTicks: 2000 }))).toBe(5);
  });
});

function attackedBy(behaviour: 'late-joiner', protocol: ProtocolName): Omit<Stage, 'defences'> {
  const byzantineNodes = { 5: behaviour };
  return { protocol, nodes: 5, level: 'L3', byzantineNodes, untilTicks: 400 };
}

/** How often leadership changed. */
function changes(
  defences: readonly DefenceName[],
  byzantineNodes: Stage['byzantineNodes'] = {},
  protocol: ProtocolName = 'bully-oneshot',
): number {
  const faults = Array.from({ length: RETURNS }, (_, index) => [
    { type: 'crash', rank: 5, at: 100 * (index + 1) } as const,
    { type: 'recover', rank: 5, at: 100 * (index + 1) + 50 } as const,
  ]).flat();
  const { simulation } = play({
    ...{ protocol, nodes: 5, level: null, defences, byzantineNodes },
    ...{ faults, audit: true, untilTicks: END_TICKS },
  });
  return simulation.audit()?.finish(END_TICKS).changes ?? 0;
}
