/**
 * @module
 * Every cell of threat models that forge: each property, strategy, salt and kind of budget, with one adversary and with
 * several. The closed form and the drawn runs of the documents of a cell agree with an oracle, or each document is refused. The
 * tables state which cells have what. `ORACLE_RUNS` makes it more runs of each document.
 */

import { describe, expect, it } from 'vitest';
import { LabError } from '../../../src/errors.ts';
import { runKindOf } from '../../../src/experiment/document/threat-model.ts';
import type { PropertyName } from '../../../src/experiment/properties/registry.ts';
import { PROPERTY_NAMES } from '../../../src/experiment/properties/registry.ts';
import { executeRuns } from '../../../src/experiment/runs/run.ts';
import { EMPTY_TALLY } from '../../../src/experiment/runs/tally.ts';
import { theoryOf } from '../../../src/experiment/verdict/theory.ts';
import { STRATEGY_NAMES } from '../../../src/mining/strategy.ts';
import { parseSeed } from '../../../src/random.ts';
import { DRAWN_DOCUMENTS } from '../../sample.ts';
import { STILL } from '../models.ts';
import type { Cell, Drawn, Salt } from './cells.ts';
import { drawnFrom } from './cells.ts';
import type { Count } from './frequency.ts';
import { expectLawful } from './frequency.ts';
import type { Draw } from './instances.ts';
import { BUDGETS, drawer } from './instances.ts';

const REFUSED_INSTANCES = 3;
const DOCUMENTS_MAX = 60;
const RUNS = Number(process.env.ORACLE_RUNS ?? 3);

/**
 * What a cell has. F: an oracle, and a closed form for some documents. O: an oracle. W: elections are watched, and the theory
 * says so. R: every document is refused.
 */
type Mark = 'F' | 'O' | 'W' | 'R';

/**
 * For each property, the marks of one adversary with a budget in attempts, hashes and seconds, then of several adversaries.
 * Every strategy has the same, but for `stockpile`: no keys in stock are drawn.
 */
type Table = Readonly<Record<PropertyName, string>>;

const WITH_EPOCHS: Table = {
  'adversary-leads': 'FFF RRR',
  'leads-more-than-share': 'OOO RRR',
  'highest-leads': 'RRR RRR',
  'no-leader': 'RRR RRR',
  split: 'RRR RRR',
  'stale-writes': 'RRR RRR',
  'late-writes': 'RRR RRR',
  'not-linearizable': 'RRR RRR',
  'top-captured': 'FFF RRR',
  'successors-captured': 'FFF RRR',
  'majority-captured': 'FFF RRR',
  'majority-denied': 'FFF RRR',
  'adversary-leads-once': 'FFF RRR',
  'honest-priced-out': 'OOO RRR',
};

const WITHOUT_EPOCHS: Table = {
  'adversary-leads': 'FFF FFF',
  'leads-more-than-share': 'FFF FFF',
  // It is decided by elections, of protocols that are led by the highest rank.
  'highest-leads': 'RRR RRR',
  'no-leader': 'WWW WWW',
  split: 'WWW WWW',
  // They need a resource.
  'stale-writes': 'RRR RRR',
  'late-writes': 'RRR RRR',
  'not-linearizable': 'RRR RRR',
  'top-captured': 'FFF FFF',
  'successors-captured': 'FFF FFF',
  'majority-captured': 'FFF FFF',
  'majority-denied': 'FFF FFF',
  'adversary-leads-once': 'RRR RRR',
  'honest-priced-out': 'RRR RRR',
};

const SALTS: readonly (readonly [Salt, Table])[] = [
  ['no epochs', WITHOUT_EPOCHS],
  ['none', WITH_EPOCHS],
  ['puzzle', WITH_EPOCHS],
  ['rank', WITH_EPOCHS],
  ['both', WITH_EPOCHS],
];

describe.each(SALTS)('with the salt %s', (salt, table) => {
  describe.each(PROPERTY_NAMES)('%s', (property) => {
    it.each(STRATEGY_NAMES)('and the strategy %s', (strategy) => {
      const counts: Count[] = [];
      const marks = [true, false].map((isAlone) =>
        BUDGETS.map((budget) => compared({ property, strategy, salt, budget, isAlone }, counts)),
      );

      expectLawful(counts);
      const shown = marks.map((each) => each.join('')).join(' ');
      expect(shown).toBe(strategy === 'stockpile' ? 'RRR RRR' : table[property]);
    });
  });
});

/** Compares the documents of a cell, and adds the wins of their runs to `counts`. */
function compared(cell: Cell, counts: Count[]): Mark {
  const key = [...JSON.stringify(cell)];
  const draw = drawer(key.reduce((sum, letter) => (31 * sum + letter.charCodeAt(0)) % 2 ** 24, 7));
  const marks = new Set<Mark>();
  for (let index = 0; index < documentsWith(marks); index += 1) {
    const drawn = drawnOrRefused(draw, cell);
    if (drawn === null) {
      marks.add('R');
      continue;
    }
    const { model } = drawn;
    const { probability, formula } = theoryOf(model, EMPTY_TALLY, null);
    const exact = drawn.exact?.() ?? null;
    if (probability === null) expect(formula).toMatch(/^none: ./);
    else expect(probability, JSON.stringify(model)).toBeCloseTo(exact ?? Number.NaN, 8);
    marks.add(exact === null ? 'W' : probability === null ? 'O' : 'F');
    // A watched election takes as long as a thousand drawn runs. watched.long.test.ts has some of them.
    if (exact === null || runKindOf(model) === 'watched') continue;
    const range = { from: 0, count: RUNS };
    const { wins } = executeRuns(model, parseSeed(String(index)), range, STILL);
    counts.push({ runs: RUNS, wins: wins[0] ?? 0, exact });
  }
  if (marks.has('F')) marks.delete('O');
  const [mark = 'R', ...others] = marks;
  expect(others, JSON.stringify(cell)).toEqual([]);
  return mark;
}

/** How many documents of a cell are drawn, given the marks of those so far. Few documents of some cells have a closed form. */
function documentsWith(marks: ReadonlySet<Mark>): number {
  if (marks.has('R')) return REFUSED_INSTANCES;
  return marks.has('O') && !marks.has('F') ? DOCUMENTS_MAX : DRAWN_DOCUMENTS;
}

function drawnOrRefused(draw: Draw, cell: Cell): Drawn | null {
  try {
    return drawnFrom(draw, cell);
  } catch (error) {
    if (error instanceof LabError) return null;
    throw error;
  }
}
