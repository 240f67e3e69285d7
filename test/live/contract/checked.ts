/**
 * @module
 * The contract in the checker: its worlds, its faults and its failure detector, which reports crashes alone. A disturbance
 * happens when nothing else happens. For protocols that come to rest, all schedules between two disturbances are
 * explored to the end: every world at rest counts, and a bound that is hit is an error. Protocols that never fall silent have
 * no such worlds. They follow one deterministic schedule: messages first, then the timer that is due next.
 */

import { codeOf, KIND, kindOf, nodeIn, valueIn } from '../../../src/checking/action-codes.ts';
import { byzantineCast } from '../../../src/checking/check-request.ts';
import type { Instance } from '../../../src/checking/instance.ts';
import { NO_FAULTS } from '../../../src/checking/instance.ts';
import type { Packed } from '../../../src/checking/layout.ts';
import { emptyPacked } from '../../../src/checking/layout.ts';
import type { TracedWorld } from '../../../src/checking/traces/trace.ts';
import { firstTraced, orderedCodes, traceStep } from '../../../src/checking/traces/trace.ts';
import { Worlds } from '../../../src/checking/worlds.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import type { Cast } from '../../../src/election/world/cast.ts';
import { createCast, toRank, withNodes } from '../../../src/election/world/cast.ts';
import type { Random } from '../../../src/random.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import type { Act, Agreed, Driver, Stage } from './driver.ts';
import { agreedOn } from './driver.ts';
import { FORGED_NAME, forgedMessages } from './forged.ts';
import type { ContractProtocol, Scenario } from './scenarios.ts';
import { JOINER, NODES } from './scenarios.ts';

const TIMING = { latencyTicksMax: 1 };
/** More than any phase of the table has. */
const WORLDS_MAX = 300_000;
/** Messages that may be delivered twice between two disturbances, at any moment. */
const COPIES = 2;
/** Who sends the forged message. */
const FORGER = 1;

/** With this seed, which the deterministic schedules draw from. */
export function checkerOf(seed: number): Driver {
  return {
    name: 'checker',
    noticesSilence: false,
    async begin(scenario, protocol) {
      const worlds = new Worlds(instanceOf(scenario, protocol), null);
      const stage = isExhausted(protocol)
        ? new ExhaustedStage(worlds)
        : new ScheduledStage(worlds, createRandom(parseSeed(String(seed)), 'contract'));
      const all = Array.from({ length: NODES }, (_, index) => index + 1);
      for (const node of all)
        if (!scenario.starts.includes(node)) await stage.act({ type: 'kill', node });
      return stage;
    },
  };
}

/** Whether all schedules are explored. */
export function isExhausted(protocol: ContractProtocol): boolean {
  return PROTOCOLS[protocol].steadyTicks === null;
}

function instanceOf(scenario: Scenario, protocol: ContractProtocol): Instance {
  const joins = has(scenario, 'join');
  const nodes = joins ? JOINER : NODES;
  const ring = Array.from({ length: nodes }, (_, index) => index + 1);
  const cast = createCast({ protocol, timing: TIMING, ring, crashedBefore: [] });
  const isAsynchronous = PROTOCOLS[protocol].family === 'ring';
  return {
    ...{ protocol, crashedBefore: [], absent: joins ? [JOINER] : [] },
    cast: scenario.isAuthenticated ? withForger(cast, protocol) : cast,
    initiators: ring.filter((node) => node !== JOINER),
    // Nodes can crash before they start.
    ...{ starts: 'any', timing: isAsynchronous ? 'asynchronous' : 'synchronous' },
    // A live node has one connection to each peer, which keeps the order.
    ...{ links: 'fifo', cut: [], perLink: null, isShifted: false, spread: null },
    bounds: {
      ...{ ...NO_FAULTS, crash: 5, recover: 4, amnesia: 1, pause: 1, partition: 1 },
      ...{ duplicate: has(scenario, 'duplicate') ? COPIES : 0, join: joins ? 1 : 0 },
    },
  };
}

function has({ steps }: Scenario, wanted: Act['type']): boolean {
  return steps.some(({ disturbances }) => disturbances.some(({ type }) => type === wanted));
}

/** All authenticate their messages. When node 1 starts, it also sends the forged message, which arrives at any moment. */
function withForger(cast: Cast, protocol: ContractProtocol): Cast {
  const about = { protocol, timing: TIMING, level: 'L3', byzantine: [], phantoms: [] } as const;
  const sealed = byzantineCast(cast, { ...about, isFree: false }).cast;
  const forged = forgedMessages(protocol, toRank(FORGED_NAME));
  return withNodes(sealed, (machine, rank) => {
    if (rank !== FORGER) return machine;
    return {
      init: (self) => machine.init(self),
      step(self, state, event, effects) {
        machine.step(self, state, event, effects);
        if (event.type !== 'start') return;
        for (const to of self.members) {
          if (to !== self.rank) for (const message of forged) effects.send(to, message);
        }
      },
    };
  });
}

/** The code of an act; null if it happens by itself. */
function codeOfAct(act: Act, { instance }: Worlds): number | null {
  switch (act.type) {
    case 'kill':
      return codeOf(KIND.crash, act.node, 0);
    case 'return':
      return codeOf(KIND.recover, act.node, act.amnesia ? 1 : 0);
    case 'pause':
      return codeOf(KIND.pause, act.node, 0);
    case 'resume':
      return codeOf(KIND.resume, act.node, 0);
    case 'isolate': {
      const endpoints = instance.cast.store ?? instance.cast.nodes;
      const own = 1 << (act.node - 1);
      // The side of node 1 has no bits.
      return codeOf(KIND.split, 1, act.node === 1 ? (1 << endpoints) - 1 - own : own);
    }
    case 'heal':
      return codeOf(KIND.split, 1, 0);
    case 'join':
      return codeOf(KIND.enter, JOINER, 0);
    case 'duplicate':
    case 'forge':
      return null;
    default:
      return act satisfies never;
  }
}

function assertPossible(worlds: Worlds, packed: Packed, code: number): void {
  const codes: number[] = [];
  worlds.faults(packed, codes);
  if (!codes.includes(code)) throw new RangeError(`"code" expected a possible fault, got ${code}`);
}

/** All schedules. */
class ExhaustedStage implements Stage {
  readonly #worlds: Worlds;
  /** Those at rest. */
  #at: readonly Packed[];
  #mayCopy = false;

  constructor(worlds: Worlds) {
    this.#worlds = worlds;
    const first = emptyPacked();
    worlds.first(first);
    this.#at = [first];
  }

  async act(act: Act): Promise<void> {
    if (act.type === 'duplicate') this.#mayCopy = true;
    const code = codeOfAct(act, this.#worlds);
    if (code === null) return;
    this.#at = this.#at.map((packed) => {
      assertPossible(this.#worlds, packed, code);
      return this.#after(packed, code);
    });
  }

  async rest(inReach: readonly number[]) {
    this.#at = this.#explored();
    const found = this.#at.map(({ words }) => {
      const following = inReach.map((node) => {
        const { leader } = this.#worlds.factsAt(words, node);
        return { node, leader: leader === 0 ? null : leader, epoch: 0 };
      });
      return agreedOn(following);
    });
    return distinct(found);
  }

  async close(): Promise<void> {}

  /** The worlds at rest that some schedule reaches. */
  #explored(): readonly Packed[] {
    const seen = new Set<string>();
    const open: Packed[] = [];
    const note = (packed: Packed) => {
      const name = packed.words.subarray(0, packed.length).join();
      if (!seen.has(name)) open.push(packed);
      seen.add(name);
      if (seen.size > WORLDS_MAX) throw new RangeError('the phase has too many worlds');
    };
    for (const packed of this.#at) note(packed);
    const atRest: Packed[] = [];
    for (let packed = open.pop(); packed !== undefined; packed = open.pop()) {
      const codes: number[] = [];
      this.#worlds.enabled(packed, codes);
      if (codes.length === 0) atRest.push(packed);
      for (const code of [...codes, ...this.#copies(packed)]) note(this.#after(packed, code));
    }
    return atRest;
  }

  #copies(packed: Packed): readonly number[] {
    if (!this.#mayCopy) return [];
    const codes: number[] = [];
    this.#worlds.faults(packed, codes);
    return codes.filter((code) => kindOf(code) === KIND.duplicate);
  }

  #after(packed: Packed, code: number): Packed {
    const after = emptyPacked();
    this.#worlds.apply(packed, code, after);
    return after;
  }
}

function distinct(found: readonly (Agreed | null)[]): readonly (Agreed | null)[] {
  const named = new Map(found.map((each) => [JSON.stringify(each), each]));
  return [...named.values()];
}

const CHOICES: readonly number[] = [KIND.choose, KIND.name];
/** In ticks: longer than any election, and than an agreement must last. */
const REST_TICKS = 300;

/** One schedule, in which messages take no time and timers fire when they are due. */
class ScheduledStage implements Stage {
  readonly #worlds: Worlds;
  readonly #random: Random;
  /** When each timer is due, by node and name. */
  readonly #due = new Map<string, number>();
  readonly #epochs = new Map<number, number>();
  #at: TracedWorld;
  #now = 0;
  #mayCopy = false;

  constructor(worlds: Worlds, random: Random) {
    this.#worlds = worlds;
    this.#random = random;
    this.#at = firstTraced(worlds);
  }

  async act(act: Act): Promise<void> {
    if (act.type === 'duplicate') this.#mayCopy = true;
    const code = codeOfAct(act, this.#worlds);
    if (code === null) return;
    // A choice takes no time.
    for (let chosen = this.#choice(); chosen !== null; chosen = this.#choice()) this.#take(chosen);
    assertPossible(this.#worlds, this.#at.packed, code);
    this.#take(code);
  }

  async rest(inReach: readonly number[]) {
    const until = this.#now + REST_TICKS;
    for (;;) {
      const next = this.#next();
      if (next === null || next.at > until) break;
      this.#now = Math.max(this.#now, next.at);
      this.#take(next.code);
    }
    this.#now = until;
    const following = inReach.map((node) => {
      const leader = this.#at.world.nodes[node - 1]?.leader ?? null;
      return { node, leader, epoch: this.#epochs.get(node) ?? 0 };
    });
    return [agreedOn(following)];
  }

  async close(): Promise<void> {}

  /** What happens next, and when; null if nothing does. */
  #next(): { readonly at: number; readonly code: number } | null {
    const codes = orderedCodes(this.#worlds, this.#at.packed);
    const copy = codes.find((code) => kindOf(code) === KIND.duplicate);
    if (this.#mayCopy && copy !== undefined) return { at: this.#now, code: copy };
    const protocol = codes.filter((code) => kindOf(code) < KIND.crash);
    const at = this.#now;
    const chosen = this.#choice();
    if (chosen !== null) return { at, code: chosen };
    const first = protocol.find((code) => kindOf(code) !== KIND.timeout);
    if (first !== undefined) return { at, code: first };
    const due = protocol.map((code) => ({ at: this.#due.get(this.#timerOf(code)) ?? at, code }));
    return due.toSorted((one, other) => one.at - other.at)[0] ?? null;
  }

  /** One value of an open choice; null without one. */
  #choice(): number | null {
    const codes: number[] = [];
    this.#worlds.enabled(this.#at.packed, codes);
    const [first] = codes;
    if (first === undefined || !CHOICES.includes(kindOf(first))) return null;
    return codes[this.#random.below(codes.length)] ?? null;
  }

  #timerOf(code: number): string {
    return `${nodeIn(code)} ${this.#worlds.steps.timers.valueOf(valueIn(code))}`;
  }

  #take(code: number): void {
    const node = nodeIn(code);
    if (kindOf(code) === KIND.timeout) this.#again(this.#timerOf(code), node, code);
    const { to, actions } = traceStep(this.#worlds, this.#at, code);
    this.#at = to;
    for (const { action, effects } of actions) {
      const actor = 'node' in action ? action.node : node;
      if (action.type === 'crash') this.#forget(actor);
      for (const effect of effects) {
        if (effect.type === 'set-timer') {
          this.#due.set(`${actor} ${effect.timer}`, this.#now + effect.ticks);
        }
        if (effect.type === 'elect') this.#epochs.set(actor, effect.epoch);
      }
    }
  }

  /** A periodic timer stays set. */
  #again(name: string, node: number, code: number): void {
    const timer = this.#worlds.steps.timers.valueOf(valueIn(code));
    const pending = this.#at.world.nodes[node - 1]?.timers.find((each) => each.timer === timer);
    this.#due.set(name, this.#now + (pending?.ticks ?? 0));
  }

  #forget(node: number): void {
    for (const name of this.#due.keys()) if (name.startsWith(`${node} `)) this.#due.delete(name);
  }
}
