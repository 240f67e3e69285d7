/**
 * @module
 * What clients notice of a leader that does not know that it is deposed, and of disks that lose entries. Three nodes
 * replicate Raft's log. The clients reach all of them, whatever separates the nodes. Each client begins at a node of its
 * own. A read is stale if its value was overwritten by a write that had returned before the read was called.
 */

import type { AnyMachine } from '../../election/definition/protocol.ts';
import type { Json } from '../../election/machine.ts';
import { voteForAll } from '../../election/quorum/raft.ts';
import { entriesIn } from '../../election/quorum/raft-entries.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import type { Cast } from '../../election/world/cast.ts';
import type { ScheduledFault } from '../faults/schedule.ts';
import type { ClientOperation } from '../run/client-log.ts';
import type { PlayedRun, StagedRun } from './played-run.ts';
import { measuresOf } from './played-run.ts';
import type { RunScript, Scenario, ScenarioSettings } from './scenario.ts';
import { defineScenario, LATENCY, readRuns, stageRun } from './scenario.ts';

/** Time-outs are 190 to 289 ticks. Server 1 stands first and leads 18 ticks later. */
const TIMES = { log: 'on', electionTicks: '190', spreadTicks: '100' };
const FAULT_AT = 600;
const UNTIL_TICKS = 3000;
const CLIENTS = { count: 3, reads: 'leader', patienceTicks: null, everyTicks: null } as const;

type Answers = {
  /** Null where it depends on the seed: a client may write again before one reads. */
  readonly staleReads: boolean | null;
  /** Whether a leader lacks, at the end, a write that was answered. */
  readonly lostWrites: boolean;
  /** Whether two nodes led at one moment. */
  readonly ledTogether: boolean;
};

const ISOLATED = [
  {
    type: 'partition',
    cut: {
      kind: 'links',
      links: [
        [1, 2],
        [1, 3],
      ],
    },
    from: FAULT_AT,
    to: 2000,
  },
] as const;

const ZOMBIE_RUNS = { local: 'reads=local', index: 'reads=index' } as const;

export const ZOMBIE_READ = defineAnswers({
  name: 'zombie-read',
  aliases: ['stale-read'],
  title: 'A deposed leader answers reads with what was overwritten',
  explanation: `From tick ${FAULT_AT} on, server 1 reaches no other server, but its clients reach it. The others elect a leader of the next term, and write. Server 1 leads on in its term, and with reads=local it answers reads from its own state. With reads=index it asks a majority at each read, and receives no answer. Compare fencing: it keeps writes of such a leader off, and cannot prevent its reads.`,
  source:
    'D. Ongaro and J. Ousterhout, USENIX ATC 2014, section 8: a leader must check whether it has been deposed before it processes a read-only request; etcd-io/etcd#741 reported stale reads',
  runs: Object.values(ZOMBIE_RUNS).map((run) => ({
    run,
    flags: { ...TIMES, reads: run.slice('reads='.length) },
    faults: ISOLATED,
  })),
  expected: {
    'reads=local': { staleReads: true, lostWrites: false, ledTogether: true },
    'reads=index': { staleReads: false, lostWrites: false, ledTogether: true },
  },
});

/** Servers 1 and 3 lose their disks one after the other; 2 is down meanwhile, and has an old log. */
const LOSS_RUNS = { lost: 'disks are lost', kept: 'disks keep all' } as const;

export const LOST_ENTRY = defineAnswers({
  name: 'lost-entry',
  aliases: ['lost-write', 'disk-loss'],
  title: 'Disks are lost, and with them entries that a majority had confirmed',
  explanation: `Server 2 is down from tick ${FAULT_AT} on, while the others commit entries. Then both others crash and return with 2, after which every majority may consist of servers without these entries. In the first run their disks are empty, and writes that clients had been told of are in no log any more. In the second run the disks keep all, and votes go only to logs with every committed entry.`,
  source:
    'D. Ongaro and J. Ousterhout, USENIX ATC 2014, figure 2 and section 5.4: log entries are on stable storage before a server answers',
  runs: Object.values(LOSS_RUNS).map((run) => {
    const amnesia = run === LOSS_RUNS.lost;
    return {
      run,
      flags: TIMES,
      faults: [
        { type: 'crash', rank: 2, at: FAULT_AT },
        { type: 'crash', rank: 1, at: 1200 },
        { type: 'crash', rank: 3, at: 1200 },
        { type: 'restart', rank: 1, at: 1210, amnesia },
        { type: 'restart', rank: 3, at: 1210, amnesia },
        { type: 'restart', rank: 2, at: 1220, amnesia: false },
      ],
    };
  }),
  expected: {
    'disks are lost': { staleReads: null, lostWrites: true, ledTogether: false },
    'disks keep all': { staleReads: null, lostWrites: false, ledTogether: false },
  },
});

const RETURN_AT = 1210;
/** Server 2 lacks what 1 and 3 have committed, and 1 is down while 2 stands. */
const TAKE_OVER = [
  { type: 'crash', rank: 2, at: FAULT_AT },
  { type: 'crash', rank: 1, at: RETURN_AT - 10 },
  { type: 'restart', rank: 2, at: RETURN_AT, amnesia: false },
  { type: 'restart', rank: 1, at: 2200, amnesia: false },
] as const satisfies readonly ScheduledFault[];

export const TAKEN_OVER_LOG = defineAnswers({
  name: 'taken-over-log',
  aliases: ['forged-vote', 'log-takeover'],
  title: 'One false vote suffices to take a log over and to delete committed entries',
  explanation: `Server 2 is down from tick ${FAULT_AT} on, while 1 and 3 commit entries. Then 1 is down, and 2 returns and stands. In the first run server 3 is Byzantine and votes for any log. In the second it has lost its disk. In both 2 leads with its old log and overwrites committed entries, also those of 1 when it returns. In the third run 3 has lost its disk and votes twice in term 1: servers 1 and 3 lead in it, and each lacks what the other commits. In the last run 3 refuses 2, and leads.`,
  source:
    'D. Ongaro and J. Ousterhout, USENIX ATC 2014, sections 5.4.1 and 5.4.3: a majority of voters that compare logs; figure 2: votes and entries are on stable storage',
  runs: [
    { run: 'a vote is forged', flags: TIMES, faults: TAKE_OVER, machineOf: withForger(3) },
    { run: 'entries are forgotten', flags: TIMES, faults: [...TAKE_OVER, ...reborn(3)] },
    {
      run: 'a vote is forgotten',
      flags: TIMES,
      faults: [
        { type: 'crash', rank: 3, at: 0 },
        { ...ISOLATED[0], to: 2200 },
        { type: 'restart', rank: 3, at: FAULT_AT + 10, amnesia: false },
        { type: 'crash', rank: 2, at: FAULT_AT },
        // Server 3 stands before 2 can.
        { type: 'restart', rank: 2, at: FAULT_AT + 195, amnesia: true },
      ],
    },
    { run: 'nothing is forgotten', flags: TIMES, faults: TAKE_OVER },
  ],
  expected: {
    'a vote is forged': { staleReads: null, lostWrites: true, ledTogether: false },
    'entries are forgotten': { staleReads: null, lostWrites: true, ledTogether: false },
    'a vote is forgotten': { staleReads: null, lostWrites: true, ledTogether: true },
    'nothing is forgotten': { staleReads: null, lostWrites: false, ledTogether: false },
  },
});

function reborn(rank: number): readonly ScheduledFault[] {
  return [
    { type: 'crash', rank, at: RETURN_AT - 10 },
    { type: 'restart', rank, at: RETURN_AT, amnesia: true },
  ];
}

/** Raft, in which one server votes for all candidates and never stands. */
function withForger(forger: number): Cast['machineOf'] {
  const honest = PROTOCOLS.raft.create({ latencyTicksMax: LATENCY.ticksMax }, TIMES);
  const forging: AnyMachine = {
    init: honest.init,
    step(self, state, event, effects) {
      if (event.type === 'timeout' && event.timer === 'election') return;
      const forged = event.type === 'deliver' ? voteForAll(event.message) : null;
      if (forged === null || event.type !== 'deliver') honest.step(self, state, event, effects);
      else for (const message of forged) effects.send(event.from, message);
    },
  };
  return (rank) => (rank === forger ? forging : honest);
}

function defineAnswers(
  given: Pick<Scenario, 'name' | 'aliases' | 'title' | 'explanation' | 'source'> & {
    readonly runs: readonly Pick<RunScript, 'run' | 'flags' | 'faults' | 'machineOf'>[];
    readonly expected: Readonly<Record<string, Answers>>;
  },
): Scenario {
  const { runs, expected, ...facts } = given;
  const names = Object.fromEntries(Object.keys(expected).map((name) => [name, name]));
  return defineScenario<Readonly<Record<string, Answers>>>({
    ...facts,
    nodes: { usual: 3, min: 3, max: 3 },
    stage: (setting) => runs.map((script) => staged(setting, script)),
    expect: () => expected,
    observe: (played) =>
      readRuns(played, names, (run) => {
        const observed = observe(run);
        const isDrawn = expected[run.name]?.staleReads === null;
        return isDrawn ? { ...observed, staleReads: null } : observed;
      }),
    describe: (outcome) =>
      Object.entries(outcome)
        .map(([name, answers]) => `${name}: ${described(answers)}`)
        .join('; '),
    figures: (played) =>
      Object.fromEntries(
        played.map((run) => [
          `staleReads ${run.name}`,
          staleReadsIn(run.simulation.history() ?? []).length,
        ]),
      ),
  });
}

function staged(
  setting: ScenarioSettings,
  script: Pick<RunScript, 'run' | 'flags' | 'faults' | 'machineOf'>,
): StagedRun {
  return stageRun(setting, {
    ...script,
    protocol: 'raft',
    // The others have no time-out of their own before they have voted.
    initiators: [1],
    clients: CLIENTS,
    audit: true,
    untilTicks: UNTIL_TICKS,
  });
}

function observe({ simulation, ...run }: PlayedRun): Answers {
  const history = simulation.history() ?? [];
  const leaders = simulation.nodes().filter(({ rank, leader }) => leader === rank);
  const logs = leaders.map(({ rank }) => entriesIn(logOf(simulation.stateOf(rank))));
  const isLost = (written: number) =>
    logs.some((entries) => !entries.some(({ value }) => value - 1 === written));
  return {
    staleReads: staleReadsIn(history).length > 0,
    lostWrites: writesIn(history).some(({ input }) => 'value' in input && isLost(input.value)),
    ledTogether: measuresOf({ simulation, ...run }).ticksSplit > 0,
  };
}

/** The log in the state of a node, in the form of a record. */
function logOf(state: Json): Json {
  if (state === null || typeof state !== 'object' || Array.isArray(state)) return null;
  const members = new Map(Object.entries(state));
  const entries = members.get('entries');
  return entries === undefined
    ? logOf(members.get('log') ?? members.get('inner') ?? null)
    : { log: entries };
}

/** The changes that clients know to have taken effect. */
function writesIn(history: readonly ClientOperation[]): readonly ClientOperation[] {
  return history.filter(
    ({ input, returned }) =>
      input.type !== 'read' && returned && 'done' in returned.output && returned.output.done,
  );
}

/** Every value is written once, so that a read names the write that it has seen. */
function staleReadsIn(history: readonly ClientOperation[]): readonly ClientOperation[] {
  const writes = writesIn(history);
  return history.filter(({ call, returned }) => {
    if (returned === null || !('value' in returned.output)) return false;
    const { value } = returned.output;
    const seen = history.find(({ input }) => input.type !== 'read' && input.value === value);
    const from = value === null ? Number.NEGATIVE_INFINITY : (seen?.returned?.at ?? null);
    if (from === null) return false;
    return writes.some((other) => other.call > from && (other.returned?.at ?? call) < call);
  });
}

function described({ staleReads, lostWrites, ledTogether }: Answers): string {
  const reads =
    staleReads === null
      ? []
      : [staleReads ? 'clients read what was overwritten' : 'no read is stale'];
  const writes = lostWrites ? 'writes with an answer are lost' : 'no write with an answer is lost';
  const led = ledTogether ? 'two nodes led at once' : 'one node led at a time';
  return [...reads, writes, led].join(', ');
}
