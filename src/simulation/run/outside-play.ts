/**
 * @module
 * How programs elsewhere play in a run, between two of its steps: they enter places that are open, read
 * what their nodes were told, answer it, and say what they like in anybody's name, as far as the level
 * lets them. What no run could do is refused with LabError `arguments`, what this one cannot do now with
 * `election.conflict`, and nothing has changed then.
 */

import type { OutsideEffect } from '../../election/world/outside.ts';
import { LabError } from '../../errors.ts';

import { earlierNames, electionName } from '../cast/election-name.ts';
import { assertInteger } from '../plan/assertions.ts';
import { TICKS_LIMIT } from '../plan/time-limits.ts';
import { enter, liveRanks, wake } from './environment.ts';
import type { InboxView } from './inboxes.ts';
import type { Run } from './status.ts';

/** Of one injection. */
export const INJECTED_EFFECTS_LIMIT = 1_000;
/** Of a timer's name, and of a message's type. */
export const NAME_CHARACTERS_MAX = 100;

export interface OutsidePlay {
  /**
   * Carries out what no machine did. Messages may be in the name of any place, whoever holds it and
   * whether it is up or not, but at L1 of nodes from outside alone, since there the network knows its
   * senders; calls of the store and all else are for a live node from outside. What is said while its
   * events are unanswered is an answer; anything else gives an advance to `idle` its patience anew.
   */
  inject(node: number, effects: readonly OutsideEffect[]): void;
  /** Somebody from outside takes a place that is open: others hear of it, and it is told to start. */
  enter(rank: number, player: { readonly waits: boolean }): void;
  /** What a node from outside was told and has not answered. */
  inbox(rank: number): InboxView;
  /** Its events up to this number are answered, and it is awaited again; first what it says, then this. */
  answered(rank: number, through: number): void;
  /** Nobody waits for this node until it answers again. */
  lapse(rank: number): void;
  /** What signatures that are for one election are for at present. */
  electionName(): string;
  /** What they were for in words that may be under way still, the newest first. */
  earlierNames(): readonly string[];
}

export function outsidePlayIn(run: Run): OutsidePlay {
  const { plan, environment, engine, inboxes } = run;
  const members = () => plan.nodes - environment.absent.size;
  return {
    inject(node, effects) {
      assertInjection(run, node, effects);
      if (effects.length === 0) return;
      if (inboxes?.isBehind(node) === true) {
        run.answersUntil = engine.now + plan.timing.latencyTicksMax;
      } else {
        begin(run);
      }
      engine.inject(node, effects);
    },
    enter(rank, { waits }) {
      assertInteger('enter: rank', rank, { min: 1, max: plan.nodes });
      if (inboxes === null || !plan.openings.includes(rank)) {
        const open = plan.openings.length === 0 ? 'none is' : `open are ${plan.openings}`;
        throw refusal(`place ${rank} is not open; ${open}`);
      }
      if (!environment.absent.has(rank)) throw conflict(`place ${rank} is taken`);
      begin(run);
      inboxes.open(rank, waits);
      enter(environment, rank);
    },
    inbox: (rank) => inboxesOf(run, rank).view(rank),
    answered: (rank, through) => inboxesOf(run, rank).answered(rank, through),
    lapse: (rank) => inboxesOf(run, rank).lapse(rank),
    electionName: () => electionName(plan, members()),
    earlierNames: () => earlierNames(plan, members()),
  };
}

/** As a suspicion from outside does: with detectors on the nodes, whoever is up runs one from now on. */
function begin(run: Run): void {
  const { plan, environment, engine } = run;
  if (plan.detector !== null && run.lastIntervention === null)
    wake(environment, liveRanks(environment));
  run.lastIntervention = engine.now;
}

function inboxesOf({ inboxes }: Run, rank: number) {
  if (inboxes === null) throw refusal(`node ${rank} is not played from outside`);
  return inboxes;
}

function assertInjection(run: Run, node: number, effects: readonly OutsideEffect[]): void {
  const { plan, engine, inboxes } = run;
  assertInteger('inject: node', node, { min: 1, max: plan.nodes });
  if (plan.level === null) {
    throw refusal('messages are not looked at in this election; make it with level L0 or higher');
  }
  if (effects.length > INJECTED_EFFECTS_LIMIT) {
    throw refusal(`effects has more than ${INJECTED_EFFECTS_LIMIT} entries`);
  }
  const isOutside = inboxes?.has(node) === true;
  if (plan.level === 'L1' && !isOutside) {
    throw refusal(
      `at L1 the network knows its senders: nobody speaks for node ${node} but whoever plays it`,
    );
  }
  for (const effect of effects) {
    assertEffect(run, effect);
    if (effect.type === 'send' && effect.to <= plan.nodes) continue;
    if (!isOutside) {
      throw refusal(`node ${node} is not played from outside: in its name nothing but messages`);
    }
    if (!engine.isUp(node)) throw conflict(`node ${node} is down at ${engine.now}`);
    if (engine.isPaused(node)) throw conflict(`node ${node} is paused at ${engine.now}`);
  }
}

function assertEffect({ plan }: Run, effect: OutsideEffect): void {
  switch (effect.type) {
    case 'send': {
      assertInteger('send: to', effect.to, { min: 1, max: plan.store ?? plan.nodes });
      const { message } = effect;
      // Whatever the type says, it comes from outside.
      const type = typeof message === 'object' && message !== null ? message.type : undefined;
      assertName('send: message.type', type);
      break;
    }
    case 'set-timer':
      assertName('set-timer: timer', effect.timer);
      // One that fires again within its tick would never let the next tick come.
      assertInteger('set-timer: ticks', effect.ticks, {
        min: effect.periodic ? 1 : 0,
        max: TICKS_LIMIT,
      });
      break;
    case 'cancel-timer':
      assertName('cancel-timer: timer', effect.timer);
      break;
    case 'elect':
      assertInteger('elect: leader', effect.leader, { min: 1, max: plan.nodes });
      assertInteger('elect: epoch', effect.epoch, { min: 0, max: Number.MAX_SAFE_INTEGER });
      break;
    case 'step-down':
      break;
    default:
      effect satisfies never;
  }
}

function assertName(name: string, value: unknown): void {
  const isName =
    typeof value === 'string' && value.length > 0 && value.length <= NAME_CHARACTERS_MAX;
  if (!isName) throw refusal(`${name} has 1..${NAME_CHARACTERS_MAX} characters`);
}

/** What another state would allow. */
function conflict(detail: string): LabError {
  return new LabError('election.conflict', detail);
}

function refusal(detail: string): LabError {
  return new LabError('arguments', detail);
}
