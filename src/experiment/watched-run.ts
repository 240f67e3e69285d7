/**
 * @module
 * Runs whose elections are watched from tick to tick.
 */

import type { Runner, Services } from './run.ts';
import type { ThreatModel } from './threat-model.ts';

/** The runner of a model in which somebody misbehaves or something goes wrong. */
export function watchedRunner(model: ThreatModel, _services: Services): Runner {
  throw new TypeError(`"model" expected another kind, got ${model.id}`);
}
