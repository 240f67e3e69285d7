/**
 * @module
 * What the API needs besides its routes. The command line supplies worker threads, the tests fakes.
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
import type { OnFault } from './request/refusals.ts';
import type { Connections } from './socket/connection-limit.ts';
import type { ServesHost } from './socket/hosts.ts';
import type { OnRequest } from './socket/request-observer.ts';

export interface Services {
  /** Version of the package. */
  readonly version: string;
  /** The policy that a claim must meet if the request names none. */
  readonly policy: Policy;
  readonly admission: Admission;
  /** The catalogue. */
  readonly threatModels: readonly ThreatModel[];
  readonly elections: ElectionStore;
  readonly jobs: Jobs;
  readonly servesHost: ServesHost;
  readonly lifecycle: Lifecycle;
  /** Answers to requests with an Idempotency-Key; by default they are kept in memory. */
  readonly answers?: AnswerStore;
  /** The tokens that are accepted; by default none is required. */
  readonly tokens?: TokenSet | null;
  /** The connections of the server; by default their number is not limited. */
  readonly connections?: Pick<Connections, 'isCrowded'>;
  /** Limits of each caller; none by default. */
  readonly budgets?: CallerBudgets;
  /** Receives every request when it is over, for a log. */
  readonly onRequest?: OnRequest;
  readonly onFault: OnFault;
}
