/**
 * @module
 * Checks of the quorum family: what is no majority, what a crash at the worst moment frees, and one
 * leader a term, or an epoch, in seeded runs under faults. Whether two master leases overlap is
 * measured on clocks that drift as far as they may.
 */

import { FAULT_KINDS } from '../../../src/election/definition/drawn-faults.ts';
import type { Event, Json, Message } from '../../../src/election/machine.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import { toRank } from '../../../src/election/world/cast.ts';
import type { EffectRecord } from '../../../src/election/world/effect-record.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import type { ScheduledFault } from '../../../src/simulation/faults/schedule.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import { runElection } from '../../../src/simulation/run/simulate.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import type { QUORUM_VOCABULARIES } from '../../election/quorum/quorum-vocabularies.ts';
import { recorded, SELF } from '../../election/recorded.ts';
import { measuresOf, stormRun } from '../../simulation/quorum/quorum-storms.ts';
import { runRaftUnderFaults } from '../../simulation/quorum/raft-fault-runs.ts';
import { doubleTerms } from '../../simulation/quorum/raft-runs.ts';
import { reignsOf, zabRun } from '../../simulation/quorum/zab-runs.ts';
import { SEED } from '../../simulation/ring/rings.ts';
import { scheduleOf } from '../../simulation/schedules.ts';
import type { Check } from './check.ts';
import { complainUnlessSame, firstComplaint, upTo } from './check.ts';

type QuorumName = keyof typeof QUORUM_VOCABULARIES;

const EVER = { from: 0, to: null };

export const QUORUM_CHECKS = {
  'raft: half elects none': () => halfElectsNone('raft'),
  'raft: copies are no votes': () => copiesAreNoVotes('raft'),
  'raft: one leader a term': oneLeaderATerm,
  'raft: a word given binds': () => givenWordBinds('raft'),
  'raft: words of earlier terms': wordsOfEarlierTerms,
  'raft: an old leader learns the term': oldLeaderLearns,
  'raft: a dry run deposes none': dryRunDeposesNone,
  'raft: a leader without answers': unansweredLeader,
  'quorum-lease: half elects none': () => halfElectsNone('quorum-lease'),
  'quorum-lease: copies are no votes': () => copiesAreNoVotes('quorum-lease'),
  'quorum-lease: a word given binds': () => givenWordBinds('quorum-lease'),
  'quorum-lease: one master': oneMaster,
  'quorum-lease: slow answers': slowAnswers,
  'quorum-lease: clocks at the edge': clocksAtTheEdge,
  'quorum-lease: a voter that forgot': forgetfulVoter,
  'zk-slide-quorum: copies are no votes': () => copiesAreNoVotes('zk-slide-quorum'),
  'zk-slide-quorum: a word given binds': () => givenWordBinds('zk-slide-quorum'),
  'zk-slide-quorum: one leader an epoch': oneLeaderAnEpoch,
  'zab-fle: half elects none': () => halfElectsNone('zab-fle'),
  'zab-fle: a word given binds': () => givenWordBinds('zab-fle'),
  'zab-fle: one leader an epoch': oneLeaderAnEpochOfZab,
} satisfies Record<string, Check>;

/** Who led when, and what it adds up to. */
function audited(
  options: SimulationOptions,
  { ticks, starts }: { readonly ticks: number; readonly starts?: readonly number[] },
) {
  const simulation = createSimulation({ ...options, audit: true });
  simulation.start(starts);
  simulation.advance({ until: ticks });
  return { measures: measuresOf(simulation), trail: simulation.audit()?.trail() ?? [] };
}

function isolated(rank: number, from: number, to: number | null): ScheduledFault {
  return { type: 'partition', cut: { kind: 'isolate', rank }, from, to };
}

/** Two of four are no majority, on either side of a cut. */
function halfElectsNone(protocol: QuorumName): string | null {
  const schedule = scheduleOf({ type: 'partition', cut: { kind: 'halves' }, ...EVER });
  return firstComplaint(upTo(5), (number) => {
    const seed = parseSeed(String(number));
    const { trail } = audited({ protocol, nodes: 4, seed, schedule }, { ticks: 400 });
    return complainUnlessSame(`seed ${number}, reigns`, trail, []);
  });
}

/** The highest two of five get only messages of each other, most of them twice. */
function copiesAreNoVotes(protocol: QuorumName): string | null {
  const schedule = scheduleOf(
    { type: 'partition', cut: { kind: 'minority' }, ...EVER },
    { type: 'duplication', share: 0.7, ...EVER },
  );
  return firstComplaint(upTo(5), (number) => {
    const seed = parseSeed(String(number));
    const { trail } = audited({ protocol, nodes: 5, seed, schedule }, { ticks: 400 });
    const reigns = trail.filter(({ node }) => node > 3);
    return complainUnlessSame(`seed ${number}, reigns of the two`, reigns, []);
  });
}

/**
 * What makes node 2 of three bind itself to one candidate of the first term, and how it says so. Zab's
 * candidates have longer logs than its own and are in the round of their rank.
 */
const BALLOTS = {
  raft: {
    ask: (from) => [receive(from, { type: 'VOTE', term: 1, lastIndex: 0 })],
    isYes: ({ type, granted }) => type === 'VOTE_REPLY' && granted === true,
  },
  'quorum-lease': {
    // Promises run out, votes do not.
    ask: (from) => [
      fire('promise'),
      receive(from, { type: 'REQ', term: 1, round: 1, leads: false }),
    ],
    isYes: ({ type }) => type === 'GRANT',
  },
  'zk-slide-quorum': {
    ask: (from) => [receive(from, { type: 'NEW_LEADER', epoch: 1, id: from })],
    isYes: ({ type }) => type === 'ACK',
  },
  'zab-fle': {
    ask: (from) => [
      { type: 'start' },
      fire('silence'),
      receive(from, {
        ...{ type: 'NOTIFICATION', leader: from, zxid: from, peerEpoch: 0 },
        ...{ round: from, state: 'LOOKING' },
      }),
      fire('finalize'),
      receive(from, { type: 'NEWEPOCH', epoch: 1 }),
    ],
    isYes: ({ type, promised }) => type === 'ACKEPOCH' && promised === true,
  },
} satisfies Record<
  QuorumName,
  {
    readonly ask: (from: number) => readonly Event<Message>[];
    readonly isYes: (message: Words) => boolean;
  }
>;

/** A message, whatever its fields. */
type Words = Message & Readonly<Record<string, Json>>;

function receive(from: number, message: Words): Event<Message> {
  return { type: 'deliver', from: toRank(from), message };
}

function fire(timer: string): Event<Message> {
  return { type: 'timeout', timer };
}

/** Only one node is accepted, also after a crash after any effect. */
function givenWordBinds(protocol: QuorumName): string | null {
  const { ask, isYes } = BALLOTS[protocol];
  const live = (events: readonly Event<Message>[]) => lifeOf(protocol, events);
  const whole = live(ask(1));
  const both = live([...ask(1), ...ask(3)]);
  const accepted = [whole, both].map((effects) => yesses(effects, isYes));
  const complaint = complainUnlessSame('accepted, of one, of two', accepted, [1, 1]);
  if (complaint !== null) return complaint;
  return firstComplaint(whole.keys(), (last) => {
    const done = whole.slice(0, last + 1);
    const written = done.findLast((effect) => effect.type === 'persist');
    const persisted = written?.type === 'persist' ? written.fields : null;
    const after = live([{ type: 'recover', persisted }, ...ask(3)]);
    const isTwice = yesses(done, isYes) + yesses(after, isYes) > 1;
    return isTwice ? `a crash after effect ${last}: two are accepted` : null;
  });
}

/** What node 2 of three does about all this. */
function lifeOf(protocol: QuorumName, events: readonly Event<Message>[]): EffectRecord[] {
  const machine = PROTOCOLS[protocol].create({ latencyTicksMax: 1 });
  const state = machine.init(SELF);
  return recorded((effects) => {
    for (const event of events) machine.step(SELF, state, event, effects);
  });
}

function yesses(effects: readonly EffectRecord[], isYes: (message: Words) => boolean): number {
  // Messages are plain data.
  const isSaid = (effect: EffectRecord) => effect.type === 'send' && isYes(effect.message as Words);
  return effects.filter(isSaid).length;
}

function oneLeaderATerm(): string | null {
  return firstComplaint(upTo(400), (number) => {
    const { reigns, value, reason } = runRaftUnderFaults(number);
    return (
      complainUnlessSame(`run ${number}, terms led by two`, doubleTerms(reigns), []) ??
      (value === 'true' ? null : `run ${number}: ${reason}`)
    );
  });
}

/** 2 of three, in term 2, is told of term 1: by its voter, and by its leader. */
function wordsOfEarlierTerms(): string | null {
  const vote = { type: 'VOTE_REPLY', term: 1, granted: true };
  const followed = [
    [fire('election'), fire('election'), receive(3, vote)],
    [receive(3, { type: 'HEARTBEAT', term: 2 }), receive(1, { type: 'HEARTBEAT', term: 1 })],
  ].map((events) => {
    return lifeOf('raft', events).flatMap((effect) =>
      effect.type === 'elect' ? [effect.leader] : [],
    );
  });
  return complainUnlessSame('the leader that it follows', followed, [[], [3]]);
}

/** 2 of three is in term 2 and receives a heartbeat of term 1. */
function oldLeaderLearns(): string | null {
  const events = [receive(3, { type: 'HEARTBEAT', term: 2 })];
  const before = lifeOf('raft', events).length;
  const after = lifeOf('raft', [...events, receive(1, { type: 'HEARTBEAT', term: 1 })]);
  const answers = after
    .slice(before)
    .map((effect) => (effect.type === 'send' ? [effect.to, effect.message] : effect));
  return complainUnlessSame('the answer', answers, [[1, { type: 'HEARTBEAT_REPLY', term: 2 }]]);
}

/** 1 is cut off for many time-outs and comes back: 3 leads on in its term. */
function dryRunDeposesNone(): string | null {
  const { trail } = audited(
    {
      ...{ protocol: 'raft', nodes: 5, seed: SEED, flags: { preVote: 'on' } },
      schedule: scheduleOf(isolated(1, 100, 400)),
    },
    // The others have no time-out before they get a message of 3.
    { ticks: 600, starts: [3] },
  );
  const reigns = trail.map(({ node, epoch }) => [node, epoch]);
  return complainUnlessSame('leader and term', reigns, [[3, 1]]);
}

/** With checkQuorum a leader that is cut off steps down within two time-outs of 30 ticks. */
function unansweredLeader(): string | null {
  const { trail } = audited(
    {
      ...{ protocol: 'raft', nodes: 5, seed: SEED },
      flags: { checkQuorum: 'on', electionTicks: '30' },
      schedule: scheduleOf(isolated(3, 100, null)),
    },
    { ticks: 161, starts: [3] },
  );
  const leads = trail.filter(({ node }) => node === 3).map(({ leads }) => leads);
  return complainUnlessSame('whether 3 leads', leads, [true, false]);
}

/** No disk fails and no node pauses; clocks are 5 % fast, right or 5 % slow. */
function oneMaster(): string | null {
  const flags = { leaseTicks: '60', retryTicks: '19', driftPpm: '50000' };
  return firstComplaint(upTo(60), (number) => {
    const measures = measuresOf(stormOf('quorum-lease', number, flags));
    const { ticksSplit, leadersPerEpochMax } = measures;
    const found = [ticksSplit, leadersPerEpochMax ?? 1];
    return complainUnlessSame(`run ${number}, ticks split, masters a term`, found, [0, 1]);
  });
}

function oneLeaderAnEpoch(): string | null {
  return firstComplaint(upTo(60), (number) => {
    const { leadersPerEpochMax } = measuresOf(stormOf('zk-slide-quorum', number, {}));
    return complainUnlessSame(`run ${number}, leaders an epoch`, leadersPerEpochMax ?? 1, 1);
  });
}

function stormOf(protocol: QuorumName, number: number, flags: Readonly<Record<string, string>>) {
  return stormRun(number, { protocol, kinds: STORM_KINDS, flags, detector: 'links' });
}

/** Skews are the storms' own. The members are fixed. */
const STORM_KINDS = FAULT_KINDS.filter(
  (kind) => !['amnesia', 'join', 'pause', 'skew', 'drift', 'jump'].includes(kind),
);

/** A grant takes 50 ticks to 1; until then its grantor gets only the requests of 3. */
function slowAnswers(): string | null {
  const schedule = scheduleOf(
    { type: 'partition', cut: { kind: 'links', links: [[1, 3]] }, from: 0, to: null },
    { type: 'partition', cut: { kind: 'links', links: [[1, 2]] }, from: 300, to: null },
  );
  return firstComplaint(upTo(20), (number) => {
    const simulation = createSimulation({
      ...{ protocol: 'quorum-lease', nodes: 3, seed: parseSeed(String(number)) },
      flags: { leaseTicks: '1000', driftPpm: '0', retryTicks: '60' },
      links: { type: 'given', factors: [{ from: 2, to: 1, factor: 50 }] },
      ...{ schedule, audit: true },
    });
    simulation.start([1]);
    simulation.advance({ until: 200 });
    simulation.start([3]);
    simulation.advance({ until: 2000 });
    const { ticksSplit, changes } = measuresOf(simulation);
    return complainUnlessSame(`run ${number}, ticks split, changes`, [ticksSplit, changes], [0, 1]);
  });
}

/** Somebody is cut off four times for longer than a lease, every clock 5 % fast or slow. */
function clocksAtTheEdge(): string | null {
  return firstComplaint(upTo(60), (number) => {
    const random = createRandom(parseSeed(String(number)), 'clocks');
    const skews = upTo(3).map((rank): ScheduledFault => {
      return { type: 'skew', rank, numerator: 20, denominator: random.below(2) === 0 ? 19 : 21 };
    });
    const cuts = [1000, 3000, 5000, 7000].map((at) => isolated(1 + random.below(3), at, at + 1500));
    const { measures } = audited(
      {
        ...{ protocol: 'quorum-lease', nodes: 3, seed: parseSeed(String(number)) },
        flags: { leaseTicks: '1000', driftPpm: '50000', retryTicks: '5' },
        schedule: scheduleOf(...skews, ...cuts),
      },
      { ticks: 9000 },
    );
    return complainUnlessSame(`run ${number}, ticks split`, measures.ticksSplit, 0);
  });
}

/** 1 leads by the promise of 2, and neither is left to speak of it when 3 comes. */
function forgetfulVoter(): string | null {
  const schedule = scheduleOf(
    isolated(3, 0, 50),
    isolated(1, 20, null),
    { type: 'crash', rank: 2, at: 20 },
    { type: 'restart', rank: 2, at: 21, amnesia: true },
  );
  const flags = { leaseTicks: '100' };
  const { measures } = audited(
    { protocol: 'quorum-lease', nodes: 3, seed: SEED, flags, schedule },
    { ticks: 400, starts: [1] },
  );
  const { ticksSplit, changes } = measures;
  return complainUnlessSame('ticks split, changes', [ticksSplit, changes], [0, 1]);
}

/** Time-outs too short for the latency: elections get in each other's way. */
function oneLeaderAnEpochOfZab(): string | null {
  return firstComplaint(upTo(60), (number) => {
    const simulation = createSimulation(zabRun(number, { silenceTicks: 70, restart: false }));
    const { verdict } = runElection(simulation);
    const epochs = reignsOf(simulation).map(({ epoch }) => epoch);
    return (
      complainUnlessSame(`run ${number}, epochs`, epochs, [...new Set(epochs)]) ??
      (verdict.value === 'true' ? null : `run ${number}: ${verdict.reason}`)
    );
  });
}
