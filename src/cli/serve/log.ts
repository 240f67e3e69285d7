/**
 * @module
 * What `usurp serve` reports to its operator, on stderr: in words, errors and when it starts and stops; or
 * one line of JSON for each of those and for each request. Neither holds a path, a header or a body of
 * a request: they can hold what opens something.
 */

import { instanceOf } from '../../../server/contract/problem.ts';
import type { ServerFault } from '../../../server/request/refusals.ts';
import type { RequestRecord } from '../../../server/socket/metrics.ts';
import type { Terminal } from '../shell/terminal.ts';

export const LOG_FORMS = ['text', 'json'] as const;

export type LogForm = (typeof LOG_FORMS)[number];

/** What began. */
export interface Start {
  readonly url: string;
  /** Elections that came back, and the file they came from. */
  readonly restored: number;
  readonly data: string | null;
  /** Whether other machines can reach the address without TLS. */
  readonly isExposed: boolean;
  readonly demandsTokens: boolean;
}

export interface ServeLog {
  started(start: Start): void;
  /** Something about what was kept. */
  noticed(note: string): void;
  backedUp(path: string): void;
  stopping(): void;
  fault(fault: ServerFault): void;
  request(record: RequestRecord): void;
}

/** The log in that form, to this terminal. */
export function serveLog(form: LogForm, terminal: Terminal): ServeLog {
  switch (form) {
    case 'text':
      return wordLog(terminal);
    case 'json':
      return jsonLog(terminal);
    default:
      return form satisfies never;
  }
}

function wordLog(terminal: Terminal): ServeLog {
  return {
    started({ url, restored, data, isExposed, demandsTokens }) {
      if (restored > 0) terminal.note(`${restored} elections are kept in ${data}`);
      if (isExposed) terminal.complain(`usurp: WARNING: ${UNENCRYPTED}`);
      terminal.note(`try: curl -s ${url}/v1/elections -H 'Content-Type: application/json' \\`);
      terminal.note(`  -d '{"protocol":"bully-oneshot","nodes":5,"seed":"1","run":true}'`);
      if (demandsTokens) terminal.note(`  with -H 'Authorization: Bearer …'`);
      terminal.note(`read: ${url}/reference`);
      terminal.note('Ctrl-C stops it');
    },
    noticed: (note) => terminal.complain(`usurp: NOTE: ${note}`),
    backedUp: (path) => terminal.note(`a backup is in ${path}`),
    stopping() {
      terminal.note('stopping: requests finish, jobs are interrupted; Ctrl-C again ends at once');
    },
    fault: ({ id, error }) => terminal.complain(`usurp: fault ${id}: ${describe(error)}`),
    request: () => undefined,
  };
}

function jsonLog(terminal: Terminal): ServeLog {
  // The terminal spells control characters as JSON does, so that a line stays one line of JSON.
  const write = (level: 'info' | 'warning' | 'error', event: string, members: object) => {
    const time = new Date().toISOString();
    terminal.complain(JSON.stringify({ time, level, event, ...members }));
  };
  return {
    started({ url, restored, isExposed }) {
      write('info', 'started', { url, restored });
      if (isExposed) write('warning', 'exposed', { detail: UNENCRYPTED });
    },
    noticed: (detail) => write('warning', 'noticed', { detail }),
    backedUp: (path) => write('info', 'backup', { path }),
    stopping: () => write('info', 'stopping', {}),
    fault({ id, error }) {
      const instance = instanceOf(id);
      write('error', 'fault', { requestId: id, instance, error: describe(error) });
    },
    request({ id, durationMs, ...record }) {
      const rounded = Math.round(durationMs * 1e3) / 1e3;
      write('info', 'request', { requestId: id, ...record, durationMs: rounded });
    },
  };
}

const UNENCRYPTED =
  'tokens and answers travel unencrypted from this address; serve HTTPS with --tls-cert and --tls-key';

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
