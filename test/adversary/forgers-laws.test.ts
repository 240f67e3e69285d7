/**
 * @module
 * What forgers owe their drivers, as every machine does: they take any event in any state, their state
 * is plain data, and they do the same for the same events.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BEHAVIOURS } from '../../src/adversary/behaviours/registry.ts';
import type { Event, Json, Message } from '../../src/election/machine.ts';
import { toRank } from '../../src/election/world/cast.ts';
import type { EffectRecord } from '../../src/election/world/effect-record.ts';
import { deepFreeze } from '../contract/machine.contract.ts';
import { BULLY_VOCABULARIES } from '../election/bully/bully-vocabularies.ts';
import { RING_VOCABULARIES } from '../election/ring/ring-vocabularies.ts';
import type { Setting } from './staging/forger-node.ts';
import { nodeWithBehaviours } from './staging/forger-node.ts';

const FORGERS = [
  BEHAVIOURS['spoof-coordinator'],
  BEHAVIOURS['phantom-id'],
  BEHAVIOURS.swallow,
  BEHAVIOURS.replay,
  BEHAVIOURS.equivocate,
  BEHAVIOURS['tamper-token'],
];
const VOCABULARIES = { ...BULLY_VOCABULARIES, ...RING_VOCABULARIES };
const SETTINGS = [
  { protocol: 'bully-improved', level: 'L0' },
  { protocol: 'ring-maxtoken', level: 'L3' },
  { protocol: 'ring-robust', level: 'L2' },
] as const;
const CASES = FORGERS.flatMap((forger) =>
  SETTINGS.filter(({ protocol }) => forger.unsupportedReason(protocol) === null).map((setting) => ({
    ...{ name: forger.name, protocol: setting.protocol, level: setting.level },
    ...{ forger, setting },
  })),
);

describe.each(CASES)('$name on $protocol under $level', ({ forger, setting }) => {
  it('takes any event in any state', () => {
    check(setting, forger.name, (history) => {
      expect(() => run(history)).not.toThrow();
    });
  });

  it('does the same on another machine, from a copy of the state, with events that cannot change', () => {
    check(setting, forger.name, (history) => {
      const cut = history.length >> 1;
      const frozen = deepFreeze(structuredClone(history));
      const whole = run(frozen);

      const first = nodeWithBehaviours(setting, 1, [forger]);
      const before = history.slice(0, cut).flatMap((event) => first.receive(event));
      const restored: Json = JSON.parse(JSON.stringify(first.state()));
      const second = nodeWithBehaviours(setting, 1, [forger], restored);
      const after = history.slice(cut).flatMap((event) => second.receive(event));

      expect([...before, ...after]).toEqual(whole);
    });
  });

  function run(history: readonly Event<Message>[]): EffectRecord[] {
    const node = nodeWithBehaviours(setting, 1, [forger]);
    return history.flatMap((event) => node.receive(event));
  }
});

function check(
  setting: Setting,
  name: string,
  law: (history: readonly Event<Message>[]) => void,
): void {
  fc.assert(fc.property(fc.array(arbitraryEvent(setting, name), { maxLength: 20 }), law), {
    ...{ seed: 1982, numRuns: 60 },
  });
}

function arbitraryEvent(setting: Setting, name: string): fc.Arbitrary<Event<Message>> {
  // Those of the settings are all listed.
  const { messages, timers } = VOCABULARIES[setting.protocol as keyof typeof VOCABULARIES];
  const rank = fc.constantFrom(...[1, 2, 3, 4, 5].map(toRank));
  const foreign = [
    { type: 'constructor' },
    { type: 'TOKEN', seal: null },
    { type: 'PROBE', candidate: 5, seal: { by: 3, candidacies: { 5: 'x' } } },
    { type: 'PROBE', candidate: 5, seal: { by: 3, candidacies: null } },
  ];
  const message: fc.Arbitrary<Message> = fc.constantFrom<Message>(...messages, ...foreign);
  return fc.oneof(
    fc.record({ type: fc.constant('deliver' as const), from: rank, message }),
    fc.record({ type: fc.constantFrom('suspect' as const, 'trust' as const), node: rank }),
    fc.record({
      type: fc.constant('timeout' as const),
      timer: fc.constantFrom<string>(...timers, `byz:${name}`),
    }),
    fc.constant({ type: 'start' as const }),
    fc.constant({ type: 'recover' as const, persisted: null }),
  );
}
