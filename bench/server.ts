/**
 * @module
 * The lab over HTTP, as a process of its own: questions about claims over a bare echo of the same body
 * in the same run, new claims by the CPU time that the server needs for them, elections from making
 * them to reading them, and whether the server answers while a forgery has its threads.
 */

import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { admit } from '../src/identity/admit.ts';
import type { Claim } from '../src/identity/claim.ts';
import { claimToJson, createClaim } from '../src/identity/claim.ts';
import { STRICT_POLICY } from '../src/identity/policy.ts';

import type { Report, Row } from './measure.ts';
import { rowOf } from './measure.ts';
import type { Served } from './served.ts';
import { cpuSecondsOf, load, post, posting, rateOf, serve } from './served.ts';

const ROUNDS = 5;
const SLICE_S = 2;
const CONNECTIONS = 20;
/** New claims of a round: a second or two of one thread. */
const CLAIMS = 600;
const ELECTIONS = 10;
/** Requests for health while a forgery runs. */
const HEALTH = { perSecond: 300, seconds: 5 } as const;

type Round = { readonly own: readonly number[]; readonly standard: readonly number[] };

/** Rows of rates, and notes of what is not a rate. */
export async function measureServer(): Promise<Report> {
  const [echo, lab] = await Promise.all([serve('./echo-server.ts'), serveLab()]);
  try {
    return {
      rows: [
        ...(await measureKnownClaims(lab, echo)),
        await measureNewClaims(lab),
        await measureElections(lab),
      ],
      notes: [await firstElection(), await healthWhileForging(lab)],
    };
  } finally {
    await Promise.all([echo.close(), lab.close()]);
  }
}

function serveLab(): Promise<Served> {
  return serve('../src/cli/usurp.ts', 'serve', '--port', '0');
}

async function measureKnownClaims(lab: Served, echo: Served): Promise<Row[]> {
  const bodies = spellings({ claim: claimToJson(claimOf(0)), policy: { c1: 0 } });
  const verify = `${lab.url}/v1/identities/verify`;
  const rate = async (url: string, asked: readonly string[]) =>
    rateOf(await load({ url, duration: SLICE_S, ...posting(asked, CONNECTIONS) }));
  // Every connection sends the same body, or each time another spelling of it.
  const same = Array.from({ length: CONNECTIONS }, () => bodies[0] ?? '');
  const rounds: { same: Round; respelt: Round }[] = [];
  for (let round = -1; round < ROUNDS; round += 1) {
    const standard = [await rate(echo.url, same)];
    const taken = {
      same: { own: [await rate(verify, same)], standard },
      respelt: { own: [await rate(verify, bodies)], standard },
    };
    // The first round warms up.
    if (round >= 0) rounds.push(taken);
  }
  const yardstick = { name: 'bare hono, echo of the same body', unit: 'requests' };
  const row = (name: string, of: (round: (typeof rounds)[number]) => Round) =>
    rowOf({ name, unit: 'requests', yardstick }, rounds.map(of));
  return [
    row('verify, a question seen before', ({ same }) => same),
    row('verify, a claim seen before, its question spelt anew', ({ respelt }) => respelt),
  ];
}

/** Texts of one value, twice as many as the server remembers: up to three blanks before some names. */
function spellings(question: object): string[] {
  const parts = JSON.stringify(question).split(/(?<=[,{])(?=")/);
  return Array.from({ length: 4 ** BLANK_PARTS }, (_, number) =>
    parts.map((part, index) => part.padEnd(part.length + blanksAt(index, number))).join(''),
  );
}

const BLANK_PARTS = 7;

function blanksAt(index: number, number: number): number {
  return index < BLANK_PARTS ? (number >> (2 * index)) & 3 : 0;
}

/** Counts the CPU time of the server, because the load uses other cores. */
async function measureNewClaims(lab: Served): Promise<Row> {
  const rounds: Round[] = [];
  for (let round = -1; round < ROUNDS; round += 1) {
    const first = 1 + (round + 1) * CLAIMS;
    const claims = Array.from({ length: CLAIMS }, (_, index) => claimOf(first + index));
    // Making them takes seconds. This notices idle connections that the server has closed meanwhile.
    await delay(10);
    const taken = { own: [await newClaimsRate(lab, claims)], standard: [admissionRate(claims)] };
    if (round >= 0) rounds.push(taken);
  }
  const yardstick = { name: 'admit, without a server, a CPU second', unit: 'claims' };
  const name = 'verify, claims never seen, a CPU second of all its threads';
  return rowOf({ name, unit: 'claims', yardstick }, rounds);
}

async function newClaimsRate(lab: Served, claims: readonly Claim[]): Promise<number> {
  const url = `${lab.url}/v1/identities/verify`;
  const bodies = claims.map((claim) => JSON.stringify(claimToJson(claim)));
  const before = await cpuSecondsOf(lab);
  await load({ url, amount: claims.length, ...posting(bodies, CONNECTIONS) });
  return claims.length / ((await cpuSecondsOf(lab)) - before);
}

function admissionRate(claims: readonly Claim[]): number {
  const before = process.threadCpuUsage();
  for (const claim of claims) {
    if (!admit(claim, STRICT_POLICY).admitted) throw new Error('a valid claim was refused');
  }
  const { user, system } = process.threadCpuUsage(before);
  return claims.length / ((user + system) / 1e6);
}

function claimOf(number: number): Claim {
  const bytes = new Uint8Array(32);
  new DataView(bytes.buffer).setUint32(0, number);
  const secret = { form: 'seed', bytes } as const;
  return createClaim({ scheme: 'ed25519', secret, policy: STRICT_POLICY, solution: null });
}

async function measureElections(lab: Served): Promise<Row> {
  const own: number[] = [];
  for (let seed = 1; seed <= ELECTIONS; seed += 1) own.push(1e3 / (await electionMs(lab, seed)));
  const name = 'elections of 50 nodes, made, run to idle and read';
  return rowOf({ name, unit: 'elections', yardstick: null }, [{ own, standard: [] }]);
}

async function firstElection(): Promise<string> {
  const lab = await serveLab();
  try {
    // The caller's own first request is not the server's.
    await (await fetch(`${lab.url}/healthz`)).text();
    const ms = await electionMs(lab, 1);
    return `the first election of a server that has just started: ${ms.toFixed(0)} ms`;
  } finally {
    await lab.close();
  }
}

async function electionMs({ url }: Served, seed: number): Promise<number> {
  const request = { protocol: 'bully-oneshot', nodes: 50, seed: String(seed) };
  const beganMs = performance.now();
  const { id } = await post(`${url}/v1/elections`, request);
  const election = `${url}/v1/elections/${String(id)}`;
  await post(`${election}/actions`, { type: 'start' });
  await post(`${election}/actions`, { type: 'advance', until: 'idle' });
  await (await fetch(election)).text();
  return performance.now() - beganMs;
}

async function healthWhileForging({ url }: Served): Promise<string> {
  const { perSecond, seconds } = HEALTH;
  const order = { goal: 'any', c1: 60, wall: seconds + 2 };
  await post(`${url}/v1/forgeries`, order);
  await delay(1000);
  const { latency } = await load({
    ...{ url: `${url}/healthz`, connections: 10, duration: seconds, overallRate: perSecond },
  });
  return `GET /healthz while a forgery runs: p50 ${latency.p50} ms, p99 ${latency.p99} ms, at most ${latency.max} ms`;
}
