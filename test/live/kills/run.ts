/**
 * @module
 * Carries out many kills of live nodes, and judges the run: two leaders in one epoch, no leader after a calm, a step that
 * the model does not take, and processes or ports that are left.
 */

import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProtocolName } from '../../../src/election/registry.ts';
import type { Cluster } from '../../../src/live/cluster/cluster.ts';
import { STORE_NUMBER } from '../../../src/live/cluster/cluster.ts';
import type { ClusterSession } from '../../../src/live/cluster/cluster-session.ts';
import { startCluster } from '../../../src/live/cluster/cluster-session.ts';
import type { LiveLog } from '../../../src/live/node-record.ts';
import type { Network } from '../../../src/live/peers.ts';
import { isPortFree } from '../../../src/live/stores/own-store.ts';
import type { Happening, KillsPlan, Round } from './plan.ts';
import { drawnRounds } from './plan.ts';

const CALM_MS_MAX = 60_000;
const never = new AbortController().signal;

export interface KillsOutcome {
  readonly kills: number;
  /** Epochs that had a leader. */
  readonly epochs: number;
  /** How long the nodes took to agree after each round, in ms. */
  readonly calmMs: readonly number[];
  readonly seconds: number;
  readonly steps: number;
  /** What must not be, as sentences. */
  readonly faults: readonly string[];
}

/** Runs the whole plan with the nodes of a protocol. */
export async function runKills(
  plan: KillsPlan,
  protocol: ProtocolName,
  latencyTicksMax: number,
): Promise<KillsOutcome> {
  const folder = mkdtempSync(join(tmpdir(), 'usurp-kills-'));
  const faults: string[] = [];
  const session = await startCluster(
    {
      ...{ protocol, nodes: plan.nodes, level: 'L3', detector: 'fd-phi-akka', defences: [] },
      ...{ timing: { latencyTicksMax }, c1: 0, c2: 0, tls: true },
      store: protocol === 'db-lease' ? 'sqlite' : null,
    },
    {
      ...{ folder: join(folder, 'nodes'), threads: 1, signal: never, onRecord: () => undefined },
      onFault: (node, text) => faults.push(`node ${node} has ended: ${text}`),
    },
  );
  const started = performance.now();
  const { founders } = session;
  const calmMs: number[] = [];
  const judged = { kills: 0, epochs: 0, steps: 0 };
  try {
    for (const round of drawnRounds(plan)) {
      judged.kills += await carryOutRound(round, session, plan);
      // The rest of the plan needs all nodes.
      if (faults.length > 0) return { ...judged, calmMs, seconds: secondsSince(started), faults };
      calmMs.push(await calm(session, plan, faults));
    }
    await session.cluster.down();
    const { logs, replayed, clash } = session.check();
    judged.steps = replayed.records.length;
    judged.epochs = leadersOf(logs, founders, faults).size;
    if (replayed.defect !== null) faults.push(`defect: ${JSON.stringify(replayed.defect)}`);
    if (clash !== null) faults.push(`clash: ${JSON.stringify(clash)}`);
  } finally {
    await session.close();
  }
  faults.push(...(await leftBehind(folder, founders)));
  rmSync(folder, { recursive: true });
  return { ...judged, calmMs, seconds: secondsSince(started), faults };
}

function secondsSince(started: number): number {
  return Number(((performance.now() - started) / 1000).toFixed(1));
}

/** Returns the number of kills. */
async function carryOutRound(
  round: Round,
  session: ClusterSession,
  plan: KillsPlan,
): Promise<number> {
  const begun = performance.now();
  let kills = 0;
  for (const { atMs, happening } of round) {
    await delay(Math.max(0, begun + atMs - performance.now()));
    const isKill = happening.type === 'kill';
    // A node that has ended by itself is a fault, which is reported.
    if (isKill && session.cluster.isDown(happening.node)) break;
    await carryOut(happening, session, plan);
    if (isKill) kills += 1;
  }
  return kills;
}

async function carryOut(
  happening: Happening,
  { cluster, settings }: ClusterSession,
  { seed, nodes }: KillsPlan,
): Promise<void> {
  switch (happening.type) {
    case 'kill':
      await cluster.kill(happening.node);
      break;
    case 'start':
      cluster.start(happening.node, false);
      break;
    case 'isolate': {
      const others = Array.from({ length: nodes }, (_, index) => index + 1).filter(
        (node) => node !== happening.node,
      );
      const store = settings.store ? [STORE_NUMBER] : [];
      cluster.partition([[happening.node], [...others, ...store]]);
      break;
    }
    case 'heal':
      cluster.heal();
      break;
    case 'lose':
      cluster.chance('lose', { share: happening.share, seed });
      break;
    default:
      happening satisfies never;
  }
}

/** Ends all faults. Returns how long the nodes took to agree. */
async function calm(
  { cluster }: ClusterSession,
  { seed }: KillsPlan,
  faults: string[],
): Promise<number> {
  cluster.chance('lose', { share: 0, seed });
  const begun = performance.now();
  const agreement = await cluster.agreedWithin(CALM_MS_MAX, never);
  if (agreement === null || agreement.nodes.length < cluster.nodes().length) {
    faults.push(`no leader of all after a calm of ${CALM_MS_MAX / 1000} s: ${shown(cluster)}`);
  }
  return Math.round(performance.now() - begun);
}

function shown(cluster: Cluster): string {
  return JSON.stringify(cluster.followed());
}

/** The leaders of each epoch by the logs of the nodes themselves. */
function leadersOf(
  logs: readonly LiveLog[],
  { peers }: Network,
  faults: string[],
): ReadonlyMap<number, number> {
  const leaders = new Map<number, number>();
  for (const { position, records } of logs) {
    const own = peers[position - 1]?.rank;
    for (const effect of records.flatMap(({ effects }) => effects)) {
      if (effect.type !== 'elect' || effect.leader !== own) continue;
      const other = leaders.get(effect.epoch) ?? position;
      if (other !== position) faults.push(`epoch ${effect.epoch} had ${other} and ${position}`);
      leaders.set(effect.epoch, position);
    }
  }
  return leaders;
}

/** Processes that name the folder, and ports that are not free. */
async function leftBehind(folder: string, { peers }: Network): Promise<readonly string[]> {
  const left = globSync('/proc/[0-9]*/cmdline').filter((path) => {
    try {
      return readFileSync(path, 'utf8').includes(folder);
    } catch {
      return false;
    }
  });
  const ports = await Promise.all(peers.map(({ url }) => isPortFree(Number(new URL(url).port))));
  return [
    ...left.map((path) => `a process is left: ${path}`),
    ...(ports.includes(false) ? ['a port is left'] : []),
  ];
}
