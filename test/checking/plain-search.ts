/**
 * @module
 * The oracle of the checker: a breadth-first search over plain worlds with nothing but `enabled` and `apply` of
 * election/world.ts and the rules of the environment, written without the checker's code.
 */

import type { Bounds, Instance } from '../../src/checking/instance.ts';
import { NO_FAULTS } from '../../src/checking/instance.ts';
import { NAMES_FROM, NAMES_STRIDE } from '../../src/checking/local-steps.ts';
import type { Message } from '../../src/election/machine.ts';
import { PROTOCOLS } from '../../src/election/registry.ts';
import type { Action } from '../../src/election/world/world.ts';
import { apply, createWorld, enabled } from '../../src/election/world/world.ts';
import type { World } from '../../src/election/world/world-state.ts';

export interface PlainState {
  readonly world: World;
  readonly left: Bounds;
  /** Nodes that have not started. */
  readonly starts: readonly number[];
  /** The crashes that were reported to each node, at index rank − 1. */
  readonly known: readonly (readonly number[])[];
  /** The joins that each paused node has missed, at index rank − 1. */
  readonly missed: readonly (readonly number[])[];
  /** The returns that each paused node has missed, at index rank − 1. */
  readonly missedReturns: readonly (readonly number[])[];
  /** Pairs of sender and recipient, one of which may be the store, whose messages are lost. */
  readonly lost: readonly (readonly [number, number])[];
}

/** Worlds and transitions by depth: `worlds[d]` are first reached by d actions. */
export interface Levels {
  readonly worlds: number[];
  readonly transitions: number[];
}

/**
 * Searches whole levels until at least this number of worlds was found. `visit` is called with each world once, and
 * `explore` with each whose actions were carried out.
 */
export function plainLevels(
  instance: Instance,
  worldsMax: number,
  representative: (world: World, left: Bounds) => World = (world) => world,
  visit: (world: World, depth: number) => void = () => {},
  explore: (state: PlainState, actions: number) => void = () => {},
): Levels {
  const keyOf = (state: PlainState) =>
    textOf(instance, { ...state, world: representative(state.world, state.left) });
  const { cast, crashedBefore, bounds, initiators } = instance;
  const { absent = [], phantoms = [] } = instance;
  const missing = [...absent, ...phantoms].toSorted();
  const world = createWorld(cast, crashedBefore, missing);
  const first: PlainState = {
    world,
    left: bounds,
    starts: initiators.filter((rank) => world.nodes[rank - 1]?.up === true),
    known: Array.from({ length: cast.nodes }, (_, index) =>
      crashedBefore.filter((rank) => rank !== index + 1),
    ),
    missed: Array.from({ length: cast.nodes }, () => []),
    missedReturns: Array.from({ length: cast.nodes }, () => []),
    lost: [],
  };
  const seen = new Set([keyOf(first)]);
  const levels: Levels = { worlds: [1], transitions: [] };
  visit(first.world, 0);
  for (let level = [first]; level.length > 0 && seen.size < worldsMax; ) {
    let transitions = 0;
    const next: PlainState[] = [];
    for (const state of level) {
      const before = transitions;
      for (const reached of successorsOf(instance, state)) {
        const successor = { ...reached, world: withoutCut(instance, reached.world) };
        if (!fitsLinks(instance, successor.world)) continue;
        transitions += 1;
        const key = keyOf(successor);
        if (seen.has(key)) continue;
        seen.add(key);
        visit(successor.world, levels.worlds.length);
        next.push(successor);
      }
      explore(state, transitions - before);
    }
    levels.transitions.push(transitions);
    if (next.length > 0) levels.worlds.push(next.length);
    level = next;
  }
  return levels;
}

/** A world without the messages between nodes that have no link. */
function withoutCut({ cut }: Instance, world: World): World {
  const isCut = ([one, other]: readonly [number, number], from: number, to: number) =>
    (one === from && other === to) || (one === to && other === from);
  const inFlight = world.inFlight.filter(
    ({ from, to }) => !cut.some((pair) => isCut(pair, from, to)),
  );
  return { ...world, inFlight };
}

function fitsLinks({ perLink }: Instance, { inFlight }: World): boolean {
  const byLink = Map.groupBy(inFlight, ({ from, to }) => `${from}-${to}`);
  return perLink === null || [...byLink.values()].every(({ length }) => length <= perLink);
}

/** Equal worlds have equal texts. */
export function textOf({ protocol, links, timing }: Instance, state: PlainState): string {
  const { world, left, starts, known, missed, missedReturns, lost } = state;
  const drawn = PROTOCOLS[protocol].drawnTicks;
  const nodes = world.nodes.map(({ timers, ...node }) => ({
    ...node,
    // The order of timers is free. A drawn length only says whether it is 0.
    state: JSON.parse(JSON.stringify(node.state), (name, value: unknown) =>
      drawn.includes(name) && value !== 0 ? 1 : value,
    ),
    timers: timers
      .map(({ timer, ticks, periodic }) => {
        const isQuick = timing === 'synchronous' && ticks === 0;
        return `${timer}/${periodic}/${isQuick}`;
      })
      .toSorted(),
  }));
  const flights = world.inFlight.map(({ from, to, message }) => sorted({ from, to, message }));
  const byLink = Map.groupBy(world.inFlight, ({ from, to }) => `${from}-${to}`);
  const messages =
    links === 'any'
      ? flights.toSorted()
      : [...byLink]
          .toSorted()
          .map(([link, each]) => [link, each.map(({ message }) => sorted(message))]);
  const reported = { known: known.map((each) => each.toSorted()), missed, missedReturns };
  const environment = { left, starts, ...reported, lost };
  const { paused, choices, absent } = world;
  return sorted({ nodes, messages, environment, paused: paused.toSorted(), choices, absent });
}

/** JSON with sorted members. */
function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join()}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'undefined';
  const members = Object.entries(value).map(([name, part]) => `${name}:${sorted(part)}`);
  return `{${members.toSorted().join()}}`;
}

function successorsOf(instance: Instance, state: PlainState): PlainState[] {
  const { world, starts } = state;
  const { timing } = instance;
  const act = (action: Action, change: Partial<PlainState> = {}): PlainState =>
    acted(instance, { ...state, ...change }, action);
  const { timeout } = state.left;
  const below = world.choices.find(({ node }) => !world.paused.includes(node))?.below ?? 0;
  if (below > NAMES_FROM) return [act(nameIn(world))];
  const listed = enabled(world, timing).filter(({ type }) => type !== 'timeout' || timeout !== 0);
  if (listed[0]?.type === 'choose') {
    const chosen = listed.map((action) => act(action));
    const keys = chosen.map((successor) => textOf(instance, successor));
    return chosen.filter((_, index) => keys.indexOf(keys[index] ?? '') === index);
  }
  const starting = starts.filter((rank) => !world.paused.includes(rank));
  const begin = (rank: number) =>
    act({ type: 'start', node: rank }, { starts: starts.filter((each) => each !== rank) });
  if (instance.starts === 'together' && starting[0] !== undefined) return [begin(starting[0])];
  const faults = faultsOf(instance, state);
  const reports = reportsOf(instance, state);
  const report = ({ action, known }: Reported) => act(action, { known });
  const begun = reports.filter(({ about }) => state.known.some((each) => each.includes(about)));
  // Under synchronous timing the other reports of the same crash come before all else,
  if (timing === 'synchronous' && begun.length > 0) return [...begun.map(report), ...faults];
  const steps = distinct(instance, world, listed);
  const isQuick = (action: Action) =>
    action.type === 'timeout' &&
    world.nodes[action.node - 1]?.timers.some(
      ({ timer, ticks }) => timer === action.timer && ticks === 0,
    );
  const quiet = !steps.some((action) => action.type === 'deliver' || isQuick(action));
  // and reports come when nothing can be delivered, and no timer of 0 ticks fires.
  const others = timing === 'synchronous' && !quiet ? [] : reports;
  return [
    ...starting.map(begin),
    ...steps.map((action) =>
      action.type === 'timeout' && timeout !== null
        ? act(action, { left: { ...state.left, timeout: timeout - 1 } })
        : act(action),
    ),
    ...others.map(report),
    ...faults,
  ];
}

/** The state after an action. A message that is sent on a link that is cut is lost at once. */
function acted(instance: Instance, state: PlainState, action: Action): PlainState {
  const { cast } = instance;
  const { world: before, lost } = state;
  let world = apply(cast, before, action);
  if (action.type !== 'duplicate') {
    const old = new Set(before.inFlight.map(({ id }) => id));
    for (const { id, from, to } of world.inFlight) {
      if (old.has(id) || !lost.some(([one, other]) => one === from && other === to)) continue;
      world = apply(cast, world, { type: 'drop', message: id });
    }
  }
  return { ...state, world, starts: startsAfter(instance, state, world, action) };
}

/** In one election a node that a message has changed, or that knows the leader, does not start any more. */
function startsAfter(
  instance: Instance,
  { world: before, starts }: PlainState,
  world: World,
  { type }: Action,
): readonly number[] {
  if (instance.starts !== 'any') return starts;
  const partOf = ({ nodes, choices, ...rest }: World, rank: number) =>
    textOf(instance, {
      ...NOTHING,
      world: {
        ...rest,
        ...{ inFlight: [], paused: [], absent: [] },
        nodes: nodes.slice(rank - 1, rank),
        choices: choices.filter(({ node }) => node === rank),
      },
    });
  return starts.filter((rank) => {
    const isAwake = type === 'deliver' && partOf(before, rank) !== partOf(world, rank);
    const leader = world.nodes[rank - 1]?.leader ?? null;
    return !isAwake && (leader === null || leader === before.nodes[rank - 1]?.leader);
  });
}

const NOTHING = {
  ...{ left: NO_FAULTS, starts: [], known: [], missed: [], missedReturns: [], lost: [] },
} as const;

/** The oldest open choice gets a name that is further from all numbers and guids in the world than protocols count. */
function nameIn(world: World): Action {
  const node = world.choices.find((choice) => !world.paused.includes(choice.node))?.node ?? 0;
  const text = sorted([world.nodes, world.inFlight]);
  const numbers = Array.from(text.matchAll(/\d+/g), ([digits]) => Number(digits));
  const guids = Array.from(text.matchAll(/"([0-9a-f]{8})"/g), ([, digits = '']) =>
    Number.parseInt(digits, 16),
  );
  const isFree = (value: number) =>
    ![...numbers, ...guids].some((used) => used >= value && used < value + NAMES_STRIDE);
  let value = NAMES_FROM;
  while (!isFree(value)) value += NAMES_STRIDE;
  return { type: 'choose', node, value };
}

interface Reported {
  readonly action: Action;
  readonly about: number;
  readonly known: PlainState['known'];
}

/** Deliveries of equal messages once, on FIFO links the oldest of each link, and all other actions. */
function distinct({ links }: Instance, world: World, listed: readonly Action[]): Action[] {
  const seen = new Set<string>();
  return listed.filter((action) => {
    if (action.type !== 'deliver') return true;
    return isNew(seen, links, world, action.message);
  });
}

function isNew(seen: Set<string>, links: Instance['links'], world: World, id: number): boolean {
  const flight = world.inFlight.find((each) => each.id === id);
  if (flight === undefined) return false;
  const { from, to, message } = flight;
  const key = links === 'fifo' ? `${from}-${to}` : sorted({ from, to, message });
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

function reportsOf({ cast }: Instance, { world, known }: PlainState): Reported[] {
  const reports: Reported[] = [];
  for (let node = 1; node <= cast.nodes; node += 1) {
    if (world.nodes[node - 1]?.up !== true || world.paused.includes(node)) continue;
    for (let about = 1; about <= cast.nodes; about += 1) {
      if (about === node || world.nodes[about - 1]?.up === true) continue;
      if (world.absent.includes(about)) continue;
      if (known[node - 1]?.includes(about) === true) continue;
      reports.push({
        action: { type: 'suspect', node, about },
        about,
        known: known.map((each, index) => (index === node - 1 ? [...each, about] : each)),
      });
    }
  }
  return reports;
}

function faultsOf(instance: Instance, state: PlainState): PlainState[] {
  const { cast, links } = instance;
  const { world, left, starts, known } = state;
  const act = (action: Action, change: Partial<PlainState>): PlainState =>
    acted(instance, { ...state, ...change }, action);
  const less = (name: Exclude<keyof Bounds, 'timeout'>) => ({
    left: { ...left, [name]: left[name] - 1 },
  });
  const successors: PlainState[] = [];
  for (let node = 1; node <= cast.nodes; node += 1) {
    const isUp = world.nodes[node - 1]?.up === true;
    const isPaused = world.paused.includes(node);
    if (world.absent.includes(node)) {
      const mayJoin = left.join > 0 && instance.absent?.includes(node) === true;
      if (mayJoin) successors.push(joined(instance, { ...state, ...less('join') }, node));
      continue;
    }
    if (left.leave > 0) successors.push(leaving(instance, { ...state, ...less('leave') }, node));
    const freeNode = instance.free?.get(node);
    if (isUp && !isPaused && left.lies > 0 && freeNode !== undefined) {
      for (const message of freeNode(world.nodes[node - 1]?.state ?? null)) {
        successors.push(lied(instance, { ...state, ...less('lies') }, node, message));
      }
    }
    if (isUp && left.crash > 0) {
      const forgets = known.map((each, index) => (index === node - 1 ? [] : each));
      const others = starts.filter((rank) => rank !== node);
      const without = (lists: PlainState['missed']) =>
        lists.map((each, index) => (index === node - 1 ? [] : each));
      const change = {
        ...{ ...less('crash'), known: forgets, starts: others },
        ...{ missed: without(state.missed), missedReturns: without(state.missedReturns) },
      };
      successors.push(act({ type: 'crash', node }, change));
    }
    for (const amnesia of [false, true]) {
      const name = amnesia ? 'amnesia' : 'recover';
      if (!isUp && left[name] > 0)
        successors.push(returned(instance, { ...state, ...less(name) }, node, amnesia));
    }
    if (isUp && !isPaused && left.pause > 0)
      successors.push(act({ type: 'pause', node }, less('pause')));
    if (isPaused) successors.push(resumed(instance, state, node));
  }
  const { store } = cast;
  if (store !== null && left.failover > 0) {
    successors.push(act({ type: 'leave', node: store, about: store }, less('failover')));
  }
  // While messages are in flight no timer would fire under this timing.
  if (left.jump > 0 && instance.timing === 'synchronous' && world.inFlight.length > 0) {
    for (const [index, { timers }] of world.nodes.slice(0, cast.nodes).entries()) {
      if (world.paused.includes(index + 1)) continue;
      for (const { timer } of timers) {
        successors.push(act({ type: 'timeout', node: index + 1, timer }, less('jump')));
      }
    }
  }
  const all = Array.from({ length: cast.store ?? cast.nodes }, (_, index) => index + 1);
  if (state.lost.length > 0) successors.push({ ...state, lost: [] });
  else {
    for (const name of ['partition', 'oneWay', 'bridge'] as const) {
      if (left[name] === 0) continue;
      const cuts = new Map(cutsOf(name, all).map((lost) => [JSON.stringify(lost), lost]));
      for (const lost of cuts.values()) successors.push({ ...state, ...less(name), lost });
    }
  }
  const seen = new Set<string>();
  for (const { id } of world.inFlight) {
    if (!isNew(seen, links, world, id)) continue;
    if (left.loss > 0) successors.push(act({ type: 'drop', message: id }, less('loss')));
    if (left.duplicate > 0)
      successors.push(act({ type: 'duplicate', message: id }, less('duplicate')));
  }
  return successors;
}

/** The links that each fault of this kind cuts. */
function cutsOf(
  name: 'partition' | 'oneWay' | 'bridge',
  all: readonly number[],
): (readonly [number, number])[][] {
  const pairs = all.flatMap((one) =>
    all.flatMap((other) => (one === other ? [] : [[one, other] as const])),
  );
  if (name === 'oneWay') return pairs.map((pair) => [pair]);
  // Null if no node is on both sides.
  const bridges = name === 'bridge' ? all : [null];
  return bridges.flatMap((bridge) => {
    const divided = all.filter((each) => each !== bridge);
    return subsetsOf(divided)
      .filter((side) => side.length > 0 && side.length < divided.length)
      .map((side) =>
        pairs.filter(
          ([one, other]) =>
            one !== bridge && other !== bridge && side.includes(one) !== side.includes(other),
        ),
      );
  });
}

function subsetsOf(ranks: readonly number[]): number[][] {
  const [first, ...others] = ranks;
  if (first === undefined) return [[]];
  return subsetsOf(others).flatMap((each) => [each, [first, ...each]]);
}

/** The awake members get the join and trust the new node, which starts. The others get both when they resume. */
function joined(instance: Instance, state: PlainState, node: number): PlainState {
  const { cast } = instance;
  let next = acted(instance, state, { type: 'enter', node });
  for (let rank = 1; rank <= cast.nodes; rank += 1) {
    if (rank === node || next.world.nodes[rank - 1]?.up !== true) continue;
    if (next.world.paused.includes(rank)) {
      const missed = next.missed.map((each, index) =>
        index === rank - 1 ? [...each, node].toSorted() : each,
      );
      next = { ...next, missed };
    } else {
      next = acted(instance, next, { type: 'join', node: rank, about: node });
      next = acted(instance, next, { type: 'trust', node: rank, about: node });
    }
  }
  return acted(instance, next, { type: 'start', node });
}

/** The awake nodes are told that a node is to leave. */
function leaving(instance: Instance, state: PlainState, about: number): PlainState {
  let next = state;
  for (let node = 1; node <= instance.cast.nodes; node += 1) {
    const isAwake = next.world.nodes[node - 1]?.up === true && !next.world.paused.includes(node);
    if (isAwake) next = acted(instance, next, { type: 'leave', node, about });
  }
  return next;
}

/** The node gets the instruction from itself, which is no message of the election, so that the node may still start. */
function lied(instance: Instance, state: PlainState, node: number, message: Message): PlainState {
  const instruct: Action = {
    type: 'inject',
    ...{ node, effects: [{ type: 'send', to: node, message }] },
  };
  const { sent } = state.world;
  const instructed = acted(instance, state, instruct);
  const next = acted(instance, instructed, { type: 'deliver', message: sent });
  return { ...next, starts: startsAfter(instance, state, next.world, instruct) };
}

/** All live nodes get a report before the first step of the returned node, and paused ones when they resume. */
function returned(
  instance: Instance,
  state: PlainState,
  node: number,
  amnesia: boolean,
): PlainState {
  const { cast } = instance;
  let next: PlainState = {
    ...state,
    known: state.known.map((each) => each.filter((about) => about !== node)),
  };
  for (let rank = 1; rank <= cast.nodes; rank += 1) {
    if (rank === node || next.world.nodes[rank - 1]?.up !== true) continue;
    if (next.world.paused.includes(rank)) {
      const missedReturns = next.missedReturns.map((each, index) =>
        index === rank - 1 ? [...new Set([...each, node])].toSorted() : each,
      );
      next = { ...next, missedReturns };
    } else {
      next = acted(instance, next, { type: 'trust', node: rank, about: node });
    }
  }
  return acted(instance, next, { type: 'recover', node, amnesia });
}

function resumed(instance: Instance, state: PlainState, node: number): PlainState {
  let next = acted(instance, state, { type: 'resume', node });
  for (const about of state.missed[node - 1] ?? []) {
    next = acted(instance, next, { type: 'join', node, about });
    next = acted(instance, next, { type: 'trust', node, about });
  }
  for (const about of state.missedReturns[node - 1] ?? []) {
    next = acted(instance, next, { type: 'trust', node, about });
  }
  const without = (lists: PlainState['missed']) =>
    lists.map((each, index) => (index === node - 1 ? [] : each));
  return { ...next, missed: without(state.missed), missedReturns: without(state.missedReturns) };
}
