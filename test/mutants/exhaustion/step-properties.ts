/**
 * @module
 * Properties that seeded bugs violate, and that the checker does not have: what nodes do in single steps, and what their
 * states contain. Each follows from the description of its protocol.
 */

import { honestLive, innermost } from '../../../src/checking/properties/followers.ts';
import type { CheckedProperty, History, Reading } from '../../../src/checking/property.ts';
import type { Json, Message } from '../../../src/election/machine.ts';
import { integerIn } from '../../../src/election/message-members.ts';
import type { Note } from './step-property.ts';
import {
  isBrokenPast,
  isFired,
  isLease,
  isSteppingDown,
  lastOf,
  ofEachStep,
  ofSteps,
  SAFETY,
  sentIn,
} from './step-property.ts';

/** Garcia-Molina (1982): NEW_COORDINATOR counts only from the node that halted this one last. */
const STANDING: Reading<Json> = { of: ({ state }) => innermost(state) };

const INSTALLED_BY_HALTER: CheckedProperty = {
  ...SAFETY,
  name: 'installed-by-halter',
  description: 'the node that halted a node last installs its coordinator',
  readings: [STANDING],
  holds: (view) =>
    honestLive(view).every(({ rank }) => {
      const state = view.factOf(STANDING, rank);
      if (state === null || typeof state !== 'object' || !('status' in state)) return true;
      return state.status !== 'reorganization' || state.coordinator === state.halter;
    }),
  breach: () => 'a node has a coordinator that did not halt it last',
};

/** ANNOUNCE counts only in the election for which the node stands by. */
const ANNOUNCED_AS_PREPARED = ofSteps(
  'announced-as-prepared',
  'a node follows only the node and the election for which it stands by',
  lastOf(
    (step) => [
      ...sentIn(step).flatMap(([to, message]): Note[] =>
        message.type === 'READY' ? [[step.rank, `${to} ${integerIn(message, 'election')}`]] : [],
      ),
      ...step.effects.flatMap((effect): Note[] =>
        effect.type === 'elect' && step.delivered?.message.type === 'ANNOUNCE'
          ? [
              [
                step.rank,
                `follows ${effect.leader} ${integerIn(step.delivered.message, 'election')}`,
              ],
            ]
          : [],
      ),
    ],
    (before, note) => note.startsWith('follows ') && !note.endsWith(` ${before}`),
  ),
  isBrokenPast,
);

/** The highest announces itself when all others stand by: both of two. */
const ALL_READY: History<number, Note> = {
  first: 0,
  notesOf: (step) => [
    ...(step.delivered?.message.type === 'READY' ? [[step.rank, 'ready'] as const] : []),
    ...step.effects.flatMap((effect): Note[] =>
      effect.type === 'elect' && step.delivered?.message.type === 'READY'
        ? [[step.rank, 'leads']]
        : [],
    ),
  ],
  fold: (count, [, what]) => {
    if (what === 'ready') return count < 0 ? count : count + 1;
    return count < 2 ? -1 : count;
  },
};

const LEADS_WHEN_ALL_ARE_READY = ofSteps(
  'leads-when-all-are-ready',
  'a node that prepared leads after READY of both others',
  ALL_READY,
  (count) => count < 0,
);

/** Bully improved: who notices the crash informs the next in line. */
const CRASH_REPORTED = ofEachStep(
  'crash-reported',
  'a node that notices a crash informs another one before it waits',
  ({ action, effects }) =>
    (action.type === 'start' || action.type === 'suspect') &&
    effects.some(({ type }) => type === 'set-timer') &&
    effects.every(({ type }) => type !== 'send'),
);

/** Of two terms the later counts. */
const EPOCHS_RISE = ofSteps(
  'epochs-rise',
  'no node follows a leader of an earlier epoch than before',
  lastOf(
    (step) =>
      step.effects.flatMap((effect): Note[] =>
        effect.type === 'elect' ? [[step.rank, String(effect.epoch)]] : [],
      ),
    (before, note) => Number(note) < Number(before),
  ),
  isBrokenPast,
);

/** A dry run raises no term. */
const TERM: Reading<number> = {
  of({ state }) {
    if (state === null || typeof state !== 'object' || !('term' in state)) return 0;
    return typeof state.term === 'number' ? state.term : 0;
  },
};

const NO_TERM: CheckedProperty = {
  ...SAFETY,
  name: 'no-term',
  description: 'no node that reaches no other begins a term',
  readings: [TERM],
  holds: (view) => view.nodes.every(({ rank }) => view.factOf(TERM, rank) === 0),
  breach: () => 'a node begins a term',
};

/** A leader steps down if no node has answered since its timer was set. There are two nodes. */
const QUORUM_CHECKED = ofSteps(
  'quorum-checked',
  'a leader without answers steps down',
  lastOf(
    (step) => {
      if (step.delivered?.message.type === 'HEARTBEAT_REPLY') return [[step.rank, 'answered']];
      if (step.effects.some((effect) => effect.type === 'elect')) return [[step.rank, 'leads']];
      if (!isFired(step, 'quorum')) return [];
      return [[step.rank, isSteppingDown(step) ? 'down' : 'checked']];
    },
    (before, note) => note === 'checked' && before !== 'answered',
  ),
  isBrokenPast,
);

/** A grant is a promise to one node until its timer fires. */
const PROMISES_KEPT = ofSteps(
  'promises-kept',
  'a node that has promised itself to one grants no other before the promise ends',
  lastOf(
    (step) => [
      ...(isFired(step, 'promise') ? [[step.rank, ''] as const] : []),
      ...sentIn(step).flatMap(([to, { type }]): Note[] =>
        type === 'GRANT' ? [[step.rank, String(to)]] : [],
      ),
    ],
    (before, note) => before !== '' && note !== '' && before !== note,
  ),
  isBrokenPast,
);

/** Gray and Cheriton (1989): the holder counts from the request. */
const COUNTED_FROM_REQUEST = ofEachStep(
  'counted-from-request',
  'a lease counts from its request',
  (step) => {
    const isSet = step.effects.some(
      (effect) => effect.type === 'set-timer' && isLease(effect.timer),
    );
    const isAsked = step.effects.some(
      (effect) =>
        effect.type === 'call' || (effect.type === 'send' && effect.message.type === 'REQ'),
    );
    return isSet && !isAsked;
  },
);

/** Until the answer the lease that is held counts. */
const RENEWED_BY_ANSWER = ofSteps(
  'renewed-by-answer',
  'a request for a renewal changes no lease that is held',
  lastOf(
    (step) => {
      const fired = step.action.type === 'timeout' && isLease(step.action.timer);
      const over = fired ? [[step.rank, `drop ${step.action.timer}`] as const] : [];
      const changes = step.effects.flatMap((effect): Note[] => {
        if (effect.type !== 'set-timer' && effect.type !== 'cancel-timer') return [];
        if (!isLease(effect.timer)) return [];
        const change = effect.type === 'set-timer' ? 'set' : 'drop';
        return [[step.rank, `${isFired(step, 'renew') ? 'renew ' : ''}${change} ${effect.timer}`]];
      });
      return [...over, ...changes];
    },
    (counted, note) => note.startsWith('renew ') && counted.split(' ').includes(timerIn(note)),
    (counted, note) => {
      const others = counted.split(' ').filter((timer) => timer !== '' && timer !== timerIn(note));
      const isSet = note.includes('set ');
      return [...others, ...(isSet ? [timerIn(note)] : [])].toSorted().join(' ');
    },
  ),
  isBrokenPast,
);

/** The timer of a note such as `renew set lease-0`. */
function timerIn(note: string): string {
  return note.split(' ').at(-1) ?? '';
}

/** Hirschberg and Sinclair (1980): a question reaches `hopsMax` nodes. */
const WITHIN_REACH = ofEachStep('within-reach', 'no question goes beyond its reach', (step) =>
  sentIn(step).some(
    ([, message]) =>
      message.type === 'FROM' && integerIn(message, 'hops') >= integerIn(message, 'hopsMax'),
  ),
);

/** A candidate doubles its reach after OK from both sides. */
const BOTH_ANSWERS = ofSteps(
  'both-answers',
  'a candidate goes on after two answers',
  lastOf(
    (step) => {
      const { rank, delivered } = step;
      const isOwn = (message: Message) => integerIn(message, 'candidate') === rank;
      const isOk = delivered?.message.type === 'OK' && isOwn(delivered.message);
      const goesOn = sentIn(step).some(
        ([, message]) =>
          message.type === 'FROM' && isOwn(message) && integerIn(message, 'hopsMax') > 1,
      );
      return [
        ...(isOk ? [[rank, `ok from ${delivered.from}`] as const] : []),
        ...(goesOn ? [[rank, 'on'] as const] : []),
      ];
    },
    (before, note) => note === 'on' && before !== 'both',
    (before, note) => {
      if (note === 'on') return '';
      return before === '' || before === note ? note : 'both';
    },
  ),
  isBrokenPast,
);

/** Peterson's prose: the winner holds the ID of another node, so that the highest never leads. */
const NEVER_HIGHEST: CheckedProperty = {
  ...SAFETY,
  name: 'never-highest',
  description: 'the highest node does not lead',
  holds: (view) => view.nodes.at(-1)?.leader !== view.nodes.length,
  breach: () => 'the highest node leads',
};

/** A leader has a lease that has not run out. */
const LEASED: Reading<boolean> = { of: ({ timers }) => timers.some(({ timer }) => isLease(timer)) };

const LEADS_BY_LEASE: CheckedProperty = {
  ...SAFETY,
  name: 'leads-by-lease',
  description: 'a node that leads counts a lease',
  readings: [LEASED],
  holds: (view) =>
    honestLive(view).every(({ rank, leader }) => leader !== rank || view.factOf(LEASED, rank)),
  breach: () => 'a node leads without a lease',
};

/** Each node watches the one before it, so that one node looks when a leader goes. */
const WATCHED: Reading<string> = {
  of({ state }) {
    if (state === null || typeof state !== 'object' || !('watched' in state)) return '';
    return typeof state.watched === 'string' ? state.watched : '';
  },
};

const NO_HERD: CheckedProperty = {
  ...SAFETY,
  name: 'no-herd',
  description: 'no two nodes watch the same znode',
  partner: null,
  readings: [WATCHED],
  holds(view) {
    const watched = view.nodes.map(({ rank }) => view.factOf(WATCHED, rank)).filter((name) => name);
    return new Set(watched).size === watched.length;
  },
  breach: () => 'two nodes watch the same znode',
};

/** A watch is set again with each ping, because its event may be lost. */
const WATCH_RENEWED = ofSteps(
  'watch-renewed',
  'a ping of a node that watches renews its watch',
  lastOf(
    (step) => {
      if (step.delivered?.message.type === 'STAT') return [[step.rank, 'watches']];
      return step.effects.flatMap((effect): Note[] => {
        if (effect.type !== 'call') return [];
        const { operation } = effect;
        if (operation.type !== 'PING') return [[step.rank, operation.type]];
        return 'watch' in operation && operation.watch === null ? [[step.rank, 'bare ping']] : [];
      });
    },
    (before, note) => note === 'bare ping' && before === 'watches',
  ),
  isBrokenPast,
);

/** A RELEASE frees only the lease of its own epoch. */
const RELEASED_BY_EPOCH = ofSteps(
  'released-by-epoch',
  'a RELEASE ends only the lease of its epoch',
  lastOf(
    (step) => [
      ...sentIn(step).flatMap(([, message]): Note[] =>
        message.type === 'GRANTED' ? [[step.rank, String(integerIn(message, 'epoch'))]] : [],
      ),
      ...step.effects.flatMap((effect): Note[] =>
        effect.type === 'cancel-timer' && step.delivered?.message.type === 'RELEASE'
          ? [[step.rank, `release ${integerIn(step.delivered.message, 'epoch')}`]]
          : [],
      ),
    ],
    (before, note) => note.startsWith('release ') && note !== `release ${before}`,
  ),
  isBrokenPast,
);

export const STEP_PROPERTIES: readonly CheckedProperty[] = [
  ...[INSTALLED_BY_HALTER, ANNOUNCED_AS_PREPARED, LEADS_WHEN_ALL_ARE_READY],
  ...[WITHIN_REACH, BOTH_ANSWERS, NEVER_HIGHEST],
  ...[CRASH_REPORTED, EPOCHS_RISE, NO_TERM, QUORUM_CHECKED, PROMISES_KEPT],
  ...[COUNTED_FROM_REQUEST, RENEWED_BY_ANSWER, LEADS_BY_LEASE],
  ...[NO_HERD, WATCH_RENEWED, RELEASED_BY_EPOCH],
];
