/**
 * @module
 * The files of the counterexample that a check found.
 */

import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { LabError } from '../../../src/errors.ts';
import { COUNTEREXAMPLE } from '../../../src/experiment/checks/counterexample.ts';
import { CHECK } from '../../../src/experiment/checks/request.ts';
import { exampleIn } from '../../../src/operations/check/example.ts';
import { usedFiles } from '../../../src/runtime/load/used-files.ts';
import { writtenTrace } from '../../../src/simulation/report/trace-formats.ts';
import { acceptedType } from '../../contract/router.ts';
import type { JobSnapshot } from '../job-kind.ts';
import { resultOf } from '../table-answers.ts';

/** The file of a counterexample. */
export const counterexampleSchema = COUNTEREXAMPLE.extend({
  check: CHECK.meta({ id: 'CheckedInstance' }),
  actions: z.array(z.looseObject({ type: z.string() })),
}).meta({ id: 'Counterexample', description: 'A file for usurp replay.' });

/** A counterexample in the other forms. */
export const COUNTEREXAMPLE_TEXTS = {
  'image/svg+xml': { schema: z.string() },
  'text/plain': { schema: z.string() },
};

/** The forms of a counterexample by media type, the default first. */
const TYPES = ['application/json', 'image/svg+xml', 'text/plain'] as const;

interface ExampleJob {
  readonly request: { readonly name: string; readonly body: object };
  readonly progress: unknown;
  readonly result: object;
}

/** The counterexample in the form that Accept names. Throws LabError `job.unfinished` or `not_found`. */
export function counterexampleAnswer(c: Context, job: JobSnapshot<ExampleJob>): Response {
  const type = acceptedType(c, TYPES);
  const { name, body } = job.request;
  const example = exampleIn(name, body, resultOf(job));
  if (example === null) throw new LabError('not_found', `job ${job.id} found no violation`);
  if (type === 'application/json') {
    return c.body(example.text(usedFiles()), 200, { 'Content-Type': type });
  }
  const isDrawn = type === 'image/svg+xml';
  const headers = { 'Content-Type': isDrawn ? type : `${type}; charset=utf-8` };
  return c.body(writtenTrace(example.run, isDrawn ? 'svg' : 'txt'), 200, headers);
}
