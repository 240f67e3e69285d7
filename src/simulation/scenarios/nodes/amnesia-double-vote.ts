/**
 * @module
 * A voter forgets its vote and votes again in the same term. Server 1 leads by the vote of 2, 3 being
 * down; 1 is cut off, 2 crashes and returns, 3 returns and stands in term 1, of which it has heard
 * nothing. What 2 says depends on its disk alone: two leaders of one term, or one.
 */

import type { Message } from '../../../election/machine.ts';

import type { PlayedRun, StagedRun } from '../played-run.ts';
import { auditOf, measuresOf } from '../played-run.ts';
import type { ScenarioSettings } from '../scenario.ts';
import { defineScenario, runNamed } from '../scenario.ts';
import { listed } from '../words.ts';

const FORGOTTEN = 'its vote is forgotten';
const KEPT = 'its vote is on disk';
const VOTER = 2;
const LATENCY = { type: 'uniform', ticksMin: 1, ticksMax: 9 } as const;
/** Time-outs are 190 to 289 ticks: so many that server 3 stands before the voter can. */
const FLAGS = { electionTicks: '190', spreadTicks: '100' };
/** Server 1 stands after 289 ticks at the latest and leads 18 ticks later. */
const CUT_AT = 320;
/** When the last heartbeat that was under way has found server 3 down. */
const THIRD_AT = CUT_AT + LATENCY.ticksMax + 1;
/** Server 3 stands 190 to 289 ticks after its return, the voter as long after this one. */
const RETURN_AT = THIRD_AT + 185;
const HEALED_AT = 2000;
const UNTIL_TICKS = 4000;

type Voting = {
  /** For whom the voter votes in term 1, in order. */
  readonly votes: readonly number[];
  /** Who leads in term 1, in order. */
  readonly leaders: readonly number[];
  /** Nodes that led in one and the same term, at most. */
  readonly leadersPerTermMax: number | null;
  /** Whether one leader is left when the network has healed. */
  readonly agreed: boolean;
};

type Amnesia = { readonly forgotten: Voting; readonly kept: Voting };

export const AMNESIA_DOUBLE_VOTE = defineScenario<Amnesia>({
  name: 'amnesia-double-vote',
  aliases: ['double-vote', 'forgotten-vote'],
  title: 'A voter loses its disk, votes twice in a term and makes two leaders',
  explanation: `Server 2 grants VOTE to 1, is down from tick ${CUT_AT} to ${RETURN_AT} and grants VOTE of the same term to 3. Healed, neither leader gives way, each being as late as the other, and 2 follows whoever spoke last. In the second run the record of term and vote survives: 2 refuses, and term 2 has the next leader. Nobody cheats here; a server that loses its disk must not vote before it has joined anew.`,
  source:
    'D. Ongaro and J. Ousterhout, In Search of an Understandable Consensus Algorithm, USENIX ATC 2014, figure 2: currentTerm and votedFor are updated on stable storage before responding',
  nodes: { usual: 3, min: 3, max: 3 },
  stage: (setting) => [
    staged(setting, { name: FORGOTTEN, amnesia: true }),
    staged(setting, { name: KEPT, amnesia: false }),
  ],
  expect: () => ({
    forgotten: { votes: [1, 3], leaders: [1, 3], leadersPerTermMax: 2, agreed: false },
    kept: { votes: [1], leaders: [1], leadersPerTermMax: 1, agreed: true },
  }),
  observe: (runs) => ({
    forgotten: seen(runNamed(runs, FORGOTTEN)),
    kept: seen(runNamed(runs, KEPT)),
  }),
  describe: ({ forgotten, kept }) =>
    `where the voter forgets, ${told(forgotten)}; where its disk keeps the vote, ${told(kept)}`,
  figures: (runs) => ({
    splitTicksForgotten: measuresOf(runNamed(runs, FORGOTTEN)).ticksSplit,
    splitTicksKept: measuresOf(runNamed(runs, KEPT)).ticksSplit,
  }),
});

function staged(
  { nodes, seed }: ScenarioSettings,
  run: { readonly name: string; readonly amnesia: boolean },
): StagedRun {
  const { name, amnesia } = run;
  return {
    name,
    options: {
      protocol: 'raft',
      nodes,
      seed,
      flags: FLAGS,
      // The voter has no time-out of its own before it has voted.
      initiators: [1],
      latency: LATENCY,
      schedule: {
        faults: [
          { type: 'crash', rank: 3, at: 0 },
          {
            ...{ type: 'partition', cut: { kind: 'isolate', rank: 1 } },
            ...{ from: CUT_AT, to: HEALED_AT },
          },
          { type: 'crash', rank: VOTER, at: CUT_AT },
          // Its disk is as empty as when it went down.
          { type: 'restart', rank: 3, at: THIRD_AT, amnesia: false },
          { type: 'restart', rank: VOTER, at: RETURN_AT, amnesia },
        ],
        calm: null,
        detector: 'crashes',
      },
      audit: true,
      untilTicks: UNTIL_TICKS,
    },
  };
}

function seen(run: PlayedRun): Voting {
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

function told({ votes, leaders, leadersPerTermMax, agreed }: Voting): string {
  const led = `${listed(leaders)} ${leaders.length === 1 ? 'leads' : 'lead'}`;
  const end = agreed ? 'all follow one leader' : 'they do not agree';
  return `it votes for ${listed(votes)} in term 1, in which ${led} (at most ${leadersPerTermMax} a term), and once healed ${end}`;
}
