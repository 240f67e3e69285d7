/**
 * @module
 * The smallest set of defences for each cell of the attack matrix in which the attack works, as recorded in
 * test/golden/attack-sets.json, and an explanation of each attack that remains against all sets.
 * UPDATE_ATTACK_SETS=1 records new protocols. ATTACK_MATRIX=whole searches all of them.
 */

import { describe, expect, it } from 'vitest';
import { BEHAVIOURS } from '../../../src/adversary/behaviours/registry.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { MATRIX_ATTACK_NAMES, markOf } from '../../../src/experiment/attack/matrix.ts';
import { remainingReason } from '../../../src/experiment/attack/matrix-report.ts';
import { foundRows, foundSets, recordMissingSets, SLOW_ATTACKS, setsOf } from './matrix-found.ts';

const SELECTED: readonly ProtocolName[] = ['bully-nextinline', 'cr-join', 'peterson', 'db-lease'];
const SEARCHED = process.env.ATTACK_MATRIX === 'whole' ? PROTOCOL_NAMES : SELECTED;

if (process.env.UPDATE_ATTACK_SETS === '1') await recordMissingSets();

describe('the smallest sets', () => {
  it('exist for every cell in which the attack works, and for no other', () => {
    const sets = new Map(foundSets().map((row) => [row.protocol, row.sets]));

    for (const { protocol, cells } of foundRows()) {
      const effective = MATRIX_ATTACK_NAMES.filter((attack) => markOf(cells[attack]) !== '');
      expect(Object.keys(sets.get(protocol) ?? {}), protocol).toEqual(effective);
    }
  });

  it.each(foundRows().filter(({ protocol }) => SEARCHED.includes(protocol)))(
    'of $protocol are as recorded',
    async (row) => {
      const quick = MATRIX_ATTACK_NAMES.filter((attack) => !SLOW_ATTACKS.includes(attack));
      const recorded = foundSets().find(({ protocol }) => protocol === row.protocol)?.sets ?? {};

      const found = await setsOf(row, quick);

      expect(found).toEqual(
        Object.fromEntries(
          quick.flatMap((each) => (each in recorded ? [[each, recorded[each]]] : [])),
        ),
      );
    },
  );

  it('of a swallowed token are receipts beside a second successor, with the level of receipts', () => {
    const { sets } = foundSets().find(({ protocol }) => protocol === 'cr-join') ?? {};

    expect(sets?.A3).toEqual(['signatures', 'receipts', 'successor-list']);
  });
});

describe('an attack that remains against all sets', () => {
  const remaining = foundSets().flatMap(({ protocol, sets }) =>
    MATRIX_ATTACK_NAMES.flatMap((attack) => (sets[attack] === null ? [{ protocol, attack }] : [])),
  );

  it('works at L3', () => {
    const cells = new Map(foundRows().map((row) => [row.protocol, row.cells]));

    expect(remaining.length).toBeGreaterThan(0);
    for (const { protocol, attack } of remaining) {
      expect(markOf(cells.get(protocol)?.[attack] ?? ''), `${attack} on ${protocol}`).toBe('○');
    }
  });

  it('is explained by a sentence of its behaviour', () => {
    const unexplained = remaining.filter(
      ({ protocol, attack }) => remainingReason(protocol, attack) === null,
    );

    expect(unexplained).toEqual([]);
    for (const { protocol, attack } of remaining) {
      expect(remainingReason(protocol, attack)).toMatch(/^[A-Z].*\.$/);
    }
  });

  it('is the only one that is explained', () => {
    const explained = PROTOCOL_NAMES.flatMap((protocol) =>
      Object.values(BEHAVIOURS).flatMap(({ name, attack, remains }) =>
        remains(protocol) === null ? [] : [{ name, attack, protocol }],
      ),
    );

    const unneeded = explained.filter(
      ({ attack, protocol }) =>
        !remaining.some((each) => each.protocol === protocol && each.attack === attack),
    );
    expect(unneeded).toEqual([]);
  });
});
