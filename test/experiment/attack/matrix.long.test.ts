/**
 * @module
 * The attack matrix: runs of its cells, and a reason for every cell that is not as expected. The slow suite
 * runs all protocols, and the attacks that take minutes. UPDATE_ATTACK_MATRIX=1 records new protocols.
 */

import { describe, expect, it } from 'vitest';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import {
  attackMatrix,
  MATRIX_ATTACK_NAMES,
  markOf,
} from '../../../src/experiment/attack/matrix.ts';
import {
  attacksThatDiffer,
  DIFFERENCES,
  MATRIX_SEED,
  playedAndFound,
  recordMissingRows,
  SLOW_ATTACKS,
} from './matrix-found.ts';

/** Protocols of each kind. The slow suite runs all protocols. */
const SELECTED: readonly ProtocolName[] = [
  'bully-oneshot',
  'bully-nextinline',
  'ring-lelann',
  'cr-join',
  'ring-attr',
  'peterson',
  'ring-robust:peterson',
  'zab-fle',
  'db-lease',
];
const PLAYED = process.env.ATTACK_MATRIX === 'whole' ? PROTOCOL_NAMES : SELECTED;
if (process.env.UPDATE_ATTACK_MATRIX === '1') recordMissingRows();
const QUICK = MATRIX_ATTACK_NAMES.filter((attack) => !SLOW_ATTACKS.includes(attack));

describe('the attack matrix', () => {
  it.each(PLAYED)('of %s is as recorded', (protocol) => {
    for (const { attack, played, found } of playedAndFound(protocol, QUICK)) {
      expect(played, attack).toBe(found);
    }
  });

  it('has a reason for every cell that is not as expected', () => {
    const differing = PROTOCOL_NAMES.flatMap((protocol) =>
      attacksThatDiffer(protocol).map((attack) => `${attack} on ${protocol}`),
    );
    const explained = DIFFERENCES.flatMap(([attacks, protocols]) =>
      attacks.flatMap((attack) => protocols.map((protocol) => `${attack} on ${protocol}`)),
    );

    expect(differing.filter((cell) => !explained.includes(cell))).toEqual([]);
    expect(differing.length).toBeGreaterThan(0);
  });

  it.each(DIFFERENCES)(
    'gives no reason without a difference: %j on %j, %s',
    (attacks, protocols) => {
      for (const attack of attacks) {
        const differs = protocols.filter((each) => attacksThatDiffer(each).includes(attack));

        expect(differs.length, attack).toBeGreaterThan(0);
      }
    },
  );

  it('comes row by row, until its caller stops it', async () => {
    let asked = 0;
    const rows: unknown[] = [];
    const goOn = async () => {
      asked += 1;
      return asked <= 1;
    };

    for await (const row of attackMatrix(MATRIX_SEED, goOn)) rows.push(row);

    expect(rows).toEqual([]);
    expect(asked).toBe(2);
  });
});

describe('a mark', () => {
  it.each([
    ['NNNN', '○'],
    ['--NN', '○'],
    ['NN--', '●'],
    ['L---', '●'],
    ['----', ''],
    ['????', ''],
    ['', ''],
  ])('of %j is %j', (cell, mark) => {
    expect(markOf(cell)).toBe(mark);
  });
});
