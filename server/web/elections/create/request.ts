/**
 * @module
 * This folder creates elections. This file makes the request, and the command that does the same, of what the form
 * contains.
 */

import { textOf } from '../../../../src/operations/command-words.ts';
import type { Election, Schema } from '../../api/contract.ts';

export type ElectionRequest = Schema<'ElectionRequest'>;
type FaultName = keyof NonNullable<ElectionRequest['network']>;

export interface ByzantineRow {
  readonly rank: string;
  readonly behaviour: string;
}

/** What the form contains, as text. */
export interface Draft {
  /** The name of a scenario, which decides most of the rest; empty for none. */
  readonly scenario: string;
  /** A run of the scenario; empty for its first. */
  readonly run: string;
  readonly protocol: string;
  readonly nodes: string;
  readonly level: string;
  readonly detector: string;
  readonly latency: string;
  readonly isFifo: boolean;
  readonly sameTick: Election['sameTick'];
  readonly seed: string;
  readonly defences: readonly string[];
  readonly byzantine: readonly ByzantineRow[];
  /** Text of each fault. */
  readonly faults: Readonly<Record<string, string>>;
  /** Ranks that crash: `5@20, 3`. */
  readonly crash: string;
  readonly c1: string;
  readonly c2: string;
  readonly newcomers: string;
  readonly flags: Readonly<Record<string, string>>;
}

export const FAULTS: readonly FaultName[] = [
  ...(['loss', 'partition', 'duplicate', 'reorder', 'restart'] as const),
  ...(['pause', 'blackout', 'slowdown', 'skew', 'churn'] as const),
];

export const DEFAULT_DRAFT: Omit<Draft, 'seed'> = {
  scenario: '',
  run: '',
  protocol: 'bully-oneshot',
  nodes: '5',
  level: 'L0',
  detector: 'crashes',
  latency: '1',
  isFifo: true,
  sameTick: 'messages-first',
  defences: [],
  byzantine: [],
  faults: {},
  crash: '',
  c1: '',
  c2: '',
  newcomers: '',
  flags: {},
};

/** The request of a draft. Members that have their default are left out. */
export function requestOf(draft: Draft): ElectionRequest {
  return draft.scenario === '' ? statedOf(draft) : scenarioOf(draft);
}

/** The run of a scenario, to its end. */
function scenarioOf({ scenario: name, run, nodes, seed }: Draft): ElectionRequest {
  const scenario = { name, ...(run === '' ? {} : { run }) };
  // The server checks the name.
  return { scenario, nodes, seed, run: true } as ElectionRequest;
}

function statedOf(draft: Draft): ElectionRequest {
  const { protocol, nodes, level, detector, latency, isFifo, sameTick, seed, defences } = draft;
  const network = Object.entries(draft.faults).filter(([, text]) => text.trim() !== '');
  const byzantine = draft.byzantine
    .filter(({ rank }) => rank.trim() !== '')
    .map(({ rank, behaviour }) => ({ rank: Number(rank), behaviours: [behaviour] }));
  const flags = Object.entries(draft.flags).filter(([, value]) => value.trim() !== '');
  const crash = crashOf(draft.crash);
  const bits = [draft.c1, draft.c2].some((text) => text.trim() !== '');
  const request = {
    protocol,
    nodes,
    seed,
    ...(level === '' ? {} : { level }),
    ...(detector === 'crashes' ? {} : { detector }),
    ...(latency.trim() === '1' ? {} : { latency: latency.trim() }),
    ...(isFifo ? {} : { fifo: false }),
    ...(sameTick === 'messages-first' ? {} : { sameTick }),
    ...(defences.length === 0 ? {} : { defences }),
    ...(byzantine.length === 0 ? {} : { byzantine }),
    ...(network.length === 0 ? {} : { network: Object.fromEntries(network) }),
    ...(crash === null ? {} : { crash }),
    ...(flags.length === 0 ? {} : { flags: Object.fromEntries(flags) }),
    ...(draft.newcomers.trim() === '' ? {} : { newcomers: draft.newcomers.trim() }),
    ...(bits ? { policy: { c1: Number(draft.c1), c2: Number(draft.c2) } } : {}),
  };
  // The server checks the names and says which it does not know.
  return request as ElectionRequest;
}

function crashOf(text: string): unknown {
  const parts = text.split(/[\s,]+/).filter((part) => part !== '');
  if (parts.length === 0) return null;
  return parts.map((part) => {
    const [rank = '', at] = part.split('@');
    const name = rank === 'highest' ? rank : Number(rank);
    return at === undefined ? { rank: name } : { rank: name, at };
  });
}

/** The command that runs the same election; null if only the API has it. */
export function commandOf(draft: Draft): string[] | null {
  const { scenario } = draft;
  if (scenario !== '') {
    return ['elect', '--scenario', scenario, '--nodes', draft.nodes, '--seed', draft.seed];
  }
  const request = requestOf(draft);
  // At L0 and L1 honest messages pass all checks, so that the run is that without checks.
  const isPlain = request.level !== 'L2' && request.level !== 'L3';
  const isOnlyInApi = ['defences', 'byzantine', 'policy', 'newcomers'].some(
    (name) => name in request,
  );
  if (!isPlain || isOnlyInApi) return null;
  const { seed, detector, latency, fifo, sameTick, flags = {}, network = {} } = request;
  const { protocol, nodes } = draft;
  const crash = draft.crash.split(/[\s,]+/).filter((part) => part !== '');
  return [
    ...['elect', protocol, '--nodes', nodes],
    ...(seed === undefined ? [] : ['--seed', seed]),
    ...(detector === undefined ? [] : ['--detector', detector]),
    ...(latency === undefined ? [] : ['--latency', String(latency)]),
    ...(fifo === false ? ['--no-fifo'] : []),
    ...(sameTick === undefined ? [] : ['--same-tick', sameTick]),
    ...(crash.length === 0 ? [] : ['--crash', crash.join()]),
    ...(Object.keys(flags).length === 0 ? [] : ['--flags', textOf(flags)]),
    ...Object.entries(network).flatMap(([name, text]) => [`--${name}`, String(text)]),
  ];
}

/** The command that runs an election as it was created; null if only the API has it. */
export function commandOfElection(election: Election): string[] | null {
  const { scenario, protocol, nodes, seed, level, detector, latency, fifo, sameTick } = election;
  const { defences, byzantine, network, flags, newcomers, policy, origin } = election;
  if (seed === null || origin !== null) return null;
  const { crash, join, ...faults } = network;
  if (join !== undefined) return null;
  const isEarned = Number(policy.c1) > 0 || Number(policy.c2) > 0;
  return commandOf({
    ...DEFAULT_DRAFT,
    scenario: scenario?.name ?? '',
    run: scenario?.run ?? '',
    protocol,
    nodes: String(nodes),
    seed,
    detector,
    latency,
    isFifo: fifo,
    sameTick,
    defences,
    level: level ?? '',
    byzantine: byzantine.map(({ rank, behaviours }) => ({
      rank: String(rank),
      behaviour: behaviours[0] ?? '',
    })),
    faults: textsOf(faults),
    crash: String(crash ?? ''),
    flags,
    c1: isEarned ? String(policy.c1) : '',
    c2: isEarned ? String(policy.c2) : '',
    newcomers: newcomers > 0 ? String(newcomers) : '',
  });
}

/** A seed that can be read aloud. */
export function randomSeed(): string {
  const [number = 0] = crypto.getRandomValues(new Uint32Array(1));
  return String(number % 1_000_000);
}

/** The draft as values of the address; what has its default is left out. */
export function draftToQuery(draft: Draft): Record<string, string | null> {
  const isDefault = Object.entries(DEFAULT_DRAFT).map(([name, value]) => {
    const now: unknown = Object.getOwnPropertyDescriptor(draft, name)?.value;
    const text = typeof now === 'string' ? now : JSON.stringify(now);
    const before = typeof value === 'string' ? value : JSON.stringify(value);
    return [name, text === before ? null : text] as const;
  });
  return { ...Object.fromEntries(isDefault), seed: draft.seed };
}

/** The draft in the values of an address. A value that cannot be read has its default. */
export function draftOf(query: Readonly<Record<string, string>>, seed: string): Draft {
  const members = Object.entries(DEFAULT_DRAFT).map(([name, value]) => {
    const text = query[name];
    if (text === undefined) return [name, value] as const;
    return [name, typeof value === 'string' ? text : parsedLike(text, value)] as const;
  });
  // Each member has the type of its default.
  const draft = { ...Object.fromEntries(members), seed: query['seed'] ?? seed } as unknown as Draft;
  return {
    ...draft,
    defences: draft.defences.map(String),
    byzantine: draft.byzantine.map((row) => ({
      rank: `${row?.rank}`,
      behaviour: `${row?.behaviour}`,
    })),
    faults: textsOf(draft.faults),
    flags: textsOf(draft.flags),
  };
}

function textsOf(values: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

function parsedLike(text: string, like: unknown): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === typeof like &&
      value !== null &&
      Array.isArray(value) === Array.isArray(like)
      ? value
      : like;
  } catch {
    return like;
  }
}
