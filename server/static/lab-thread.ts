/**
 * @module
 * This folder contains the lab without a server: the API runs in a thread of the browser. This file is that thread. The
 * page sends it requests, each with a port for the answer.
 */

import manifest from '../../package.json' with { type: 'json' };
import { LabError } from '../../src/errors.ts';
import { STRICT_POLICY } from '../../src/identity/policy.ts';
import { COMPARE } from '../../src/operations/compare.ts';
import { readCatalogue } from '../../src/runtime/files/catalogue.ts';
import { paperNames } from '../../src/runtime/files/papers.ts';
import { createApp } from '../app.ts';
import { noBudgets } from '../callers/caller-budgets.ts';
import { ClaimChecks } from '../claims/claim-checks.ts';
import { ClaimThreads } from '../claims/claim-threads.ts';
import { SharedElections } from '../elections/sharing/shared-elections.ts';
import { EPHEMERAL_SHARING } from '../elections/sharing/sharing-log.ts';
import { EPHEMERAL_LOG } from '../elections/storage/log.ts';
import { ElectionStore } from '../elections/storage/store.ts';
import { createJobs, executeInThreads } from '../jobs/jobs.ts';
import { SweepFolders } from '../jobs/sweeps/folders.ts';
import { Lifecycle } from '../request/lifecycle.ts';
import type { OnFault } from '../request/refusals.ts';
import type { AskedRequest, Part } from '../web/api/lab-messages.ts';

// A timer of Node is an object, and one of a browser is a number. A page that is closed ends its threads in any case.
Object.assign(Number.prototype, { unref: () => undefined });

const onFault: OnFault = ({ error }) => reportError(error);
const nowMs = () => performance.now();
const budgets = noBudgets();
const folders = new SweepFolders();
const { operation } = executeInThreads(1, folders);

/** Sweeps keep rows in a database. */
function refuseSweep(): never {
  const remedy = 'usurp sweep, usurp compare and usurp serve compute them';
  throw new LabError(
    'arguments',
    `this page computes no sweeps, because it keeps no files; ${remedy}`,
  );
}

const app = createApp({
  ...{ version: manifest.version, policy: STRICT_POLICY, onFault },
  admission: new ClaimChecks({ verifiers: new ClaimThreads(1), nowMs, budgets }),
  threatModels: await readCatalogue(),
  papers: await paperNames(),
  elections: new ElectionStore(
    EPHEMERAL_LOG,
    budgets,
    onFault,
    new SharedElections(EPHEMERAL_SHARING),
  ),
  jobs: createJobs(
    { concurrent: 1, threads: 1, budgets },
    {
      executions: {
        sweep: async () => refuseSweep(),
        operation: async (request, execution) =>
          request.name === COMPARE.name ? refuseSweep() : operation(request, execution),
      },
      folders,
      logOf: () => null,
      onFault,
      nowMs,
    },
  ),
  servesHost: () => true,
  lifecycle: new Lifecycle('ready'),
});

addEventListener('message', ({ data, ports: [port] }: MessageEvent<AskedRequest>) => {
  if (port !== undefined) void answer(data, port);
});
postMessage('ready');

/** Answers a request in parts. Any message of the page cancels it. */
async function answer(
  { url, method, headers, body }: AskedRequest,
  port: MessagePort,
): Promise<void> {
  const send = (part: Part) => port.postMessage(part);
  const abort = new AbortController();
  port.onmessage = () => abort.abort();
  const request = new Request(url, { method, headers: [...headers], signal: abort.signal });
  // Requests in Firefox have no member `body`, so that it is defined here.
  const value = body === null ? null : new Blob([body]).stream();
  Object.defineProperty(request, 'body', { value });
  const response = await app.fetch(request);
  const { status, statusText } = response;
  send({ type: 'head', status, statusText, headers: [...response.headers] });
  const reader = response.body?.getReader();
  abort.signal.addEventListener('abort', () => void reader?.cancel());
  for (;;) {
    const next = await reader?.read();
    if (next === undefined || next.done) break;
    send({ type: 'bytes', bytes: next.value });
  }
  send({ type: 'end' });
  port.close();
}
