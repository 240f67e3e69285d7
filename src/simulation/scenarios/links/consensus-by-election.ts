/**
 * @module
 * Consensus reduced to election: everybody decides the last bit of the first leader that it follows,
 * once and for all. An election that always ended with one leader would so solve consensus, which no
 * asynchronous system with one crash can. When the highest node is cut off, Bully gives up
 * agreement and Chang and Roberts give up deciding. Ranks stand for IDs here.
 */

import type { ProtocolName } from '../../../election/registry.ts';
import type { Cut } from '../../faults/schedule.ts';

import type { PlayedRun, StagedRun } from '../played-run.ts';
import type { ScenarioSettings } from '../scenario.ts';
import { defineScenario, runNamed } from '../scenario.ts';

const UNTIL_TICKS = 2000;
const WHOLE = 'bully-oneshot, whole network';
const CUT = 'bully-oneshot, n cut off';
const RING = 'cr-join, n cut off';

/** The bits that were decided, by rank; null is a node that never decides. */
type Decisions = readonly (number | null)[];

type Consensus = {
  readonly whole: Decisions;
  readonly cut: Decisions;
  readonly ring: Decisions;
};

export const CONSENSUS_BY_ELECTION = defineScenario<Consensus>({
  name: 'consensus-by-election',
  aliases: ['consensus'],
  title: "Everybody decides the leader's last bit",
  explanation:
    'The first leader each node follows. In the cut network n-1 takes silence for death and its side decides the other bit: neighbouring ranks never end in the same one. On the ring no PROBE gets past n: nobody decides anything wrong, since nobody decides.',
  source:
    'M. J. Fischer, N. A. Lynch and M. S. Paterson, Impossibility of Distributed Consensus with One Faulty Process, JACM 32(2), 1985',
  nodes: { usual: 5, min: 2, max: 32 },
  stage: (setting) => [
    staged(setting, { name: WHOLE, protocol: 'bully-oneshot' }),
    staged(setting, { name: CUT, protocol: 'bully-oneshot', cut: isolated(setting) }),
    staged(setting, { name: RING, protocol: 'cr-join', cut: isolated(setting) }),
  ],
  expect: (nodes) => ({
    whole: Array.from({ length: nodes }, () => nodes % 2),
    cut: Array.from({ length: nodes }, (_, index) => (index + 1 === nodes ? nodes : nodes - 1) % 2),
    ring: Array.from({ length: nodes }, () => null),
  }),
  observe: (runs) => ({
    whole: decisions(runNamed(runs, WHOLE)),
    cut: decisions(runNamed(runs, CUT)),
    ring: decisions(runNamed(runs, RING)),
  }),
  describe: ({ whole, cut, ring }) =>
    `in a whole network ${told(whole)}; with n cut off, Bully's nodes: ${told(cut)}; those of cr-join: ${told(ring)}`,
});

function isolated({ nodes }: ScenarioSettings): Cut {
  return { kind: 'isolate', rank: nodes };
}

function staged(
  { nodes, seed }: ScenarioSettings,
  run: { readonly name: string; readonly protocol: ProtocolName; readonly cut?: Cut },
): StagedRun {
  const { name, protocol, cut } = run;
  return {
    name,
    options: {
      ...{ protocol, nodes, seed },
      latency: { type: 'uniform', ticksMin: 1, ticksMax: 9 },
      schedule: {
        faults: cut === undefined ? [] : [{ type: 'partition', cut, from: 0, to: null }],
        calm: null,
        detector: 'crashes',
      },
      untilTicks: UNTIL_TICKS,
    },
  };
}

function decisions({ simulation, changes }: PlayedRun): Decisions {
  return simulation.nodes().map(({ rank }) => {
    const first = changes.find(({ node, leader }) => node === rank && leader !== null);
    return first?.leader == null ? null : first.leader % 2;
  });
}

function told(bits: Decisions): string {
  const shares = [0, 1].map((bit) => [bit, bits.filter((each) => each === bit).length] as const);
  const made = shares.filter(([, count]) => count > 0);
  if (made.length === 0) return 'nobody decides';
  const words = made.map(([bit, count]) => `${count} decide ${bit}`).join(', ');
  const missing = bits.filter((bit) => bit === null).length;
  const rest = missing === 0 ? '' : `, ${missing} nothing`;
  return `${words}${rest} (${made.length === 1 ? 'agreement' : 'no agreement'})`;
}
