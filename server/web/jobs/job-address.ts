/**
 * @module
 * Which address shows a job: that of the view of its kind, or else its page among the jobs.
 */

import type { Job } from '../api/contract.ts';
import { queryOf } from '../operations/draft.ts';
import { hrefOf } from '../shell/router.ts';
import { VIEWS } from '../shell/views.ts';

/** The kinds of jobs with the words for them, in the order of the list of kinds. */
export const KINDS = {
  run: 'run of a threat model',
  sweep: 'sweep',
  design: 'design',
  attack: 'attack',
  'attack-matrix': 'attack matrix',
  'fault-matrix': 'fault matrix',
  check: 'check',
  'cheapest-attack': 'cheapest attack',
  mine: 'search for identities',
  calibrate: 'calibration',
  advantage: 'advantage',
  detectors: 'measurement of detectors',
  lookups: 'lookups in an overlay',
  churn: 'costs under churn',
  elect: 'elections of the simulator',
  compare: 'comparison of defences',
  'compare-protocols': 'comparison of protocols',
  reproduce: 'reproduction of published results',
} as const satisfies Record<Job['kind'], string>;

/** The address of the view that shows a job. */
export function hrefOfJob(job: Job): string {
  return ownHrefOf(job) ?? hrefOf(['jobs', job.id]);
}

/** The address of a job in the view of its kind; null if its page among the jobs shows most of it. */
export function ownHrefOf(job: Job): string | null {
  const { id } = job;
  switch (job.kind) {
    case 'run': {
      const { threatModel, set = [], ...rest } = job.request;
      // The view runs a document of the catalogue as it is. Any other document is too long for a link here.
      if (typeof threatModel !== 'string' || Object.keys(set).length > 0) return null;
      return hrefIn('threat-models', [threatModel], { ...queryOf(rest), job: id });
    }
    case 'calibrate':
      return hrefIn('race', [], { calibration: id });
    case 'check':
      return hrefIn('checks', [id]);
    case 'sweep':
      return hrefIn('sweeps', [id]);
    case 'design':
      return hrefIn('design', [], queryOf(job.request));
    case 'attack':
    case 'advantage':
    case 'compare':
    case 'compare-protocols':
    case 'detectors':
    case 'lookups':
    case 'churn':
    case 'reproduce':
    case 'cheapest-attack':
      return hrefIn('operations', [job.kind], { ...queryOf(job.request), job: id });
    case 'attack-matrix':
    case 'fault-matrix':
      return hrefIn('matrices', [id]);
    default:
      // An operation of the user has its form as its view.
      return Object.hasOwn(KINDS, job.kind)
        ? null
        : hrefIn('operations', [job.kind], { ...queryOf(job.request), job: id });
  }
}

function hrefIn(
  view: string,
  segments: readonly string[],
  query?: Parameters<typeof hrefOf>[1],
): string | null {
  return VIEWS.some(({ name }) => name === view) ? hrefOf([view, ...segments], query) : null;
}
