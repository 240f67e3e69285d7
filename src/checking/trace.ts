/**
 * @module
 * A path of the search as actions of the reference semantics (election/world.ts), which carries them out again: what
 * is reported as a violation was seen there, too.
 */

import type { Cast } from '../election/world/cast.ts';
import type { EffectRecord } from '../election/world/effect-record.ts';
import type { Action } from '../election/world/world.ts';
import { applyTraced, createWorld } from '../election/world/world.ts';
import type { World } from '../election/world/world-state.ts';
import { KIND, kindOf, nodeIn, valueIn } from './action-codes.ts';
import { canonicalText } from './interner.ts';
import type { LocalSteps, Sent } from './local-steps.ts';
import type { Search } from './search.ts';

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
export function traceOf({ worlds: { instance, steps } }: Search, path: readonly number[]): Trace {
  const { cast, crashedBefore } = instance;
  let world = createWorld(cast, crashedBefore);
  const actions: TracedAction[] = [];
  const known = new Map<number, Set<number>>();
  for (let rank = 1; rank <= cast.nodes; rank += 1) known.set(rank, new Set(crashedBefore));
  const act = (action: Action) => {
    const next = applyTraced(cast, world, action);
    const dropped = action.type === 'deliver' && next.world.dropped > world.dropped;
    world = next.world;
    actions.push({ action, effects: next.effects, dropped });
  };
  for (const code of path) {
    const node = nodeIn(code);
    if (kindOf(code) === KIND.suspect) known.get(node)?.add(valueIn(code));
    if (kindOf(code) === KIND.crash) known.get(node)?.clear();
    if (kindOf(code) === KIND.recover) reportReturn(world, { cast, known, about: node }, act);
    act(actionOf(code, world, steps));
    if (kindOf(code) === KIND.resume) reportMissed(world, { known, rank: node }, act);
  }
  return { actions, world };
}

type Known = ReadonlyMap<number, Set<number>>;

/** The return of a node is reported to the awake nodes that know of its crash. Nodes that are down forget it. */
function reportReturn(
  world: World,
  { cast, known, about }: { readonly cast: Cast; readonly known: Known; readonly about: number },
  act: (action: Action) => void,
): void {
  for (let rank = 1; rank <= cast.nodes; rank += 1) {
    if (rank === about || known.get(rank)?.has(about) !== true) continue;
    if (world.paused.includes(rank)) continue;
    known.get(rank)?.delete(about);
    if (world.nodes[rank - 1]?.up === true) act({ type: 'trust', node: rank, about });
  }
}

/** A resumed node gets the reports of the returns that it missed. */
function reportMissed(
  world: World,
  { known, rank }: { readonly known: Known; readonly rank: number },
  act: (action: Action) => void,
): void {
  for (const about of [...(known.get(rank) ?? [])].toSorted((left, right) => left - right)) {
    if (world.nodes[about - 1]?.up !== true) continue;
    known.get(rank)?.delete(about);
    act({ type: 'trust', node: rank, about });
  }
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
