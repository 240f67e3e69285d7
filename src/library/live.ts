/**
 * @module
 * `usurp/live`: an election of a server in which the program plays a node (docs/http.md, Playing a node).
 */

import type { Claim, Policy } from './identity.ts';

export type { Claim, Policy } from './identity.ts';

/** What happens to a node: `start`, `deliver` with `from` and `message`, `timeout` with `timer`, and others. */
export interface NodeEvent {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** What a node does about an event, such as `{ type: 'send', to: 2, message }` or `{ type: 'elect', leader: 3, epoch: 0 }`. */
export interface NodeEffect {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** The node that the program plays. */
export interface Played {
  /** The rank of the node, which is final: 1 is the lowest. */
  readonly rank: number;
  /** The leader at the end. Null if the live nodes follow none or several. The node ID is in hex. */
  readonly leader: { readonly rank: number; readonly nodeId: string } | null;
}

/** An election of a server. */
export interface PlayedElection {
  /** Address of the server, such as http://127.0.0.1:8787. */
  readonly url: string;
  /** The token of a server that requires one. */
  readonly token?: string;
  readonly protocol: string;
  /** Number of honest nodes, which the server plays. */
  readonly nodes: number;
  /** What a node must show to join. The claim must meet it. */
  readonly policy?: Policy;
  readonly seed?: string;
  readonly signal?: AbortSignal;
}

/** The answer of the server to a refused request: a problem of RFC 9457. */
export interface Problem extends Error {
  /** One of the codes that the pages of /problems explain, such as `claim.refused`. */
  readonly code: string;
  readonly status: number;
}

/**
 * Creates an election, joins it with a claim, and plays its node until the election is at rest. `react` answers each event;
 * an event without effects is answered as well. Nodes check no signatures in this election. Throws a Problem.
 */
export async function play(
  { url, token, signal, ...election }: PlayedElection,
  claim: Claim,
  react: (event: NodeEvent, rank: number) => readonly NodeEffect[],
): Promise<Played> {
  const call: Call = (path, { body, node } = {}) =>
    request(new URL(path, url), { body, token, node, signal });
  const { id } = await call<{ readonly id: string }>('/v1/elections', { body: election });
  const path = `/v1/elections/${id}`;
  const { token: node } = await call<{ readonly token: string }>(`${path}/nodes`, {
    body: { claim, waitMs: WAIT_MS },
  });
  const own = `${path}/nodes/${claim.nodeId}`;
  await call(`${path}/actions`, { body: { type: 'start' } });
  for (;;) {
    const { rank, events } = await call<Inbox>(`${own}/inbox`, { node });
    const through = events.at(-1)?.number;
    if (through !== undefined) {
      const effects = events.flatMap(({ event }) => react(event, rank));
      await call(`${own}/outbox`, { node, body: { through, effects } });
    }
    const advance = { type: 'advance', until: 'idle', waits: false };
    const { bound, leader } = await call<Advanced>(`${path}/actions`, { body: advance });
    if (bound !== 'outside') return { rank, leader };
  }
}

/** How long virtual time waits for an answer. */
const WAIT_MS = 10_000;

interface Inbox {
  readonly rank: number;
  readonly events: readonly { readonly number: number; readonly event: NodeEvent }[];
}

interface Advanced extends Pick<Played, 'leader'> {
  readonly bound: string;
}

type Call = <Answer>(
  path: string,
  given?: { readonly body?: object; readonly node?: string },
) => Promise<Answer>;

interface Request {
  readonly body: object | undefined;
  readonly token: string | undefined;
  readonly node: string | undefined;
  readonly signal: AbortSignal | undefined;
}

async function request<Answer>(url: URL, { body, token, node, signal }: Request): Promise<Answer> {
  const answer = await fetch(url, {
    signal: signal ?? null,
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(node !== undefined && { 'node-token': node }),
    },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  const json = await answer.json();
  // The contract of the server describes it.
  if (answer.ok) return json as Answer;
  // A refusal is a problem of RFC 9457.
  const { code, detail } = json as { readonly code: string; readonly detail: string };
  throw Object.assign(new Error(detail), { code, status: answer.status });
}
