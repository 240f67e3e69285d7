/**
 * @module
 * Defences as an option of a run: what is refused and with what, what settings change, that honest nodes
 * have them and corrupted ones do not, and that they are kept in files.
 */

import { describe, expect, it } from 'vitest';

import { DEFENCE_NAMES } from '../../../src/election/defences/registry.ts';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { parseSeed } from '../../../src/random.ts';
import { fittingDefences, withSettings } from '../../../src/simulation/plan/defences.ts';
import { planSimulation } from '../../../src/simulation/plan/options.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import { loadRun, saveRun } from '../../../src/simulation/report/saved-run.ts';
import { createSimulation, headerOf } from '../../../src/simulation/run/simulation.ts';

const SEED = parseSeed('1');

function options(given: Partial<SimulationOptions> = {}): SimulationOptions {
  return { protocol: 'cr-join', nodes: 5, seed: SEED, ...given };
}

describe('defences of a run', () => {
  it('are planned in the order of the registry', () => {
    const asked = ['equivocation-proofs', 'epoch-step'];

    const { defences } = planSimulation(
      options({ protocol: 'raft', level: 'L2', defences: asked }),
    );

    expect(defences).toEqual(['epoch-step', 'equivocation-proofs']);
  });

  it.each([
    ['one that there is not', { defences: ['prayer'] }, /no defence "prayer"; there are hop-limit/],
    ['one twice', { defences: ['hop-limit', 'hop-limit'] }, /named twice/],
    [
      'a defence of other protocols, with those that fit',
      { defences: ['skip-list'] },
      /these fit cr-join: hop-limit/,
    ],
    ['one that sees seals where there are none', { defences: ['receipts'] }, /needs level L2/],
    [
      'a setting, and what it is',
      { protocol: 'raft' as const, defences: ['pre-vote'] },
      /setting of the run.*flag preVote=on, flag checkQuorum=on/,
    ],
  ])('refuse %s', (_what, given, says) => {
    expect(() => planSimulation(options(given))).toThrow(says);
  });

  it('fit each protocol or say why not', () => {
    for (const protocol of PROTOCOL_NAMES) {
      const fitting = fittingDefences(protocol);

      expect(DEFENCE_NAMES, protocol).toEqual(expect.arrayContaining([...fitting]));
    }
    expect(fittingDefences('raft')).toContain('pre-vote');
    expect(fittingDefences('cr-join')).not.toContain('pre-vote');
  });

  it('stop a probe that no node sent, on honest nodes', () => {
    const attack = options({
      ...{ nodes: 6, phantoms: [6], byzantine: [{ rank: 1, behaviours: ['phantom-id'] }] },
    });
    const leaderOf = (given: SimulationOptions) => {
      const simulation = createSimulation(given);
      simulation.start();
      simulation.advance({ until: 400 });
      return simulation.nodes()[1]?.leader;
    };

    const [without, guarded] = [attack, { ...attack, defences: ['hop-limit'] }].map(leaderOf);

    expect([without, guarded]).toEqual([6, 5]);
  });

  it('are not put around corrupted nodes', () => {
    const simulation = createSimulation(
      options({ defences: ['hop-limit'], byzantine: [{ rank: 1, behaviours: [] }] }),
    );

    // A guard keeps the timers of the machine inside it.
    expect(simulation.stateOf(1)).not.toHaveProperty('inner.timers');
    expect(simulation.stateOf(2)).toHaveProperty('inner.timers');
  });

  it('are inside detectors on the nodes, whose messages they receive', () => {
    const simulation = createSimulation(
      options({
        ...{ protocol: 'bully-oneshot', defences: ['incumbency'], audit: true },
        detector: { name: 'fd-heartbeat', options: {} },
        schedule: {
          ...{ faults: [{ type: 'crash', rank: 5, at: 50 }] },
          ...{ calm: null, detector: 'crashes' },
        },
      }),
    );
    simulation.start();
    simulation.advance({ until: 300 });

    expect(simulation.status()).toMatchObject({ leader: 4, agreed: true });
  });
});

describe('settings', () => {
  it('change flags, workload or protocol, and leave the others', () => {
    const raft = withSettings(options({ protocol: 'raft' }), ['pre-vote', 'epoch-step', 'fencing']);
    const ring = withSettings(options(), ['successor-list']);

    expect(raft).toMatchObject({
      ...{ flags: { preVote: 'on', checkQuorum: 'on' }, workload: { resource: 'fencing-max' } },
      defences: ['epoch-step'],
    });
    expect(ring).toMatchObject({ protocol: 'ring-robust', defences: [] });
    expect(planSimulation(raft).defences).toEqual(['epoch-step']);
  });

  it('refuse what does not fit', () => {
    expect(() => withSettings(options(), ['pre-vote'])).toThrow(/does not fit cr-join/);
  });
});

describe('a file', () => {
  it('keeps defences, and leaves them out where there are none', () => {
    const plan = planSimulation(options({ defences: ['hop-limit'] }));

    const { options: loaded } = loadRun(saveRun(plan, { initiators: null, digest: null }));

    expect(planSimulation(loaded).defences).toEqual(['hop-limit']);
    expect(headerOf(plan).options).toMatchObject({ defences: ['hop-limit'] });
    expect(headerOf(planSimulation(options())).options).not.toHaveProperty('defences');
    expect(saveRun(planSimulation(options()), { initiators: null, digest: null })).not.toContain(
      'defences',
    );
  });
});
