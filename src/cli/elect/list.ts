/**
 * @module
 * `usurp elect --list`: the protocols, failure detectors and resources of the registries. Default times
 * that depend on the latency are computed for the latency of the command line.
 */

import { readNumbers } from '../../election/definition/flags.ts';
import type { DetectorOption } from '../../election/detectors/detector-definition.ts';
import { readOptions } from '../../election/detectors/detector-definition.ts';
import { DETECTOR_NAMES, DETECTORS } from '../../election/detectors/registry.ts';
import { RESOURCE_KINDS } from '../../election/lease/stores/resource.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../election/registry.ts';
import type { Timing } from '../../election/timing.ts';
import { LabError } from '../../errors.ts';
import { suggestion } from '../../experiment/reading/nearest.ts';
import { latencyTicksMax, parseLatency } from '../../simulation/faults/latency.ts';
import { linkFactorMax } from '../../simulation/faults/link-factors.ts';
import { RESOURCE_RULES, WORKLOAD_OPTIONS } from '../../simulation/plan/workload.ts';
import { BESIDE_RULES, DETECTORS_BESIDE } from '../../simulation/request/detector-choice.ts';
import { readLinkFactors } from '../../simulation/request/reading.ts';
import { columns } from '../shell/layout.ts';

/** What can be listed alone. */
export const LISTS = ['protocols', 'detectors', 'resources'] as const;
type ListName = (typeof LISTS)[number];

interface ListOptions {
  readonly isJson: boolean;
  /** True for all lists. */
  readonly list?: true | ListName;
  readonly latency?: string;
  readonly linkFactors?: string;
}

/** The text of all lists, of the named list, or of one protocol. */
export function listText(
  given: unknown,
  { list, latency = '1', linkFactors, isJson }: ListOptions,
): string {
  const protocol = PROTOCOL_NAMES.find((name) => name === given);
  if (given !== undefined && protocol === undefined) {
    const near = suggestion(PROTOCOL_NAMES, String(given));
    throw new LabError('arguments', `there is no protocol ${String(given)}${near}`);
  }
  if (protocol !== undefined && list !== true && list !== 'protocols') {
    throw new LabError('arguments', `--list ${list} has no effect beside a protocol`);
  }
  const factors = linkFactors === undefined ? null : readLinkFactors(linkFactors);
  const timing = {
    latencyTicksMax: latencyTicksMax(parseLatency(latency)) * linkFactorMax(factors),
  };
  const wants = (name: ListName) =>
    list === name || (list === true && (protocol === undefined || name === 'protocols'));
  const lists = {
    ...(wants('protocols') ? { protocols: protocols(protocol, timing) } : {}),
    ...(wants('detectors') ? { detectors: detectors(timing) } : {}),
    ...(wants('resources') ? { resources: resources() } : {}),
  };
  if (isJson) return `${JSON.stringify(lists)}\n`;
  return [
    ...protocolTables(lists.protocols ?? [], timing),
    ...detectorTables(lists.detectors ?? [], timing),
    ...resourceTables(lists.resources ?? []),
  ].join('\n');
}

function protocols(only: ProtocolName | undefined, timing: Timing) {
  const names = only === undefined ? PROTOCOL_NAMES : [only];
  return names.map((name) => {
    const { family, fifo, messageBound, source } = PROTOCOLS[name];
    const { assumes, elects, flags, messageTypes } = PROTOCOLS[name];
    const { numbers = {}, attributes = null } = PROTOCOLS[name];
    const usual = readNumbers(numbers, timing, {});
    return {
      name,
      family,
      fifo,
      messageBound,
      source,
      assumes,
      elects,
      flags,
      messageTypes,
      numbers: Object.entries(numbers).map(([number, { min, max, meaning }]) => {
        return { name: number, min, max, meaning, default: usual(number) };
      }),
      attributes,
    };
  });
}

function protocolTables(listed: ReturnType<typeof protocols>, timing: Timing): string[] {
  const flags = listed.flatMap(({ name, flags: values }) =>
    Object.entries(values).map(([flag, each]) => [name, `${flag}=${each.join('|')}`]),
  );
  const numbers = listed.flatMap(({ name, numbers: each }) =>
    each.map(({ name: number, min, max, meaning, default: usual }) => [
      ...[name, number, String(usual), `${min}..${max}`, meaning],
    ]),
  );
  const attributes = listed.flatMap(({ name, attributes: meaning }) =>
    meaning === null ? [] : [[name, meaning]],
  );
  return [
    ...table(
      ['protocol', 'family', 'elects', 'links', 'messages'],
      listed.map(({ name, family, elects, fifo, messageBound }) => [
        ...[name, family, elects, fifo ? 'FIFO' : 'any', messageBound],
      ]),
    ),
    ...table(
      ['protocol', 'assumes'],
      listed.map(({ name, assumes }) => [name, assumes]),
    ),
    ...table(
      ['protocol', 'source'],
      listed.map(({ name, source }) => [name, source]),
    ),
    ...table(['protocol', '--flags (first value: default)'], flags),
    ...table(['protocol', '--flags', usually(timing), 'range', 'meaning'], numbers),
    ...table(['protocol', 'meaning of --attributes'], attributes),
  ];
}

function detectors(timing: Timing) {
  const beside = DETECTORS_BESIDE.map((name) => ({
    name,
    rule: BESIDE_RULES[name],
    messageBound: '0',
    source: null,
    messageTypes: [],
    options: [],
  }));
  const onNodes = DETECTOR_NAMES.map((name) => {
    const { rule, messageBound, source, messages, options } = DETECTORS[name];
    const messageTypes = Object.keys(messages);
    const read = readOptions(options, {}, timing);
    const described = Object.entries<DetectorOption>(options).map(([option, each]) => {
      return { name: option, ...rangeOf(each), ...meaningOf(each, read.text(option)) };
    });
    return { name, rule, messageBound, source, messageTypes, options: described };
  });
  return [...beside, ...onNodes];
}

/** The values of an option, or its bounds and additional words. */
function rangeOf(option: DetectorOption) {
  if (option.type === 'word') return { values: option.values };
  const { min, max, words } = option;
  return { min, max, ...(words.length > 0 && { values: words }) };
}

function meaningOf(option: DetectorOption, usual: string) {
  const isNumber = option.type === 'number' && !option.words.includes(usual);
  return { meaning: option.meaning, default: isNumber ? Number(usual) : usual };
}

function detectorTables(listed: ReturnType<typeof detectors>, timing: Timing): string[] {
  const options = listed.flatMap(({ name, options: each }) =>
    each.map((option) => [
      ...[name, option.name, String(option.default), takes(option), option.meaning],
    ]),
  );
  return [
    ...table(
      ['detector', 'messages', 'rule'],
      listed.map(({ name, messageBound, rule }) => [name, messageBound, rule]),
    ),
    ...table(['detector', 'option', usually(timing), 'values', 'meaning'], options),
    ...table(
      ['detector', 'source'],
      listed.flatMap(({ name, source }) => (source === null ? [] : [[name, source]])),
    ),
  ];
}

function takes({
  min,
  max,
  values = [],
}: ReturnType<typeof rangeOf> & { min?: number; max?: number }) {
  return [...(min === undefined ? [] : [`${min}..${max}`]), ...values].join('|');
}

function resources() {
  return RESOURCE_KINDS.map((name) => {
    const options = Object.entries(WORKLOAD_OPTIONS).map(([option, meaning]) => {
      return { name: option, meaning };
    });
    return { name, rule: RESOURCE_RULES[name], options };
  });
}

function resourceTables(listed: ReturnType<typeof resources>): string[] {
  const [first] = listed;
  const options = (first?.options ?? []).map(({ name, meaning }) => [name, meaning]);
  return [
    ...table(
      ['resource', 'rule'],
      listed.map(({ name, rule }) => [name, rule]),
    ),
    ...table(['option of resources', 'meaning'], options),
  ];
}

/** The table, or no text if it has no rows. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return rows.length === 0 ? [] : [columns([head, ...rows])];
}

function usually({ latencyTicksMax: ticks }: Timing): string {
  return `default at Δ = ${ticks}`;
}
