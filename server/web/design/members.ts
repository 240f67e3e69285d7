/**
 * @module
 * The question of a design as the values of an address, as the request of the API and as the arguments of the
 * command. The server reads the quantities, so that 60s, 5% and 2^20 mean the same everywhere.
 */

import type { Schema } from '../api/contract.ts';

export type DesignRequest = Schema<'DesignRequest'>;

/** A number of the question. */
export interface Member {
  readonly name: keyof DesignRequest;
  readonly label: string;
  /** What the number is, with its unit. */
  readonly meaning: string;
  readonly flag: string;
  /** The usual value. Empty if the server chooses one. */
  readonly usual: string;
  /** The ends of the slider, in powers of ten. */
  readonly powers: readonly [least: number, most: number];
}

/** The values of an address. Those that are null or undefined are left out. */
type DesignQuery = Readonly<Record<string, string | number | null | undefined>>;

/** The numbers that every question has. */
export const MEMBERS: readonly Member[] = [
  {
    ...{ name: 'epsilon', label: 'Accepted probability ε', flag: '--epsilon' },
    ...{ meaning: 'of the event, for example 1% or 0.01', usual: '0.01', powers: [-9, -0.05] },
  },
  {
    ...{ name: 'nodes', label: 'Honest nodes', flag: '--nodes' },
    ...{ meaning: 'nodes', usual: '16', powers: [0, 6] },
  },
  {
    ...{ name: 'candidatesPerSecond', label: 'Rate of an honest node', flag: '--rate' },
    ...{ meaning: 'candidates per second', usual: '1000000', powers: [0, 9] },
  },
  {
    ...{ name: 'joinSeconds', label: 'Accepted time to join', flag: '--join-time' },
    ...{ meaning: 'for example 10s, 5m or 2h', usual: '10', powers: [-1, 6] },
  },
  {
    ...{ name: 'advantage', label: 'Advantage of the adversary', flag: '--advantage' },
    ...{ meaning: 'times the rate of an honest node', usual: '8', powers: [-2, 6] },
  },
  {
    ...{ name: 'adversarySeconds', label: 'Time of the adversary', flag: '--seconds' },
    ...{ meaning: 'for example 60s, 5m or 2h', usual: '60', powers: [-1, 8] },
  },
];

/** Numbers that refine the question. */
export const FURTHER: readonly Member[] = [
  {
    ...{ name: 'joinQuantile', label: 'Certainty of joining in time', flag: '--join-quantile' },
    ...{ meaning: 'a probability; 0.95 if empty', usual: '', powers: [-2, -0.0001] },
  },
  {
    ...{ name: 'machines', label: 'Machines of the adversary', flag: '--machines' },
    ...{ meaning: 'the part of the advantage that is machines', usual: '', powers: [0, 6] },
  },
  {
    ...{ name: 'windowSeconds', label: 'Window of registration', flag: '--window' },
    ...{ meaning: 'the time to join if empty', usual: '', powers: [-1, 6] },
  },
  {
    ...{ name: 'preparationSeconds', label: 'Preparation before it', flag: '--preparation' },
    ...{ meaning: 'a part of the time of the adversary', usual: '', powers: [-1, 8] },
  },
  {
    ...{ name: 'stockSpeed', label: 'Speed of keys in stock', flag: '--stock-speed' },
    ...{ meaning: 'times the speed of new keys; 3 if empty', usual: '', powers: [-2, 3] },
  },
  {
    ...{ name: 'hardAdvantage', label: 'Memory-hard advantage', flag: '--hard-advantage' },
    ...{ meaning: 'that of the machines if empty', usual: '', powers: [-2, 6] },
  },
  {
    ...{ name: 'hardCandidatesPerSecond', label: 'Memory-hard rate', flag: '--hard-rate' },
    ...{ meaning: 'candidates per second of an honest node', usual: '', powers: [0, 9] },
  },
];

const ALL = [...MEMBERS, ...FURTHER];

/** The usual protocol of the server. */
export const USUAL_PROTOCOL = 'bully-oneshot';

/** The text of a number in an address. */
export function textOf({ name, usual }: Member, query: Readonly<Record<string, string>>): string {
  return query[name] ?? usual;
}

/** The request that an address stands for. What the server refuses is left to it. */
export function requestOf(query: Readonly<Record<string, string>>): DesignRequest {
  const amounts = ALL.flatMap((member) => {
    const text = textOf(member, query).trim();
    return text === '' ? [] : [[member.name, Number.isNaN(Number(text)) ? text : Number(text)]];
  });
  const defences = (query.electionDefences ?? '').split(',').filter((name) => name !== '');
  return {
    protocol: query.protocol ?? USUAL_PROTOCOL,
    ...(query.question !== undefined && { question: query.question }),
    ...Object.fromEntries(amounts),
    ...(defences.length > 0 && { electionDefences: defences }),
    ...(query.elections === '1' && { elections: true }),
    ...(query.check === '1' && { check: { seed: query.seed ?? '1' } }),
  } as DesignRequest; // The server refuses what it does not know.
}

/** The address of a request. Of several advantages the first is shown. */
export function queryOf(request: DesignRequest): DesignQuery {
  const { protocol, question, electionDefences, elections, check } = request;
  const amounts = ALL.map(({ name }) => {
    const value = request[name];
    const first: unknown = Array.isArray(value) ? value[0] : value;
    return [name, first === undefined ? null : String(first)] as const;
  });
  return {
    ...{ protocol, question, ...Object.fromEntries(amounts) },
    electionDefences: electionDefences?.join(','),
    elections: elections === true ? 1 : null,
    ...(check !== undefined && { check: 1, seed: check.seed }),
  };
}

/** The arguments of `usurp design` for a request of the form. */
export function commandOf(request: DesignRequest): string[] {
  const { protocol, question, electionDefences, check } = request;
  return [
    ...['design', ...ALL.flatMap(({ name, flag }) => valued(flag, request[name]))],
    ...[...valued('--protocol', protocol), ...valued('--question', question)],
    ...valued('--defence', electionDefences?.join(',')),
    ...(check === undefined ? ['--no-check'] : valued('--seed', check.seed)),
  ];
}

function valued(flag: string, value: unknown): string[] {
  return value === undefined || value === '' ? [] : [flag, String(value)];
}

const STEPS = 400;

/** The number of steps of every slider, from 0. */
export const SLIDER_STEPS = STEPS;

/** The step of a slider that is nearest to a value. */
export function stepOf({ powers: [least, most] }: Member, value: number): number {
  const share = (Math.log10(Math.max(value, Number.MIN_VALUE)) - least) / (most - least);
  return Math.round(STEPS * Math.min(1, Math.max(0, share)));
}

/** The value at a step of a slider, with two digits. */
export function valueAt({ name, powers: [least, most] }: Member, step: number): string {
  const value = 10 ** (least + (step / STEPS) * (most - least));
  if (name === 'nodes') return String(Math.max(1, Math.round(Number(value.toPrecision(2)))));
  return String(Number(value.toPrecision(2)));
}

const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, '%': 0.01 };

/** About the value of a text, for the place of its slider. Null if it is no number. */
export function roughValue(text: string): number | null {
  const [, base = '', power] = /^([0-9.]+)\^(-?[0-9]+)$/.exec(text) ?? [];
  if (power !== undefined) return Number(base) ** Number(power);
  const [, digits, unit] = /^([0-9.]+(?:e[+-]?[0-9]+)?)(ms|s|m|h|%)?$/i.exec(text.trim()) ?? [];
  if (digits === undefined || Number.isNaN(Number(digits))) return null;
  return Number(digits) * (unit === undefined ? 1 : (UNITS[unit] ?? 1));
}
