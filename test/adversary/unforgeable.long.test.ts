/**
 * @module
 * What authentication guarantees every protocol against any behaviour. From L2 on an honest node accepts a
 * message in the name of another honest node only if that node sent it, unchanged; from L3 on at most as
 * often as it was sent. A message in a Byzantine node's own name can name only candidates and leaders that
 * have signed their candidacy, from L3 on for this election. Covers all behaviours, the protocols they fit,
 * and random faults, in `FORGERY_RUNS` runs.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { BehaviourName } from '../../src/adversary/behaviours/registry.ts';
import { BEHAVIOUR_NAMES, BEHAVIOURS } from '../../src/adversary/behaviours/registry.ts';
import type { Level } from '../../src/election/authentication/authenticated.ts';
import type { FaultKind } from '../../src/election/definition/drawn-faults.ts';
import type { ProtocolName } from '../../src/election/registry.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../src/election/registry.ts';
import type { Case } from './staging/observed-words.ts';
import {
  observed,
  observedBesideManglers,
  observedBesideNamers,
  repeated,
  unsaid,
} from './staging/observed-words.ts';

const RUNS = Number(process.env.FORGERY_RUNS ?? 40);

describe('a word in the name of an honest node', () => {
  it.each([
    ['L2', ['sender', 'signature', 'candidacy']],
    ['L3', ['sender', 'signature', 'candidacy', 'replay']],
  ] as const)('%s: is heard by honest nodes only where it was said', (level, reasons) => {
    const refused = new Set<string>();
    let heard = 0;

    fc.assert(
      fc.property(arbitraryCase(level), (each) => {
        const account = observed(each);

        for (const reason of account.refused) refused.add(reason);
        heard += account.heard.size;
        expect(unsaid(account)).toEqual([]);
        expect(account.unproved).toEqual([]);
      }),
      { seed: 1983, numRuns: RUNS },
    );
    // Much is said, true and forged.
    expect(heard).toBeGreaterThan(1000);
    expect([...refused].toSorted()).toEqual(reasons.toSorted());
  });

  it('is heard at L3 no more often than it was said, in one life of the listener', () => {
    const kinds = ['duplication', 'reordering', 'restart', 'amnesia', 'pause'] as const;

    fc.assert(
      fc.property(arbitraryCase('L3', kinds), (each) => {
        expect(repeated(observed(each))).toEqual([]);
      }),
      { seed: 1983, numRuns: Math.ceil(RUNS / 2) },
    );
  });

  it.each(['L2', 'L3'] as const)('%s: is not heard of one that alters and repeats it', (level) => {
    const refused = new Set<string>();

    fc.assert(
      fc.property(arbitraryCase(level), (each) => {
        const account = observedBesideManglers(each);

        for (const reason of account.refused) refused.add(reason);
        expect(unsaid(account)).toEqual([]);
        expect(account.unproved).toEqual([]);
        if (level === 'L3') expect(repeated(account)).toEqual([]);
      }),
      { seed: 1983, numRuns: Math.ceil(RUNS / 4) },
    );
    expect([...refused]).toEqual(expect.arrayContaining(['malformed', 'signature']));
  });

  it('is heard at L2 more often than it was said where the network repeats it', () => {
    const each = { protocol: 'cr-join', level: 'L2', behaviours: [] } as const;

    const accounts = NUMBERS.map((number) => observed({ ...each, number, kinds: ['duplication'] }));

    expect(accounts.flatMap(repeated).length).toBeGreaterThan(0);
  });

  it.each([
    ['spoof-coordinator', 'bully-gm82'],
    ['phantom-id', 'bully-oneshot'],
    ['replay', 'cr-join'],
    ['equivocate', 'raft'],
    ['heartbeat-forger', 'ring-maxtoken'],
  ] as const)('accepts at L0 of %s on %s what no node sent', (behaviour, protocol) => {
    const each = { protocol, level: 'L0', behaviours: [behaviour] } as const;

    const accounts = NUMBERS.map((number) => observed({ ...each, number, kinds: ['crash'] }));

    expect(accounts.flatMap(unsaid).length).toBeGreaterThan(0);
  });
});

describe("a candidacy in a Byzantine node's own message", () => {
  const naming = PROTOCOL_NAMES.filter((protocol) => namesNodes(protocol));

  it.each(naming)(
    'is not heard on %s of one who has not signed it, the listener included',
    (protocol) => {
      const accounts = (['L2', 'L3'] as const).flatMap((level) =>
        [0, 1, 2].map((number) => observedBesideNamers({ protocol, level, number })),
      );

      expect(accounts.flatMap(({ unproved }) => unproved)).toEqual([]);
      expect(accounts.every(({ refused }) => refused.has('candidacy'))).toBe(true);
    },
  );

  it.each(naming)('is heard on %s at L1', (protocol) => {
    const { unproved } = observedBesideNamers({ protocol, level: 'L1', number: 0 });

    expect(unproved).not.toEqual([]);
  });
});

/** Whether its words name somebody beside their sender. */
function namesNodes(protocol: ProtocolName): boolean {
  const { candidacy, announcement } = PROTOCOLS[protocol].forgery;
  return [candidacy, announcement].some(
    (word) => typeof word !== 'string' && word.names === 'subject',
  );
}

/** The only drawn crash is that of an honest leader which the forger follows in about one run of six. */
const NUMBERS = Array.from({ length: 48 }, (_, index) => index);

function arbitraryCase(level: Level, kinds?: readonly FaultKind[]): fc.Arbitrary<Case> {
  return fc
    .constantFrom(...PROTOCOL_NAMES.filter((protocol) => fitting(protocol).length > 0))
    .chain((protocol) => {
      const fits = fitting(protocol);
      const lengths = { minLength: 1, maxLength: Math.min(3, fits.length) };
      return fc.record({
        ...{ protocol: fc.constant(protocol), level: fc.constant(level) },
        behaviours: fc.shuffledSubarray(fits, lengths),
        number: fc.nat(1_000_000),
      });
    })
    .map((each) => (kinds === undefined ? each : { ...each, kinds }));
}

/** Those of which something is said among nodes: hogs speak to stores. */
function fitting(protocol: ProtocolName): BehaviourName[] {
  if (PROTOCOLS[protocol].store !== null) return [];
  return BEHAVIOUR_NAMES.filter((name) => BEHAVIOURS[name].unsupportedReason(protocol) === null);
}
