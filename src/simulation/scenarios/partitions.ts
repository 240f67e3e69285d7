/**
 * @module
 * Networks that fall apart: into halves, on one link, and in one direction.
 */

import type { Flags } from '../../election/definition/flags.ts';
import type { LeadershipChange } from '../run/audit.ts';
import type { PlayedRun, Sent } from './played-run.ts';
import { auditOf, followedAt, leadersAt, leadersAtEnd, ledTogether } from './played-run.ts';
import type { Figures, Scenario } from './scenario.ts';
import { defineScenario, listed, onlyRun, ranksTo, runNamed, stageRun } from './scenario.ts';

const CUT_AT = 200;
const HEALED_AT = 600;
const NOTICED = 'links are watched';
const UNNOTICED = 'crashes are watched';

type Split = {
  /** Leaders that each half follows just before the network heals, in either run. */
  readonly lower: readonly number[];
  readonly upper: readonly number[];
  readonly together: boolean;
  readonly noticedEnd: readonly number[];
  readonly unnoticedEnd: readonly number[];
};

/**
 * A network falls into halves and heals, twice. Bully has no quorum, so each half elects its own leader, by
 * design. The effect of healing depends on the detector alone: with one that watches links the lower leader
 * gives way to the higher one; with one that watches crashes both lead on.
 */
export const SPLIT_BRAIN = defineScenario<Split>({
  name: 'split-brain',
  aliases: ['partition'],
  title: 'One leader on each side of a partition, and the effect of healing',
  explanation:
    'The lower half loses every ELECTION it sends up and takes the silence for death. Two runs: in the first a detector watches links, in the second it knows of crashes alone, and no node ever asks again. Only a majority (quorum) or fencing at the resource keeps two leaders from acting.',
  source:
    'H. Garcia-Molina, IEEE Trans. Computers C-31(1), 1982: assumes that a node which does not answer in time has failed',
  nodes: { usual: 5, min: 2, max: 32 },
  stage(setting) {
    const halves = { protocol: 'bully-oneshot', untilTicks: 2 * HEALED_AT } as const;
    const broken = { type: 'partition', cut: { kind: 'halves' }, to: HEALED_AT } as const;
    return [
      // All follow n when the network breaks.
      stageRun(setting, {
        ...halves,
        run: NOTICED,
        initiators: [setting.nodes],
        faults: [{ ...broken, from: CUT_AT }],
        watches: 'links',
      }),
      // It is broken from the start. Otherwise no node would ask.
      stageRun(setting, { ...halves, run: UNNOTICED, faults: [{ ...broken, from: 0 }] }),
    ];
  },
  expect: (nodes) => ({
    lower: [Math.floor(nodes / 2)],
    upper: [nodes],
    together: true,
    noticedEnd: [nodes],
    unnoticedEnd: [Math.floor(nodes / 2), nodes],
  }),
  observe: (runs) => ({
    lower: leadersOfHalf(runs, (rank, last) => rank <= last),
    upper: leadersOfHalf(runs, (rank, last) => rank > last),
    together: runs.every(ledTogether),
    noticedEnd: leadersAtEnd(runNamed(runs, NOTICED)),
    unnoticedEnd: leadersAtEnd(runNamed(runs, UNNOTICED)),
  }),
  describe: ({ lower, upper, together, noticedEnd, unnoticedEnd }) =>
    `cut off from each other the lower half follows ${listed(lower)} and the upper half ${listed(upper)}, ${
      together ? 'both leading at once' : 'never two leading at once'
    }; after healing live nodes follow ${listed(noticedEnd)} where links are watched, ${listed(
      unnoticedEnd,
    )} where only crashes are`,
});

/** The leaders of a half in all runs, before the network heals. `last` is the last rank of the lower half. */
function leadersOfHalf(
  runs: readonly PlayedRun[],
  isIn: (rank: number, last: number) => boolean,
): number[] {
  const leaders = runs.flatMap((run) => {
    const { nodes } = run.simulation.plan;
    const half = ranksTo(nodes).filter((rank) => isIn(rank, Math.floor(nodes / 2)));
    return leadersAt(run, half, HEALED_AT - 1);
  });
  return [...new Set(leaders)].toSorted((left, right) => left - right);
}

const UNTIL_TICKS = 2000;
/** Longer than one round: the question, an answer within 2Δ, and T' = 48. */
const ROUND_TICKS_MAX = 100;

type OneWay = {
  readonly settled: boolean;
  /** Whether the lowest node still asks in the last rounds before the end. */
  readonly stillAsks: boolean;
  readonly lowestFollows: readonly number[];
  readonly othersFollow: readonly number[];
};

/**
 * One direction of one link is cut: the lowest node receives nothing from the highest. It asks, the nodes between
 * answer that a higher node is up, and the announcement never arrives: it waits T', asks again, and so on for ever,
 * while all other nodes have long agreed.
 */
export const ONE_WAY_LOSS = defineScenario<OneWay>({
  name: 'one-way-loss',
  aliases: ['one-way', 'asymmetric-link'],
  title: 'One direction of a link is cut, and Bully never settles',
  explanation:
    'Node 1 asks (ELECTION to all), is answered (OK), sets timer coordinator and receives nothing; each of its rounds makes n announce itself to every node once more. A detector of crashes does not help, since no node is down. A node that relays the announcement, or a quorum with a pre-vote, would settle it.',
  source:
    'H. Garcia-Molina, IEEE Trans. Computers C-31(1), 1982: assumes that messages between live nodes arrive within a bound',
  nodes: { usual: 5, min: 3, max: 16 },
  stage: (setting) => [
    stageRun(setting, {
      run: 'n is not heard by 1',
      protocol: 'bully-oneshot',
      faults: [
        {
          type: 'partition',
          cut: { kind: 'one-way', from: setting.nodes, to: 1 },
          from: 0,
          to: null,
        },
      ],
      untilTicks: UNTIL_TICKS,
    }),
  ],
  expect: (nodes) => ({
    settled: false,
    stillAsks: true,
    lowestFollows: [],
    othersFollow: [nodes],
  }),
  observe(runs) {
    const run = onlyRun(runs);
    const lowest = followedAt(run, 1, Number.POSITIVE_INFINITY);
    const [, ...others] = ranksTo(run.simulation.plan.nodes);
    return {
      settled: run.outcome.bound === 'idle',
      stillAsks: (questions(run).at(-1)?.t ?? 0) >= UNTIL_TICKS - ROUND_TICKS_MAX,
      lowestFollows: lowest === null ? [] : [lowest],
      othersFollow: leadersAt(run, others, Number.POSITIVE_INFINITY),
    };
  },
  describe: ({ settled, stillAsks, lowestFollows, othersFollow }) =>
    `after ${UNTIL_TICKS} ticks ${settled ? 'all is at rest' : 'it has not settled'}: node 1 follows ${listed(
      lowestFollows,
    )} and ${stillAsks ? 'still asks' : 'asks no more'}, the others follow ${listed(othersFollow)}`,
  figures(runs) {
    const run = onlyRun(runs);
    return {
      roundsOfNode1: new Set(questions(run).map(({ t }) => t)).size,
      messagesPer1000Ticks: Math.round((1000 * run.sent.length) / UNTIL_TICKS),
    };
  },
});

/** The questions of the lowest node. */
function questions({ sent }: PlayedRun): Sent[] {
  return sent.filter(({ from, message }) => from === 1 && message.type === 'ELECTION');
}

const LOST = [
  [1, 4],
  [1, 5],
  [2, 5],
  [3, 4],
  [4, 5],
] as const;
const FIRST_LEADER = 3;
/** 3 stands after 379 ticks at the latest, and all follow it 27 ticks later. */
const PARTIAL_PARTITION_CUT_AT = 600;
/** 40 shortest election time-outs, of 190 ticks at latencies up to 9. */
const THIRD_TICKS = 7600;
const THIRDS = [0, 1, 2] as const;
const PARTIAL_PARTITION_UNTIL_TICKS = PARTIAL_PARTITION_CUT_AT + THIRDS.length * THIRD_TICKS;

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

/**
 * Five Raft servers of which links 1-2, 1-3, 2-3, 4-2 and 5-3 are left, after server 3 has become the leader. 1, 2
 * and 3 are a majority and connected; 4 is connected only to 2, and 5 only to 3. Plain Raft never comes to rest: any
 * leader is deposed by a server that is not connected to it, by standing in a later term. With preVote and
 * checkQuorum a server that is connected to a leader answers no other candidate.
 */
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
    title: 'Five servers, five links, and Raft with preVote and checkQuorum keeps its leader',
    explanation:
      'Server 4 is connected to no leader and asks 2 with PRE_VOTE, which raises no term; 2 receives the heartbeats of 3 and, with checkQuorum, does not answer. It asks in vain to the end and follows no leader, which is the price: 1, 2 and 5 follow 3 in term 1. Other patterns of lost links remain in which these two flags do not help.',
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
            from: PARTIAL_PARTITION_CUT_AT,
            to: PARTIAL_PARTITION_UNTIL_TICKS,
          },
        ],
        audit: true,
        untilTicks: PARTIAL_PARTITION_UNTIL_TICKS,
      }),
    ],
    expect: () => outcome,
    observe: (runs) => observe(onlyRun(runs)),
    describe: described,
    figures: (runs) => figuresOf(onlyRun(runs)),
  });
}

function observe(run: PlayedRun): PartialPartition {
  const later = risesOf(run).filter(({ at }) => at >= PARTIAL_PARTITION_CUT_AT);
  const earlier = risesOf(run).filter(({ at }) => at < PARTIAL_PARTITION_CUT_AT);
  return {
    before: leadersAt(run, ranksTo(5), PARTIAL_PARTITION_CUT_AT - 1),
    asks: run.sent.some(({ t, from, message }) => {
      return (
        t >= PARTIAL_PARTITION_UNTIL_TICKS - THIRD_TICKS && from > 3 && /VOTE$/.test(message.type)
      );
    }),
    changes: THIRDS.map((third) => {
      const from = PARTIAL_PARTITION_CUT_AT + third * THIRD_TICKS;
      return later.some(({ at }) => at >= from && at < from + THIRD_TICKS);
    }),
    termGrows: lastTerm(later) > lastTerm(earlier),
    lasting: run.reigns
      .filter(({ from, to }) => from < PARTIAL_PARTITION_CUT_AT && to === null)
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
  const later = risesOf(run).filter(({ at }) => at >= PARTIAL_PARTITION_CUT_AT);
  const lengths = run.reigns.map(
    ({ from, to }) =>
      (to ?? PARTIAL_PARTITION_UNTIL_TICKS) - Math.max(from, PARTIAL_PARTITION_CUT_AT),
  );
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
