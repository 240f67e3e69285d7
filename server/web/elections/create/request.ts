/**
 * @module
 * This folder creates elections. The members of the operation `elect` that an election of the server has, too, are
 * fields here. This file makes the request, and the command that does the same, of what the address contains.
 */

import { textOf } from '../../../../src/operations/command-words.ts';
import { answerOf, api } from '../../api/client.ts';
import type { Schema } from '../../api/contract.ts';
import type { Operation } from '../../operations/draft.ts';
import { bodyOf, membersOf, commandOf as wordsOf } from '../../operations/draft.ts';
import type { QueryProps } from '../../shell/router.ts';

type ElectionRequest = Schema<'ElectionRequest'>;
type Query = QueryProps['query'];

/** The members that every election states. */
export const STATED: readonly string[] =
  'protocol nodes level latency detector seed fifo sameTick'.split(' ');

/** The faults that a request has in `network`. */
export const FAULTS: readonly string[] =
  'loss partition duplicate reorder restart pause blackout slowdown skew churn'.split(' ');

/**
 * The operation with the members that are asked here. Nodes check the form of messages, so that people can forge them.
 * `defences` are those that fit the protocol.
 */
export function askedHere(elect: Operation, defences: readonly string[]): Operation {
  const names = [...STATED, 'topology', 'defences', 'crash', ...FAULTS, 'flags'];
  const members = elect.members
    .filter(({ name }) => names.includes(name))
    .map((member) => ({ ...member, ...changesOf(member, defences) }));
  return { ...elect, members };
}

function changesOf({ name, entry }: Operation['members'][number], defences: readonly string[]) {
  if (name === 'defences') {
    return { entry: { ...entry, of: entry.of?.filter((each) => defences.includes(each)) ?? [] } };
  }
  if (name === 'crash') return { meaning: 'Nodes that crash: highest, or ranks as in 5@20,3' };
  const isNeeded = ['protocol', 'nodes', 'level', 'seed'].includes(name);
  return (
    isNeeded && { absence: { required: true } as const, inForm: name === 'level' ? 'L0' : null }
  );
}

/** The Byzantine nodes of `5=swallow,4=flap`, each with its rank and behaviour. */
export function byzantineIn({ byzantine = '' }: Query): readonly (readonly [string, string])[] {
  const rows = byzantine.split(',').filter((part) => part !== '');
  return rows.map((part) => {
    const [rank = '', behaviour = ''] = part.split('=');
    return [rank, behaviour];
  });
}

/** The request of an address: a run of a scenario to its end, or what is stated without the defaults. */
export function requestOf(asked: Operation, query: Query): ElectionRequest {
  const { scenario: name, run, nodes, seed, newcomers, c1, c2 } = query;
  if (name) {
    // The server checks the names and says which it does not know.
    return { scenario: { name, ...(run && { run }) }, nodes, seed, run: true } as ElectionRequest;
  }
  const { crash, ...body } = statedIn(asked, query);
  const network = Object.entries(body).filter(([member]) => FAULTS.includes(member));
  const others = Object.entries(body).filter(([member]) => !FAULTS.includes(member));
  const byzantine = byzantineIn(query)
    .filter(([rank]) => rank !== '')
    .map(([rank, behaviour]) => ({ rank: Number(rank), behaviours: [behaviour] }));
  const request = {
    ...Object.fromEntries(others),
    ...(crash !== undefined && { crash: crashesIn(textOf(crash)) }),
    ...(network.length > 0 && { network: Object.fromEntries(network) }),
    ...(byzantine.length > 0 && { byzantine }),
    ...(newcomers && { newcomers }),
    ...((c1 || c2) && { policy: { c1: Number(c1 ?? 0), c2: Number(c2 ?? 0) } }),
  };
  return request as ElectionRequest; // The server checks it.
}

function statedIn(asked: Operation, query: Query): Readonly<Record<string, unknown>> {
  const initial = new Map(
    membersOf(asked).map(({ name, absence }) => [name, 'initial' in absence && absence.initial]),
  );
  const values = Object.entries(bodyOf(asked, query));
  return Object.fromEntries(values.filter(([name, value]) => value !== initial.get(name)));
}

/** Crashes as `5@20,3` states them. */
function crashesIn(text: string): readonly object[] {
  return text.split(/[\s,]+/).map((part) => {
    const [name = '', at] = part.split('@');
    const rank = name === 'highest' ? name : Number(name);
    return at === undefined ? { rank } : { rank, at };
  });
}

/** The command that runs the same election; null if only the API has it. */
export function commandOf(asked: Operation, query: Query): string[] | null {
  const { scenario, nodes = '', seed = '', byzantine, c1, c2, newcomers } = query;
  if (scenario) return ['elect', '--scenario', scenario, '--nodes', nodes, '--seed', seed];
  return byzantine || c1 || c2 || newcomers ? null : wordsOf(asked, bodyOf(asked, query));
}

/** A seed that can be read aloud. */
export function randomSeed(): string {
  const [number = 0] = crypto.getRandomValues(new Uint32Array(1));
  return String(number % 1_000_000);
}

/** The operation of elections in the simulator. */
export function readElect(): Promise<Operation> {
  return answerOf(api.GET('/v1/operations/{name}', { params: { path: { name: 'elect' } } }));
}
