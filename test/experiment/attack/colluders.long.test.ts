/**
 * @module
 * Adversaries of several identities under one budget: who they are, what they cost together, and what they
 * can do that one cannot; and the keys with which small elections are run.
 */

import { describe, expect, it } from 'vitest';
import { bytesToHex } from '../../../src/bytes.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { executeAttack, planAttack, REAL_KEYS } from '../../../src/experiment/attack/attack.ts';
import { forgeForAttack } from '../../../src/experiment/attack/forge.ts';
import { schemeOf } from '../../../src/identity/keys/scheme.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';
import { parseSeed } from '../../../src/random.ts';
import type { Asked } from './attacks.ts';
import { asked, attacked, SERVICES } from './attacks.ts';

const SWALLOW: Asked = { protocol: 'ring-robust', behaviours: ['swallow'] };

function owners(report: Awaited<ReturnType<typeof attacked>>): string {
  return report.members.map(({ owner }) => owner[0]).join('');
}

describe('colluders', () => {
  it.each([
    ['the lowest ordinary ones', {}, 'aahhh'],
    ['forged ones', { forge: 'top' }, 'hhhaa'],
    ['the lowest where none is admitted any more', { forge: 'top', frozen: true }, 'aahhh'],
  ] as const)('are %s, of as many nodes as were asked for', async (_who, more, expected) => {
    const { frozen = false, ...forge } = { frozen: false, ...more };
    const defences = frozen ? ['frozen-membership'] : [];

    const report = await attacked({ ...SWALLOW, ...forge, defences, colluders: 2 });

    expect(owners(report)).toBe(expected);
  });

  it('share one budget', async () => {
    const given: Asked = { protocol: 'cr-join', forge: 'top', colluders: 2 };
    const free = await attacked(given);
    const { attempts } = free.ledger;

    const [enough, short] = await Promise.all([
      attacked({ ...given, budget: { attempts } }),
      attacked({ ...given, budget: { attempts: attempts - 1 } }),
    ]);

    expect(free.ledger.attempts).toBeGreaterThan(
      (await attacked({ ...given, colluders: 1 })).ledger.attempts,
    );
    expect(enough).toMatchObject({ succeeded: true, ledger: { attempts } });
    expect(short).toMatchObject({ succeeded: null, ledger: { attempts: attempts - 1 } });
    expect(short.sentence).toContain('forged all 2 identities above all honest ones');
  });

  it('announce two leaders at L3, each with a signature, where one can announce itself alone', async () => {
    const splitting: Asked = {
      protocol: 'bully-oneshot',
      behaviours: ['equivocate'],
      level: 'L3',
      aim: 'split',
    };

    const reports = await Promise.all(
      [1, 2].map((colluders) => attacked({ ...splitting, forge: 'top', colluders })),
    );

    expect(reports.map(({ succeeded }) => succeeded)).toEqual([false, true]);
    expect(reports[1]?.sentence).toContain('ranks 4 and 5 of 5');
  });

  it.each(['raft', 'zab-fle', 'quorum-lease', 'zk-slide-quorum'] as const)(
    'are as many by default as double-vote needs in %s: one of five nodes, two of four',
    async (protocol) => {
      const voting: Asked = { protocol, behaviours: ['double-vote'], level: 'L3' };

      const reports = await Promise.all([
        attacked(voting),
        attacked({ ...voting, nodes: 4 }),
        attacked({ ...voting, nodes: 4, colluders: 1 }),
      ]);

      expect(reports.map(({ harms }) => harms.includes('split'))).toEqual([true, true, false]);
      expect(reports.map(({ colluders }) => colluders)).toEqual([1, 2, 1]);
    },
  );

  it.each([
    ['no honest node', { colluders: 5 }, /whole number in 1\.\.4, so that one node is honest/],
    ['no adversary', { colluders: 0 }, /not 0/],
    ['a number for a majority', { colluders: 2, forge: 'spread' }, /leave colluders out/],
  ] as const)('are refused where there is %s', (_what, more, says) => {
    expect(() => planAttack(asked({ ...SWALLOW, ...more }))).toThrow(says);
  });
});

describe('the forge of an attack', () => {
  it('remembers only the keys of all members', async () => {
    const { forge, keyOf, spent } = forgeForAttack(SERVICES.forge, {
      seed: parseSeed('1'),
      colluders: 1,
    });
    const mined = await forge({
      ...{ goal: { type: 'count', identities: 2 }, policy: { ...STRICT_POLICY, c1: 1 } },
      ...{ strategy: 'fresh', budget: {}, seed: parseSeed('2') },
    });

    for (const { claim } of mined.identities) {
      const key = keyOf(claim.nodeId);
      if (key === null) throw new TypeError('"key" expected one that was mined, got none');
      const publicKey = schemeOf(key.scheme).publicKeyOf(key.secret);
      expect(bytesToHex(publicKey)).toBe(bytesToHex(claim.publicKey));
    }
    expect(keyOf(new Uint8Array(32))).toBe(null);
    expect(spent()).toBe(null);
  });
});

/** Each behaviour on a protocol that it fits, if it says more than a few words. */
const SMALL: readonly (readonly [ProtocolName, string])[] = [
  ['bully-oneshot', 'spoof-coordinator'],
  ['cr-join', 'phantom-id'],
  ['hs-wake', 'swallow'],
  ['bully-improved', 'replay'],
  ['ring-maxtoken', 'equivocate'],
  ['ring-lelann', 'tamper-token'],
  ['bully-modified', 'answer-and-stall'],
  ['ring-robust:peterson', 'late-joiner'],
  ['zab-fle', 'term-inflation'],
  ['zk-slide-quorum', 'double-vote'],
];

describe('a small election', () => {
  it.each(SMALL)(
    '%s under %s shows with real keys what it shows with symbolic ones',
    async (protocol, behaviour) => {
      const given: Asked = { protocol, behaviours: [behaviour], level: 'L3', nodes: 3 };
      const attack = planAttack(asked(given));

      const [real, symbolic] = await Promise.all([
        executeAttack(attack, { ...SERVICES, usesRealKeys: true }),
        executeAttack(attack, SERVICES),
      ]);

      if (real.outcome !== 'run' || symbolic.outcome !== 'run')
        throw new TypeError('"outcome" expected run');
      const isSmall = symbolic.seen.messages <= REAL_KEYS.messagesMax;
      expect(real.keys).toBe(isSmall ? 'real' : 'symbolic');
      expect({ ...real, keys: 'symbolic' }).toEqual(symbolic);
    },
  );

  it('has real keys among sixteen, symbolic ones among seventeen, none below L2', async () => {
    const keysOf = async (more: Partial<Asked>) => {
      const given: Asked = { protocol: 'cr-join', behaviours: ['swallow'], ...more };
      const services = { ...SERVICES, usesRealKeys: true };
      const execution = await executeAttack(planAttack(asked(given)), services);
      return execution.outcome === 'run' ? execution.keys : null;
    };

    expect(await keysOf({ level: 'L2', nodes: 16 })).toBe('real');
    expect(await keysOf({ level: 'L2', nodes: 17 })).toBe('symbolic');
    expect(await keysOf({ level: 'L1', nodes: 5 })).toBe('none');
  });
});
