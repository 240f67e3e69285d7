/**
 * @module
 * Five Raft servers of which links 1-2, 1-3, 2-3, 4-2 and 5-3 are left, after server 3 has become the
 * leader. 1, 2 and 3 are a majority and connected; 4 is connected only to 2, and 5 only to 3. Plain Raft never
 * comes to rest: any leader is deposed by a server that is not connected to it, by standing in a later
 * term. With preVote and checkQuorum a server that is connected to a leader answers no other candidate.
 */

import type { Flags } from '../../election/definition/flags.ts';
import type { LeadershipChange } from '../run/audit.ts';
import type { PlayedRun } from './played-run.ts';
import { auditOf, leadersAt } from './played-run.ts';
import type { Figures, Scenario } from './scenario.ts';
import { defineScenario, listed, onlyRun, ranksTo, stageRun } from './scenario.ts';

const LOST = [
  [1, 4],
  [1, 5],
  [2, 5],
  [3, 4],
  [4, 5],
] as const;
const FIRST_LEADER = 3;
/** 3 stands after 379 ticks at the latest, and all follow it 27 ticks later. */
const CUT_AT = 600;
/** 40 shortest election time-outs, of 190 ticks at latencies up to 9. */
const THIRD_TICKS = 7600;
const THIRDS = [0, 1, 2] as const;
const UNTIL_TICKS = CUT_AT + THIRDS.length * THIRD_TICKS;

type PartialPartition = {
  /** The leaders that servers follow just before the links fail. */
  readonly before: readonly number[];
  /** Whether 4 or 5 still asks for votes in the last third. */
  readonly asks: boolean;
  /** Whether a server comes to lead, in each third of the time after that. */
  readonly changes: readonly boolean[];
  /** Whether a server leads in a later term than before. */
  readonly termGrows: boolean;
  /** Servers that lead from before the links fail to the end. */
  readonly lasting: readonly number[];
};

export const RAFT_PARTIAL_PARTITION = definePartialPartition(
  {
    name: 'raft-partial-partition',
    aliases: ['partial-partition', 'partial-connectivity'],
    title: 'Five servers, five links, and plain Raft changes its leader for ever',
    explanation:
      'Links 1-2, 1-3, 2-3, 4-2 and 5-3 are left. Server 4 gets nothing from leader 3: its VOTE carries a later term to 2, which stops following 3 and stands itself. Leader 2 cannot reach 5, and leader 1 can reach neither. 4 and 5 cannot win, two of five vote for them, but need not win to depose. The pair raft-partial-partition-prevote asks first.',
    source:
      'H. Howard and I. Abraham, Raft does not Guarantee Liveness in the face of Network Faults, 2020; D. Ongaro and J. Ousterhout, USENIX ATC 2014, section 5.2',
  },
  {},
  {
    before: [FIRST_LEADER],
    asks: true,
    changes: THIRDS.map(() => true),
    termGrows: true,
    lasting: [],
  },
);

export const RAFT_PARTIAL_PARTITION_PREVOTE = definePartialPartition(
  {
    name: 'raft-partial-partition-prevote',
    aliases: ['partial-partition-prevote'],
    title: 'Five servers, five links, and Raft with preVote keeps its leader',
    explanation:
      'Server 4 is connected to no leader and asks 2 with PRE_VOTE, which raises no term; 2 is connected to 3 and does not answer. It asks in vain to the end and follows no leader, which is the price: 1, 2 and 5 follow 3 in term 1. Other patterns of lost links remain in which these two flags do not help.',
    source:
      'D. Ongaro, Consensus: Bridging Theory and Practice, Stanford 2014, sections 6.2 and 9.6; H. Howard and I. Abraham, Raft does not Guarantee Liveness in the face of Network Faults, 2020',
  },
  { preVote: 'on', checkQuorum: 'on' },
  {
    before: [FIRST_LEADER],
    asks: true,
    changes: THIRDS.map(() => false),
    termGrows: false,
    lasting: [FIRST_LEADER],
  },
);

function definePartialPartition(
  facts: Pick<Scenario, 'name' | 'aliases' | 'title' | 'explanation' | 'source'>,
  flags: Flags,
  outcome: PartialPartition,
): Scenario {
  return defineScenario<PartialPartition>({
    ...facts,
    // The example is about these five servers.
    nodes: { usual: 5, min: 5, max: 5 },
    stage: (setting) => [
      stageRun(setting, {
        run: 'five links of ten',
        protocol: 'raft',
        flags,
        // The others have no time-out before they receive its first message.
        initiators: [FIRST_LEADER],
        // The cut ends with the run: before the last fault nothing counts as rest.
        faults: [
          {
            type: 'partition',
            cut: { kind: 'links', links: LOST },
            from: CUT_AT,
            to: UNTIL_TICKS,
          },
        ],
        audit: true,
        untilTicks: UNTIL_TICKS,
      }),
    ],
    expect: () => outcome,
    observe: (runs) => observe(onlyRun(runs)),
    describe: described,
    figures: (runs) => figuresOf(onlyRun(runs)),
  });
}

function observe(run: PlayedRun): PartialPartition {
  const later = risesOf(run).filter(({ at }) => at >= CUT_AT);
  const earlier = risesOf(run).filter(({ at }) => at < CUT_AT);
  return {
    before: leadersAt(run, ranksTo(5), CUT_AT - 1),
    asks: run.sent.some(({ t, from, message }) => {
      return t >= UNTIL_TICKS - THIRD_TICKS && from > 3 && /VOTE$/.test(message.type);
    }),
    changes: THIRDS.map((third) => {
      const from = CUT_AT + third * THIRD_TICKS;
      return later.some(({ at }) => at >= from && at < from + THIRD_TICKS);
    }),
    termGrows: lastTerm(later) > lastTerm(earlier),
    lasting: run.reigns
      .filter(({ from, to }) => from < CUT_AT && to === null)
      .map(({ rank }) => rank),
  };
}

function described({ before, asks, changes, termGrows, lasting }: PartialPartition): string {
  const changing = changes.filter((change) => change).length;
  return `all follow ${listed(before)} when the links fail; after that a server comes to lead in ${changing} of ${changes.length} thirds of the time, terms ${
    termGrows ? 'grow' : 'stay'
  }, ${asks ? 'server 4 or 5 asks for votes to the end' : 'servers 4 and 5 ask for nothing'}, and ${listed(
    lasting,
  )} leads throughout`;
}

function figuresOf(run: PlayedRun): Figures {
  const later = risesOf(run).filter(({ at }) => at >= CUT_AT);
  const lengths = run.reigns.map(({ from, to }) => (to ?? UNTIL_TICKS) - Math.max(from, CUT_AT));
  return {
    reignsAfterCut: later.length,
    lastTerm: lastTerm(risesOf(run)),
    longestReignTicks: Math.max(0, ...lengths),
  };
}

function risesOf(run: PlayedRun): LeadershipChange[] {
  return auditOf(run)
    .trail()
    .filter(({ leads }) => leads);
}

function lastTerm(rises: readonly LeadershipChange[]): number {
  return Math.max(0, ...rises.map(({ epoch }) => epoch));
}
