/**
 * @module
 * How a property of the user judges worlds (`worlds` of `defineProperty`). It receives each world as plain data that
 * nothing can change, and that refuses to be asked for a member that it does not have. It has no past and no clock:
 * worlds that are equal now count as one, however they came about, and ticks have no meaning in a check.
 */

import type { Json, Message } from '../../election/machine.ts';
import type { WorldNode } from '../../election/world/world-state.ts';
import { LabError } from '../../errors.ts';
import { canonicalText } from '../interner.ts';
import type { CheckedProperty, WorldView } from '../property.ts';
import { innermost } from './followers.ts';

export const WORLD_JUDGE_KINDS = ['always', 'sometimes', 'eventually'] as const;

/** What a property can look at. */
export const READ_PARTS = ['leaders', 'everything'] as const;

/** A node. The members after `leader` can be read only with `reads: 'everything'`. */
export interface CheckedNode {
  readonly rank: number;
  readonly up: boolean;
  readonly byzantine: boolean;
  /** The rank that it follows: its own if it leads, null if none. */
  readonly leader: number | null;
  /** The state of the protocol's machine. Null while the node is down. */
  readonly state: Json;
  /** What it persisted last. */
  readonly persisted: Json;
  /** Names of the timers that are set, ascending. */
  readonly timers: readonly string[];
}

/** A message on its way. */
export interface CheckedFlight {
  readonly from: number;
  readonly to: number;
  readonly message: Message;
}

/** A world. `store` and `inFlight` can be read only with `reads: 'everything'`. */
export interface CheckedWorld {
  /** The name of the protocol. */
  readonly protocol: string;
  /** Nothing is in flight, no timer is set, and no choice, start or report is open. */
  readonly isAtRest: boolean;
  /** By rank. */
  readonly nodes: readonly CheckedNode[];
  /** The state of the store. Null without one. */
  readonly store: Json;
  /** By link. The messages of a link without order are in the order of their texts, else the oldest is first. */
  readonly inFlight: readonly CheckedFlight[];
}

/** How a property judges worlds. */
export interface WorldJudge {
  /** always: in every world. sometimes: in one. eventually: in one of every weakly fair execution. */
  readonly kind: (typeof WORLD_JUDGE_KINDS)[number];
  /** What it says of a world: a clause. */
  readonly description: string;
  /**
   * With `leaders` the property sees which nodes are up, which leader each of them follows, and whether the world is at
   * rest. With `everything` it sees all that a world contains, and worlds that differ only in their terms or in drawn lengths
   * of timers are not merged.
   */
  readonly reads: (typeof READ_PARTS)[number];
  readonly holds: (world: CheckedWorld) => boolean;
  /** What is wrong in a world in which it does not hold, as words that follow a colon. */
  readonly breach: (world: CheckedWorld) => string;
}

/** The property as a check judges it. It is checked by name only. */
export function checkedPropertyOf(name: string, judge: WorldJudge): CheckedProperty {
  const worlds = new Worlds(name, judge.reads);
  return {
    name,
    kind: judge.kind,
    description: judge.description,
    reads: judge.reads,
    claim: { unsupportedReason: () => null, matrix: null },
    partner: null,
    histories: [],
    readings: [],
    holds: (view) => judge.holds(worlds.of(view)),
    breach: (view) => judge.breach(worlds.of(view)),
  };
}

/** The worlds that one property reads. Nodes and messages are the same in many of them. */
class Worlds {
  readonly #reads: WorldJudge['reads'];
  readonly #handler: ProxyHandler<object>;
  readonly #nodes = new WeakMap<WorldNode, CheckedNode>();
  readonly #flights = new WeakMap<object, { readonly flight: CheckedFlight; text: string }>();

  constructor(name: string, reads: WorldJudge['reads']) {
    this.#reads = reads;
    this.#handler = {
      get(target, member) {
        if (member in target || typeof member === 'symbol' || member === 'toJSON') {
          return Reflect.get(target, member);
        }
        const has = Object.keys(target).join(', ');
        const more =
          reads === 'leaders' && ALL_MEMBERS.includes(member)
            ? `, and with reads: 'everything' also ${member}`
            : '';
        throw new LabError(
          'arguments',
          `property ${name}: worlds reads "${member}"; there is ${has}${more}`,
        );
      },
    };
  }

  of(view: WorldView): CheckedWorld {
    const { protocol, isAtRest, store } = view;
    const nodes = Object.freeze(view.nodes.map(({ rank }) => this.#nodeOf(view, rank)));
    const all = this.#reads === 'everything' && {
      store: store === null ? null : frozen(innermost(view.nodeOf(store).state)),
      inFlight: this.#flightsOf(view),
    };
    return this.#guarded<CheckedWorld>(Object.freeze({ protocol, isAtRest, nodes, ...all }));
  }

  #nodeOf(view: WorldView, rank: number): CheckedNode {
    const node = view.nodeOf(rank);
    const known = this.#nodes.get(node);
    if (known !== undefined) return known;
    const { up, leader, state, persisted, timers } = node;
    const all = this.#reads === 'everything' && {
      state: frozen(innermost(state)),
      persisted: frozen(persisted),
      timers: frozen(timers.map(({ timer }) => timer)),
    };
    const seen = { rank, up, byzantine: view.byzantine.has(rank), leader, ...all };
    const made = this.#guarded<CheckedNode>(Object.freeze(seen));
    this.#nodes.set(node, made);
    return made;
  }

  #guarded<T extends object>(value: Partial<T>): T {
    // The handler refuses to read the members that are missing.
    return new Proxy(value, this.#handler) as T;
  }

  #flightsOf(view: WorldView): readonly CheckedFlight[] {
    const flights = view.inFlight().map((sent) => {
      const known = this.#flights.get(sent);
      if (known !== undefined) return known;
      const { from, to, message } = sent;
      const text = `${String(from).padStart(2)} ${String(to).padStart(2)}`;
      const flight = this.#guarded<CheckedFlight>(frozen({ from, to, message }));
      const made = { flight, text: view.isOrdered ? text : `${text} ${canonicalText(message)}` };
      this.#flights.set(sent, made);
      return made;
    });
    const sorted = flights.toSorted((one, other) =>
      one.text === other.text ? 0 : one.text < other.text ? -1 : 1,
    );
    return Object.freeze(sorted.map(({ flight }) => flight));
  }
}

const ALL_MEMBERS: readonly string[] = ['state', 'persisted', 'timers', 'store', 'inFlight'];

/** The value, which nothing can change any more. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}
