/**
 * @module
 * The logs of a lab: one data file for all of them, or nothing.
 */

import { LabError } from '../src/errors.ts';
import type { SessionLog } from './callers/sessions.ts';
import { EPHEMERAL_SESSIONS, sessionLog } from './callers/sessions.ts';
import type { SharingLog } from './elections/sharing/sharing-log.ts';
import { EPHEMERAL_SHARING, sharingLog } from './elections/sharing/sharing-log.ts';
import type { ElectionLog } from './elections/storage/log.ts';
import { EPHEMERAL_LOG, electionLog } from './elections/storage/log.ts';
import type { CourseworkLog } from './exercises/coursework-log.ts';
import { courseworkLog, EPHEMERAL_COURSEWORK } from './exercises/coursework-log.ts';
import type { SubmissionLog } from './exercises/submission-log.ts';
import { EPHEMERAL_SUBMISSIONS, submissionLog } from './exercises/submission-log.ts';
import type { AnswerLog } from './idempotency/answer-log.ts';
import { answerLog } from './idempotency/answer-log.ts';
import type { JobLog } from './jobs/job-log.ts';
import { jobLog } from './jobs/job-log.ts';
import { SWEEPS_ENDING } from './jobs/sweeps/folders.ts';
import type { OnFault } from './request/refusals.ts';
import type { StoreFile } from './store/store-file.ts';
import { openStore } from './store/store-file.ts';

export interface LabLogs {
  readonly elections: ElectionLog;
  readonly sharing: SharingLog;
  readonly sessions: SessionLog;
  readonly submissions: SubmissionLog;
  readonly coursework: CourseworkLog;
  readonly answers: AnswerLog | null;
  /** The log of a kind of job, by its noun. */
  readonly jobsOf: (noun: string) => JobLog | null;
  /** The data file; null keeps nothing. */
  readonly file: Pick<StoreFile, 'path' | 'id'> | null;
  /** Throws OverloadError `storage.unavailable` while the file cannot be written. */
  assertWritable(): void;
  /** What the operator should know about the file. */
  readonly notes: readonly string[];
  /** Copies the file to `<file>.backup`; resolves to that name. */
  backup(): Promise<string>;
}

/** Opens the data file as `openStore` does; null keeps nothing. The file closes with the elections. */
export function openLogs(data: string | null, onFault: OnFault): LabLogs {
  if (data === null) return EPHEMERAL;
  const file = openStore(data, {
    onFault: (error) => onFault({ id: 'store', error }),
    folderEnding: SWEEPS_ENDING,
  });
  const answers = answerLog(file);
  const target = `${data}.backup`;
  return {
    ...{ answers, file },
    assertWritable: () => file.assertWritable(),
    elections: electionLog(file, answers),
    sharing: sharingLog(file, answers),
    sessions: sessionLog(file),
    submissions: submissionLog(file),
    coursework: courseworkLog(file),
    jobsOf: (kind) => jobLog(file, answers, kind),
    notes: file.notes,
    backup: async () => {
      await file.backup(target);
      return target;
    },
  };
}

const EPHEMERAL: LabLogs = {
  elections: EPHEMERAL_LOG,
  sharing: EPHEMERAL_SHARING,
  sessions: EPHEMERAL_SESSIONS,
  submissions: EPHEMERAL_SUBMISSIONS,
  coursework: EPHEMERAL_COURSEWORK,
  answers: null,
  jobsOf: () => null,
  file: null,
  assertWritable: () => undefined,
  notes: [],
  backup: () =>
    Promise.reject(new LabError('arguments', 'without --data there is nothing to copy')),
};
