/**
 * @module
 * The documents of the catalogue and the answers of their runs, for the suites that hold each document
 * to what it expects.
 */

import { readdirSync, readFileSync } from 'node:fs';
import type { ThreatModel } from '../../src/experiment/document/threat-model.ts';
import { runKindOf } from '../../src/experiment/document/threat-model.ts';
import { parseThreatModel } from '../../src/experiment/reading/document.ts';
import { executeRuns } from '../../src/experiment/runs/run.ts';
import { exactInterval } from '../../src/experiment/theory/statistics.ts';
import type { GroupResult, RunReport } from '../../src/experiment/verdict/report.ts';
import { report } from '../../src/experiment/verdict/report.ts';
import { parseSeed } from '../../src/random.ts';
import { STILL } from '../experiment/models.ts';

export const CATALOGUE = new URL('../../threat-models/', import.meta.url);

/** In the order of their names. */
export const IDS: readonly string[] = readdirSync(CATALOGUE)
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => name.replace('.yaml', ''))
  .sort();

/** Documents that show the lack of a defence: their bound is one that a defence has to reach. */
const REFUTED: readonly string[] = ['cpu-advantage'];

/** The verdict of a document of the catalogue. */
export function verdictOf(id: string): 'true' | 'false' {
  return REFUTED.includes(id) ? 'false' : 'true';
}

export function textOf(id: string): string {
  return readFileSync(new URL(`${id}.yaml`, CATALOGUE), 'utf8');
}

export function modelOf(id: string): ThreatModel {
  return parseThreatModel(textOf(id), `${id}.yaml`);
}

/** Whether a run draws numbers and holds few elections or none, so that thousands are soon done. */
export function isDrawn(model: ThreatModel): boolean {
  return model.work === 'sampled' && runKindOf(model) !== 'watched';
}

/** The report of the first runs under a seed. */
export function judged(model: ThreatModel, runs: number, seedText = '1'): RunReport {
  const seed = parseSeed(seedText);
  const tally = executeRuns(model, seed, { from: 0, count: runs }, STILL);
  return report(model, tally, { id: model.id, seed, runs, settings: [], rateMeasured: null });
}

/** An interval that a true law leaves once in ten thousand times. */
export function wideInterval({ measured }: GroupResult): readonly [number, number] {
  return exactInterval({ wins: measured.wins, runs: measured.runs, confidence: 0.9999 });
}
