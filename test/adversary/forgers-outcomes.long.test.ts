/**
 * @module
 * What becomes of elections under each forger, protocol by protocol and level by level. A signature
 * proves who speaks and that who is named exists; that somebody has won it does not prove, so that an
 * announcement of oneself succeeds at every level wherever members follow those below themselves.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LEVELS } from '../../src/election/authentication/authenticated.ts';
import type { ProtocolName } from '../../src/election/registry.ts';
import type { Outcome, Plot } from './staging/forger-outcomes.ts';
import { leaderOf, nodesAfter, outcomeOf, PHANTOM } from './staging/forger-outcomes.ts';

const ONE_SHOT = ['bully-oneshot', 'bully-nextinline', 'bully-improved', 'bully-modified'] as const;
const NAMED_BULLY = [...ONE_SHOT, 'bully-2phase'] as const;
const BULLY = [...NAMED_BULLY, 'bully-gm82'] as const;
const CHANG_ROBERTS = ['cr-join', 'cr-replace', 'cr-always'] as const;
const HIRSCHBERG_SINCLAIR = ['hs-wake', 'hs-slide'] as const;
const PETERSON = ['peterson', 'peterson-prose'] as const;
const ROBUST = ['ring-robust', 'ring-robust:peterson'] as const;
/** Rings in which a leader is announced, without those whose tokens carry messages. */
const ANNOUNCING = [
  ...(['ring-collect', 'ring-maxtoken', 'ring-attr'] as const),
  ...CHANG_ROBERTS,
  ...HIRSCHBERG_SINCLAIR,
  ...PETERSON,
] as const;
const RINGS = ['ring-lelann', ...ANNOUNCING, 'itai-rodeh', ...ROBUST] as const;

/** One letter for each level: leader, no-leader, split, other, none. */
type Letters = string;
const OUTCOMES: Readonly<Record<string, Outcome>> = {
  ...{ L: 'leader', N: 'no-leader', S: 'split', O: 'other' },
  '-': 'none',
};

type Row = readonly [
  behaviour: string,
  plot: Plot,
  letters: Letters,
  protocols: readonly ProtocolName[],
];

const TABLE: readonly Row[] = [
  // A Bully node follows no lower node: a dead leader can be announced while names need no proof.
  ['spoof-coordinator', 'leader dead', 'NN--', NAMED_BULLY],
  // Its coordinator is the sender, so that this needs a forged sender.
  ['spoof-coordinator', 'leader dead', 'N---', ['bully-gm82']],
  // Nothing here shows that a candidate came home, or that a quorum voted.
  ['spoof-coordinator', 'all live', 'LLLL', [...ANNOUNCING, ...ROBUST, 'itai-rodeh']],
  ['spoof-coordinator', 'all live', 'LLLL', ['raft', 'quorum-lease', 'zk-slide-quorum']],

  ['phantom-id', 'all live', 'NN--', [...NAMED_BULLY, 'ring-lelann', ...ANNOUNCING, ...ROBUST]],
  ['phantom-id', 'leader dead', 'NN--', NAMED_BULLY],
  ['phantom-id', 'all live', 'N---', ['bully-gm82']],
  ['phantom-id', 'all live', 'NN--', ['zk-slide-quorum']],
  // An ID without cost: a TOKEN above all others silences them, of any sender.
  ['phantom-id', 'all live', 'NNNN', ['itai-rodeh']],

  // A ring that runs one way has one way.
  ['swallow', 'all live', 'NNNN', RINGS],
  // The others do without its answer.
  ['swallow', 'all live', '----', [...BULLY, 'zab-fle', 'zk-slide-quorum']],

  // A candidacy outlives its candidate, but no other node can repeat a coordinator's message.
  ['replay', 'leader dies', 'NN--', NAMED_BULLY],
  ['replay', 'leader dies', 'N---', ['bully-gm82']],
  // Elections are numbered, and a lower number is not heard.
  ['replay', 'leader dies', '----', [...ROBUST, 'zab-fle', 'zk-slide-quorum', 'raft']],

  // Two IDs above all others are needed for Bully: from L2 on it can name only itself.
  ['equivocate', 'leader dead', 'SS--', NAMED_BULLY],
  ['equivocate', 'leader dead', 'S---', ['bully-gm82']],
  ['equivocate', 'all live', 'SSSS', [...ANNOUNCING, ...ROBUST, 'itai-rodeh', 'zk-slide-quorum']],
  // A heartbeat is its sender's alone.
  ['equivocate', 'all live', 'S---', ['raft', 'quorum-lease']],

  // Altered, the highest's own does not come home: as good as swallowed.
  ['tamper-token', 'all live', 'NNNN', ['ring-lelann', ...CHANG_ROBERTS, ...HIRSCHBERG_SINCLAIR]],
  ['tamper-token', 'all live', 'NNNN', ['peterson', ...ROBUST, 'itai-rodeh']],
  // An entry that is left out is not missed: initiators before and after the Byzantine node see other lists.
  ['tamper-token', 'all live', 'SSSS', ['ring-collect']],
  ['tamper-token', 'all live', 'NNSS', ['ring-maxtoken']],
  // What a node claims of itself is believed.
  ['tamper-token', 'all live', 'LLLL', ['ring-attr']],
];

const CELLS = TABLE.flatMap(([behaviour, plot, letters, protocols]) =>
  protocols.map((protocol) => ({ behaviour, plot, letters, protocol })),
);

describe('by level, L0 to L3', () => {
  it.each(CELLS)('$behaviour on $protocol, $plot: $letters', (cell) => {
    const { letters, ...each } = cell;

    const found = LEVELS.map((level) => outcomeOf({ ...each, level }));

    expect(found).toEqual([...letters].map((letter) => OUTCOMES[letter]));
  });
});

describe('an election in which the lowest node is honest', () => {
  const plain = [...new Map(CELLS.map((cell) => [`${cell.protocol} ${cell.plot}`, cell])).values()];

  it.each(plain)('$protocol, $plot: has a leader at every level', ({ protocol, plot }) => {
    const leaders = LEVELS.map((level) => leaderOf(nodesAfter({ protocol, plot, level }, [])));

    expect(new Set(leaders).size).toBe(1);
    expect(leaders[0]).toEqual(expect.any(Number));
  });
});

describe('a node without an owner', () => {
  it('is followed by no honest node from L2 on, whatever forgers do together', () => {
    const forgers = ['spoof-coordinator', 'phantom-id', 'replay', 'equivocate', 'tamper-token'];
    const protocols = [...ONE_SHOT, 'ring-maxtoken', ...CHANG_ROBERTS, ...PETERSON] as const;
    const arbitrary = fc.record({
      protocol: fc.constantFrom(...protocols),
      level: fc.constantFrom('L2' as const, 'L3' as const),
      plot: fc.constantFrom('all live' as const, 'leader dead' as const),
      behaviours: fc.subarray(forgers, { minLength: 1 }),
      seed: fc.nat(1_000_000).map(String),
    });

    fc.assert(
      fc.property(arbitrary, ({ behaviours, seed, ...each }) => {
        // What does not fit is not put on.
        const fitting = behaviours.filter((name) => fits(name, each.protocol));
        const nodes = nodesAfter(each, fitting, seed);

        expect(nodes.map(({ leader }) => leader)).not.toContain(PHANTOM);
      }),
      { seed: 1982, numRuns: 60 },
    );
  });

  function fits(name: string, protocol: ProtocolName): boolean {
    return !(name === 'tamper-token' && protocol.startsWith('bully-'));
  }
});
