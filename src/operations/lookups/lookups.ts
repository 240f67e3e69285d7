/**
 * @module
 * This folder contains the operation `lookups`: the share of lookups that succeed in a Kademlia overlay under attack, and
 * what it costs to lead a key. This file runs it.
 */

import { bytesToHex } from '../../bytes.ts';
import { NODE_ID_BYTES } from '../../identity/ids/node-id.ts';
import type { Policy } from '../../identity/policy.ts';
import { STRICT_POLICY } from '../../identity/policy.ts';
import { idsOf, idsToAdd, leadingHashes } from '../../overlay/forging.ts';
import { listedMost } from '../../overlay/lookup.ts';
import { ID_BITS } from '../../overlay/network.ts';
import type { Cell, Measured } from '../../overlay/study.ts';
import { buildCell, measure, partsOf, sumOf } from '../../overlay/study.ts';
import { createRandom } from '../../random.ts';
import { createDelay, latencyTicksMax, parseLatency } from '../../simulation/faults/latency.ts';
import { nodeIdsIn } from '../identity/goals.ts';
import type { InputOf } from '../member.ts';
import type { OperationContext } from '../operation.ts';
import { defineOperation, memberFault, replayOf } from '../operation.ts';
import { KEYS, LOOKUPS_MEMBERS, NODES, REMOTE_LOOKUPS } from './members.ts';
import type { LookupsOutput, LookupsRow } from './output.ts';
import { outputSchema, rowOf, stepsPerBit } from './output.ts';
import { lookupsPicture, lookupsReport, lookupsTable } from './report.ts';

const VERB = { name: 'lookups', members: LOOKUPS_MEMBERS } as const;

type Input = InputOf<typeof LOOKUPS_MEMBERS>;

export const LOOKUPS = defineOperation({
  ...VERB,
  collection: 'lookups',
  title: 'Lookups in an overlay',
  summary: 'measure lookups over disjoint paths in a Kademlia overlay under attack',
  description: `The network is at rest: each bucket has a random sample of the nodes that belong into it. A lookup asks for nodes ever closer to a key over d paths that have no node in common, and succeeds if one of them reaches an honest node that knows the s nodes closest to the key (Baumgart and Mies 2007).
With a latency, messages take time or are lost, nodes may have left, and the rows say how long a lookup takes.
The closed form of the paper stands beside each row. With forged IDs, the adversary tests keys, keeps the IDs closest to the key, and pays their hashes: the rows then say how many keys it leads and what leading one costs.`,
  output: outputSchema,
  answersWhileTyping: false,
  measuresTime: false,
  check(input, isRemote) {
    const { share, paths, lookups, latency, attempts, bucket } = input;
    const sizes = sizesOf(input);
    const keys = keysOf(input);
    if (Math.max(...paths) > bucket) {
      const detail = `must be at most ${bucket}, because an answer has k = ${bucket} contacts to divide among them`;
      throw memberFault('arguments', 'paths', detail);
    }
    if (attempts === undefined) {
      for (const name of ['forged', 'keys'] as const) {
        if (input[name] !== undefined) throw memberFault('arguments', name, 'needs attempts');
      }
    }
    if (latency === undefined) {
      for (const name of ['loss', 'left', 'timeout'] as const) {
        if ((input[name] ?? 0) > 0) throw memberFault('arguments', name, 'needs a latency');
      }
    }
    if (keys > lookups) {
      throw memberFault('arguments', 'keys', `is more than the ${lookups} lookups of a row`);
    }
    if (!isRemote) return;
    const rows = sizes.length * share.length * paths.length;
    if (rows > REMOTE_LOOKUPS.rows) {
      throw memberFault(
        'job.size',
        'share',
        `makes ${rows} rows, more than ${REMOTE_LOOKUPS.rows}`,
      );
    }
    const contacts = contactsOf(input, Math.max(...sizes));
    if (contacts > REMOTE_LOOKUPS.contacts) {
      throw memberFault('job.size', 'bucket', `makes tables of about ${contacts} contacts`);
    }
    const work = workOf(input, contacts);
    if (work > REMOTE_LOOKUPS.work) {
      const detail = `with these paths and buckets takes up to ${work} steps, more than ${REMOTE_LOOKUPS.work}`;
      throw memberFault('job.size', 'lookups', detail);
    }
    if (sizes.some((count) => count > REMOTE_LOOKUPS.nodes)) {
      throw memberFault('job.size', 'nodes', `has more than ${REMOTE_LOOKUPS.nodes} nodes`);
    }
  },
  atOnce: () => null,
  async run(input, context) {
    const { rows, complete } = await rowsOf(input, context);
    if (rows.length === 0) return null;
    const seed = context.seedFor(input.seed);
    return {
      rows,
      stepsPerBit: stepsPerBit(rows),
      leaders: leadersOf(input, rows),
      complete,
      replay: replayOf(VERB, { ...input, seed }),
    };
  },
  outcomeOf: ({ complete }) => (complete ? 'holds' : 'unknown'),
  outcomes: { holds: 'all rows', violated: null, unknown: 'interrupted' },
  report: (output) => lookupsReport(output),
  picture: (output) => lookupsPicture(output),
  table: (output) => lookupsTable(output),
  has: { picture: true, table: true },
  examples: [
    { nodes: '1000', share: '0,20%', paths: '1,4', lookups: '200', seed: '1' },
    {
      nodes: '1000',
      share: '0',
      paths: '1',
      attempts: '1e3',
      keys: '10',
      lookups: '100',
      seed: '1',
    },
    { nodes: '500,1000', share: '0', paths: '1', bucket: '8', siblings: '1', seed: '1' },
    {
      ...{ nodes: '1000', share: '20%', paths: '1,4', conduct: 'silent', parallel: '3' },
      ...{ latency: 'exp:30', loss: '5%', left: '10%', timeout: '100', lookups: '200', seed: '1' },
    },
  ],
});

/** The node IDs of a file. Throws LabError if the model cannot distinguish two of them. */
function idsGiven({ against, nodes }: Input): readonly Uint8Array[] | null {
  if (against === undefined) return null;
  if (nodes !== undefined) {
    throw memberFault(
      'arguments',
      'nodes',
      'is given by the node IDs of against, beside which it must be absent',
    );
  }
  const ids = nodeIdsIn(against, NODE_ID_BYTES);
  const seen = new Map<string, number>();
  for (const [index, id] of ids.entries()) {
    const prefix = bytesToHex(id.subarray(0, ID_BITS / 8));
    const other = seen.get(prefix);
    seen.set(prefix, index);
    if (other === undefined) continue;
    const detail = `${against.name}: the node IDs ${other + 1} and ${index + 1} both begin with ${prefix}, and the model knows the first ${ID_BITS} bits of an ID`;
    throw memberFault('arguments', 'against', detail);
  }
  return ids;
}

/** Sizes of the network without forged IDs. */
function sizesOf(input: Input): readonly number[] {
  const given = idsGiven(input);
  return given === null ? (input.nodes ?? [NODES]) : [given.length];
}

/** Number of keys for which IDs are forged. 0 without attempts. */
function keysOf({ attempts, keys = KEYS }: Input): number {
  return attempts === undefined ? 0 : keys;
}

/** Contacts in the tables of a network, if all buckets are full. */
function contactsOf({ bucket, bits, siblings, eta }: Input, nodes: number): number {
  const neighbours = Math.max(bucket, Math.round(eta * siblings));
  const steps = Math.max(0, Math.ceil(Math.log2(nodes / neighbours) / bits));
  return nodes * Math.min(nodes, steps * (2 ** bits - 1) * bucket);
}

/** Steps of a path whose adversaries end it, at most by far. */
const STEPS_UNTIL_LOST = 16;

/** Contacts that all rows draw for tables, and list in lookups, at most. */
function workOf(input: Input, contacts: number): number {
  const { share, paths, lookups, bucket, conduct, loss, left } = input;
  const cells = sizesOf(input).length * share.length;
  const tables = cells * paths.length * Math.max(1, keysOf(input)) * contacts;
  const isEnded = conduct === 'invent' && loss === 0 && left === 0;
  const asked = isEnded ? STEPS_UNTIL_LOST : listedMost(bucket);
  const all = paths.reduce((sum, count) => sum + count, 0);
  return tables + cells * lookups * all * asked * bucket;
}

/** Measures the rows, first all shares and paths of the first size. */
async function rowsOf(input: Input, { signal, onProgress, machine, seedFor }: OperationContext) {
  const { share, paths, confidence } = input;
  const given = idsGiven(input);
  const seed = seedFor(input.seed);
  const sizes = sizesOf(input);
  const total = sizes.length * share.length * paths.length;
  const rows: LookupsRow[] = [];
  for (const size of sizes) {
    const ids = idsOf(given, size, createRandom(seed, 'ids'));
    const cellOf = (m: number, d: number): Cell => cellIn(input, { ids, m, d, seed });
    // The lengths of the paths without adversaries give the closed form of all shares.
    const free = new Map<number, Measured>();
    for (const [index, m] of share.entries()) {
      const isForging = input.attempts !== undefined;
      const built = isForging ? null : buildCell(cellOf(m, 1));
      for (const d of paths) {
        onProgress({ now: 'rows', done: rows.length, total });
        // Between two parts of a row, an interruption is noticed.
        const base = free.get(d) ?? freeOf(cellOf(0, d), share, isForging);
        free.set(d, base);
        const parts: Measured[] = [];
        for (const part of partsOf(cellOf(m, d), built)) {
          parts.push(part);
          await machine.pause();
          if (signal.aborted) return { rows, complete: false };
        }
        const isTimed = input.latency !== undefined;
        const facts = { nodes: ids.length, m, d, base, index, confidence, isTimed };
        rows.push(rowOf(sumOf(parts), facts));
      }
    }
  }
  return { rows, complete: true };
}

/** The lookups without adversaries, from which the closed forms follow. Forged IDs have none. */
function freeOf(cell: Cell, share: readonly number[], isForging: boolean): Measured {
  const free = { ...cell, keys: 0, expectAt: share };
  return measure(isForging ? { ...free, lookups: 1 } : free, buildCell(free));
}

interface CellFacts {
  readonly ids: Cell['ids'];
  readonly m: number;
  readonly d: number;
  readonly seed: Cell['seed'];
}

function cellIn(input: Input, { ids, m, d, seed }: CellFacts): Cell {
  const { conduct, lookups, bucket, bits, parallel, siblings, eta, poison, attempts } = input;
  const neighbours = Math.max(bucket, Math.round(eta * siblings));
  return {
    ids,
    share: m,
    tables: { bucket, bits, neighbours, poison },
    rules: { paths: d, parallel, siblings, conduct },
    timing: timingOf(input),
    lookups,
    keys: keysOf(input),
    forging: {
      attempts: attempts ?? 0,
      kept: input.forged ?? siblings,
      policy: policyOf(input),
    },
    expectAt: [],
    seed,
  };
}

function timingOf({ latency: text, loss, left, timeout }: Input): Cell['timing'] {
  if (text === undefined) return null;
  const latency = parseLatency(String(text));
  const timeoutTicks = timeout ?? 2 * latencyTicksMax(latency);
  return { delayBy: (random) => createDelay(latency, random), loss, left, timeoutTicks };
}

function policyOf({ c1, c2 }: Input): Policy {
  return { ...STRICT_POLICY, c1, c2 };
}

/** Probabilities for which the price of a key is stated. */
const LEADING = [0.5, 0.95] as const;

/** The price of a key, if IDs are uniform. Given node IDs need not be. */
function leadersOf(input: Input, rows: readonly LookupsRow[]): LookupsOutput['leaders'] {
  if (input.against !== undefined) return [];
  const policy = policyOf(input);
  const cells = new Map(rows.map(({ nodes, share }) => [`${nodes} ${share}`, { nodes, share }]));
  return [...cells.values()].flatMap(({ nodes, share }) =>
    LEADING.map((odds) => {
      const ids = idsToAdd({ nodes, share, left: input.left }, odds);
      const attempts = ids * 2 ** policy.c1;
      const budget = leadingHashes({ attempts, policy });
      const hashes = ids === 0 ? 0 : budget.attempts + budget.puzzles;
      return { nodes, share, probability: odds, ids, attempts, hashes };
    }),
  );
}
