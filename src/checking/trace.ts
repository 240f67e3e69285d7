/**
 * @module
 * A path of the search as actions of the reference semantics (election/world.ts), which carries them out again: what
 * is reported as a violation was seen there, too.
 */

import type { EffectRecord } from '../election/world/effect-record.ts';
import type { Action } from '../election/world/world.ts';
import { applyTraced, createWorld } from '../election/world/world.ts';
import type { World } from '../election/world/world-state.ts';
import { KIND, kindOf, nodeIn, valueIn } from './action-codes.ts';
import { canonicalText } from './interner.ts';
import type { LocalSteps, Sent } from './local-steps.ts';
import type { Worlds } from './worlds.ts';
import { emptyPacked } from './worlds.ts';

export interface TracedAction {
  readonly action: Action;
  readonly effects: readonly EffectRecord[];
  /** Whether the message of a delivery is lost, because its recipient is down. */
  readonly dropped: boolean;
}

export interface Trace {
  readonly actions: readonly TracedAction[];
  /** The world after the last action. */
  readonly world: World;
}

/** Carries out a path. Throws RangeError if the reference semantics does not allow it, which is a bug. */
export function traceOf(worlds: Worlds, path: readonly number[]): Trace {
  const { cast, crashedBefore } = worlds.instance;
  let world = createWorld(cast, crashedBefore);
  const actions: TracedAction[] = [];
  const act = (action: Action) => {
    const next = applyTraced(cast, world, action);
    const dropped = action.type === 'deliver' && next.world.dropped > world.dropped;
    world = next.world;
    actions.push({ action, effects: next.effects, dropped });
    // What is sent where no link is, is lost at once.
    const cut = world.inFlight.find(({ from, to }) => worlds.steps.isCut(from, to));
    if (cut !== undefined) act({ type: 'drop', message: cut.id });
  };
  let [source, target] = [emptyPacked(), emptyPacked()];
  worlds.first(source);
  for (const code of path) {
    worlds.apply(source, code, target);
    const reports = worlds.returnsReported.map((report): Action => ({ type: 'trust', ...report }));
    const action = actionOf(code, world, worlds.steps);
    // A return is reported before the first step of the node. What a paused node missed, it gets afterwards.
    const inOrder = action.type === 'recover' ? [...reports, action] : [action, ...reports];
    for (const each of inOrder) act(each);
    [source, target] = [target, source];
  }
  return { actions, world };
}

function actionOf(code: number, world: World, steps: LocalSteps): Action {
  const messageOf = (number: number) => steps.messages.valueOf(number);
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
