/**
 * @module
 * Threat models whose elections are watched: four honest nodes, small puzzles, one behaviour or fault.
 */

import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import type { Observations } from '../../../src/experiment/runs/observations.ts';
import { createObserver, createRunner } from '../../../src/experiment/runs/run.ts';
import type { Runner } from '../../../src/experiment/runs/runner.ts';
import type { RunOutcome } from '../../../src/experiment/runs/tally.ts';
import { parseSeed } from '../../../src/random.ts';
import { isWon, noAdversary, onlyOf, STILL } from '../models.ts';

/** Four honest nodes that elect by `protocol`, and what must come of it. */
export function watchedModel(
  protocol: string,
  property: string,
  ...settings: readonly string[]
): ThreatModel {
  return noAdversary(
    'network.honest=4',
    'network.identity.c1=2',
    'network.election.latency=1',
    `network.election.protocols=[${protocol}]`,
    `expect.property=${property}`,
    ...settings,
  );
}

/** An adversary with one ordinary identity, which has the lowest rank. */
export function lowest(...behaviours: readonly string[]): string {
  return `adversaries.main={identities: 1, behaviours: [${behaviours.join(', ')}]}`;
}

/** An adversary that finds an identity above all others in as good as every run. */
export function highest(...behaviours: readonly string[]): string {
  return `adversaries.main={budget: {attempts: 100000}, goal: top, registers: after, behaviours: [${behaviours.join(', ')}]}`;
}

export const SEED = parseSeed('7');

/** The first runs of a model. */
export function runsOf(model: ThreatModel, count: number): RunOutcome[] {
  const run: Runner = createRunner(model, STILL);
  return Array.from({ length: count }, (_, index) => run({ seed: SEED, run: index }));
}

/** All observations of the first runs of a model with one group of protocols, the costs of mining too. */
export function observationsOf(model: ThreatModel, count: number): Observations[] {
  const observe = createObserver(model, STILL);
  return Array.from(
    { length: count },
    (_, run) => onlyOf(observe({ seed: SEED, run })).observations,
  );
}

/** How many of the first runs have the property with every protocol. */
export function winsOf(model: ThreatModel, count: number): number {
  return runsOf(model, count).filter(isWon).length;
}
