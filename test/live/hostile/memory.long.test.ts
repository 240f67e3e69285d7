/**
 * @module
 * What a member can make the machine of a live node remember: with any number of messages, of any kind, its state stays small.
 */

import { describe, expect, it } from 'vitest';
import { ACCOMPANYING } from '../../../src/election/authentication/message-forms.ts';
import { defencesFault } from '../../../src/election/defences/defended.ts';
import { DEFENCE_NAMES, DEFENCES } from '../../../src/election/defences/registry.ts';
import type { Kind } from '../../../src/election/definition/message-definition.ts';
import type { Protocol } from '../../../src/election/definition/protocol.ts';
import { parseDetector } from '../../../src/election/detectors/registry.ts';
import type { Effects, Message, Rank, Self } from '../../../src/election/machine.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../../src/election/registry.ts';
import { liveMachine } from '../../../src/live/live-machine.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';

const MESSAGES = 8_000;
/** Characters of JSON: states without a bound had 130 000 and more after as many messages. */
const STATE_LENGTH_MAX = 80_000;
/** How many messages arrive while a timer runs. */
const TIMER_MESSAGES = 50;

const MEMBERS = [1, 2, 3, 4].map(rankOf);
const [ATTACKER = rankOf(1), , OWN = rankOf(3)] = MEMBERS;

/** A rank as live nodes have them. */
function rankOf(number: number): Rank {
  return number.toString(16).padStart(64, '0') as string as Rank;
}

/** Messages of one kind and another with new numbers, or always with the same ones beside those of tokens. */
class Hostile {
  readonly #random = createRandom(parseSeed('5'));
  readonly #isSteady: boolean;
  #count = 1;

  constructor(isSteady: boolean) {
    this.#isSteady = isSteady;
  }

  message(protocol: Protocol): Message {
    const isOwn = this.#below(10) > 0;
    const types = Object.keys(isOwn ? protocol.messages : ACCOMPANYING);
    return this.#ofType(protocol, types[this.#below(types.length)] ?? '');
  }

  #ofType(protocol: Protocol, type: string): Message {
    const { members: stated, candidates = [] } = protocol.messages[type] ?? {};
    const members = Object.entries<Kind>(stated ?? ACCOMPANYING[type] ?? {}).map(([name, kind]) => {
      const isCandidate = candidates.includes(name);
      return [name, isCandidate ? this.#member() : this.#value(kind, protocol, type)];
    });
    return { ...Object.fromEntries(members), type };
  }

  #value(kind: Kind, protocol: Protocol, type: string): unknown {
    this.#count += 1;
    // A node that does not exist can be named, but not as a candidate.
    const rank = this.#below(4) === 0 ? rankOf(1_000 + this.#count) : this.#member();
    const isNew = !this.#isSteady && this.#below(3) === 0;
    const integer = isNew ? this.#count : this.#below(this.#isSteady ? 2 : 5);
    if (kind === 'rank') return rank;
    if (kind === 'ranks') return Array(8).fill(rank);
    if (kind === 'boolean') return this.#below(2) === 0;
    if (kind === 'token') return [rank, this.#count];
    if (kind === 'table') return [[rank, this.#count]];
    if (kind === 'carried') return this.#ofType(protocol.carries ?? protocol, type);
    return typeof kind === 'string' ? integer : kind[this.#below(kind.length)];
  }

  #member(): Rank {
    return MEMBERS[this.#below(MEMBERS.length)] ?? OWN;
  }

  #below(bound: number): number {
    return this.#random.below(bound);
  }
}

/** The length of the state of a node after the messages of a member. */
function stateLengthAfter(
  hostile: Hostile,
  protocol: ProtocolName,
  defences: readonly (typeof DEFENCE_NAMES)[number][],
): number {
  const machine = liveMachine(
    {
      ...{ protocol, timing: { latencyTicksMax: 200 }, defences, level: 'L3', election: 'test' },
      ...{ detector: parseDetector('fd-heartbeat'), behaviours: [], rank: OWN },
      provesSenders: false,
    },
    {
      keysOf: () => ({
        sign: () => 'own',
        // The member has the signatures of all others.
        verify: (signer, _, signature) =>
          signer === OWN ? signature === 'own' : MEMBERS.includes(signer),
      }),
      record: (recorded) => recorded,
      clock: () => 0,
      onReport: () => undefined,
    },
  );
  const timers = new Map<string, number>();
  let sent = 0;
  const choices: number[] = [];
  const nothing = () => undefined;
  const effects: Effects<Message> = {
    setTimer: (timer) => void timers.set(timer, sent),
    cancelTimer: (timer) => void timers.delete(timer),
    choose: (below) => void choices.push(below - 1),
    ...{ send: nothing, persist: nothing, call: nothing, elect: nothing, stepDown: nothing },
    ...{ accuse: nothing, respond: nothing },
  };
  const self: Self = {
    ...{ rank: OWN, members: MEMBERS, founders: MEMBERS, predecessor: rankOf(2), ringNodes: 4 },
    successors: [3, 0, 1]
      .slice(0, PROTOCOLS[protocol].successors)
      .flatMap((at) => MEMBERS[at] ?? []),
    links: null,
    incumbent: null,
  };
  const state = machine.init(self);
  machine.step(self, state, { type: 'start' }, effects);
  const candidacies = Object.fromEntries(MEMBERS.map((rank) => [rank, '']));
  while (sent < MESSAGES) {
    sent += 1;
    const seal = { by: ATTACKER, number: sent, signature: '', candidacies };
    const message = { ...hostile.message(PROTOCOLS[protocol]), ...{ seal } };
    machine.step(self, state, { type: 'deliver', from: ATTACKER, message }, effects);
    for (const value of choices.splice(0)) {
      machine.step(self, state, { type: 'chosen', value }, effects);
    }
    for (const [timer, setAt] of [...timers]) {
      // All other members are up.
      if (sent - setAt < TIMER_MESSAGES || timer.startsWith('fd:')) continue;
      timers.delete(timer);
      machine.step(self, state, { type: 'timeout', timer }, effects);
    }
  }
  return JSON.stringify(state).length;
}

const BETWEEN_NODES = PROTOCOL_NAMES.filter((name) => PROTOCOLS[name].store === null);
/** One protocol of each kind, for the defences. */
const DEFENDED = ['bully-oneshot', 'ring-lelann', 'ring-robust', 'raft', 'zab-fle'] as const;
const GUARDS = DEFENCE_NAMES.filter((name) => DEFENCES[name].kind !== 'setting');

describe('the state of a live node', () => {
  it.each(BETWEEN_NODES)('of %s stays small, whatever a member sends', (protocol) => {
    for (const isSteady of [true, false]) {
      const length = stateLengthAfter(new Hostile(isSteady), protocol, []);

      expect(length, String(isSteady)).toBeLessThan(STATE_LENGTH_MAX);
    }
  });

  it.each(GUARDS)('with %s stays small, whatever a member sends', (defence) => {
    for (const protocol of DEFENDED) {
      if (defencesFault([defence], { protocol, level: 'L3' }) !== null) continue;
      for (const isSteady of [true, false]) {
        const length = stateLengthAfter(new Hostile(isSteady), protocol, [defence]);

        expect(length, `${protocol} ${isSteady}`).toBeLessThan(STATE_LENGTH_MAX);
      }
    }
  });
});
