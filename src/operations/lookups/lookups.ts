/**
 * @module
 * This folder contains the operation `lookups`: the share of lookups that succeed in a Kademlia overlay under attack, and
 * what it costs to lead a key. This file runs it.
 */

import { NODE_ID_BYTES } from '../../identity/ids/node-id.ts';
import type { Policy } from '../../identity/policy.ts';
import { STRICT_POLICY } from '../../identity/policy.ts';
import { forgingHashes, idsOf, idsToLead } from '../../overlay/forging.ts';
import { listedMost } from '../../overlay/lookup.ts';
import type { Cell, Measured } from '../../overlay/study.ts';
import { buildCell, measure, partsOf, sumOf } from '../../overlay/study.ts';
import { createRandom } from '../../random.ts';
import { createDelay, latencyTicksMax, parseLatency } from '../../simulation/faults/latency.ts';
import { nodeIdsIn } from '../identity/goals.ts';
import type { InputOf } from '../member.ts';
import type { OperationContext } from '../operation.ts';
import { defineOperation, memberFault, replayOf } from '../operation.ts';
import { LOOKUPS_MEMBERS, REMOTE_LOOKUPS } from './members.ts';
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
The closed form of the paper stands beside each row. With forged IDs, the adversary tests keys, keeps the IDs closest to the key, and pays their hashes: the rows then say how many keys it leads and what each costs.`,
  output: outputSchema,
  answersWhileTyping: false,
  measuresTime: false,
  check(input, isRemote) {
    const { nodes, share, paths, keys, lookups, latency, attempts, against } = input;
    if (against !== undefined) idsGiven(input);
    if (latency === undefined) {
      for (const name of ['loss', 'left', 'timeout'] as const) {
        if ((input[name] ?? 0) > 0) throw memberFault('arguments', name, 'needs a latency');
      }
    }
    if (attempts !== undefined && keys > lookups) {
      throw memberFault('arguments', 'keys', `is more than the ${lookups} lookups of a row`);
    }
    if (!isRemote) return;
    const rows = nodes.length * share.length * paths.length;
    if (rows > REMOTE_LOOKUPS.rows) {
      throw memberFault(
        'job.size',
        'share',
        `makes ${rows} rows, more than ${REMOTE_LOOKUPS.rows}`,
      );
    }
    const size = idsGiven(input)?.length ?? Math.max(...nodes);
    const contacts = contactsOf(input, size);
    if (contacts > REMOTE_LOOKUPS.contacts) {
      throw memberFault('job.size', 'bucket', `makes tables of about ${contacts} contacts`);
    }
    const work = workOf(input, contacts);
    if (work > REMOTE_LOOKUPS.work) {
      const detail = `with these paths and buckets takes up to ${work} steps, more than ${REMOTE_LOOKUPS.work}`;
      throw memberFault('job.size', 'lookups', detail);
    }
    if (nodes.some((count) => count > REMOTE_LOOKUPS.nodes)) {
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

function idsGiven({ against }: Input): readonly Uint8Array[] | null {
  return against === undefined ? null : nodeIdsIn(against, NODE_ID_BYTES);
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
  const { nodes, share, paths, lookups, bucket, conduct, attempts, keys, loss, left } = input;
  const cells = nodes.length * share.length;
  const tables = cells * paths.length * (attempts === undefined ? 1 : keys) * contacts;
  const isEnded = conduct === 'invent' && loss === 0 && left === 0;
  const asked = isEnded ? STEPS_UNTIL_LOST : listedMost(bucket);
  const all = paths.reduce((sum, count) => sum + count, 0);
  return tables + cells * lookups * all * asked * bucket;
}

/** Measures the rows, first all shares and paths of the first size. */
async function rowsOf(input: Input, { signal, onProgress, machine, seedFor }: OperationContext) {
  const { nodes, share, paths, confidence } = input;
  const given = idsGiven(input);
  const seed = seedFor(input.seed);
  const sizes = given === null ? nodes : [given.length];
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
  const { conduct, lookups, bucket, bits, parallel, siblings, eta, poison, keys, attempts } = input;
  const neighbours = Math.max(bucket, Math.round(eta * siblings));
  return {
    ids,
    share: m,
    tables: { bucket, bits, neighbours, poison },
    rules: { paths: d, parallel, siblings, conduct },
    timing: timingOf(input),
    lookups,
    keys: attempts === undefined ? 0 : keys,
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

function leadersOf(input: Input, rows: readonly LookupsRow[]): LookupsOutput['leaders'] {
  const policy = policyOf(input);
  return [...new Set(rows.map(({ nodes }) => nodes))].flatMap((nodes) =>
    LEADING.map((odds) => {
      const ids = idsToLead(nodes, odds);
      const attempts = ids * 2 ** policy.c1;
      const hashes = forgingHashes({ attempts, kept: 1, policy }, 1);
      return { nodes, probability: odds, ids, attempts, hashes };
    }),
  );
}
