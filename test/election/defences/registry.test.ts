/**
 * @module
 * The list of defences: what fits what, in which order they are put around a machine, what settings change.
 */

import { describe, expect, it } from 'vitest';

import { symbolicKeys } from '../../../src/adversary/keys.ts';
import type { Authentication } from '../../../src/election/authentication/authenticated.ts';
import { defencesFault, settingsOf } from '../../../src/election/defences/defended.ts';
import { DEFENCE_NAMES, DEFENCES, findDefence } from '../../../src/election/defences/registry.ts';
import { faultOfFlags } from '../../../src/election/definition/flags.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../../src/election/registry.ts';
import { createCast, toRank } from '../../../src/election/world/cast.ts';
import { parseSeed } from '../../../src/random.ts';
import { isWorkload } from '../../../src/simulation/plan/workload.ts';
import { createDefended } from './staged.ts';

const TIMING = { latencyTicksMax: 1 };

describe('the registry', () => {
  it.each(DEFENCE_NAMES)('names %s as it calls itself, with a code and one sentence', (name) => {
    const { code, summary } = DEFENCES[name];

    expect(DEFENCES[name].name).toBe(name);
    expect(findDefence(name)).toBe(DEFENCES[name]);
    expect(code).toMatch(/^D(1[0-2]?|[2-9])$/);
    expect(summary).toMatch(/^[A-Z][^.]+\.$/);
  });

  it.each(DEFENCE_NAMES)('has a protocol that %s fits, and one that it does not', (name) => {
    const reasons = PROTOCOL_NAMES.map((protocol) => DEFENCES[name].unsupportedReason(protocol));

    expect(reasons).toContain(null);
    expect(reasons.some((reason) => reason !== null && reason.length > 0)).toBe(true);
  });

  it.each(['', 'constructor', 'hop_limit'])('has no defence %j', (name) => {
    expect(findDefence(name)).toBeNull();
  });
});

describe('every protocol', () => {
  it.each(PROTOCOL_NAMES)(
    '%s can be made with all the defences that fit it at once',
    (protocol) => {
      const fitting = DEFENCE_NAMES.filter(
        (name) => name !== 'back-off' && DEFENCES[name].unsupportedReason(protocol) === null,
      );
      const [ranks, authentication] = [[1, 2, 3].map(toRank), authenticationOf(protocol)];
      const cast = { protocol, timing: TIMING, ring: [1, 2, 3], crashedBefore: [] };

      const machine = createDefended(PROTOCOLS[protocol].create(TIMING), {
        ...{ protocol, timing: TIMING, defences: fitting, authentication },
      });

      expect(ranks.map((rank) => machine.init(createCast(cast).selfOf(Number(rank))))).toHaveLength(
        3,
      );
    },
  );
});

describe('a choice of defences', () => {
  it.each([
    [[], 'cr-join', null, null],
    [['hop-limit'], 'cr-join', null, null],
    [
      ['hop-limit'],
      'raft',
      'L3',
      'hop-limit does not fit raft: no token travels round a ring in it',
    ],
    [['receipts'], 'cr-join', 'L2', null],
    [['receipts'], 'cr-join', 'L1', 'receipts needs level L2'],
    [['receipts'], 'cr-join', null, 'receipts needs level L2'],
    [['hop-limit', 'hop-limit'], 'cr-join', 'L0', 'hop-limit is named twice'],
    [
      ['incumbency', 'back-off'],
      'bully-gm82',
      'L0',
      'incumbency and back-off hold a returned node back for different times; choose one',
    ],
  ] as const)('%j for %s at %s: %s', (defences, protocol, level, fault) => {
    expect(defencesFault(defences, { protocol, level })).toBe(fault);
  });

  it('that names none that there is says which there are', () => {
    const fault = defencesFault(['moat'], { protocol: 'raft', level: null });

    expect(fault).toContain('there is no defence "moat"; there are hop-limit, skip-list');
  });

  it('that does not fit makes no machine', () => {
    const context = { protocol: 'raft', timing: TIMING, authentication: null } as const;
    const create = () =>
      createDefended(PROTOCOLS.raft.create(TIMING), { ...context, defences: ['hop-limit'] });

    expect(create).toThrow('"defences" expected ones that fit: hop-limit does not fit raft');
  });
});

describe('settings', () => {
  it('are flags that Raft takes, a work that a run takes, and a protocol that there is', () => {
    const { flags = {}, work } = settingsOf(['pre-vote', 'fencing', 'epoch-step'], 'raft');
    const { name, flags: listed } = PROTOCOLS.raft;

    expect(faultOfFlags({ name, flags: listed, numbers: {} }, flags)).toBeNull();
    expect(work !== undefined && isWorkload(work)).toBe(true);
    expect(settingsOf(['successor-list'], 'cr-join')).toEqual({ protocol: 'ring-robust' });
    expect(settingsOf(['successor-list', 'hop-limit'], 'peterson')).toEqual({
      protocol: 'ring-robust:peterson',
    });
  });

  it('refuse a protocol that they do not fit', () => {
    expect(() => settingsOf(['pre-vote'], 'zab-fle')).toThrow(
      '"protocol" expected one that pre-vote fits, got zab-fle',
    );
  });
});

function authenticationOf(protocol: ProtocolName): Authentication {
  const keysOf = symbolicKeys(parseSeed('1'), [1, 2, 3].map(toRank));
  return { level: 'L2', protocol, election: '1', keysOf };
}
