/**
 * @module
 * What users have reported of Raft's elections: a leader that learns nothing from refusals, a link that fails
 * between a leader and one of two followers, and a server that returns with a later term. There are three servers, and a known one leads when links fail.
 */

import type { Flags } from '../../election/definition/flags.ts';
import type { AnyMachine } from '../../election/definition/protocol.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import type { ScheduledFault } from '../faults/schedule.ts';
import type { PlayedRun } from './played-run.ts';
import { measuresOf } from './played-run.ts';
import type { RunScript, Scenario } from './scenario.ts';
import { defineScenario, LATENCY, stageRun } from './scenario.ts';

/** Time-outs are 190 to 289 ticks. The first server stands after them, and leads 18 ticks later. */
const TIMES = { electionTicks: '190', spreadTicks: '100' };
/** Stands after none of the faults: it receives heartbeats again in time. */
const PATIENT = { ...TIMES, electionTicks: '1000' };
const CUT_AT = 600;
/** By then server 3 leads. */
const PARTLY_HEALED_AT = 1800;
const UNTIL_TICKS = 4000;

type Links = readonly (readonly [number, number])[];

/** What came of the server that led when the links failed. */
type FirstLeader = {
  readonly leadsOn: boolean;
  /** Whether another server leads after that. */
  readonly replaced: boolean;
  /** Whether server 2 follows a leader at the end. */
  readonly followed: boolean;
  readonly leadersPerTermMax: number | null;
};

interface Run extends Pick<RunScript, 'flags' | 'machineOf'> {
  readonly expected: Omit<FirstLeader, 'leadersPerTermMax'>;
}

export const REFUSED_HEARTBEAT = defineReport({
  name: 'refused-heartbeat',
  aliases: ['verdi-raft-29'],
  title: 'A leader that ignores the later term in a refusal leads on',
  explanation: `Servers 2 and 3 do not reach leader 1 from tick ${CUT_AT} on, and elect 3 in a later term. From tick ${PARTLY_HEALED_AT} on, 1 and 2 reach each other again. Server 2 refuses each heartbeat of 1, and states the later term. A leader that ignores refusals of a later term leads beside 3 to the end. No term has two leaders, so that a proof of safety does not notice the mistake. By the rules of etcd, without preVote and checkQuorum, 2 sends no refusal, with the same result.`,
  source:
    'uwplse/verdi-raft#29, 2016: two cases of handleAppendEntriesReply are inverted, although the proofs hold; mended by #31',
  first: 1,
  faults: [
    cutOf(
      [
        [1, 2],
        [1, 3],
      ],
      CUT_AT,
      PARTLY_HEALED_AT,
    ),
    cutOf([[1, 3]], PARTLY_HEALED_AT),
  ],
  runs: {
    'the term is ignored': {
      machineOf: (rank) => ignorant(raftOf(rank)),
      expected: { leadsOn: true, replaced: true, followed: true },
    },
    'rules=etcd': {
      machineOf: (rank) => raftOf(rank, { rules: 'etcd' }),
      expected: { leadsOn: true, replaced: true, followed: true },
    },
    'the term is read': {
      machineOf: (rank) => raftOf(rank),
      expected: { leadsOn: false, replaced: true, followed: true },
    },
  },
});

export const CUT_FOLLOWER = defineReport({
  name: 'cut-follower',
  aliases: ['etcd-8129'],
  title: 'One link fails, and with CheckQuorum a follower has no leader any more',
  explanation: `From tick ${CUT_AT} on, leader 3 and server 2 do not reach each other, and both reach 1. Without checkQuorum 1 votes for 2, which leads: all servers that know of it follow. Server 3 leads on in its own term, and no server follows it. With checkQuorum 1 has a leader and votes for no other one. Server 3 stays the only leader, and 2 follows none until the link is back. preVote changes nothing of this. Both are correct, and a client of server 2 notices the difference.`,
  source:
    'etcd-io/etcd#8129, different behavior on version 2.2.4 and 3.20: since CheckQuorum a follower that reaches all servers but the leader is not elected; closed as stale',
  first: 3,
  faults: [cutOf([[2, 3]], CUT_AT)],
  runs: {
    'checkQuorum=off': {
      flags: { rules: 'etcd' },
      expected: { leadsOn: true, replaced: true, followed: true },
    },
    'checkQuorum=on': {
      flags: { rules: 'etcd', checkQuorum: 'on' },
      expected: { leadsOn: true, replaced: false, followed: false },
    },
    'checkQuorum=on, preVote=on': {
      flags: { rules: 'etcd', checkQuorum: 'on', preVote: 'on' },
      expected: { leadsOn: true, replaced: false, followed: false },
    },
  },
});

export const RETURNING_TERM = defineReport({
  name: 'returning-term',
  aliases: ['hashicorp-raft-411'],
  title: 'A server that returns with a later term ends the term of a healthy leader',
  explanation: `From tick ${CUT_AT} on, server 1 reaches no other one. It stands again and again, each time in a later term. From tick ${PARTLY_HEALED_AT} on, 1 reaches the others again, and its later term ends the term of 3, although 2 and 3 had a leader. checkQuorum lets 2 ignore the candidate, but leader 3 still reads the later term in the refusals of 1. With preVote, 1 raises its term only if a majority would vote for it: it returns in the term of 3, and 3 leads on. No term has two leaders.`,
  source:
    'hashicorp/raft#411, why increase term immediately, 2020: disruptive servers in the dissertation, section 4.2.3',
  first: 3,
  faults: [
    cutOf(
      [
        [1, 2],
        [1, 3],
      ],
      CUT_AT,
      PARTLY_HEALED_AT,
    ),
  ],
  runs: {
    'preVote=off': { expected: { leadsOn: false, replaced: true, followed: true } },
    'checkQuorum=on': {
      flags: { rules: 'etcd', checkQuorum: 'on' },
      expected: { leadsOn: false, replaced: true, followed: true },
    },
    'preVote=on': {
      flags: { preVote: 'on' },
      expected: { leadsOn: true, replaced: false, followed: true },
    },
  },
});

/** The cut ends with the run: before the last fault nothing counts as rest. */
function cutOf(links: Links, from: number, to = UNTIL_TICKS): ScheduledFault {
  return { type: 'partition', cut: { kind: 'links', links }, from, to };
}

/** Server 2 waits longer than the others, so that 3 stands. */
function raftOf(rank: number, flags: Flags = {}): AnyMachine {
  const timing = { latencyTicksMax: LATENCY.ticksMax };
  return PROTOCOLS.raft.create(timing, { ...(rank === 2 ? PATIENT : TIMES), ...flags });
}

/** Without the answers to its heartbeats. By default those without a later term change nothing. */
function ignorant(machine: AnyMachine): AnyMachine {
  return {
    init: machine.init,
    step(self, state, event, effects) {
      if (event.type === 'deliver' && event.message.type === 'HEARTBEAT_REPLY') return;
      machine.step(self, state, event, effects);
    },
  };
}

function defineReport(
  given: Pick<Scenario, 'name' | 'aliases' | 'title' | 'explanation' | 'source'> & {
    readonly first: number;
    readonly faults: readonly ScheduledFault[];
    readonly runs: Readonly<Record<string, Run>>;
  },
): Scenario {
  const { first, faults, runs, ...facts } = given;
  const expected = Object.entries(runs).map(
    ([name, run]) => [name, { ...run.expected, leadersPerTermMax: 1 }] as const,
  );
  return defineScenario<Readonly<Record<string, FirstLeader>>>({
    ...facts,
    nodes: { usual: 3, min: 3, max: 3 },
    stage: (setting) =>
      Object.entries(runs).map(([run, { flags = {}, machineOf }]) =>
        stageRun(setting, {
          run,
          protocol: 'raft',
          flags: { ...TIMES, ...flags },
          // The others have no time-out before they receive its first message.
          initiators: [first],
          faults,
          audit: true,
          untilTicks: UNTIL_TICKS,
          ...(machineOf && { machineOf }),
        }),
      ),
    expect: () => Object.fromEntries(expected),
    observe: (played) => Object.fromEntries(played.map((run) => [run.name, observe(run, first)])),
    describe: (outcome) =>
      Object.entries(outcome)
        .map(([name, each]) => `${name}: server ${first} ${described(each)}`)
        .join('; '),
    figures: (played) =>
      Object.fromEntries(
        played.map((run) => [`splitTicks ${run.name}`, measuresOf(run).ticksSplit]),
      ),
  });
}

function observe(run: PlayedRun, first: number): FirstLeader {
  const { reigns, changes } = run;
  return {
    leadsOn: reigns.some(({ rank, from, to }) => rank === first && from < CUT_AT && to === null),
    replaced: reigns.some(({ rank, from }) => rank !== first && from >= CUT_AT),
    followed: changes.findLast(({ node }) => node === 2)?.leader !== null,
    leadersPerTermMax: measuresOf(run).leadersPerEpochMax,
  };
}

function described({ leadsOn, replaced, followed, leadersPerTermMax }: FirstLeader): string {
  const led = leadsOn ? 'leads on in its term' : 'stops';
  const next = replaced ? 'another leads as well' : 'no other one leads';
  const end = followed ? 'follows a leader at the end' : 'follows none at the end';
  return `${led}, ${next}, 2 ${end}, at most ${leadersPerTermMax} a term`;
}
