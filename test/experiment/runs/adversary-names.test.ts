/**
 * @module
 * Names that an author may give an adversary and that JavaScript objects have already.
 */

import { expect, it } from 'vitest';
import { parseThreatModel } from '../../../src/experiment/reading/document.ts';
import { executeRuns } from '../../../src/experiment/runs/run.ts';
import { report } from '../../../src/experiment/verdict/report.ts';
import { parseSeed } from '../../../src/random.ts';
import { catalogueText, STILL } from '../models.ts';

it('runs a model whose adversary is called constructor', () => {
  const text = catalogueText('top-id').replace('  main:', '  constructor:');
  const model = parseThreatModel(text, 'top-id.yaml');
  const seed = parseSeed('1');

  const tally = executeRuns(model, seed, { from: 0, count: 2 }, STILL);

  const request = { id: 'top-id', seed, runs: 2, settings: [], rateMeasured: null };
  expect(report(model, tally, request).results.map(({ measured }) => measured.runs)).toEqual([
    2, 2,
  ]);
});
