/**
 * @module
 * One run of live nodes with a store under one fault: which leaders overlapped, what became of the writes of a leader that
 * was replaced, and whether the modelled store explains every answer.
 */

import { setTimeout as delay } from 'node:timers/promises';

import type { ResourceKind } from '../../src/election/lease/stores/resource.ts';
import { resourceIn } from '../../src/election/lease/workload-cast.ts';
import type { ProtocolName } from '../../src/election/registry.ts';
import { STORE_NUMBER } from '../../src/live/cluster/cluster.ts';
import type { ClusterSession } from '../../src/live/cluster/cluster-session.ts';
import { startCluster } from '../../src/live/cluster/cluster-session.ts';
import type { Follower } from '../../src/live/cluster/node-state.ts';
import type { LiveRecord } from '../../src/live/node-record.ts';

export const STORE_FAULTS = ['pause', 'kill', 'disconnect', 'slow-clock'] as const;
export type StoreFault = (typeof STORE_FAULTS)[number];

export interface StoreRun {
  readonly protocol: ProtocolName;
  /** A kind, which is started, or an address. */
  readonly store: string;
  readonly resource: ResourceKind;
  readonly fault: StoreFault;
  readonly nodes: number;
  readonly latencyTicksMax: number;
}

export interface StoreOutcome {
  /** Accepted writes after an operation of a later leader, by the modelled resource. */
  readonly lateWrites: number;
  readonly refused: number;
  /** From the fault to the next leader on which the nodes agree, in s; of `kill` from the return of the store. */
  readonly leaderSeconds: number;
  /** How long two nodes led at one moment, in s. */
  readonly overlapSeconds: number;
  readonly epochs: readonly number[];
  /** Why the model does not take a step; null if it takes all. */
  readonly defect: string | null;
}

const WAIT_MS = 60_000;
const POLL_MS = 10;
const TRIALS_MAX = 10;
/** A leader that is slower than this by the clock of others loses its lease. */
const SLOW_RATE = 0.2;

/** Answers that extend a lease. */
const RENEWALS = ['ROW', 'GRANTED', 'PONG'];

/** An answer of the resource. */
interface Answered {
  readonly node: number;
  readonly type: string;
  readonly epoch: number;
  readonly value: number;
}

/** What the nodes have reported. */
class Reports {
  readonly #records: { readonly node: number; readonly record: LiveRecord }[] = [];

  note(node: number, record: LiveRecord): void {
    this.#records.push({ node, record });
  }

  /** Waits for an answer of this kind after the first reports. False if the leader of this epoch was deposed before it. */
  async answered(
    isIt: (answer: Answered) => boolean,
    after = 0,
    reign?: { readonly leader: number; readonly epoch: number },
  ): Promise<boolean> {
    const isAnswered = () =>
      this.#records.slice(after).some(({ node, record: { event } }) => {
        if (event.type !== 'reply') return false;
        const { type, epoch, value } = Object(event.value);
        return isIt({ node, type: String(type), epoch: Number(epoch), value: Number(value) });
      });
    await until(() => isAnswered() || (reign !== undefined && !this.#leads(reign)));
    return isAnswered();
  }

  /** Whether the last thing that the node has reported of leaders is that it follows the one of this epoch: itself. */
  #leads({ leader, epoch }: { readonly leader: number; readonly epoch: number }): boolean {
    const effects = this.#records.flatMap(({ node, record }) =>
      node === leader
        ? record.effects.filter(({ type }) => type === 'elect' || type === 'step-down')
        : [],
    );
    const last = effects.at(-1);
    return last?.type === 'elect' && last.epoch === epoch;
  }

  /** The number of the last write that a node has asked for. */
  lastWrite(node: number): number {
    const writes = this.#records.flatMap((each) => (each.node === node ? each.record.effects : []));
    return writes.reduce((last, effect) => {
      if (effect.type !== 'call' || effect.operation.type !== 'WRITE') return last;
      return Math.max(last, Number(Object(effect.operation).value));
    }, 0);
  }

  get count(): number {
    return this.#records.length;
  }

  /** The times in which each node led, in ms. */
  reigns(ranks: ReadonlyMap<number, string>, end: number) {
    const reigns: { readonly node: number; readonly from: number; to: number }[] = [];
    const open = new Map<number, (typeof reigns)[number]>();
    for (const { node, record } of this.#records) {
      for (const effect of record.effects) {
        const leads = effect.type === 'elect' && String(effect.leader) === ranks.get(node);
        if (effect.type !== 'elect' && effect.type !== 'step-down') continue;
        const reign = open.get(node);
        if (leads && reign === undefined) {
          const begun = { node, from: record.t, to: end };
          reigns.push(begun);
          open.set(node, begun);
        } else if (!leads && reign !== undefined) {
          reign.to = record.t;
          open.delete(node);
        }
      }
    }
    return reigns;
  }
}

/** Starts the nodes, disturbs them, ends them, and checks what they did. */
export async function runStoreFault(run: StoreRun): Promise<StoreOutcome> {
  const { protocol, store, resource, fault, nodes, latencyTicksMax } = run;
  const reports = new Reports();
  const session = await startCluster(
    {
      protocol,
      nodes,
      store,
      level: 'L0',
      detector: 'fd-phi-akka',
      defences: [],
      workload: { resource, everyTicks: null },
      timing: { latencyTicksMax },
      c1: 0,
      c2: 0,
      tls: false,
    },
    {
      folder: null,
      threads: 1,
      signal: new AbortController().signal,
      onFault: (node, text) => process.stderr.write(`node ${node} has ended: ${text}\n`),
      onRecord: (node, record) => reports.note(node, record),
    },
  );
  const { cluster } = session;
  try {
    const leaderSeconds = await disturbed(session, fault, reports);
    const end = Date.now();
    const ranks = new Map(cluster.nodes().map((node) => [node, cluster.rankOf(node) ?? '']));
    await cluster.down();
    const { replayed } = session.check();
    const resourceState = resourceIn(replayed.world.nodes.at(-1)?.state ?? null);
    const { defect, records } = replayed;
    return {
      lateWrites: resourceState?.lateWrites ?? 0,
      refused: resourceState?.refused ?? 0,
      leaderSeconds,
      overlapSeconds: overlapOf(reports.reigns(ranks, end)) / 1000,
      epochs: [
        ...new Set(
          records.flatMap(({ effects }) =>
            effects.flatMap((effect) => (effect.type === 'elect' ? effect.epoch : [])),
          ),
        ),
      ],
      defect: defect === null ? null : `step ${defect.record + 1} ${defect.reason}`,
    };
  } finally {
    await session.close();
  }
}

interface Before {
  readonly leader: number;
  readonly epoch: number;
  readonly reports: Reports;
}

/**
 * Disturbs the leader until the fault meets it in the middle of its work. On a busy machine the leader may change just before
 * the fault, or may learn first that it is deposed.
 */
async function disturbed(
  session: ClusterSession,
  fault: StoreFault,
  reports: Reports,
): Promise<number> {
  for (let trial = 1; trial <= TRIALS_MAX; trial += 1) {
    const { leader, epoch } = await agreed(session);
    const isWritten = (answer: Answered) => answer.type === 'WRITTEN' && answer.epoch === epoch;
    if (!(await reports.answered(isWritten, 0, { leader, epoch }))) continue;
    const seconds = await disturb(session, fault, { leader, epoch, reports });
    if (seconds !== null) return seconds;
  }
  throw new Error(`the fault met no leader at work in ${TRIALS_MAX} trials`);
}

/** Resolves when the fault is over and the nodes agree. Null if the leader did nothing more in its old epoch. */
async function disturb(
  session: ClusterSession,
  fault: StoreFault,
  { leader, epoch, reports }: Before,
): Promise<number | null> {
  const { cluster, store } = session;
  const start = performance.now();
  const seconds = (from: number) => (performance.now() - from) / 1000;
  if (fault === 'kill') {
    await store?.kill();
    await until(() => cluster.followed().every((each) => each.leader === null));
    await store?.start();
    const back = performance.now();
    await agreed(session);
    return seconds(back);
  }
  if (fault === 'pause') {
    // Soon after a renewal the next write is due before the next renewal, whose answer would end the zombie. Just after a
    // write no transaction is open, which would lock the others out.
    const isRenewed = ({ node, type }: Answered) => node === leader && RENEWALS.includes(type);
    const isWritten = ({ node, type }: Answered) => node === leader && type === 'WRITTEN';
    const isReady =
      (await reports.answered(isRenewed, reports.count, { leader, epoch })) &&
      (await reports.answered(isWritten, reports.count, { leader, epoch }));
    if (!isReady) return null;
    cluster.pause(leader);
  }
  if (fault === 'disconnect')
    cluster.partition([[leader], [STORE_NUMBER, ...othersOf(session, leader)]]);
  if (fault === 'slow-clock') cluster.skew(leader, SLOW_RATE);
  const isNext = (each: Follower) =>
    each.epoch > epoch && each.leader !== leader && each.leader === each.node;
  await until(() => cluster.followed().some(isNext));
  const leaderSeconds = seconds(start);
  // The next leader has written, so that the fence knows its epoch.
  let newest = epoch;
  await reports.answered((answer) => {
    const isIt = answer.node !== leader && answer.type === 'WRITTEN' && answer.epoch > epoch;
    if (isIt) newest = answer.epoch;
    return isIt;
  });
  const before = reports.count;
  const last = reports.lastWrite(leader);
  if (fault === 'pause') cluster.resume(leader);
  if (fault === 'disconnect') cluster.heal();
  let isLate = true;
  if (fault !== 'disconnect') {
    // The zombie's write and its answer.
    const isZombie = ({ node, type, value, epoch: older }: Answered) =>
      node === leader &&
      older < newest &&
      (type === 'REFUSED' || (type === 'WRITTEN' && value > last));
    isLate = await reports.answered(isZombie, before, { leader, epoch });
  }
  if (fault === 'slow-clock') cluster.skew(leader, 1);
  await agreed(session);
  return isLate ? leaderSeconds : null;
}

function othersOf({ cluster }: ClusterSession, leader: number): readonly number[] {
  return cluster.nodes().filter((node) => node !== leader);
}

async function agreed({ cluster }: ClusterSession) {
  const agreement = await cluster.agreedWithin(WAIT_MS, new AbortController().signal);
  if (agreement === null) throw new Error('the nodes found no leader');
  return agreement;
}

async function until(holds: () => boolean): Promise<void> {
  const deadline = Date.now() + WAIT_MS;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error('waited too long');
    await delay(POLL_MS);
  }
}

/** The time in which two reigns of different nodes overlap. */
function overlapOf(reigns: ReturnType<Reports['reigns']>): number {
  let sum = 0;
  for (const [index, one] of reigns.entries()) {
    for (const other of reigns.slice(index + 1)) {
      if (other.node === one.node) continue;
      sum += Math.max(0, Math.min(one.to, other.to) - Math.max(one.from, other.from));
    }
  }
  return sum;
}
