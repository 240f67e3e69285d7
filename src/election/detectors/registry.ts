/**
 * @module
 * Every failure detector by name, with its assumptions, options, defaults and source. As text, `fd-heartbeat:every=10,timeout=35,adaptive`.
 * `fd-oracle` alone is not a machine: it is scripted from outside the nodes, and costs no messages.
 */

import { LabError } from '../../errors.ts';
import { namesOf, registry } from '../definition/definitions.ts';
import type { Timing } from '../timing.ts';

import type { AnyDetector } from './detector.ts';
import type {
  DetectorEntry,
  DetectorOption,
  DetectorOptions,
  GivenOptions,
  ReadOption,
} from './detector-definition.ts';
import { isSwitch, optionFault, readOptions } from './detector-definition.ts';
import { FD_GOSSIP } from './fd-gossip.ts';
import { FD_HEARTBEAT } from './fd-heartbeat.ts';
import { FD_NFD_E } from './fd-nfd-e.ts';
import { FD_ORACLE } from './fd-oracle.ts';
import { FD_PHI_AKKA, FD_PHI_EXP, FD_PHI_NORMAL } from './fd-phi.ts';

/** A detector and its options that differ from their defaults. */
export interface DetectorSpec {
  readonly name: DetectorName;
  readonly options: GivenOptions;
}

const LISTED = [
  FD_HEARTBEAT,
  FD_PHI_NORMAL,
  FD_PHI_AKKA,
  FD_PHI_EXP,
  FD_NFD_E,
  FD_GOSSIP,
  FD_ORACLE,
] as const;

export const DETECTORS = registry<typeof LISTED, DetectorEntry>('detector', LISTED);

export type DetectorName = keyof typeof DETECTORS;

export const DETECTOR_NAMES = namesOf(DETECTORS);

/** Kind of each member of every detector's messages, by type. */
export const DETECTOR_MESSAGES = Object.assign(
  {},
  ...DETECTOR_NAMES.map((name) => DETECTORS[name].messages),
) satisfies DetectorEntry['messages'];

/** Reads `name` or `name:option=value,switch`. Throws LabError `arguments`. */
export function parseDetector(text: string): DetectorSpec {
  const [head = '', ...rest] = text.split(':');
  const name = DETECTOR_NAMES.find((known) => known === head);
  if (name === undefined) {
    refuse(text, `names no detector; one of ${DETECTOR_NAMES.join(', ')} would be right`);
  }
  const options = new Map<string, string>();
  for (const part of rest.length === 0 ? [] : rest.join(':').split(',')) {
    const [option, value] = parseOption(text, name, part);
    if (options.has(option)) refuse(text, `has ${option} twice`);
    options.set(option, value);
  }
  return { name, options: Object.fromEntries(options) };
}

/** The text that `parseDetector` reads as this, options in the registry's order. */
export function detectorText({ name, options }: DetectorSpec): string {
  const parts = Object.entries<DetectorOption>(DETECTORS[name].options).flatMap(([key, option]) => {
    const value = options[key];
    if (value === undefined) return [];
    return [isSwitch(option) && value === 'on' ? key : `${key}=${value}`];
  });
  return parts.length === 0 ? name : `${name}:${parts.join(',')}`;
}

/** The detector of every node. Null for the oracle, which is not a machine. */
export function createDetector(
  { name, options }: DetectorSpec,
  timing: Timing,
): AnyDetector | null {
  const entry: DetectorEntry = DETECTORS[name];
  return entry.create?.(timing, readOptions(entry.options, options, timing)) ?? null;
}

/** The options of a detector with the defaults of such a network. */
export function detectorOptions({ name, options }: DetectorSpec, timing: Timing): ReadOption {
  return readOptions(DETECTORS[name].options, options, timing);
}

/** Why the options cannot be combined in such a network. Null if they can. */
export function detectorClash({ name, options }: DetectorSpec, timing: Timing): string | null {
  const entry: DetectorEntry = DETECTORS[name];
  return entry.clash?.(readOptions(entry.options, options, timing), options) ?? null;
}

/** Approximate ticks from a crash to the last suspicion of it, without losses. */
export function detectionTicks({ name, options }: DetectorSpec, timing: Timing): number {
  const entry: DetectorEntry = DETECTORS[name];
  return entry.detectionTicks(timing, readOptions(entry.options, options, timing));
}

/** Bound on the numbers that all nodes store: a few for each pair, or a window for accrual detectors. */
export function entriesKept(
  { name, options }: DetectorSpec,
  timing: Timing,
  nodes: number,
): number {
  const known: DetectorOptions = DETECTORS[name].options;
  if (!Object.hasOwn(known, 'window')) return nodes ** 2;
  return nodes ** 2 * readOptions(known, options, timing).number('window');
}

function parseOption(text: string, name: DetectorName, part: string): [string, string] {
  const equals = part.indexOf('=');
  const key = equals < 0 ? part : part.slice(0, equals);
  const options: DetectorOptions = DETECTORS[name].options;
  const option = Object.hasOwn(options, key) ? options[key] : undefined;
  if (option === undefined) {
    const known = Object.keys(options).join(', ');
    refuse(text, `has no option ${JSON.stringify(key)}; ${name} has ${known}`);
  }
  if (equals < 0 && !isSwitch(option)) refuse(text, `gives ${key} no value, as in ${key}=…`);
  const value = equals < 0 ? 'on' : part.slice(equals + 1);
  const fault = optionFault(option, value);
  if (fault !== null) refuse(text, `has ${key}=${value}; it ${fault}`);
  return [key, value];
}

function refuse(text: string, detail: string): never {
  throw new LabError('arguments', `detector ${JSON.stringify(text)} ${detail}`);
}
