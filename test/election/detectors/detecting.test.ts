/**
 * @module
 * A protocol and a detector as one machine: the contract of machines, and which of them gets which event.
 */

import { describe, expect, it } from 'vitest';
import type { AnyMachine } from '../../../src/election/definition/protocol.ts';
import type { DetectorReport } from '../../../src/election/detectors/detecting.ts';
import { createDetecting } from '../../../src/election/detectors/detecting.ts';
import type { AnyDetector } from '../../../src/election/detectors/detector.ts';
import {
  createDetector,
  DETECTOR_NAMES,
  parseDetector,
} from '../../../src/election/detectors/registry.ts';
import type { Effects, Event, Json, Message } from '../../../src/election/machine.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import { createCast, toRank } from '../../../src/election/world/cast.ts';
import { describeMachine } from '../../contract/machine.contract.ts';
import { BULLY_VOCABULARIES } from '../bully/bully-vocabularies.ts';

const TIMING = { latencyTicksMax: 3 };
const RANKS = [1, 2, 3, 4, 5];
const SPEECH: readonly Message[] = [
  ...[1, 50, Number.NaN].map((seq) => saying('FD_HEARTBEAT', { seq })),
  saying('FD_HEARTBEAT'),
  saying('FD_GOSSIP'),
  saying('FD_GOSSIP', { table: [[toRank(2), 4], [toRank(5), 60], null] }),
];
const VARIANTS = [...DETECTOR_NAMES, 'fd-heartbeat:adaptive', 'fd-phi-normal:form=textbook'];

for (const text of VARIANTS) {
  const spec = parseDetector(text);
  if (createDetector(spec, TIMING) === null) continue;
  const { messages, timers, ...vocabulary } = BULLY_VOCABULARIES['bully-oneshot'];
  describeMachine(`bully-oneshot under ${text}`, {
    ...vocabulary,
    create: () =>
      createDetecting(
        PROTOCOLS['bully-oneshot'].create(TIMING),
        createDetector(spec, TIMING) ?? MUTE,
        () => 100,
      ),
    messages: [...messages, ...SPEECH],
    timers: [...timers, 'fd:beat', 'fd:gossip', ...RANKS.map((rank) => `fd:deadline:${rank}`)],
  });
}

const MUTE: AnyDetector = { init: () => ({}), step: () => undefined };

describe('a machine that detects', () => {
  it('reports a suspicion to the protocol in the same step, and notes it before', () => {
    const order: string[] = [];
    const protocol = spy((event) => order.push(event.type));
    const detector: AnyDetector = {
      init: () => ({}),
      step(_self, _state, event, _now, effects) {
        if (event.type === 'start') effects.suspect(toRank(2));
        if (event.type === 'timeout') effects.trust(toRank(2));
      },
    };
    const note = ({ at, by, about, type }: DetectorReport) =>
      order.push(`${at}: ${by} ${type}s ${about}`);
    const node = stepsOf(createDetecting(protocol, detector, () => 7, note));

    node({ type: 'start' });
    node({ type: 'timeout', timer: 'fd:anything' });

    expect(order).toEqual(['start', '7: 1 suspects 2', 'suspect', '7: 1 trusts 2', 'trust']);
  });

  it('keeps messages, timers and returns of protocol and detector apart', () => {
    const heard: [string, string][] = [];
    const protocol = spy((event) => heard.push(['protocol', nameOf(event)]));
    const detector: AnyDetector = {
      init: () => ({}),
      step: (_self, _state, event) => heard.push(['detector', nameOf(event)]),
    };
    const node = stepsOf(createDetecting(protocol, detector, () => 0));

    node({ type: 'deliver', from: toRank(2), message: { type: 'FD_HEARTBEAT' } });
    node({ type: 'deliver', from: toRank(2), message: { type: 'ELECTION' } });
    node({ type: 'timeout', timer: 'fd:beat' });
    node({ type: 'timeout', timer: 'beat' });
    node({ type: 'recover', persisted: null });
    node({ type: 'reply', value: { type: 'ROW' } });
    node({ type: 'request', value: 'x' });

    expect(heard).toEqual([
      ['detector', 'FD_HEARTBEAT'],
      ['protocol', 'ELECTION'],
      ['detector', 'beat'],
      ['protocol', 'beat'],
      ['protocol', 'recover'],
      ['detector', 'recover'],
      ['protocol', 'reply'],
      ['protocol', 'request'],
    ]);
  });

  it('gives each choice to its requester, and drops one without a requester', () => {
    const chosen: [string, number][] = [];
    const protocol: AnyMachine = {
      init: () => ({}),
      step(_self, _state, event, effects) {
        if (event.type === 'start') effects.choose(10);
        if (event.type === 'chosen') chosen.push(['protocol', event.value]);
      },
    };
    const detector: AnyDetector = {
      init: () => ({}),
      step(_self, _state, event, _now, effects) {
        if (event.type === 'start') effects.choose(10);
        if (event.type === 'chosen') chosen.push(['detector', event.value]);
      },
    };
    const node = stepsOf(createDetecting(protocol, detector, () => 0));

    node({ type: 'start' });
    for (const value of [4, 5, 6]) node({ type: 'chosen', value });

    expect(chosen).toEqual([
      ['protocol', 4],
      ['detector', 5],
    ]);
  });

  it('passes every effect of the protocol on', () => {
    const protocol: AnyMachine = {
      init: () => ({}),
      step(_self, _state, _event, effects) {
        effects.persist({ term: 1 });
        effects.call({ type: 'READ' });
        effects.elect(toRank(1), 3);
        effects.stepDown();
        effects.accuse('evidence');
        effects.respond('answer');
        effects.cancelTimer('lease');
      },
    };
    const seen: string[] = [];
    const node = stepsOf(
      createDetecting(protocol, MUTE, () => 0),
      seen,
    );

    node({ type: 'suspect', node: toRank(2) });

    expect(seen).toEqual([
      'persist',
      'call',
      'elect',
      'stepDown',
      'accuse',
      'respond',
      'cancel lease',
    ]);
  });
});

function saying(type: string, fields: object = {}): Message {
  return { type, ...fields };
}

function spy(receive: (event: Event<Message>) => void): AnyMachine {
  return { init: () => ({}), step: (_self, _state, event) => receive(event) };
}

/** Node 1 of two; what it does is written to `seen`. */
function stepsOf(machine: AnyMachine, seen: string[] = []): (event: Event<Message>) => void {
  const self = createCast({
    protocol: 'cr-join',
    timing: TIMING,
    ring: [1, 2],
    crashedBefore: [],
  }).selfOf(1);
  const state: Json = machine.init(self);
  const effects: Effects<Message> = {
    send: () => seen.push('send'),
    setTimer: (timer) => seen.push(`set ${timer}`),
    cancelTimer: (timer) => seen.push(`cancel ${timer}`),
    choose: () => seen.push('choose'),
    persist: () => seen.push('persist'),
    call: () => seen.push('call'),
    elect: () => seen.push('elect'),
    stepDown: () => seen.push('stepDown'),
    accuse: () => seen.push('accuse'),
    respond: () => seen.push('respond'),
  };
  return (event) => machine.step(self, state, event, effects);
}

function nameOf(event: {
  readonly type: string;
  readonly message?: Message;
  readonly timer?: string;
}) {
  return event.message?.type ?? event.timer ?? event.type;
}
