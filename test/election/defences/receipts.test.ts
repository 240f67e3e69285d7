/**
 * @module
 * Receipts: who is accused of swallowing, and which rings get past it.
 */

import { describe, expect, it } from 'vitest';
import { DEFENCES } from '../../../src/election/defences/registry.ts';
import type { Json } from '../../../src/election/machine.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import type { Outcome, Stage } from './staged.ts';
import { agreedOn, play } from './staged.ts';

/** Ring by rank: 1, 2, 3, 4, 5, 6. */
const RING = { nodes: 6, level: 'L3', ring: 'by-id', untilTicks: 2000 } as const;

/** Plain rings in which it is known of each token whether the next node has to hand it on. */
const OWING: readonly ProtocolName[] = [
  ...(['cr-join', 'cr-replace', 'cr-always'] as const),
  ...(['ring-lelann', 'ring-collect', 'ring-maxtoken'] as const),
];

describe('a node that swallows', () => {
  it.each(OWING)(
    'is what the two accusations in %s share, which go on without a leader',
    (protocol) => {
      const outcome = play({
        ...{ ...RING, protocol, byzantineNodes: { 3: 'swallow' }, defences: ['receipts'] },
      });

      expect(agreedOn(outcome)).toBeNull();
      expect(accusations(outcome)).toEqual({ 1: [2], 2: [3], 4: [], 5: [], 6: [] });
    },
  );

  it.each([1, 2, 3, 4, 5])(
    'at rank %i keeps a robust ring from electing, and is gone past with receipts',
    (rank) => {
      const stage = {
        ...{ ...RING, protocol: 'ring-robust' },
        byzantineNodes: { [rank]: 'swallow' },
      } satisfies Omit<Stage, 'defences'>;

      const guarded = play({ ...stage, defences: ['receipts'] });

      expect(agreedOn(play({ ...stage, defences: [] }))).toBeNull();
      expect(agreedOn(guarded)).toBe(6);
      const before = rank === 1 ? 6 : rank - 1;
      expect(accusations(guarded)[before]).toEqual([rank]);
    },
  );

  it('is gone past where two in a row swallow, with a list of three', () => {
    const byzantineNodes = { 2: 'swallow', 3: 'swallow' } as const;

    const outcome = play({
      ...RING,
      protocol: 'ring-robust',
      byzantineNodes,
      defences: ['receipts'],
    });

    expect(agreedOn(outcome)).toBe(6);
  });

  it('keeps a robust ring from electing when it is the best itself', () => {
    const byzantineNodes = { 6: 'swallow' } as const;

    const outcome = play({
      ...RING,
      protocol: 'ring-robust',
      byzantineNodes,
      defences: ['receipts'],
    });

    expect(agreedOn(outcome)).toBeNull();
  });

  it.each(PROTOCOL_NAMES)('is shown in %s by receipts, or it is said why not', (protocol) => {
    const isShown = OWING.includes(protocol) || protocol === 'ring-robust';

    const unsupportedReason = DEFENCES.receipts.unsupportedReason(protocol);

    expect(unsupportedReason === null).toBe(isShown);
    expect(unsupportedReason ?? 'it fits all right').toMatch(/^[a-z].{10,}[^.]$/);
  });

  it('is not accused without a reason: no node is, if all pass tokens on', () => {
    const outcome = play({ ...RING, protocol: 'cr-join', defences: ['receipts'] });

    expect(agreedOn(outcome)).toBe(6);
    expect(Object.values(accusations(outcome)).flat()).toEqual([]);
  });

  it('is not distinguished from a gap: while a node is down on a plain ring, none is accused', () => {
    const schedule = {
      faults: [{ type: 'crash', rank: 5, at: 0 } as const],
      ...{ calm: null, detector: 'crashes' as const },
    };

    const outcome = play({
      ...{ ...RING, protocol: 'cr-join', defences: ['receipts'], schedule },
      byzantineNodes: { 3: 'swallow' },
    });

    expect(Object.values(accusations(outcome)).flat()).toEqual([]);
  });
});

/** The nodes that each honest live node has accused, by rank. */
function accusations({ follows, simulation }: Outcome): Record<number, Json> {
  return Object.fromEntries(
    Object.keys(follows).map((rank) => {
      const state = simulation.stateOf(Number(rank));
      const isGuard = typeof state === 'object' && state !== null && 'accused' in state;
      return [Number(rank), isGuard ? (state.accused ?? null) : null];
    }),
  );
}
