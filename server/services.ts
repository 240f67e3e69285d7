/**
 * @module
 * What the API is made of besides its routes. Whoever serves it puts these together: the command
 * line with worker threads behind `jobs`, the tests with fakes.
 */

import type { ThreatModel } from '../src/experiment/document/threat-model.ts';
import type { Policy } from '../src/identity/policy.ts';
import type { CallerBudgets } from './callers/caller-budgets.ts';
import type { TokenSet } from './callers/tokens.ts';
import type { Admission } from './claims/claim-checks.ts';
import type { ElectionStore } from './elections/storage/store.ts';
import type { AnswerStore } from './idempotency/answer-store.ts';
import type { Jobs } from './jobs/jobs.ts';
import type { Lifecycle } from './request/lifecycle.ts';
import type { OnFault } from './request/server-fault.ts';
import type { Connections } from './socket/connection-limit.ts';
import type { ServesHost } from './socket/hosts.ts';
import type { OnRequest } from './socket/request-observer.ts';

export interface Services {
  /** The version of the package. */
  readonly version: string;
  /** What this server demands of a claim when a question names no policy. */
  readonly policy: Policy;
  /** Whether claims are admitted; asked by routes and by elections that nodes join. */
  readonly admission: Admission;
  /** The catalogue, in the order in which it is listed. */
  readonly threatModels: readonly ThreatModel[];
  readonly elections: ElectionStore;
  readonly jobs: Jobs;
  readonly servesHost: ServesHost;
  readonly lifecycle: Lifecycle;
  /** What was answered to requests with an Idempotency-Key; left out, kept in memory. */
  readonly answers?: AnswerStore;
  /** Who may ask; null or left out answers everybody. */
  readonly tokens?: TokenSet | null;
  /** Those that the server listens on; left out, requests are never refused for their number. */
  readonly connections?: Pick<Connections, 'isCrowded'>;
  /** What a caller may take; left out, no caller is bounded. */
  readonly budgets?: CallerBudgets;
  /** Takes every request when it is over, for a log. */
  readonly onRequest?: OnRequest;
  readonly onFault: OnFault;
}
