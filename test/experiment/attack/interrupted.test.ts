/**
 * @module
 * Attacks that are interrupted, or cannot be watched to the end without an attack: what is finished is kept,
 * and nothing is claimed of the rest.
 */

import { describe, expect, it } from 'vitest';
import type { AttackServices } from '../../../src/experiment/attack/attack.ts';
import { executeAttack, planAttack } from '../../../src/experiment/attack/attack.ts';
import { reportAttack, succeededIn } from '../../../src/experiment/attack/report.ts';
import { doubtfulOf, findingsOf } from '../../../src/experiment/staging/judgement.ts';
import { sighting } from '../staging/sightings.ts';
import type { Asked } from './attacks.ts';
import { asked, SERVICES } from './attacks.ts';

const FORGING: Asked = { protocol: 'cr-join', forge: 'top' };
const NOTHING_TRIED = { trials: [], notTried: [], sets: null };

async function interrupted(
  given: Asked,
  services: AttackServices,
): Promise<ReturnType<typeof reportAttack>> {
  const attack = planAttack(asked(given));
  return reportAttack(attack, await executeAttack(attack, services), NOTHING_TRIED);
}

/** Cancels the search of that number, the first of all being 1, as if it had got so far. */
function cancelling(search: number): AttackServices {
  let searches = 0;
  return {
    ...SERVICES,
    async forge(order) {
      searches += 1;
      const mined = await SERVICES.forge(order);
      return searches < search
        ? mined
        : { ...mined, found: false, ending: 'cancelled', identities: [] };
    },
  };
}

describe('an interrupted attack', () => {
  it('has nothing to show while ordinary identities are mined', async () => {
    const report = await interrupted(FORGING, cancelling(1));

    expect(report).toMatchObject({ succeeded: null, interrupted: true, members: [] });
    expect(report.ledger.attempts).toBe(0);
    expect(report.sentence).toMatch(/^Interrupted while ordinary identities were mined: /);
  });

  it('keeps what the adversary had spent', async () => {
    const report = await interrupted(FORGING, cancelling(2));

    const { attempts, hashes } = report.ledger;
    expect(attempts).toBeGreaterThan(0);
    expect(report).toMatchObject({ succeeded: null, interrupted: true, measured: null });
    expect(report.sentence).toBe(
      `Interrupted after ${attempts} attempts and ${hashes} hashes, before the adversary had forged an identity above all honest ones: whether the adversary can harm the election is unknown.`,
    );
  });

  it('keeps what colluders had spent before', async () => {
    const one = await interrupted({ ...FORGING, colluders: 2 }, cancelling(2));

    const two = await interrupted({ ...FORGING, colluders: 2 }, cancelling(3));

    expect(two.ledger.attempts).toBeGreaterThan(one.ledger.attempts);
    expect(two.sentence).toContain('all 2 identities above all honest ones');
  });

  it.each([1, 2, 3])('keeps who is there when it stops at pause %i', async (pause) => {
    let pauses = 0;
    const goOn = async () => {
      pauses += 1;
      return pauses < pause;
    };

    const report = await interrupted(FORGING, { ...SERVICES, goOn });

    expect(report.members).toHaveLength(5);
    expect(report).toMatchObject({ succeeded: null, interrupted: true, measured: null });
    expect(report.ledger.attempts).toBeGreaterThan(0);
  });
});

describe('an election that is too large to watch without an attack', () => {
  it('does not count as one that would have had a leader', async () => {
    const attack = planAttack(asked({ protocol: 'cr-join', behaviours: ['swallow'] }));
    const execution = await executeAttack(attack, SERVICES);
    if (execution.outcome !== 'run') throw new TypeError('"outcome" expected run, got another');
    const honest = { ...execution.honest, brokenOffAt: 40, ticks: 40, judgedTicks: 0 };
    const broken = {
      ...{ ...execution, honest },
      findings: findingsOf(execution.seen, honest),
      doubtful: doubtfulOf(execution.seen, honest),
    };

    const report = reportAttack(attack, broken, NOTHING_TRIED);

    expect(succeededIn(attack, execution)).toBe(true);
    expect(report).toMatchObject({ succeeded: null, harms: [], possibleHarms: ['no-leader'] });
    expect(report.measured).toMatchObject({ brokenOffAt: null, otherwiseBrokenOffAt: 40 });
    expect(report.sentence).toMatch(
      / ended with no leader \(.*\); whether the attack caused that is unknown, because .* at tick 40\.$/,
    );
  });

  it('counts where the same had come by then', () => {
    const shown = { ...SEEN, usurpedTicks: 9, isUsurped: true };

    expect(findingsOf(shown, { ...shown, brokenOffAt: 40 })).toEqual([]);
    expect(doubtfulOf(shown, { ...shown, brokenOffAt: 40 })).toEqual([]);
    expect(doubtfulOf(shown, { ...SEEN, brokenOffAt: 40 })).toEqual(['usurped']);
    expect(findingsOf(shown, SEEN)).toEqual(['usurped']);
  });

  it('may have lacked a leader later, though it does by then', () => {
    const unled = { ...SEEN, longestAgreedTicks: 0 };

    expect(doubtfulOf(unled, { ...unled, brokenOffAt: 40 })).toEqual(['leaderless']);
  });
});

const SEEN = sighting({ longestAgreedTicks: 100, leader: 5 });
