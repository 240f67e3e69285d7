/**
 * @module
 * The replicated log of Raft around its election (D. Ongaro and J. Ousterhout, USENIX ATC 2014, sections 5.3 and 5.4;
 * reads and the transfer of leadership: Ongaro's dissertation, 2014, sections 6.4 and 3.10). The machine of raft.ts elects
 * as without a log. This file turns its heartbeats into APPEND, and refuses candidates whose log is not up to date.
 *
 * Invariants: (1) entries are on disk before a message confirms them; (2) a leader changes no entry that it has; (3) logs that
 * agree at an index agree before it; (4) a leader counts replicas only for entries of its own term (figure 8); (5) a
 * leader of a later term has every committed entry, as long as disks keep entries and votes compare last terms. There are
 * no snapshots: a log is as long as all that was written.
 */

import type { Asked, Content } from '../client-operations.ts';
import { askedIn } from '../client-operations.ts';
import { intercepted } from '../intercepted.ts';
import { askTenure, endTenure, holdTenure, lapse, noTenure } from '../lease/tenure.ts';
import type { Effects, Event, Machine, Rank, Self } from '../machine.ts';
import { countOf, integerIn } from '../message-members.ts';
import { isPeer, TERM_LIMIT } from './majority.ts';
import type { LogMessage, RaftLog } from './raft-entries.ts';
import {
  applied,
  createLog,
  endOf,
  entriesIn,
  entryIn,
  entryOf,
  firstEntry,
  isUpToDate,
  leadership,
  termAt,
  transferIn,
} from './raft-entries.ts';
import type { Configured } from './raft-members.ts';
import { configured, isMajority, votersOf } from './raft-members.ts';
import type { LogOptions, RaftMessage, RaftState } from './raft-step.ts';
import { recordOf } from './raft-step.ts';

interface Step {
  readonly inner: Machine<RaftState, RaftMessage>;
  readonly options: LogOptions;
  readonly self: Self;
  readonly state: RaftState;
  readonly log: RaftLog;
  readonly effects: Effects<RaftMessage>;
}

/** The machine of raft.ts with a log. */
export function createRaftLog(
  inner: Machine<RaftState, RaftMessage>,
  options: LogOptions,
): Machine<RaftState, RaftMessage> {
  return {
    init: (self) => ({ ...inner.init(self), log: createLog([]), tenure: noTenure() }),
    step(self, state, event, effects) {
      if (event.type === 'recover') state.log = createLog(entriesIn(event.persisted));
      const log = state.log ?? createLog([]);
      const step = { inner, options, self, state, log, effects };
      if (state.role === 'halted' && event.type !== 'recover') stepInner(step, event);
      else act(step, event);
    },
  };
}

function act(step: Step, event: Event<RaftMessage>): void {
  const { self, state, log } = step;
  switch (event.type) {
    case 'deliver':
      if (isPeer(self, event.from) && countOf(event.message.term) !== null) deliver(step, event);
      break;
    case 'timeout':
      if (state.tenure && lapse(state.tenure, event.timer) !== null) return;
      // A lease counts from when the messages that ask for it are sent.
      if (event.timer === 'heartbeat' && state.role === 'leader') askForLease(step);
      stepInner(step, event);
      break;
    case 'request': {
      const asked = askedIn(event.value);
      const heir = transferIn(event.value);
      if (asked !== null) onAsked(step, asked);
      else if (heir !== null && state.role === 'leader' && isPeer(self, heir)) {
        // The heir must not lack an entry, or it would lose the election.
        if (log.matched[String(heir)] !== log.entries.length) return;
        step.effects.send(heir, { type: 'TIMEOUT_NOW', term: state.term });
      } else stepInner(step, event);
      break;
    }
    default:
      stepInner(step, event);
  }
}

type Delivery = Event<RaftMessage> & { readonly type: 'deliver' };

function deliver(step: Step, event: Delivery): void {
  const { state, log, options } = step;
  const { message, from } = event;
  switch (message.type) {
    case 'VOTE':
    case 'PRE_VOTE': {
      const own = endOf(log.entries);
      const lastTerm = options.lastTerm === 'ignored' ? 0 : own.lastTerm;
      const theirs = {
        lastIndex: message.lastIndex,
        lastTerm: options.lastTerm === 'ignored' ? 0 : integerIn(message, 'lastTerm'),
      };
      const isFit = isUpToDate(theirs, { ...own, lastTerm });
      // No log without entries is longer than the one, or shorter than the other.
      stepInner(step, {
        ...event,
        message: { ...message, lastIndex: isFit ? TERM_LIMIT : -1 },
      });
      break;
    }
    case 'APPEND':
      onAppend(step, message, from);
      break;
    case 'APPEND_REPLY':
      stepInner(step, {
        ...event,
        message: { type: 'HEARTBEAT_REPLY', term: message.term, ...membersIn(message) },
      });
      onAppendReply(step, message, from);
      break;
    case 'TIMEOUT_NOW':
      if (message.term !== state.term || state.leader !== from) return;
      stepInner(step, { type: 'timeout', timer: 'election' });
      break;
    default:
      stepInner(step, event);
  }
}

/** A step of the election, whose messages carry what the log adds to them. */
function stepInner(step: Step, event: Event<RaftMessage>, reply?: (term: number) => void): void {
  const { inner, self, state, log, effects } = step;
  const wasLeader = state.role === 'leader';
  inner.step(self, state, event, {
    // This collector takes any message; the two functions below replace those that depend on its type.
    ...intercepted(effects as Effects<never>, {}),
    send(to, message) {
      if (message.type === 'HEARTBEAT') append(step, to);
      else if (message.type === 'HEARTBEAT_REPLY' && reply !== undefined) reply(message.term);
      else if (message.type === 'VOTE' || message.type === 'PRE_VOTE') {
        effects.send(to, { ...message, ...endOf(log.entries) });
      } else effects.send(to, message);
    },
    elect(leader, epoch) {
      effects.elect(leader, epoch);
      if (leader === self.rank) begin(step);
    },
  });
  if (wasLeader && state.role !== 'leader' && state.tenure) endTenure(state.tenure, effects);
}

/** A new leader knows nothing of the logs of others, and begins with an entry of its term. */
function begin(step: Step): void {
  const { self, state, log } = step;
  Object.assign(log, leadership());
  for (const member of self.members) log.next[String(member)] = log.entries.length + 1;
  log.entries.push(firstEntry(state.term));
  save(step);
  askForLease(step);
  commitReplicated(step);
}

function askForLease({ state, log, options, effects }: Step): void {
  log.round += 1;
  if (options.reads !== 'lease' || !state.tenure) return;
  log.leaseRound = log.round;
  askTenure(state.tenure, options.electionTicks, effects);
}

/** Puts term, vote and entries on disk. */
function save({ state, effects }: Step): void {
  effects.persist(recordOf(state));
}

/** Sends a follower the next entry that it may lack, or a heartbeat. */
function append({ state, log, effects }: Step, to: Rank): void {
  const prevIndex = (log.next[String(to)] ?? 1) - 1;
  const entry = log.entries[prevIndex] ?? firstEntry(0);
  const { commit, round } = log;
  const prevTerm = termAt(log.entries, prevIndex);
  const { term } = state;
  const message = { type: 'APPEND', term, prevIndex, prevTerm, commit, round } as const;
  effects.send(to, { ...message, ...entry, ...configured(state) });
}

function appendToAll(step: Step): void {
  for (const member of step.self.members) if (member !== step.self.rank) append(step, member);
}

/** A heartbeat of the leader, and the part of its log that follows an index. */
function onAppend(step: Step, message: LogMessage & { readonly type: 'APPEND' }, from: Rank): void {
  const { state, log, effects } = step;
  const { term, prevIndex, prevTerm, round } = message;
  let answer: number | null = null;
  const heartbeat = { type: 'HEARTBEAT', term, ...membersIn(message) } as const;
  stepInner(step, { type: 'deliver', from, message: heartbeat }, (own) => {
    answer = own;
  });
  const isFollower = state.role === 'follower' && state.term === term && state.leader === from;
  if (!isFollower) {
    const stale = { fits: false, matched: 0, round: 0 };
    if (answer === null) return;
    effects.send(from, { type: 'APPEND_REPLY', term: answer, ...stale, ...configured(state) });
    return;
  }
  const fits = prevIndex <= log.entries.length && termAt(log.entries, prevIndex) === prevTerm;
  const entry = fits ? entryIn(message) : null;
  if (entry !== null && termAt(log.entries, prevIndex + 1) !== entry.entryTerm) {
    // What follows is of another leader, and not committed.
    log.entries.splice(prevIndex, log.entries.length, entry);
    save(step);
  }
  const matched = fits
    ? prevIndex + (entry === null ? 0 : 1)
    : Math.min(Math.max(prevIndex - 1, 0), log.entries.length);
  if (fits) applyUpTo(step, Math.min(message.commit, matched));
  const reply = { type: 'APPEND_REPLY', term, fits, matched, round } as const;
  effects.send(from, { ...reply, ...configured(state) });
}

function onAppendReply(
  step: Step,
  { term, fits, matched, round }: LogMessage & { readonly type: 'APPEND_REPLY' },
  from: Rank,
): void {
  const { state, log } = step;
  if (state.role !== 'leader' || term !== state.term || matched > log.entries.length) return;
  const name = String(from);
  log.answered[name] = Math.max(log.answered[name] ?? 0, Math.min(round, log.round));
  if (fits) log.matched[name] = Math.max(log.matched[name] ?? 0, matched);
  const known = log.matched[name] ?? 0;
  const before = log.next[name];
  log.next[name] = fits
    ? known + 1
    : Math.max(known + 1, Math.min(matched + 1, log.next[name] ?? 1));
  // What a reply to a repetition asks for is on its way, or is sent again with the next heartbeat.
  if (log.next[name] !== before && log.next[name] <= log.entries.length) append(step, from);
  commitReplicated(step);
  onRound(step);
}

/** The last entry that a majority has is committed if it is of this term, and with it what is before it. */
function commitReplicated(step: Step): void {
  const { state, log } = step;
  let index = log.entries.length;
  while (index > log.commit && !hasMajority(step, log.matched, index)) index -= 1;
  if (termAt(log.entries, index) === state.term) applyUpTo(step, index);
}

/** Whether this number of a majority of the members that count is at least so high. That of the leader itself is. */
function hasMajority(
  step: Step,
  numbers: Readonly<Record<string, number>>,
  least: number,
): boolean {
  const own = step.self.rank;
  const some = votersOf(step).filter(
    (member) => member === own || (numbers[String(member)] ?? 0) >= least,
  );
  return isMajority(step, some);
}

/** The members that a message states, if it does. */
function membersIn({ configuration }: Configured): Configured {
  return configuration === undefined ? {} : { configuration };
}

/** Applies what is committed. The leader of the term answers the client. */
function applyUpTo({ state, log, effects }: Step, index: number): void {
  while (log.commit < index) {
    const entry = log.entries[log.commit];
    log.commit += 1;
    const done = entry && applied(log.content, entry);
    if (!entry || !done) continue;
    log.content = done.content;
    const { client, serial, entryTerm } = entry;
    if (state.role !== 'leader' || entryTerm !== state.term) continue;
    effects.respond({ client, serial, output: done.output });
  }
}

/** A client asks this node. One that does not lead has done nothing. */
function onAsked(step: Step, asked: Asked): void {
  const { state, log, options, effects } = step;
  const { client, serial, input } = asked;
  if (state.role !== 'leader') {
    effects.respond({ client, serial, output: null });
  } else if (input.type !== 'read') {
    log.entries.push(entryOf(asked, state.term));
    save(step);
    appendToAll(step);
    commitReplicated(step);
  } else if (options.reads === 'local' || (state.tenure?.held ?? null) !== null) {
    answerRead(step, { client, serial });
  } else {
    log.round += 1;
    log.reads.push({ client, serial, round: log.round });
    appendToAll(step);
    onRound(step);
  }
}

/**
 * A majority that has answered a round proves that no later leader had been elected when the round began. It does not
 * prove what is committed before the first entry of this term is.
 */
function onRound(step: Step): void {
  const { state, log, effects } = step;
  const isConfirmed = (round: number) => hasMajority(step, log.answered, round);
  if (
    state.tenure?.asked !== undefined &&
    state.tenure.asked !== null &&
    isConfirmed(log.leaseRound)
  ) {
    holdTenure(state.tenure, effects);
  }
  if (termAt(log.entries, log.commit) !== state.term) return;
  const ready = log.reads.filter(({ round }) => isConfirmed(round));
  log.reads = log.reads.filter((read) => !ready.includes(read));
  for (const read of ready) answerRead(step, read);
}

function answerRead(
  { log, effects }: Step,
  { client, serial }: { readonly client: number; readonly serial: number },
): void {
  const value: Content = log.content;
  effects.respond({ client, serial, output: { value } });
}
