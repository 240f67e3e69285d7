/**
 * @module
 * The flags of protocols and the attributes of members, from the registry to the machines of a cast.
 */

import { describe, expect, it } from 'vitest';
import type { Flags } from '../../src/election/definition/flags.ts';
import { numbersOf, readNumbers } from '../../src/election/definition/flags.ts';
import type { ProtocolName } from '../../src/election/registry.ts';
import { flagClash, flagFault, PROTOCOL_NAMES, PROTOCOLS } from '../../src/election/registry.ts';
import { createCast } from '../../src/election/world/cast.ts';

const TIMING = { latencyTicksMax: 1 };
const RING = { timing: TIMING, ring: [1, 2, 3], crashedBefore: [] };

describe('flagFault', () => {
  it('takes every value that the registry lists, and no flags at all', () => {
    for (const name of PROTOCOL_NAMES) {
      expect(flagFault(name, {})).toBeNull();
      for (const [flag, values] of Object.entries(PROTOCOLS[name].flags)) {
        for (const value of values) expect(flagFault(name, { [flag]: value })).toBeNull();
      }
    }
  });

  it.each<[string, Flags, string]>([
    ['an unknown value', { rejoin: 'often' }, 'must be dedup or naive, not "often"'],
    ['an empty value', { rejoin: '' }, 'must be dedup or naive, not ""'],
    [
      'an unknown flag',
      { rejoins: 'naive' },
      'is no flag of bully-oneshot, which has rejoin, coordTo, aliveTop',
    ],
    ['the name of a method', { toString: 'naive' }, 'is no flag of bully-oneshot, which has'],
    ['the second of two', { rejoin: 'naive', coordTo: 'none' }, 'must be lower or all, not "none"'],
  ])('refuses %s', (_what, flags, detail) => {
    expect(flagFault('bully-oneshot', flags)?.detail).toContain(detail);
  });

  it.each(['01', '0150', '00', '1e2', '+5', ' 5', '5.0', '-1', ''])(
    'refuses %j as a number: each has one spelling',
    (electionTicks) => {
      expect(flagFault('raft', { electionTicks })?.detail).toContain(
        'must be a whole number in 1..',
      );
    },
  );

  it('says of leading zeros that they are wrong', () => {
    expect(flagFault('raft', { electionTicks: '0150' })?.detail).toContain(
      'without leading zeros, not "0150"',
    );
    expect(flagFault('raft', { electionTicks: '150' })).toBeNull();
  });

  it('says that a protocol has none', () => {
    expect(flagFault('cr-join', { rejoin: 'naive' })).toEqual({
      flag: 'rejoin',
      detail: 'is no flag of cr-join, which has none',
    });
  });
});

function numbers(name: ProtocolName, flags: Flags, timing = TIMING) {
  return numbersOf(PROTOCOLS[name].numbers ?? {}, timing, flags);
}

describe('a number that is not given', () => {
  it.each<[ProtocolName, Flags, Record<string, number>]>([
    ['raft', { electionTicks: '150' }, { spreadTicks: 150, heartbeatTicks: 15 }],
    ['raft', { electionTicks: '9' }, { spreadTicks: 9, heartbeatTicks: 1 }],
    ['raft', { electionTicks: '150', spreadTicks: '7' }, { spreadTicks: 7, heartbeatTicks: 15 }],
    ['zab-fle', { silenceTicks: '200' }, { heartbeatTicks: 20, finalizeWaitTicks: 3 }],
    ['zab-fle', { silenceTicks: '2' }, { heartbeatTicks: 1 }],
    ['lease-local', { leaseTicks: '1000' }, { renewTicks: 333, pollTicks: 100 }],
    ['lease-local', { leaseTicks: '3' }, { renewTicks: 1, pollTicks: 3 }],
    ['db-lease', { leaseTicks: '1000' }, { pollTicks: 100, marginTicks: 0 }],
    ['zk-recipe', { sessionTicks: '30' }, { pingTicks: 10 }],
    [
      'kubernetes-lease',
      { leaseDuration: '15000' },
      { renewDeadline: 10_000, retryPeriod: 2000, callTimeout: 5000 },
    ],
    ['kubernetes-lease', { leaseDuration: '3' }, { renewDeadline: 2, retryPeriod: 1 }],
  ])('of %s under %o follows from those that are', (name, flags, follows) => {
    expect(numbers(name, flags)).toMatchObject({ ...follows });
  });

  it.each<[ProtocolName, Record<string, number>]>([
    ['raft', { electionTicks: 70, spreadTicks: 70, heartbeatTicks: 7 }],
    ['zab-fle', { finalizeWaitTicks: 7, heartbeatTicks: 7, silenceTicks: 70 }],
    ['lease-local', { leaseTicks: 70, renewTicks: 23, driftPpm: 10_000, pollTicks: 7 }],
    ['redlock', { instances: 5, leaseTicks: 70, renewTicks: 23, driftPpm: 10_000, pollTicks: 7 }],
    ['db-lease', { leaseTicks: 70, driftPpm: 10_000, pollTicks: 7, marginTicks: 0 }],
    ['zk-recipe', { sessionTicks: 70, pingTicks: 23, driftPpm: 10_000 }],
    ['kubernetes-lease', { leaseDuration: 70, renewDeadline: 46, retryPeriod: 9, callTimeout: 23 }],
  ])('of %s follows from the latency where none is', (name, follows) => {
    expect(numbers(name, {}, { latencyTicksMax: 3 })).toEqual(follows);
  });

  it('does not follow from what is not listed', () => {
    expect(() => readNumbers({}, TIMING, {})('toString')).toThrow(
      new RangeError('"name" expected a number flag, got toString'),
    );
  });
});

describe('flagClash', () => {
  it('finds none among the defaults, whatever the latency', () => {
    for (const name of PROTOCOL_NAMES) {
      for (const latencyTicksMax of [1, 9, 1000]) {
        expect(flagClash(name, { latencyTicksMax }, {}), name).toBeNull();
      }
    }
  });

  it.each<[ProtocolName, Flags, Flags, string, string]>([
    [
      'raft',
      { heartbeatTicks: '29' },
      { heartbeatTicks: '30' },
      'heartbeatTicks',
      'must be less than electionTicks, which is 30, not 30',
    ],
    [
      'raft',
      { electionTicks: '2' },
      { electionTicks: '1' },
      'electionTicks',
      'must be more than heartbeatTicks, which is 1, not 1',
    ],
    [
      'zab-fle',
      { silenceTicks: '50', heartbeatTicks: '49' },
      { silenceTicks: '50', heartbeatTicks: '50' },
      'heartbeatTicks',
      'must be less than silenceTicks, which is 50, not 50',
    ],
    [
      'lease-local',
      { leaseTicks: '100', renewTicks: '99' },
      { leaseTicks: '100', renewTicks: '400' },
      'renewTicks',
      'must be less than leaseTicks, which is 100, not 400',
    ],
    [
      'zk-recipe',
      { pingTicks: '29' },
      { pingTicks: '30' },
      'pingTicks',
      'must be less than sessionTicks, which is 30, not 30',
    ],
    [
      'kubernetes-lease',
      { leaseDuration: '150', renewDeadline: '149' },
      { leaseDuration: '150', renewDeadline: '150' },
      'renewDeadline',
      'must be less than leaseDuration, which is 150, not 150',
    ],
    [
      'kubernetes-lease',
      { renewDeadline: '13', retryPeriod: '10' },
      { renewDeadline: '12', retryPeriod: '10' },
      'renewDeadline',
      'must be more than 1.2 retryPeriod, which is 12, not 12',
    ],
    [
      'db-lease',
      { leaseTicks: '300', driftPpm: '0', marginTicks: '199' },
      { leaseTicks: '300', driftPpm: '0', marginTicks: '200' },
      'marginTicks',
      'must be at most 199, so that a lease of leaseTicks 300 is renewed before it is given up, not 200',
    ],
    [
      'db-lease',
      { leaseTicks: '3', driftPpm: '500000', marginTicks: '0' },
      { leaseTicks: '3', driftPpm: '500000', marginTicks: '1' },
      'marginTicks',
      'must be at most 0, so that a lease of leaseTicks 3 is renewed before it is given up, not 1',
    ],
  ])('lets %s have %o, and not %o', (name, fit, unfit, flag, detail) => {
    expect(flagClash(name, TIMING, fit)).toBeNull();
    expect(flagClash(name, TIMING, unfit)).toEqual({ flag, detail });
  });
});

describe('a cast', () => {
  it('is not made with flags that its protocol does not have', () => {
    const create = () => createCast({ ...RING, protocol: 'cr-join', flags: { rejoin: 'naive' } });

    expect(create).toThrow(new RangeError('"rejoin" is no flag of cr-join, which has none'));
  });
});
