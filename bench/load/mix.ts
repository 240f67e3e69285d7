/**
 * @module
 * The requests of ordinary callers: a weighted mix of small requests. Each caller keeps a few elections, makes
 * new ones and deletes the oldest, and remembers its last job.
 */

import type { Claim } from '../../src/identity/claim.ts';
import { claimToJson, createClaim } from '../../src/identity/claim.ts';
import { STRICT_POLICY } from '../../src/identity/policy.ts';
import type { Asked } from './client.ts';
import type { Caller } from './server.ts';

/** How many requests of a hundred. */
export const WEIGHTS = {
  health: 10,
  params: 10,
  create: 8,
  delete: 8,
  act: 10,
  watched: 10,
  read: 22,
  list: 4,
  'verify known': 11,
  'verify new': 4,
  'submit run': 0.5,
  'read run': 2.5,
} as const;

export type Operation = keyof typeof WEIGHTS;

/** Elections that a caller keeps. */
const KEPT_MAX = 10;
/** What one action lets happen; an election of five nodes has about as many in ten ticks. */
const EVENTS_PER_ACT = 20;
const UNTIL_TICKS = 1_000_000;
const SMALL = { protocol: 'bully-oneshot', nodes: 5 } as const;

/** Elections that never come to rest, since their detectors beat. */
export const WATCHED = { ...SMALL, detector: 'fd-heartbeat:every=10,timeout=35' } as const;

export const START: string = JSON.stringify({ type: 'start' });
const REST = JSON.stringify({ type: 'advance', until: 'idle' });
export const ADVANCE: string = JSON.stringify({
  type: 'advance',
  until: UNTIL_TICKS,
  events: EVENTS_PER_ACT,
});

/** A caller and what it has made. */
export interface Customer {
  readonly caller: Caller;
  readonly elections: string[];
  run: string | null;
}

/** The operations of each second in an order that spreads them; the same in every run. */
export function schedule(requests: number): Operation[] {
  const names = Object.keys(WEIGHTS) as Operation[]; // The keys are spelled above.
  const due = new Map<Operation, number>(names.map((name) => [name, 0]));
  const total = names.reduce((sum, name) => sum + WEIGHTS[name], 0);
  return Array.from({ length: requests }, () => {
    // The operation that is most behind is next.
    for (const name of names) due.set(name, (due.get(name) ?? 0) + WEIGHTS[name] / total);
    const next = names.reduce((best, name) =>
      (due.get(name) ?? 0) > (due.get(best) ?? 0) ? name : best,
    );
    due.set(next, (due.get(next) ?? 0) - 1);
    return next;
  });
}

/** Makes requests, with a claim that was sent before and with new claims. */
export class Mix {
  readonly #known = claimText(0);
  #claims = 0;
  readonly #fresh: string[] = [];
  #seed = 0;
  #acts = 0;

  /** Claims are signed before anything is measured. */
  prepare(claims: number): void {
    for (let made = 0; made < claims; made += 1) {
      this.#claims += 1;
      this.#fresh.push(claimText(this.#claims));
    }
  }

  /** The request; another one where the caller has nothing yet to ask about. */
  next(operation: Exclude<Operation, 'watched'>, { elections, run }: Customer): Asked {
    const [oldest] = elections;
    const latest = elections.at(-1);
    switch (operation) {
      case 'health':
        return get('/healthz');
      case 'params':
        return get('/v1/params');
      case 'create':
        return this.#create();
      case 'delete':
        if (oldest === undefined || elections.length < KEPT_MAX) return this.#create();
        elections.shift();
        return deletion(oldest);
      case 'act':
        if (latest === undefined) return this.#create();
        this.#acts += 1;
        return acting(latest, this.#acts % 2 === 0 ? START : REST);
      case 'read':
        return latest === undefined ? this.#create() : get(`/v1/elections/${latest}`);
      case 'list':
        return get('/v1/elections');
      case 'verify known':
        return verify(this.#known);
      case 'verify new':
        return verify(this.#fresh.pop() ?? this.#known);
      case 'submit run':
        return { method: 'POST', path: '/v1/runs', body: RUN };
      case 'read run':
        return get(run === null ? '/v1/threat-models' : `/v1/jobs/${run}`);
      default:
        return operation satisfies never;
    }
  }

  #create(): Asked {
    this.#seed += 1;
    const body = JSON.stringify({ ...SMALL, seed: String(this.#seed), run: true });
    return { method: 'POST', path: '/v1/elections', body };
  }
}

/** Remembers what a successful answer has made. */
export function learn(customer: Customer, { method, path }: Asked, text: string): void {
  if (method !== 'POST') return;
  if (path === '/v1/elections') customer.elections.push(String(JSON.parse(text).id));
  if (path === '/v1/runs') customer.run = String(JSON.parse(text).id);
}

export function deletion(election: string): Asked {
  return { method: 'DELETE', path: `/v1/elections/${election}` };
}

function get(path: string): Asked {
  return { method: 'GET', path };
}

function verify(body: string): Asked {
  return { method: 'POST', path: '/v1/identities/verify', body };
}

export function acting(election: string, body: string): Asked {
  return { method: 'POST', path: `/v1/elections/${election}/actions`, body };
}

/** A thousand sampled runs, some ten milliseconds of a thread. */
const RUN = JSON.stringify({
  threatModel: 'top-id',
  runs: 1000,
  seed: '1',
  set: { work: 'sampled' },
});

function claimText(number: number): string {
  return JSON.stringify(claimToJson(claimOf(number)));
}

function claimOf(number: number): Claim {
  const bytes = new Uint8Array(32);
  new DataView(bytes.buffer).setUint32(0, number);
  const secret = { form: 'seed', bytes } as const;
  return createClaim({ scheme: 'ed25519', secret, policy: STRICT_POLICY, solution: null });
}
