/**
 * @module
 * What no honest node sends is not heard of, at any level: whatever members a message has and whatever
 * is in them, no protocol throws over it, and none takes up what is no rank. Nothing that honest nodes
 * send is dropped for its form.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type {
  AuthenticatedState,
  SealedMessage,
} from '../../src/election/authentication/authenticated.ts';
import {
  candidacyText,
  createAuthenticated,
  LEVELS,
  messageText,
} from '../../src/election/authentication/authenticated.ts';
import { namedIn } from '../../src/election/authentication/candidacies.ts';
import { isWellFormed } from '../../src/election/authentication/message-forms.ts';
import { DEFENCE_NAMES, DEFENCES } from '../../src/election/defences/registry.ts';
import { createDetecting } from '../../src/election/detectors/detecting.ts';
import { createDetector, parseDetector } from '../../src/election/detectors/registry.ts';
import type { Event, Json, Message, Rank } from '../../src/election/machine.ts';
import type { ProtocolName } from '../../src/election/registry.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../src/election/registry.ts';
import { createCast, toRank } from '../../src/election/world/cast.ts';
import type { EffectRecord } from '../../src/election/world/effect-record.ts';
import type { SimulationOptions } from '../../src/simulation/plan/plan.ts';
import { createSimulation } from '../../src/simulation/run/simulation.ts';
import { recorded } from '../election/recorded.ts';
import { swarmRun } from '../simulation/schedules.ts';
import { byzantineNodeOf, honest, selfOf, TIMING } from './staging/byzantine-node.ts';

const DETECTORS_ON_NODES = ['fd-heartbeat', 'fd-gossip', 'fd-phi-akka'];
const GUARDS = DEFENCE_NAMES.filter((name) => DEFENCES[name].kind !== 'setting');
const RUNS = Number(process.env.MALFORMED_RUNS ?? 6);
/** Three members and a phantom. */
const HIGHEST_RANK = 4;

const absurd = fc.oneof(
  fc.constantFrom(...[-1, 0, 0.5, 99, 2 ** 53 - 1, 2 ** 53, 1e308]),
  fc.constantFrom('', '1', '00ff', '__proto__', 'constructor'),
  fc.jsonValue({ maxDepth: 2 }).map((value) => value as Json), // JSON by its own account.
);
const rank = fc.integer({ min: 1, max: HIGHEST_RANK });
const count = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 0, max: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom(2 ** 52, 2 ** 53 - 1) },
);
const flag = fc.boolean();
const text = fc.constantFrom('1', 'g', '1-n_0', '__proto__');
const ranks = fc.array(rank, { maxLength: 4 });

/** What each member holds when it is right, whatever the protocol. */
const PLAUSIBLE: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  ...{ leader: rank, candidate: rank, next: rank, priority: rank, tid: rank, max: rank },
  ...{ initiator: rank, id: rank, ids: ranks, successors: ranks, suspected: ranks },
  ...{ election: count, call: count, round: count, term: count, lastIndex: count, epoch: count },
  ...{ zxid: count, peerEpoch: count, currentEpoch: count, hops: count, hopsMax: count },
  ...{ life: count, attr: count, seq: count },
  ...{ request: count, session: count, expected: count, guid: text, name: text, watch: text },
  row: fc.record({ holder: rank, version: count, ticks: count }, { requiredKeys: [] }),
  ...{ normal: flag, clockwise: flag, unique: flag, granted: flag, leads: flag, promised: flag },
  state: fc.constantFrom('LOOKING', 'FOLLOWING', 'LEADING'),
  token: fc.tuple(rank, count),
  table: fc.array(fc.tuple(rank, count), { maxLength: 3 }),
};
const STORED = PROTOCOL_NAMES.filter((name) => PROTOCOLS[name].store !== null);
const OTHERS = ['FD_HEARTBEAT', 'FD_GOSSIP', 'SEAL', 'BEGIN_ANEW', '', 'toString', '__proto__'];

/** Something of one of a protocol's types, or of another, with right members and wrong ones. */
function arbitraryMessage(protocol: ProtocolName, depth = 1): fc.Arbitrary<unknown> {
  const members = Object.fromEntries(
    Object.entries(PLAUSIBLE).map(([name, right]) => [
      name,
      fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: absurd }),
    ]),
  );
  const type = fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...PROTOCOLS[protocol].messageTypes) },
    { weight: 3, arbitrary: fc.constantFrom(...OTHERS) },
    { weight: 1, arbitrary: absurd },
  );
  const inside = depth === 0 ? absurd : arbitraryMessage(protocol, depth - 1);
  return type.chain((said) => {
    const carried = fc
      .tuple(inside, fc.boolean())
      .map(([message, isSame]) =>
        isSame && typeof message === 'object' ? { ...message, type: said } : message,
      );
    return fc
      .record({ ...members, message: carried }, { requiredKeys: [] })
      .map((rest) => ({ ...rest, type: said }));
  });
}

type Turn =
  | {
      readonly do: 'receive';
      readonly from: number;
      readonly message: unknown;
      readonly as: unknown;
    }
  | { readonly do: 'start' | 'return' | 'answer' }
  | { readonly do: 'timer' | 'suspect' | 'trust'; readonly which: number };

function arbitraryTurns(protocol: ProtocolName): fc.Arbitrary<Turn[]> {
  const receive = fc.record({
    ...{ do: fc.constant('receive' as const), from: fc.constantFrom(1, 3) },
    message: fc.oneof(
      { weight: 20, arbitrary: arbitraryMessage(protocol) },
      { weight: 1, arbitrary: absurd },
    ),
    as: fc.oneof({ weight: 8, arbitrary: fc.constant(undefined) }, rank, absurd),
  });
  const plain = fc.record({ do: fc.constantFrom('start', 'return', 'answer') });
  const timer = { do: fc.constantFrom('timer', 'suspect', 'trust'), which: fc.nat(5) };
  return fc.array(
    fc.oneof(
      { weight: 4, arbitrary: receive },
      { weight: 1, arbitrary: plain as fc.Arbitrary<Turn> }, // Its names are literals.
      { weight: 1, arbitrary: fc.record(timer) as fc.Arbitrary<Turn> }, // And these.
    ),
    { minLength: 8, maxLength: 30 },
  );
}

describe('a message that no honest node sends', () => {
  for (const level of LEVELS) {
    it.each(PROTOCOL_NAMES)(`${level}: breaks nothing in %s`, (protocol) => {
      let heard = 0;
      let refused = 0;

      fc.assert(
        fc.property(arbitraryTurns(protocol), fc.boolean(), (turns, isGossip) => {
          const detector = isGossip ? 'fd-gossip' : 'fd-heartbeat';
          const { effects, state } = played({ protocol, level, detector }, turns);
          refused += state.refused.malformed;
          heard += turns.filter((turn) => turn.do === 'receive').length - allRefused(state);

          expect(JSON.parse(JSON.stringify(state))).toEqual(state);
          for (const effect of effects) expect(ranksOf(effect).every(isKnownRank)).toBe(true);
          // After the last number there is no next, and later messages are refused.
          const isSpent = JSON.stringify(turns).includes(String(Number.MAX_SAFE_INTEGER));
          for (const effect of effects) {
            if (effect.type !== 'send' || isSpent) continue;
            const { seal: _, ...body }: SealedMessage = effect.message;
            expect(isWellFormed(protocol, body, { self: selfOf({ protocol }) })).toBe(true);
          }
        }),
        { seed: 6, numRuns: RUNS },
      );
      // Some have their form, and most not.
      expect(heard).toBeGreaterThan(0);
      expect(refused).toBeGreaterThan(0);
    });
  }

  it.each(LEVELS)('%s: is refused as malformed, and changes nothing', (level) => {
    const setup = { protocol: 'bully-oneshot', level, rank: 2 } as const;
    for (const message of [
      { type: 'COORDINATOR' },
      { type: 'COORDINATOR', leader: null },
      { type: 'COORDINATOR', leader: '3' },
      { type: 'COORDINATOR', leader: 0 },
      { type: 'COORDINATOR', leader: [3] },
    ]) {
      const node = honest(setup);
      const before = structuredClone(node.state);

      const effects = node.handle(sealedFrom(3, message, setup));

      expect(effects).toEqual([]);
      expect(node.state).toEqual({ ...Object(before), refused: { ...NONE, malformed: 1 } });
    }
  });

  it('is not distinguished from another by additional members', () => {
    const hidden = { type: 'PROBE', candidate: toRank(4), message: { type: 'HELLO' } };

    expect(namedIn('cr-join', hidden)).toEqual([4]);
  });
});

describe('an operation that no honest node asks for', () => {
  it.each(STORED)('breaks nothing in the store of %s', (protocol) => {
    const store = PROTOCOLS[protocol].store?.create(TIMING, {});
    if (store === undefined) throw new TypeError('"store" expected one, got none');
    const self = { ...selfOf({ protocol }), rank: toRank(HIGHEST_RANK) };

    fc.assert(
      fc.property(fc.array(arbitraryMessage(protocol), { maxLength: 20 }), (said) => {
        const state = store.init(self);
        for (const message of said as readonly Message[]) {
          // Whatever the type says, it comes from outside.
          const event = { type: 'deliver', from: toRank(1), message } as const;

          for (const effect of recorded((effects) => store.step(self, state, event, effects))) {
            expect(ranksOf(effect).every(isKnownRank)).toBe(true);
          }
        }
        expect(JSON.parse(JSON.stringify(state))).toEqual(state);
      }),
      { seed: 6, numRuns: 10 * RUNS },
    );
  });
});

describe('what honest nodes send', () => {
  it.each(PROTOCOL_NAMES)('has a form by its type in %s', (protocol) => {
    const { messageTypes, messages, store } = PROTOCOLS[protocol];

    expect(Object.keys(messages).toSorted()).toEqual(
      store === null ? [...messageTypes].toSorted() : [],
    );
  });

  it.each(PROTOCOL_NAMES)('is never refused for its form in %s', (protocol) => {
    for (const number of [1, 2, 3, 4, 5, 6]) {
      expect(refusedForForm({ ...swarmRun(number, { protocol }), level: 'L0' })).toEqual([]);
    }
  });

  it.each(DETECTORS_ON_NODES)('is never refused for its form beside %s', (detector) => {
    for (const protocol of ['bully-improved', 'ring-robust', 'zk-slide-quorum'] as const) {
      const { schedule: _, ...options } = swarmRun(1, { protocol });
      const watched = { ...options, detector: parseDetector(detector), untilTicks: 400 };

      expect(refusedForForm({ ...watched, level: 'L2' })).toEqual([]);
    }
  });

  it.each(GUARDS)('is never refused for its form under %s', (defence) => {
    for (const protocol of PROTOCOL_NAMES) {
      if (DEFENCES[defence].unsupportedReason(protocol) !== null) continue;
      const options = swarmRun(2, { protocol, kinds: ['crash', 'restart'] });

      expect(refusedForForm({ ...options, level: 'L3', defences: [defence] })).toEqual([]);
    }
  });
});

/** Nodes that have refused something as malformed. */
function refusedForForm(options: SimulationOptions): number[] {
  const simulation = createSimulation(options);
  simulation.start();
  simulation.advance({ until: 400 });
  const ranks = simulation.nodes().map(({ rank: each }) => each);
  return ranks.filter((each) =>
    /"malformed":[1-9]/.test(JSON.stringify(simulation.stateOf(each) ?? null)),
  );
}

const NONE = { sender: 0, malformed: 0, replay: 0, signature: 0, candidacy: 0 };

interface NodeSetup {
  readonly protocol: ProtocolName;
  readonly level: (typeof LEVELS)[number];
}

/** Node 2 of three. The other two send it anything, properly sealed. */
function played(
  { detector, ...setup }: NodeSetup & { readonly detector: string },
  turns: readonly Turn[],
) {
  const { protocol } = setup;
  const { authentication } = byzantineNodeOf({ protocol, level: setup.level });
  let now = 0;
  const watcher = createDetector(parseDetector(detector), TIMING);
  if (watcher === null) throw new TypeError('"detector" expected one on the nodes, got none');
  const watched = createDetecting(PROTOCOLS[protocol].create(TIMING), watcher, () => now);
  const machine = createAuthenticated(watched, { ...authentication, highestRank: HIGHEST_RANK });
  const ring = { protocol, timing: TIMING, ring: [1, 2, 3], crashedBefore: [] };
  const self = createCast(ring).selfOf(2);
  let state = machine.init(self);
  let disk: Json = null;
  const timers = new Set<string>();
  const choices: number[] = [];
  const all: EffectRecord[] = [];
  const handle = (event: Event<Message>) => {
    now += 1;
    for (const effect of recorded((effects) => machine.step(self, state, event, effects))) {
      all.push(effect);
      if (effect.type === 'set-timer') timers.add(effect.timer);
      if (effect.type === 'persist') disk = effect.fields;
      if (effect.type === 'choose') choices.push(effect.below);
    }
  };
  let number = 0;
  for (const turn of turns) {
    switch (turn.do) {
      case 'receive':
        number += 1;
        handle(sealedFrom(turn.from, turn.message, { ...setup, number, as: turn.as }));
        break;
      case 'start':
        handle({ type: 'start' });
        break;
      case 'return':
        state = machine.init(self);
        choices.length = 0;
        handle({ type: 'recover', persisted: disk });
        break;
      case 'answer': {
        const below = choices.shift();
        if (below !== undefined) handle({ type: 'chosen', value: below - 1 });
        break;
      }
      case 'timer': {
        const timer = [...timers][turn.which];
        if (timer !== undefined) handle({ type: 'timeout', timer });
        break;
      }
      case 'suspect':
      case 'trust':
        handle({ type: turn.do, node: toRank(turn.which % 2 === 0 ? 1 : 3) });
        break;
      default:
        turn satisfies never;
    }
  }
  return { effects: all, state };
}

/** Signed by `from` and with every candidacy there is, as its level asks; `as` is another's name. */
function sealedFrom(
  from: number,
  said: unknown,
  {
    protocol,
    level,
    number = 1,
    as,
  }: NodeSetup & { readonly number?: number; readonly as?: unknown },
): Event<Message> {
  // Whatever the type says, it comes from outside.
  const body = said as Message;
  const by = (as === undefined ? toRank(from) : as) as Rank; // So does this.
  const { authentication } = byzantineNodeOf({ protocol, level });
  const message = { ...body, ...(as === undefined ? {} : { seal: { by } }) };
  if (typeof body !== 'object' || body === null) {
    return { type: 'deliver', from: toRank(from), message: body };
  }
  if (level === 'L0' || level === 'L1') return { type: 'deliver', from: toRank(from), message };
  const { sign } = authentication.keysOf(toRank(from));
  const signature = sign(messageText(authentication, { by, to: toRank(2), number, body }));
  const candidacies = Object.fromEntries(
    [1, 2, 3].map((each) => {
      const keys = authentication.keysOf(toRank(each));
      return [each, keys.sign(candidacyText(authentication, toRank(each)))];
    }),
  );
  const seal = { by, ...(level === 'L3' ? { number } : {}), signature, candidacies };
  const sealed: SealedMessage = { ...body, seal };
  return { type: 'deliver', from: toRank(from), message: sealed };
}

function allRefused({ refused }: AuthenticatedState): number {
  return Object.values(refused).reduce((sum, count) => sum + count, 0);
}

function ranksOf(effect: EffectRecord): readonly Rank[] {
  if (effect.type === 'send') return [effect.to];
  return effect.type === 'elect' ? [effect.leader] : [];
}

function isKnownRank(value: Rank): boolean {
  return (
    typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 && value <= HIGHEST_RANK
  );
}
