/**
 * @module
 * Consensus reduced to election: every node decides the last bit of the first leader that it follows, once
 * and for all. An election that always ended with one leader would solve consensus, which no asynchronous
 * system with one crash can. When the highest node is cut off, Bully gives up agreement, and Chang and
 * Roberts give up deciding. Ranks stand for IDs here.
 */

import type { PlayedRun } from './played-run.ts';
import type { RunScript } from './scenario.ts';
import { defineScenario, ranksTo, readRuns, stageRun } from './scenario.ts';

const NAMES = {
  whole: 'bully-oneshot, whole network',
  cut: 'bully-oneshot, n cut off',
  ring: 'cr-join, n cut off',
} as const;

/** The bits that were decided, by rank; null for a node that never decides. */
type Decisions = readonly (number | null)[];

export const CONSENSUS_BY_ELECTION = defineScenario<{
  readonly [Run in keyof typeof NAMES]: Decisions;
}>({
  name: 'consensus-by-election',
  aliases: ['consensus'],
  title: "Every node decides the leader's last bit",
  explanation:
    'The first leader each node follows. In the cut network n-1 takes silence for death and its side decides the other bit: neighbouring ranks never end in the same one. On the ring no PROBE gets past n: no node decides anything wrong, since none decides.',
  source:
    'M. J. Fischer, N. A. Lynch and M. S. Paterson, Impossibility of Distributed Consensus with One Faulty Process, JACM 32(2), 1985',
  nodes: { usual: 5, min: 2, max: 32 },
  stage(setting) {
    const cut = { kind: 'isolate', rank: setting.nodes } as const;
    const isolated = [{ type: 'partition', cut, from: 0, to: null }] as const;
    const staged = (script: RunScript) => stageRun(setting, { ...script, untilTicks: 2000 });
    return [
      staged({ run: NAMES.whole, protocol: 'bully-oneshot' }),
      staged({ run: NAMES.cut, protocol: 'bully-oneshot', faults: isolated }),
      staged({ run: NAMES.ring, protocol: 'cr-join', faults: isolated }),
    ];
  },
  expect: (nodes) => ({
    whole: ranksTo(nodes).map(() => nodes % 2),
    cut: ranksTo(nodes).map((rank) => (rank === nodes ? nodes : nodes - 1) % 2),
    ring: ranksTo(nodes).map(() => null),
  }),
  observe: (runs) => readRuns(runs, NAMES, decisions),
  describe: ({ whole, cut, ring }) =>
    `in a whole network ${described(whole)}; with n cut off, Bully's nodes: ${described(cut)}; those of cr-join: ${described(ring)}`,
});

function decisions({ simulation, changes }: PlayedRun): Decisions {
  return simulation.nodes().map(({ rank }) => {
    const first = changes.find(({ node, leader }) => node === rank && leader !== null);
    return first?.leader == null ? null : first.leader % 2;
  });
}

function described(bits: Decisions): string {
  const shares = [0, 1].map((bit) => [bit, bits.filter((each) => each === bit).length] as const);
  const made = shares.filter(([, count]) => count > 0);
  if (made.length === 0) return 'no node decides';
  const counts = made.map(([bit, count]) => `${count} decide ${bit}`).join(', ');
  const missing = bits.filter((bit) => bit === null).length;
  const rest = missing === 0 ? '' : `, ${missing} nothing`;
  return `${counts}${rest} (${made.length === 1 ? 'agreement' : 'no agreement'})`;
}
