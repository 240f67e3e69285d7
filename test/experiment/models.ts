/**
 * @module
 * Threat models for the tests: the documents of the catalogue, changed by settings, and services
 * whose clocks stand still.
 */

import { readFileSync } from 'node:fs';
import type { SearchRate, ThreatModel } from '../../src/experiment/document/threat-model.ts';
import { ratedSearch } from '../../src/experiment/document/threat-model.ts';
import { parseThreatModel } from '../../src/experiment/reading/document.ts';
import { applySettings, readSetting } from '../../src/experiment/reading/settings.ts';
import { createRunner } from '../../src/experiment/runs/run.ts';
import type { Services } from '../../src/experiment/runs/runner.ts';
import type { ElectionResult, RunOutcome } from '../../src/experiment/runs/tally.ts';
import type { Seed } from '../../src/random.ts';
import { plainVerifier } from '../../src/runtime/openssl/plain-verifier.ts';
import { kernelSource } from '../../src/runtime/threads/kernels.ts';

/** The text of a document of the catalogue. */
export function catalogueText(id: string): string {
  return readFileSync(new URL(`../../threat-models/${id}.yaml`, import.meta.url), 'utf8');
}

/** `top-id` with settings. */
export function topId(...settings: readonly string[]): ThreatModel {
  return modelFrom('top-id', ...settings);
}

/** `no-adversary` with settings. */
export function noAdversary(...settings: readonly string[]): ThreatModel {
  return modelFrom('no-adversary', ...settings);
}

/** Services for runs whose budgets are counted, not timed. */
export const STILL: Services = {
  clocks: { cpuSeconds: () => 0, wallSeconds: () => 0 },
  kernels: kernelSource(),
  // As in the threads of the product. Noble alone takes a third longer for a mined run.
  plain: plainVerifier,
  rateMeasured: null,
};

/** What was measured for the adversaries of a model. */
export function ratesOf(
  model: ThreatModel,
  rate: Omit<SearchRate, 'search'>,
): readonly SearchRate[] {
  return Object.values(model.adversaries).map((each) => ({
    search: ratedSearch(model, each),
    ...rate,
  }));
}

/** Whether a run had its property with every protocol. */
export function isWon({ outcomes }: RunOutcome): boolean {
  return outcomes.every(({ won }) => won);
}

/** The elections of a run with all protocols. */
export function electionsOf({ outcomes }: RunOutcome): readonly ElectionResult[] {
  return outcomes.flatMap(({ elections }) => elections);
}

/** The first item. Throws TypeError if there is none. */
export function firstOf<T>([first]: readonly T[]): T {
  if (first === undefined) throw new TypeError('"items" expected at least one, got none');
  return first;
}

/** The only item. Throws TypeError if there are others. */
export function onlyOf<T>(items: readonly T[]): T {
  if (items.length > 1) throw new TypeError(`"items" expected one, got ${items.length}`);
  return firstOf(items);
}

/** One run. */
export function executeRun(
  model: ThreatModel,
  of: { readonly seed: Seed; readonly run: number },
  services: Services,
): RunOutcome {
  return createRunner(model, services)(of);
}

/** A document of the catalogue with settings. */
export function modelFrom(id: string, ...settings: readonly string[]): ThreatModel {
  return applySettings(
    parseThreatModel(catalogueText(id), `${id}.yaml`),
    settings.map(readSetting),
  );
}
