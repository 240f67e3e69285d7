/**
 * @module
 * `npm run study:raft` prints the table of docs/live.md: the same faults of the leader on live nodes of this Raft and on
 * etcd, with the same heartbeats and election timeouts. The first argument is the number of repetitions.
 */

import { loadavg } from 'node:os';
import { numbersOf } from '../../src/election/definition/flags.ts';
import { RAFT_NUMBERS } from '../../src/election/quorum/raft-step.ts';
import { exactInterval } from '../../src/experiment/theory/statistics.ts';
import { isEtcdInstalled, startEtcdCluster } from './etcd-cluster.ts';
import type { RaftSystem } from './raft-run.ts';
import { RAFT_FAULTS, runRaftFaults, startOwnRaft } from './raft-run.ts';

const NODES = 3;
const LATENCY_MS = 50;
const REPETITIONS = 20;

const repetitions = Number(process.argv[2] ?? REPETITIONS);
const times = numbersOf(RAFT_NUMBERS, { latencyTicksMax: LATENCY_MS }, {});
const { heartbeatTicks: heartbeatMs, electionTicks: electionMs } = times;
if (!isEtcdInstalled()) throw new Error("etcd is not installed; install Debian's etcd-server");

const SYSTEMS: readonly (readonly [string, () => Promise<RaftSystem>])[] = [
  ['`raft` of usurp', () => startOwnRaft(NODES, LATENCY_MS)],
  ['etcd', () => startEtcdCluster(NODES, { heartbeatMs, electionMs })],
];
const rows = [
  ['fault of the leader', 'nodes', 'next leader after', 'terms', 'two leaders in a term'],
  ['---', '---', '---', '---', '---'],
];
for (const [name, start] of SYSTEMS) {
  const { samples, leadersPerTermMax } = await runRaftFaults(await start(), {
    nodes: NODES,
    repetitions,
  });
  for (const fault of RAFT_FAULTS) {
    const own = samples.filter((each) => each.fault === fault);
    const seconds = quantiles(own.map(({ ms }) => ms / 1000)).map((each) => each.toFixed(2));
    const terms = own.map((each) => each.terms);
    rows.push([
      ...[fault, name, `${seconds[1]} s (${seconds[0]} to ${seconds[2]})`],
      `${quantiles(terms)[1]} (at most ${Math.max(...terms)})`,
      leadersPerTermMax > 1 ? 'yes' : `in none of ${own.length} (at most ${mostNever(own.length)})`,
    ]);
  }
}
const load = loadavg().map((each) => each.toFixed(1));
process.stdout.write(rows.map((cells) => `| ${cells.join(' | ')} |\n`).join(''));
process.stdout.write(
  `median (quartiles) of ${repetitions}; heartbeat ${heartbeatMs} ms, election time-out ${electionMs} to ${2 * electionMs} ms; load of the machine ${load.join(', ')}\n`,
);

/** The upper end of the 95 % interval of a frequency that was 0. */
function mostNever(runs: number): string {
  const [, high] = exactInterval({ wins: 0, runs, confidence: 0.95 });
  return `${(100 * high).toFixed(1)} %`;
}

/** First quartile, median and third quartile. */
function quantiles(samples: readonly number[]): readonly number[] {
  const sorted = samples.toSorted((one, other) => one - other);
  return [0.25, 0.5, 0.75].map((share) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
}
