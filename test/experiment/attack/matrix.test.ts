/**
 * @module
 * The attack matrix, every cell by its runs, but for storms and detectors, which take minutes on a slow machine
 * and are in the slow suite; and a reason for every cell that is not as expected.
 */

import { describe, expect, it } from 'vitest';
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
  SLOW_ATTACKS,
} from './matrix-found.ts';

/** Every so manieth protocol; the slow suite plays all. */
const SHARE = Number(process.env.ATTACK_MATRIX_SHARE ?? 3);
const PLAYED = PROTOCOL_NAMES.filter((_name, index) => index % SHARE === 0);
const QUICK = MATRIX_ATTACK_NAMES.filter((attack) => !SLOW_ATTACKS.includes(attack));

describe('the attack matrix', () => {
  it.each(PLAYED)('of %s is as found', (protocol) => {
    for (const { attack, played, found } of playedAndFound(protocol, QUICK)) {
      expect(played, attack).toBe(found);
    }
  });

  it('says of every cell that is not as expected why', () => {
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

  it('is given row by row, until it is to stop', async () => {
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
