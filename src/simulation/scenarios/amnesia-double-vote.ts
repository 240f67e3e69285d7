/**
 * @module
 * A voter forgets its vote and votes again in the same term. Server 1 leads by the vote of 2 while 3 is
 * down; 1 is cut off, 2 crashes and returns, 3 returns and stands in term 1, of which it knows nothing. The
 * answer of 2 depends on its disk alone: two leaders of one term, or one.
 */

import type { Message } from '../../election/machine.ts';
import type { PlayedRun, StagedRun } from './played-run.ts';
import { auditOf, measuresOf } from './played-run.ts';
import type { ScenarioSettings } from './scenario.ts';
import { defineScenario, LATENCY, listed, readRuns, stageRun } from './scenario.ts';

const NAMES = { forgotten: 'its vote is forgotten', kept: 'its vote is on disk' } as const;
const VOTER = 2;
/** Time-outs are 190 to 289 ticks, so that server 3 stands before the voter can. */
const FLAGS = { electionTicks: '190', spreadTicks: '100' };
/** Server 1 stands after 289 ticks at the latest and leads 18 ticks later. */
const CUT_AT = 320;
/** The last heartbeat that was under way has found server 3 down. */
const THIRD_AT = CUT_AT + LATENCY.ticksMax + 1;
/** Server 3 stands 190 to 289 ticks after its return, the voter as long after this one. */
const RETURN_AT = THIRD_AT + 185;
const HEALED_AT = 2000;
const UNTIL_TICKS = 4000;

type Voting = {
  /** The candidates that the voter votes for in term 1, in order. */
  readonly votes: readonly number[];
  /** The leaders of term 1, in order. */
  readonly leaders: readonly number[];
  /** Number of nodes that led in one term, at most. */
  readonly leadersPerTermMax: number | null;
  /** Whether one leader is left when the network has healed. */
  readonly agreed: boolean;
};

export const AMNESIA_DOUBLE_VOTE = defineScenario<{
  readonly [Run in keyof typeof NAMES]: Voting;
}>({
  name: 'amnesia-double-vote',
  aliases: ['double-vote', 'forgotten-vote'],
  title: 'A voter loses its disk, votes twice in a term and makes two leaders',
  explanation: `Server 2 grants VOTE to 1, is down from tick ${CUT_AT} to ${RETURN_AT} and grants VOTE of the same term to 3. Healed, neither leader gives way, since both have the same term, and 2 follows the one whose message came last. In the second run the record of term and vote survives: 2 refuses, and term 2 has the next leader. No server is Byzantine here; a server that loses its disk must not vote before it has joined anew.`,
  source:
    'D. Ongaro and J. Ousterhout, In Search of an Understandable Consensus Algorithm, USENIX ATC 2014, figure 2: currentTerm and votedFor are updated on stable storage before responding',
  nodes: { usual: 3, min: 3, max: 3 },
  stage: (setting) => [staged(setting, NAMES.forgotten, true), staged(setting, NAMES.kept, false)],
  expect: () => ({
    forgotten: { votes: [1, 3], leaders: [1, 3], leadersPerTermMax: 2, agreed: false },
    kept: { votes: [1], leaders: [1], leadersPerTermMax: 1, agreed: true },
  }),
  observe: (runs) => readRuns(runs, NAMES, observe),
  describe: ({ forgotten, kept }) =>
    `where the voter forgets, ${described(forgotten)}; where its disk keeps the vote, ${described(kept)}`,
  figures(runs) {
    const { forgotten, kept } = readRuns(runs, NAMES, (run) => measuresOf(run).ticksSplit);
    return { splitTicksForgotten: forgotten, splitTicksKept: kept };
  },
});

function staged(setting: ScenarioSettings, run: string, amnesia: boolean): StagedRun {
  const cut = { kind: 'isolate', rank: 1 } as const;
  return stageRun(setting, {
    run,
    protocol: 'raft',
    flags: FLAGS,
    // The voter has no time-out of its own before it has voted.
    initiators: [1],
    faults: [
      { type: 'crash', rank: 3, at: 0 },
      { type: 'partition', cut, from: CUT_AT, to: HEALED_AT },
      { type: 'crash', rank: VOTER, at: CUT_AT },
      // Its disk is as empty as when it crashed.
      { type: 'restart', rank: 3, at: THIRD_AT, amnesia: false },
      { type: 'restart', rank: VOTER, at: RETURN_AT, amnesia },
    ],
    audit: true,
    untilTicks: UNTIL_TICKS,
  });
}

function observe(run: PlayedRun): Voting {
  const grants = run.sent.filter(({ from, message }) => {
    if (from !== VOTER || message.type !== 'VOTE_REPLY') return false;
    return 'granted' in message && message.granted === true && termOf(message) === 1;
  });
  const rises = auditOf(run)
    .trail()
    .filter(({ leads, epoch }) => leads && epoch === 1);
  return {
    votes: grants.map(({ to }) => to),
    leaders: rises.map(({ node }) => node),
    leadersPerTermMax: measuresOf(run).leadersPerEpochMax,
    agreed: run.outcome.agreed,
  };
}

function termOf(message: Message): unknown {
  return 'term' in message ? message.term : null;
}

function described({ votes, leaders, leadersPerTermMax, agreed }: Voting): string {
  const led = `${listed(leaders)} ${leaders.length === 1 ? 'leads' : 'lead'}`;
  const end = agreed ? 'all follow one leader' : 'they do not agree';
  return `it votes for ${listed(votes)} in term 1, in which ${led} (at most ${leadersPerTermMax} a term), and once healed ${end}`;
}
