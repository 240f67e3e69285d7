/**
 * @module
 * This folder turns paths of the search into traces of the reference semantics, addresses, and walks by hand. The actions
 * of a path are carried out again (election/world.ts): what is reported as a violation was seen there, too. A search that is shifted visits worlds with lower terms. The path
 * is carried out with the real ones.
 */

import type { EffectRecord } from '../../election/world/effect-record.ts';
import type { Action, LinkEvent, Obstacle } from '../../election/world/world.ts';
import { applyTraced, createWorld } from '../../election/world/world.ts';
import type { World } from '../../election/world/world-state.ts';
import { isFault, JUMPED_FROM, KIND, kindOf, nodeIn, reportIn, valueIn } from '../action-codes.ts';
import { canonicalText } from '../interner.ts';
import type { Packed } from '../layout.ts';
import { emptyPacked } from '../layout.ts';
import type { LocalSteps, Sent } from '../local-steps.ts';
import { assertActions } from '../packed/faults.ts';
import type { Worlds } from '../worlds.ts';

export interface TracedAction {
  readonly action: Action | LinkEvent;
  readonly effects: readonly EffectRecord[];
  /** Whether the message of a delivery is lost, because its recipient is down. */
  readonly dropped: boolean;
  /** Why the message is lost when it is sent; null for all else. */
  readonly lost: Obstacle | null;
}

export interface Trace {
  readonly actions: readonly TracedAction[];
  /** The world after the last action. */
  readonly end: TracedWorld;
  /** For each step of the path, the index of its action among those that were possible. */
  readonly address: readonly number[];
}

/** A world of the check, in both forms. */
export interface TracedWorld {
  readonly world: World;
  readonly packed: Packed;
  /** By how much each counter of the protocol is higher than in the packed form. */
  readonly raised: readonly number[];
}

/** The first world. */
export function firstTraced(worlds: Worlds): TracedWorld {
  const { cast, crashedBefore, absent = [], phantoms = [] } = worlds.instance;
  const packed = emptyPacked();
  worlds.first(packed);
  const world = createWorld(cast, crashedBefore, [...absent, ...phantoms]);
  return { world, packed, raised: (worlds.shift?.counters ?? []).map(() => 0) };
}

/** Carries out a possible action. Throws RangeError if the reference semantics does not allow it, which is a bug. */
export function traceStep(
  worlds: Worlds,
  from: TracedWorld,
  code: number,
): { readonly to: TracedWorld; readonly actions: readonly TracedAction[] } {
  const packed = emptyPacked();
  worlds.apply(from.packed, code, packed);
  // A sleeping node hears nothing. If all nodes sleep, a request to leave changes nothing.
  const isUnheard = kindOf(code) === KIND.enter && valueIn(code) === 1;
  const parts = worlds.parts.length > 0 || isUnheard ? [...worlds.parts] : [code];
  const { cast } = worlds.instance;
  let { world } = from;
  const actions: TracedAction[] = [];
  const obstacleOf = (sender: number, to: number): Obstacle | null => {
    if (worlds.steps.isCut(sender, to)) return 'no-link';
    return worlds.isSplit(packed, sender, to) ? 'partition' : null;
  };
  /** Returns the messages that a partition or a missing link loses when they are sent. */
  const act = (action: Action, why: Obstacle | null): { id: number; obstacle: Obstacle }[] => {
    const next = applyTraced(cast, world, action);
    const dropped = action.type === 'deliver' && next.world.dropped > world.dropped;
    const before = new Set(world.inFlight.map(({ id }) => id));
    world = next.world;
    actions.push({ action, effects: next.effects, dropped, lost: why });
    const sent = action.type === 'duplicate' ? [] : world.inFlight;
    return sent.flatMap(({ id, from: sender, to }) => {
      const obstacle = obstacleOf(sender, to);
      return before.has(id) || obstacle === null ? [] : [{ id, obstacle }];
    });
  };
  for (const part of parts) {
    if (kindOf(part) === KIND.split) {
      actions.push({ action: linkEvent(worlds, packed), effects: [], dropped: false, lost: null });
      continue;
    }
    for (const action of actionsOf(part, world, worlds, from.raised)) {
      for (const { id, obstacle } of act(action, null)) {
        act({ type: 'drop', message: id }, obstacle);
      }
    }
  }
  const raised = from.raised.map((by, counter) => by + (worlds.shift?.lowered[counter] ?? 0));
  return { to: { world, packed, raised }, actions };
}

/** Carries out a path of possible actions, from the first world if no other is given. */
export function traceOf(
  worlds: Worlds,
  path: readonly number[],
  from: TracedWorld = firstTraced(worlds),
): Trace {
  let end = from;
  const actions: TracedAction[] = [];
  const address: number[] = [];
  for (const code of path) {
    const step = traceStep(worlds, end, code);
    address.push(indexOfAction(worlds, end.packed, code));
    actions.push(...step.actions);
    end = step.to;
  }
  return { actions, end, address };
}

/** The partition that has begun in this world, or its end. */
function linkEvent(worlds: Worlds, packed: Packed): LinkEvent {
  const cut = worlds.cutIn(packed);
  return cut === null ? { type: 'heal' } : { type: 'partition', ...cut };
}

/** The actions of a step. A lie is an instruction that a free Byzantine node gets from itself. */
function actionsOf(
  code: number,
  world: World,
  worlds: Worlds,
  raised: readonly number[],
): Action[] {
  const node = nodeIn(code);
  switch (kindOf(code)) {
    case KIND.lie: {
      const { message } = worlds.steps.messages.valueOf(valueIn(code));
      const effects = [{ type: 'send' as const, to: node, message }];
      return [
        { type: 'inject', node, effects },
        { type: 'deliver', message: world.sent },
      ];
    }
    default:
      return [actionOf(code, world, worlds, raised)];
  }
}

function actionOf(
  code: number,
  world: World,
  { steps, shift }: Worlds,
  raised: readonly number[],
): Action {
  const report = reportIn(code);
  if (report !== null) return report;
  const messageOf = (number: number) => {
    const sent = steps.messages.valueOf(number);
    return shift === null ? sent : shift.raised(sent, raised);
  };
  const node = nodeIn(code);
  const value = valueIn(code);
  switch (kindOf(code)) {
    case KIND.start:
      return { type: 'start', node };
    case KIND.deliver:
      return { type: 'deliver', message: flightOf(world, messageOf(value)) };
    case KIND.drop:
      return { type: 'drop', message: flightOf(world, messageOf(value)) };
    case KIND.duplicate:
      return { type: 'duplicate', message: flightOf(world, messageOf(value)) };
    case KIND.timeout:
      return { type: 'timeout', node, timer: steps.timers.valueOf(value) };
    case KIND.choose:
      return { type: 'choose', node, value };
    case KIND.name:
      return { type: 'choose', node, value: steps.nameIn(code) };
    case KIND.suspect:
      return { type: 'suspect', node, about: value };
    case KIND.crash:
      return { type: 'crash', node };
    case KIND.enter:
      return { type: 'enter', node };
    case KIND.recover:
      return { type: 'recover', node, amnesia: value === 1 };
    case KIND.pause:
      return { type: 'pause', node };
    case KIND.resume:
      return { type: 'resume', node };
    default:
      throw new RangeError(`"code" expected an action, got ${code}`);
  }
}

/** The id of the oldest message in flight that is this one. Equal messages of one link are exchangeable. */
function flightOf(world: World, sent: Sent): number {
  const text = canonicalText(sent.message);
  const flight = world.inFlight.find(
    ({ from, to, message }) =>
      from === sent.from && to === sent.to && canonicalText(message) === text,
  );
  if (flight === undefined) throw new RangeError('"message" expected one in flight');
  return flight.id;
}

/** The codes of the possible actions: those of the protocol and its network, then those of the environment. */
export function orderedCodes(worlds: Worlds, packed: Packed): number[] {
  const codes: number[] = [];
  worlds.enabled(packed, codes);
  worlds.faults(packed, codes);
  assertActions(worlds.instance, codes.length);
  const keyed = codes.map((code) => ({ code, text: subjectOf(code, worlds.steps) }));
  return keyed
    .toSorted(
      (one, other) =>
        Number(isFault(one.code)) - Number(isFault(other.code)) ||
        kindOf(one.code) - kindOf(other.code) ||
        nodeIn(one.code) - nodeIn(other.code) ||
        (one.text < other.text ? -1 : Number(one.text > other.text)),
    )
    .map(({ code }) => code);
}

/** What distinguishes actions of one kind and node, as text. */
export function subjectOf(code: number, steps: LocalSteps): string {
  const value = valueIn(code);
  switch (kindOf(code)) {
    case KIND.deliver:
    case KIND.drop:
    case KIND.duplicate:
    case KIND.lie:
      return steps.messages.textOf(value);
    case KIND.timeout:
      return steps.timers.valueOf(value);
    case KIND.enter:
      return value < JUMPED_FROM ? String(value) : steps.timers.valueOf(value - JUMPED_FROM);
    case KIND.name:
      return '';
    default:
      return String(value).padStart(8, '0');
  }
}

/** The index of an action among those that are possible. Throws RangeError if it is not one of them. */
function indexOfAction(worlds: Worlds, packed: Packed, code: number): number {
  const index = orderedCodes(worlds, packed).indexOf(code);
  if (index < 0) throw new RangeError(`"path" expected possible actions, got ${code}`);
  return index;
}
