/**
 * @module
 * Attacks from forging to the verdict: each behaviour on one protocol, the goals, who is placed where, what
 * is refused, and that all of it is the same again under the same seed.
 */

import { describe, expect, it } from 'vitest';
import { BEHAVIOUR_NAMES } from '../../../src/adversary/behaviours/registry.ts';
import { LEVELS } from '../../../src/election/authentication/authenticated.ts';
import { planAttack } from '../../../src/experiment/attack/attack.ts';
import type { Asked } from './attacks.ts';
import { asked, attacked, repeatable } from './attacks.ts';

/** One letter for each level, L0 first: whether that harm was done, or none at all. */
type Row = readonly [behaviour: string, attack: Asked, harm: string, byLevel: string];

const ATTACKS: readonly Row[] = [
  ['spoof-coordinator', { protocol: 'cr-join' }, 'captured-leader', 'yyyy'],
  ['phantom-id', { protocol: 'cr-join' }, 'no-leader', 'yy--'],
  ['swallow', { protocol: 'cr-join' }, 'no-leader', 'yyyy'],
  ['replay', { protocol: 'bully-oneshot' }, 'no-leader', 'yy--'],
  ['equivocate', { protocol: 'ring-maxtoken' }, 'split', 'yyyy'],
  ['tamper-token', { protocol: 'ring-lelann' }, 'no-leader', 'yyyy'],
  // It costs messages and no leader.
  ['flood', { protocol: 'bully-oneshot' }, 'no-leader', '----'],
  ['flap', { protocol: 'bully-oneshot' }, 'no-leader', 'yyyy'],
  ['answer-and-stall', { protocol: 'bully-2phase' }, 'no-leader', 'yyyy'],
  ['late-joiner', { protocol: 'bully-improved' }, 'captured-leader', 'yyyy'],
  // A beat in another's name is believed at L0 alone.
  ['heartbeat-forger', { protocol: 'bully-nextinline' }, 'no-leader', 'y---'],
  ['false-accuser', { protocol: 'zk-slide-quorum' }, 'split', 'y---'],
  ['slow-drip', { protocol: 'cr-join' }, 'no-leader', 'yyyy'],
  ['term-inflation', { protocol: 'raft' }, 'no-leader', 'yyyy'],
  ['double-vote', { protocol: 'raft' }, 'split', 'yyyy'],
  ['double-vote', { protocol: 'zk-slide-quorum' }, 'split', 'yyyy'],
  // One vote in four is not what two candidates lack.
  ['double-vote', { protocol: 'zk-slide-quorum', nodes: 4, colluders: 1 }, 'split', '----'],
  ['lease-hog', { protocol: 'db-lease' }, 'late-writes', 'yyyy'],
];

describe('a behaviour', () => {
  it('is attacked with here, whichever it is', () => {
    const named = new Set(ATTACKS.map(([behaviour]) => behaviour));

    expect([...named].sort()).toEqual([...BEHAVIOUR_NAMES].sort());
  });

  it.each(ATTACKS)('%s on %o does %s: %s', async (behaviour, attack, harm, byLevel) => {
    const reports = await Promise.all(
      LEVELS.map((level) => attacked({ ...attack, behaviours: [behaviour], level })),
    );

    const letterOf = ({ succeeded, harms }: (typeof reports)[number]) => {
      if (!succeeded) return '-';
      return harms.some((each) => each === harm) ? 'y' : harms.join();
    };
    expect(reports.map(letterOf).join('')).toBe(byLevel);
  });
});

describe('an attack', () => {
  it('is the same again under the same seed, and another under another', async () => {
    const flapping: Asked = { protocol: 'bully-oneshot', behaviours: ['flap'], level: 'L3' };

    const [one, again, other] = await Promise.all([
      attacked(flapping),
      attacked(flapping),
      attacked({ ...flapping, seed: '5' }),
    ]);

    expect(repeatable(again)).toEqual(repeatable(one));
    expect(other.members).not.toEqual(one.members);
  });

  it('says in one sentence what came of it, at what cost', async () => {
    const forged = await attacked({ protocol: 'cr-join', forge: 'top' });
    const failed = await attacked({
      protocol: 'cr-join',
      behaviours: ['phantom-id'],
      level: 'L2',
    });

    const { attempts, hashes } = forged.ledger;
    expect(forged.sentence).toContain(
      'following the protocol on cr-join at L0, broke the election: captured leader (',
    );
    expect(forged.sentence).toContain(`, forged for ${attempts} attempts and ${hashes} hashes, `);
    expect(failed.sentence).toBe(
      'The adversary, rank 1 of 5, forging nothing, with phantom-id on cr-join at L2, did not harm the election: all follow the honest node 5.',
    );
  });

  it('reaches nothing by what would have come without it', async () => {
    // Under seed 1 this protocol elects rank 1, which may be anybody's.
    const report = await attacked({
      ...{ protocol: 'raft', behaviours: ['term-inflation'], aim: 'lead', seed: '1' },
    });

    expect(report).toMatchObject({ succeeded: false, measured: { leaderOtherwise: 1 } });
  });

  it('does harm if its behaviour breaks the election in another way than it is meant to', async () => {
    const report = await attacked({
      ...{ protocol: 'cr-join', behaviours: ['replay'], seed: '3' },
    });

    expect(report).toMatchObject({ succeeded: true, aim: null, harms: ['split'] });
    expect(report.sentence).toContain('broke the election: split (honest nodes followed different');
  });

  it('succeeds by one harm alone if an aim is given, and names the others', async () => {
    const given: Asked = { protocol: 'cr-join', behaviours: ['phantom-id'], aim: 'lead' };

    const report = await attacked(given);

    expect(report).toMatchObject({ succeeded: false, aim: 'lead', harms: ['no-leader'] });
    expect(report.sentence).toContain(
      'did not become leader, but broke the election: no leader (the honest nodes agree on no live one)',
    );
  });

  it('names the ranks of all its identities', async () => {
    const two = await attacked({ protocol: 'cr-join', behaviours: ['swallow'], colluders: 2 });
    const four = await attacked({ protocol: 'cr-join', behaviours: ['swallow'], colluders: 4 });

    expect(two.sentence).toContain('The adversary, ranks 1 and 2 of 5, ');
    expect(four.sentence).toContain('The adversary, ranks 1 to 4 of 5, ');
  });

  it('composes behaviours', async () => {
    const report = await attacked({
      ...{ protocol: 'ring-maxtoken', behaviours: ['spoof-coordinator', 'tamper-token'] },
    });

    expect(report.behaviours).toEqual(['spoof-coordinator', 'tamper-token']);
    expect(report.succeeded).toBe(true);
  });
});

describe('channel authentication', () => {
  const BEATS: Asked = { protocol: 'bully-nextinline', behaviours: ['heartbeat-forger'] };

  it('stops who speaks as another, and what is above it is not tried', async () => {
    const { stoppedBy, notTried } = await attacked(BEATS, true);

    expect(stoppedBy).toContain('channel-authentication');
    expect(notTried).toContainEqual({
      ...{ defence: 'signatures', why: 'not needed beside channel-authentication' },
    });
    expect((await attacked({ ...BEATS, level: 'L1' })).succeeded).toBe(false);
  });

  it('does not stop who names another', async () => {
    const { stoppedBy } = await attacked({ protocol: 'cr-join', behaviours: ['phantom-id'] }, true);

    expect(stoppedBy).toContain('signatures');
    expect(stoppedBy).not.toContain('channel-authentication');
  });
});

describe('who is placed where', () => {
  const owners = (report: Awaited<ReturnType<typeof attacked>>) =>
    report.members.map(({ owner }) => owner[0]).join('');

  it('gives the adversary the lowest of the ordinary identities, for nothing', async () => {
    const report = await attacked({ protocol: 'cr-join', behaviours: ['swallow'] });

    expect(owners(report)).toBe('ahhhh');
    expect(report.ledger).toMatchObject({ attempts: 0, hashes: 0 });
    const ids = report.members.map(({ nodeId }) => nodeId);
    expect(ids).toEqual([...ids].sort());
  });

  it('forges one above all where a behaviour needs it, within the budget', async () => {
    const report = await attacked({
      ...{ protocol: 'bully-oneshot', behaviours: ['answer-and-stall'] },
      budget: { attempts: 100_000 },
    });

    expect(owners(report)).toBe('hhhha');
    expect(report.ledger.attempts).toBeGreaterThan(0);
    expect(report.forge).toBe('top');
  });

  it('forges the one after a victim, beside it on the ring', async () => {
    const report = await attacked({
      ...{ protocol: 'cr-join', behaviours: ['swallow'], forge: 'successor' },
    });

    expect(owners(report)).toMatch(/^h*ah*$/);
    expect(report.members).toHaveLength(5);
  });

  it('forges more than the honest have, and then votes as it likes', async () => {
    const report = await attacked({
      ...{ protocol: 'raft', behaviours: ['double-vote'], forge: 'spread' },
    });

    expect(owners(report).replaceAll('h', '')).toHaveLength(5);
    expect(report.members).toHaveLength(9);
    expect(report.succeeded).toBe(true);
  });

  it('is not known where the budget ended first', async () => {
    const report = await attacked({
      ...{ protocol: 'cr-join', forge: 'top', c1: 8, budget: { attempts: 4 } },
    });

    expect(report).toMatchObject({ succeeded: null, stoppedBy: [], members: [], measured: null });
    expect(report.ledger.attempts).toBe(4);
    expect(report.sentence).toContain('The budget ended before');
  });

  it('admits no identity to a frozen membership that was forged after it was seen', async () => {
    const report = await attacked({
      ...{ protocol: 'cr-join', forge: 'top', defences: ['frozen-membership'] },
    });

    expect(owners(report)).toBe('ahhhh');
    expect(report.ledger.attempts).toBeGreaterThan(0);
    expect(report.succeeded).toBe(false);
  });

  it('ranks by a beacon that no node could aim at', async () => {
    const seeds = Array.from({ length: 20 }, (_, index) => String(index + 1));

    const ranks = await Promise.all(
      seeds.map(async (seed) => {
        const given: Asked = {
          protocol: 'cr-join',
          forge: 'top',
          defences: ['beacon-rank'],
          seed,
        };
        return owners(await attacked(given)).indexOf('a') + 1;
      }),
    );

    expect(new Set(ranks)).toEqual(new Set([1, 2, 3, 4, 5]));
  });
});

describe('what is refused', () => {
  const refused: [what: string, given: Asked, says: RegExp][] = [
    [
      'a behaviour that there is not',
      { protocol: 'raft', behaviours: ['nod'] },
      /fit raft: .*swallow/,
    ],
    [
      'a behaviour that does not fit',
      { protocol: 'raft', behaviours: ['phantom-id'] },
      /does not fit raft: .*term-inflation/,
    ],
    [
      'a defence that there is not',
      { protocol: 'cr-join', behaviours: ['swallow'], defences: ['prayer'] },
      /no defence "prayer"; defences that fit cr-join at L0: hop-limit/,
    ],
    [
      'a defence that does not fit',
      { protocol: 'cr-join', behaviours: ['swallow'], defences: ['pre-vote'] },
      /pre-vote does not fit cr-join/,
    ],
    [
      'a defence that needs a level',
      { protocol: 'cr-join', behaviours: ['swallow'], defences: ['receipts'] },
      /receipts needs level L2/,
    ],
    [
      'a defence that is the first level',
      { protocol: 'cr-join', behaviours: ['swallow'], defences: ['channel-authentication'] },
      /use --level L1/,
    ],
    [
      'a defence that is a level',
      { protocol: 'cr-join', behaviours: ['swallow'], defences: ['signatures'] },
      /use --level L2/,
    ],
    [
      'a behaviour twice',
      { protocol: 'cr-join', behaviours: ['swallow', 'swallow'] },
      /swallow is named twice/,
    ],
    [
      'a defence twice',
      { protocol: 'cr-join', behaviours: ['swallow'], defences: ['hop-limit', 'hop-limit'] },
      /hop-limit is named twice/,
    ],
    [
      'defences that do not go together',
      { protocol: 'cr-join', behaviours: ['swallow'], defences: ['hop-limit', 'successor-list'] },
      /protocol is ring-robust, and hop-limit does not fit/,
    ],
    [
      'a beacon where nothing is forged',
      { protocol: 'cr-join', behaviours: ['swallow'], defences: ['beacon-rank'] },
      /does not apply unless identities are forged/,
    ],
    [
      'a budget for nothing',
      { protocol: 'cr-join', behaviours: ['swallow'], budget: { attempts: 5 } },
      /a budget is for forging/,
    ],
    ['an adversary that does nothing', { protocol: 'cr-join' }, /there is no attack/],
    [
      'too few nodes',
      { protocol: 'cr-join', behaviours: ['swallow'], nodes: 1 },
      /whole number in 2\.\.64/,
    ],
    [
      'a puzzle that honest nodes never solve',
      { protocol: 'cr-join', behaviours: ['swallow'], c1: 256 },
      /29 bits are the most for 5 nodes/,
    ],
    [
      'a lease that is none',
      { protocol: 'cr-join', behaviours: ['swallow'], aim: 'outlive-lease' },
      /only lease-hog/,
    ],
  ];

  it.each(refused)('%s', (_what, given, says) => {
    expect(() => planAttack(asked(given))).toThrow(says);
  });
});
