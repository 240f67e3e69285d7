/**
 * @module
 * A sweep that resumes an earlier one: the same sweep, or the same with more runs, whose finished runs are not computed
 * again. They are taken from a copy of its journal.
 */

import { constants, copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import type { z } from '@hono/zod-openapi';
import { LabError } from '../../../src/errors.ts';
import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import { sweepIdentity } from '../../../src/experiment/sweep/plan.ts';
import { codeOf } from '../../../src/runtime/files/file-sink.ts';
import { sweepFiles } from '../../../src/runtime/sweep/files.ts';
import { journalHeader } from '../../../src/runtime/sweep/journal.ts';
import { faultAt } from '../../contract/faults.ts';
import type { JobSnapshot } from '../job-kind.ts';
import { isUnfinished } from '../job-kind.ts';
import type { Resumption, SweepRequest, sweepRequestSchema } from './request.ts';
import { parseSweepRequest } from './request.ts';
import type { SweepJob } from './sweep.ts';

/** The first table of a sweep, which names its journal. */
const FIRST_TABLE = 'rows.csv';

/** Works like `parseSweepRequest`, with the sweep that is resumed. `get` finds it, or throws LabError `not_found`. */
export function parseResumableSweep(
  body: z.output<typeof sweepRequestSchema>,
  catalogue: readonly ThreatModel[],
  get: (id: string) => JobSnapshot<SweepJob>,
): SweepRequest {
  const request = parseSweepRequest(body, catalogue);
  const { resumes } = body;
  return resumes === undefined
    ? request
    : { ...request, resumption: resumptionOf(resumes, request, get) };
}

/** Throws LabError `arguments` if a sweep cannot resume the one of this id. */
function resumptionOf(
  id: string,
  request: SweepRequest,
  get: (id: string) => JobSnapshot<SweepJob>,
): Resumption {
  const { state, request: earlier } = earlierSweep(id, get);
  if (isUnfinished(state.status)) {
    throw refused(`sweep ${id} is ${state.status}; cancel it, or wait until it is over`);
  }
  const folder = state.result?.folder ?? null;
  if (folder === null) throw refused(`sweep ${id} has no finished runs`);
  if (digestOf(earlier) !== digestOf(request)) {
    throw refused(`sweep ${id} has another document, other settings, axes, sample or seeds`);
  }
  const { runs } = earlier.outline;
  if (request.outline.runs < runs) {
    throw refused(`sweep ${id} has ${runs} runs of each cell; ask for as many or more`);
  }
  return { id, folder };
}

function earlierSweep(id: string, get: (id: string) => JobSnapshot<SweepJob>) {
  try {
    return get(id);
  } catch (error) {
    if (!(error instanceof LabError && error.code === 'not_found')) throw error;
    throw refused(`there is no sweep ${id}`);
  }
}

function refused(detail: string): LabError {
  return faultAt('arguments', '/resumes', detail);
}

function digestOf({ model, outline, seed, seedRule }: SweepRequest): string {
  // Both sweeps were submitted to this code, or the journal says otherwise.
  return sweepIdentity(model, outline, { seed, seedRule, codeVersion: '' });
}

/**
 * Copies the journal of the earlier sweep into the folder of a new one. Copies nothing if it is gone, or of another
 * code: then all runs are computed.
 */
export function copyJournal({ folder: from }: Resumption, to: string, identity: string): void {
  const [source, copy] = [from, to].map((folder) => sweepFiles(join(folder, FIRST_TABLE), 'csv'));
  if (source === undefined || copy === undefined) return;
  try {
    copyFileSync(source.journal, copy.journal, constants.COPYFILE_EXCL);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  if (journalHeader(copy.journal)?.identity !== identity) rmSync(copy.journal);
}
