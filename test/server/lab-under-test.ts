/**
 * @module
 * The API over fakes, and a way to call it that judges every answer: its status must be documented
 * for the operation, a refusal must be a whole problem document, and nothing may be told that the
 * server should keep to itself.
 */

import { expect } from 'vitest';

import { createApp } from '../../server/app.ts';
import { ElectionStore } from '../../server/election-store.ts';
import { servedHosts } from '../../server/hosts.ts';
import type { ExecuteExperiment } from '../../server/run-queue.ts';
import { RunQueue } from '../../server/run-queue.ts';
import type { ServerFault } from '../../server/server-fault.ts';
import { ERROR_CODES } from '../../src/errors.ts';
import { STRICT_POLICY } from '../../src/identity/policy.ts';
import { readCatalogue } from '../../src/runtime/catalogue.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; null when there is none. */
  readonly json: Readonly<Record<string, unknown>>;
}

export interface LabUnderTest {
  readonly app: ReturnType<typeof createApp>;
  readonly runs: RunQueue;
  readonly faults: ServerFault[];
  /** Sends a request and judges the form of the answer. */
  call(method: string, path: string, init?: RequestInit): Promise<Answer>;
  /** POSTs a body as JSON; text is sent as it is. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
}

export interface LabOptions {
  readonly execute?: ExecuteExperiment;
  readonly nowMs?: () => number;
}

const threatModels = await readCatalogue();

export function labUnderTest(options: LabOptions = {}): LabUnderTest {
  const { execute = () => new Promise(() => {}), nowMs = () => 0 } = options;
  const faults: ServerFault[] = [];
  const onFault = (fault: ServerFault) => void faults.push(fault);
  const runs = new RunQueue({ concurrent: 1 }, { execute, onFault, nowMs });
  const app = createApp({
    version: '0.0.0-test',
    policy: { ...STRICT_POLICY, c1: 2 },
    threatModels,
    elections: new ElectionStore(),
    runs,
    servesHost: servedHosts('127.0.0.1'),
    onFault,
  });
  const documented = documentedStatuses(app);
  const call = async (method: string, path: string, init: RequestInit = {}) => {
    const response = await app.request(path, { ...init, method });
    const answer = await readAnswer(response);
    const statuses = documented(method, new URL(path, 'http://localhost').pathname);
    expect(statuses, `${method} ${path}`).toContain(answer.status);
    expectWellFormed(answer);
    return answer;
  };
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    call('POST', path, {
      headers: { 'Content-Type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  return { app, runs, faults, call, post };
}

/** Refusals are problem documents, answers are JSON, and every one has a request id. */
function expectWellFormed({ status, headers, text, json }: Answer): void {
  expect(headers.get('X-Request-Id')).toMatch(/^[\w=-]{1,64}$/);
  if (status < 400) return;
  expect(headers.get('Content-Type')).toBe('application/problem+json');
  expect(json).toMatchObject({ status, instance: headers.get('X-Request-Id') });
  expect(ERROR_CODES).toContain(json.code);
  expect(json.type).toBe(`/problems/${json.code}`);
  expect(json.title).toMatch(/\S/);
  expect(json.detail).toMatch(/\S/);
  expect(text).not.toMatch(/node_modules|\bat .*\.ts:|file:\/\//);
  const retryAfter = headers.get('Retry-After');
  expect(retryAfter).toBe(status === 503 ? String(json.retryAfterS) : null);
}

async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const json = text === '' ? null : JSON.parse(text);
  return { status: response.status, headers: response.headers, text, json };
}

interface Operation {
  readonly responses: Readonly<Record<string, unknown>>;
}

/** The statuses that the OpenAPI document lists for a call; outside of it there are 404 and 405. */
function documentedStatuses(app: LabUnderTest['app']) {
  const document = app.getOpenAPI31Document({ openapi: '3.1.0', info: { title: '', version: '' } });
  const templates = Object.entries(document.paths ?? {}).map(([path, item]) => {
    const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    return [pattern, item as Readonly<Record<string, Operation>>] as const; // Methods to operations.
  });
  return (method: string, pathname: string): readonly number[] => {
    const item = templates.find(([pattern]) => pattern.test(pathname))?.[1];
    if (item === undefined) return [400, 404];
    const operation = item[method === 'HEAD' ? 'get' : method.toLowerCase()];
    return operation === undefined ? [400, 405] : Object.keys(operation.responses).map(Number);
  };
}
