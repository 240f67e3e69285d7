/**
 * @module
 * What would have stopped an attack: each defence once where it turns success into failure, alone, and once
 * where it does not.
 */

import { describe, expect, it } from 'vitest';
import { LEVELS } from '../../../src/election/authentication/authenticated.ts';
import type { DefenceName } from '../../../src/election/defences/registry.ts';
import { DEFENCE_NAMES, findDefence } from '../../../src/election/defences/registry.ts';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { executeAttack, planAttack } from '../../../src/experiment/attack/attack.ts';
import { tryDefences } from '../../../src/experiment/attack/trials.ts';
import { NETWORK_DEFENCE_NAMES } from '../../../src/experiment/document/defence-names.ts';
import type { Defended } from '../../../src/experiment/staging/defences.ts';
import { defencesOff, ofNodes } from '../../../src/experiment/staging/defences.ts';
import { stageAttack } from '../../../src/experiment/staging/stage.ts';
import { parseSeed } from '../../../src/random.ts';
import { planSimulation } from '../../../src/simulation/plan/options.ts';
import type { Asked } from './attacks.ts';
import { asked, attacked, SERVICES } from './attacks.ts';

const isOfNodes = (name: string): name is DefenceName => findDefence(name) !== null;

function takenAlone(attack: Pick<Defended, 'protocol' | 'level' | 'isForging'>): DefenceName[] {
  return defencesOff({ ...attack, defences: [] }).flatMap(({ defence, why }) =>
    why === null && isOfNodes(defence) ? [defence] : [],
  );
}

type Row = readonly [defence: string, given: Asked & { readonly behaviours?: readonly string[] }];

const REPLAYED: Asked = {
  ...{ protocol: 'cr-join', behaviours: ['replay'], aim: 'split', seed: '3' },
};

const SPOOFED_MASTER: Asked = { protocol: 'quorum-lease', behaviours: ['spoof-coordinator'] };

const STOPPED: readonly Row[] = [
  [
    'channel-authentication',
    { protocol: 'bully-gm82', behaviours: ['spoof-coordinator'], aim: 'stop' },
  ],
  ['signatures', { protocol: 'cr-join', behaviours: ['phantom-id'] }],
  ['freshness', { ...REPLAYED, level: 'L2' }],
  ['hop-limit', { protocol: 'cr-join', behaviours: ['phantom-id'] }],
  ['skip-list', { protocol: 'bully-oneshot', behaviours: ['answer-and-stall'], level: 'L3' }],
  ['epoch-step', { protocol: 'raft', behaviours: ['term-inflation'], level: 'L3' }],
  ['frozen-membership', { protocol: 'cr-join', forge: 'top', level: 'L3' }],
  // The forged top ID leads nevertheless, but now it lasts.
  ['incumbency', { protocol: 'bully-oneshot', behaviours: ['flap'], level: 'L3', aim: 'stop' }],
  ['incumbency', { protocol: 'cr-join', behaviours: ['late-joiner'], level: 'L3' }],
  ['back-off', { protocol: 'bully-oneshot', behaviours: ['flap'], level: 'L3', aim: 'stop' }],
  ['equivocation-proofs', { protocol: 'zk-slide-quorum', behaviours: ['equivocate'], level: 'L2' }],
  ['receipts', { protocol: 'ring-robust', behaviours: ['swallow'], level: 'L2' }],
  ['pre-vote', { protocol: 'raft', behaviours: ['swallow'], level: 'L3' }],
  ['fencing', { protocol: 'db-lease', behaviours: ['lease-hog'], level: 'L3' }],
  ['successor-list', { protocol: 'cr-join', behaviours: ['slow-drip'], aim: 'stop' }],
  ['quorum-certificates', { protocol: 'raft', behaviours: ['spoof-coordinator'], level: 'L2' }],
  ['quorum-certificates', { ...SPOOFED_MASTER, level: 'L3' }],
  ['proof-of-work', { protocol: 'bully-oneshot', behaviours: ['late-joiner'], level: 'L3' }],
  ['beacon-rank', { protocol: 'bully-oneshot', behaviours: ['late-joiner'], level: 'L3' }],
];

const UNSTOPPED: readonly Row[] = [
  ['channel-authentication', { protocol: 'cr-join', behaviours: ['swallow'] }],
  ['signatures', { protocol: 'cr-join', behaviours: ['swallow'] }],
  ['freshness', { protocol: 'cr-join', behaviours: ['swallow'] }],
  ['hop-limit', { protocol: 'cr-join', behaviours: ['swallow'] }],
  ['skip-list', { protocol: 'bully-oneshot', behaviours: ['replay'] }],
  ['epoch-step', { protocol: 'raft', behaviours: ['double-vote'] }],
  // The votes are its own.
  ['quorum-certificates', { protocol: 'raft', behaviours: ['double-vote'], level: 'L3' }],
  // A proof shows the lie when two leaders have led already.
  ['equivocation-proofs', { protocol: 'raft', behaviours: ['double-vote'], level: 'L3' }],
  ['frozen-membership', { protocol: 'bully-oneshot', behaviours: ['replay'] }],
  // It is there from the beginning, so that it waits for no node.
  ['incumbency', { protocol: 'bully-oneshot', behaviours: ['answer-and-stall'], level: 'L3' }],
  // It has never failed.
  ['back-off', { protocol: 'bully-oneshot', behaviours: ['late-joiner'], level: 'L3' }],
  ['equivocation-proofs', { protocol: 'raft', behaviours: ['term-inflation'], level: 'L3' }],
  // Where the ring has one way, the accused node is still on it.
  ['receipts', { protocol: 'cr-join', behaviours: ['swallow'], level: 'L3' }],
  ['incumbency', { protocol: 'bully-oneshot', behaviours: ['flap'], level: 'L3' }],
  ['pre-vote', { protocol: 'raft', behaviours: ['double-vote'] }],
  ['fencing', { protocol: 'raft', behaviours: ['term-inflation'] }],
  ['successor-list', { protocol: 'cr-join', behaviours: ['phantom-id'] }],
  ['beacon-rank', { protocol: 'raft', behaviours: ['double-vote'], forge: 'spread' }],
];

/** It has its own test below: what is forged fails or does not by the bits, not by a switch. */
const UNSTOPPED_BELOW = ['proof-of-work'];

describe('every defence', () => {
  it('has an attack here that it stops, and one that it does not', () => {
    const all = [...DEFENCE_NAMES, ...NETWORK_DEFENCE_NAMES].toSorted();
    const namesOf = (rows: readonly Row[]) => rows.map(([defence]) => defence);

    const stopping = new Set(namesOf(STOPPED));
    const failing = new Set([...namesOf(UNSTOPPED), ...UNSTOPPED_BELOW]);

    expect([...stopping].toSorted()).toEqual(all);
    expect([...failing].toSorted()).toEqual(all);
  });
});

describe('a defence alone', () => {
  it.each(STOPPED)('%s would have stopped %o', async (defence, given) => {
    const report = await attacked(given, true);

    expect(report.succeeded).toBe(true);
    expect(report.stoppedBy).toContain(defence);
  });

  it.each(UNSTOPPED)('%s would not have stopped %o', async (defence, given) => {
    const { succeeded, trials } = await attacked(given, true);

    expect(succeeded).toBe(true);
    expect(trials).toContainEqual(expect.objectContaining({ defence, stops: false }));
  });

  const switched = STOPPED.filter(([defence]) => isOfNodes(defence) || defence === 'beacon-rank');

  it.each(switched)('%s does stop it when it is on: %o', async (defence, given) => {
    const report = await attacked({ ...given, defences: [defence] });

    expect(report.succeeded).toBe(false);
  });

  it('is tried at more bits, for the same attempts, until nothing is found', async () => {
    const { trials, ledger, c1 } = await attacked({ protocol: 'cr-join', forge: 'top' }, true);

    const trial = trials.find(({ defence }) => defence === 'proof-of-work');
    const bits = trial?.c1 ?? 0;
    const again = await attacked({
      ...{ protocol: 'cr-join', forge: 'top', c1: bits },
      budget: { attempts: ledger.attempts },
    });
    expect(trial?.stops).toBe(true);
    expect(bits).toBeGreaterThan(c1);
    // Against others, who have mined as many bits.
    expect(again.succeeded).toBe(null);
  });

  it.each(['top', 'successor', 'spread'] as const)(
    'by work leaves an ordinary identity to who forges %s, which swallows as well',
    async (forge) => {
      const { succeeded, trials, stoppedBy } = await attacked(
        {
          ...{ protocol: 'cr-join', behaviours: ['swallow'], forge, level: 'L3' },
          ...{ budget: { attempts: 3000 }, seed: '5' },
        },
        true,
      );

      expect(succeeded).toBe(true);
      expect(stoppedBy).not.toContain('proof-of-work');
      expect(trials).toContainEqual({
        ...{ defence: 'proof-of-work', stops: false, c1: expect.any(Number) },
      });
    },
  );

  it('of old words and of phantoms is a level, which does stop them', async () => {
    const reports = await Promise.all([
      attacked({ protocol: 'cr-join', behaviours: ['phantom-id'], level: 'L2' }),
      attacked({ ...REPLAYED, level: 'L2' }),
      attacked({ ...REPLAYED, level: 'L3' }),
    ]);

    expect(reports.map(({ succeeded }) => succeeded)).toEqual([false, true, false]);
  });

  it('by work does not help against who can pay for it, or needs no identity that is forged', async () => {
    const paying: Asked = { protocol: 'cr-join', forge: 'top', budget: { attempts: 100_000 } };
    const ordinary: Asked = { protocol: 'cr-join', behaviours: ['swallow'] };

    const paid = await Promise.all([2, 5].map((c1) => attacked({ ...paying, c1 })));
    const spared = await Promise.all([2, 5].map((c1) => attacked({ ...ordinary, c1 }, true)));

    expect(paid.map(({ succeeded }) => succeeded)).toEqual([true, true]);
    expect(paid[1]?.ledger.attempts).toBeGreaterThan(paid[0]?.ledger.attempts ?? 0);
    expect(spared.map(({ succeeded }) => succeeded)).toEqual([true, true]);
    const tried = spared.flatMap(({ trials }) => trials.map(({ defence }) => defence));
    expect(tried).not.toContain('proof-of-work');
  });

  it('is not tried where it is on already, or where a lower level is enough', async () => {
    const on = await attacked(
      { protocol: 'raft', behaviours: ['double-vote'], nodes: 3, defences: ['pre-vote'] },
      true,
    );
    const enough = await attacked({ protocol: 'cr-join', behaviours: ['phantom-id'] }, true);

    expect(on.trials.map(({ defence }) => defence)).not.toContain('pre-vote');
    expect(enough.trials.map(({ defence }) => defence)).not.toContain('freshness');
  });

  it.each([
    ['hop-limit', 'successor-list'],
    ['successor-list', 'hop-limit'],
  ])('is not tried where it does not go with one that is on: %s and %s', async (on, off) => {
    const { succeeded, trials, notTried } = await attacked(
      { protocol: 'cr-join', behaviours: ['swallow'], defences: [on] },
      true,
    );

    expect(succeeded).toBe(true);
    expect(trials.map(({ defence }) => defence)).not.toContain(off);
    expect(notTried).toContainEqual({
      defence: off,
      why: expect.stringContaining('hop-limit does not fit ring-robust'),
    });
    expect(notTried).toContainEqual({ defence: 'receipts', why: 'needs level L2' });
  });

  it.each(PROTOCOL_NAMES)('that is tried makes a run of %s, whatever is on', (protocol) => {
    for (const level of LEVELS) {
      const attack = { protocol, level, isForging: true };
      const offs = [[], ...takenAlone(attack).map((name) => [name])].flatMap((defences) =>
        defencesOff({ ...attack, defences }).flatMap(({ defence, why }) =>
          why === null && isOfNodes(defence) ? [[...defences, defence]] : [],
        ),
      );

      for (const defences of offs) {
        const { options } = stageAttack({
          ...{ protocol, level, behaviours: [], nodes: 3, adversary: [1], isRingById: false },
          ...{ defences: ofNodes(defences, true, protocol), seed: parseSeed('1') },
        });
        expect(() => planSimulation(options), `${level} ${defences}`).not.toThrow();
      }
    }
  });

  it('is none where the attack failed', async () => {
    const report = await attacked({ protocol: 'bully-oneshot', behaviours: ['swallow'] }, true);

    expect(report).toMatchObject({ succeeded: false, stoppedBy: [], trials: [] });
  });

  it('is left when somebody interrupts', async () => {
    const attack = planAttack(asked({ protocol: 'cr-join', behaviours: ['swallow'] }));
    const execution = await executeAttack(attack, SERVICES);
    if (execution.outcome !== 'run') throw new TypeError('"outcome" expected a run');

    const trials = await tryDefences(attack, execution, { ...SERVICES, goOn: async () => false });

    expect(trials).toBe(null);
  });
});
