/**
 * @module
 * Clients of the leader. The text form is their number with options: `3` or `3:reads=resource,patience=50,every=20`.
 */

import { LabError } from '../../errors.ts';
import type { Flags } from '../definition/flags.ts';
import type { ResourceKind } from '../lease/stores/resource.ts';
import type { ProtocolName } from '../registry.ts';
import { PROTOCOLS } from '../registry.ts';
import type { Reads } from './served-register.ts';
import { READS } from './served-register.ts';

export interface Clients {
  readonly count: number;
  /** Whether a leader answers from what it knows, or asks the resource. It means nothing to a log. */
  readonly reads: Reads;
  /** Ticks after which a client gives up an operation. Null for 5 times the longest time of an answer. */
  readonly patienceTicks: number | null;
  /** Ticks from the end of an operation of a client to its next one. Null for the longest time of an answer. */
  readonly everyTicks: number | null;
}

export const CLIENTS_MAX = 100;
const CLIENT_TICKS_MAX = 1_000_000_000;

/** Parses the text form. Throws LabError `arguments`. */
export function parseClients(text: string): Clients {
  const [, digits = '', , options = ''] = /^(\d{1,3})(:(.+))?$/s.exec(text) ?? [];
  const given = new Map(options === '' ? [] : options.split(',').map(pairOf));
  const ticksOf = (name: string) => {
    const value = given.get(name);
    return value === undefined ? null : Number(value);
  };
  const clients = {
    count: Number(digits),
    reads: READS.find((each) => each === (given.get('reads') ?? READS[0])),
    patienceTicks: ticksOf('patience'),
    everyTicks: ticksOf('every'),
  };
  const isKnown = [...given.keys()].every((name) => ['reads', 'patience', 'every'].includes(name));
  const { reads } = clients;
  if (isKnown && reads !== undefined && isClients({ ...clients, reads })) {
    return { ...clients, reads };
  }
  const detail = `clients are a number 1..${CLIENTS_MAX}, with or without the options :reads=${READS.join('|')},patience=<ticks>,every=<ticks>, not ${JSON.stringify(text)}`;
  throw new LabError('arguments', detail);
}

function pairOf(text: string): [name: string, value: string] {
  const at = text.indexOf('=');
  return [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
}

/** The text form. */
export function clientsText({ count, reads, patienceTicks, everyTicks }: Clients): string {
  const options = [
    ...(reads === READS[0] ? [] : [`reads=${reads}`]),
    ...(patienceTicks === null ? [] : [`patience=${patienceTicks}`]),
    ...(everyTicks === null ? [] : [`every=${everyTicks}`]),
  ];
  return options.length === 0 ? String(count) : `${count}:${options.join(',')}`;
}

/** Whether `parseClients` could return it. */
export function isClients({ count, patienceTicks, everyTicks }: Clients): boolean {
  const isIn = (value: number, max: number) =>
    Number.isSafeInteger(value) && value >= 1 && value <= max;
  const areTicks = (ticks: number | null) => ticks === null || isIn(ticks, CLIENT_TICKS_MAX);
  return isIn(count, CLIENTS_MAX) && areTicks(patienceTicks) && areTicks(everyTicks);
}

/** Why no leader could serve clients in such an election, as a clause. Null if leaders can. */
export function unservedReason(
  protocol: ProtocolName,
  flags: Flags,
  resource: ResourceKind | null,
): string | null {
  const isLogged = PROTOCOLS[protocol].servesClients?.(flags) === true;
  if (isLogged) return resource === null ? null : 'the log serves the clients, not a resource';
  return resource === null ? `${protocol} keeps no log, so that clients need a resource` : null;
}
