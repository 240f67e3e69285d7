/**
 * @module
 * The job of a run, and its report.
 */

import type { Schema } from '../../api/contract.ts';

export type RunJob = Schema<'RunJob'>;
export type RunReport = NonNullable<RunJob['result']>;
